"""What `trialrun check` does, and its options. It imports no click, which plain command lines do without."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from trialrun.cli.check_options import OPTIONS, check_request, limit_hints
from trialrun.cli.option import Option
from trialrun.cli.options import COLOR
from trialrun.cli.output import write_utf8
from trialrun.cli.output_formats import parse_outputs
from trialrun.cli.report_error import print_note
from trialrun.errors import UsageError
from trialrun.report.interface import FORMATS, WITHOUT_FIXES

if TYPE_CHECKING:
    from trialrun.lint.settings import Profiles
    from trialrun.report.interface import Run
    from trialrun.workspace import CheckRequest, CheckResult

FIRST_STEPS = (
    "there are no documents here; trialrun init writes a first workspace, trialrun new KIND NAME a document, "
    "and trialrun import FILE takes over what you have"
)
SEVERITIES = ("error", "warning", "note")
CHECK_OPTIONS = (
    Option(
        "--discovered",
        is_flag=True,
        help="Skip PATHS that discovery would skip: excluded files and files of other kinds. For hooks.",
    ),
    Option("--stdin-filename", metavar="NAME", help="File name of the text that - reads from standard input."),
    Option("--fix", is_flag=True, help="Apply safe fixes to the files; report the remaining findings."),
    Option("--unsafe-fixes", is_flag=True, help="Apply unsafe fixes too."),
    Option("--diff", is_flag=True, help="Show the changes as a unified diff; do not write files."),
    Option(
        "--add-ignores",
        metavar="REASON",
        help="Suppress all findings with this reason, by comments and in the settings.",
    ),
    Option("--until", metavar="DATE", help="Last day of the suppressions of --add-ignores."),
    Option(
        "--fail-on",
        choices=SEVERITIES,
        default="error",
        show_default=True,
        help="Lowest severity that makes the exit code 1.",
    ),
    Option(
        "--output-format",
        multiple=True,
        metavar="FORMAT[=FILE]",
        help=f"One of {', '.join(FORMATS)}; =FILE writes to a file; may be repeated.",
    ),
    Option("--force", is_flag=True, help="Let FORMAT=FILE overwrite a file that is not a report."),
    Option(
        "--show-files",
        is_flag=True,
        help="List the files with their kinds, or why they are skipped; do not check them.",
    ),
    Option("--baseline", metavar="FILE", help="Do not report the findings of a baseline file."),
    Option(
        "--since", metavar="REV", help="Report only findings introduced since REV; REV... compares with the merge base."
    ),
    Option("--recurse-submodules", is_flag=True, help="Also check git submodules in the searched folders."),
    Option("--statistics", is_flag=True, help="Show the number of findings per rule (text formats only)."),
    Option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C."),
    *OPTIONS,
    COLOR,
)


def run_check(paths: tuple[str, ...], options: dict[str, Any]) -> int:
    """Check files, folders or the whole workspace as the options say; the exit code."""
    outputs = parse_outputs(options["output_format"], FORMATS)
    is_adding = options["add_ignores"] is not None or options["until"] is not None
    if is_adding:
        from trialrun.cli.add_ignores import require_compatible_options as require_compatible

        require_compatible(paths, options)
    files = [file for _, file in outputs if file]
    if options["show_files"]:
        return _show_files(paths, outputs, options)
    if files:
        from trialrun.cli.files import require_replaceable

        require_replaceable(files, force=options["force"])
    fixes = [name for name in ("fix", "unsafe_fixes", "diff") if options[name]]
    if fixes and not is_adding:
        from trialrun.cli.fix import require_compatible_options

        require_compatible_options(fixes[0], options)

    def request() -> CheckRequest:
        return _check_request(paths, options)

    if is_adding:
        return _add_ignores(request, outputs, options)
    if not options["watch"]:
        return _run_check(request(), outputs, options)
    if "-" in paths:
        raise UsageError("--watch needs files; standard input does not change")
    from trialrun.cli.watch import watch

    return watch(request, lambda request: _run_check(request, outputs, options), written=files)


def _show_files(paths: tuple[str, ...], outputs: Sequence[tuple[str, str | None]], options: dict[str, Any]) -> int:
    """The files of `--show-files`."""
    from trialrun.cli.show_files import show_files
    from trialrun.workspace import UnknownPath

    if len(outputs) != 1 or outputs[0] not in (("text", None), ("json", None)):
        raise UsageError("--show-files supports only text and json on standard output; remove the other formats")
    try:
        return show_files(_check_request(paths, options), output_format=outputs[0][0])
    except UnknownPath as error:
        raise UsageError(f"there is no file or folder {error}") from error


def _run_check(request: CheckRequest, outputs: Sequence[tuple[str, str | None]], options: dict[str, Any]) -> int:
    from trialrun.workspace import UnknownPath

    check = _check_function(options)
    try:
        if options["fix"] or options["unsafe_fixes"] or options["diff"]:
            from trialrun.cli.fix import fix_files

            shown = [(name, file) for name, file in outputs if file or not options["diff"]]
            return fix_files(request, check, partial(_write_reports, shown, options), options)
        return _write_reports(outputs, options, request, check(request))
    except UnknownPath as error:
        raise UsageError(f"there is no file or folder {error}") from error


def _add_ignores(
    request: Callable[[], CheckRequest], outputs: Sequence[tuple[str, str | None]], options: dict[str, Any]
) -> int:
    from trialrun.cli.add_ignores import add_ignores_to_files
    from trialrun.workspace import UnknownPath

    shown = [(name, file) for name, file in outputs if file or not options["diff"]]
    try:
        report = partial(_write_reports, shown, options)
        return add_ignores_to_files(request, _check_function(options), report, options)
    except UnknownPath as error:
        raise UsageError(f"there is no file or folder {error}") from error


def _check_function(options: dict[str, Any]) -> Callable[[CheckRequest], CheckResult]:
    """The check that the options ask for; a baseline of the command line holds for all workspaces together."""
    check = _check_without_baseline(options["since"])
    if not options["baseline"]:
        return check
    from trialrun.workspace.open_request import read_baseline_file

    baseline = read_baseline_file(options["baseline"])
    return lambda request: check(request).without_baseline(baseline)


def _check_request(paths: Sequence[str], options: dict[str, Any]) -> CheckRequest:
    """The request of a check, which enters submodules where this is asked for."""
    needs = {**options, "with_fixes": _needs_fixes(options)}
    made = check_request(paths, needs, with_baselines=not options["baseline"])
    return replace(made, recurse_submodules=options["recurse_submodules"])


def _needs_fixes(options: dict[str, Any]) -> bool:
    """Whether what is asked for says or makes fixes; they are computed for nothing else."""
    if options["fix"] or options["unsafe_fixes"] or options["diff"]:
        return True
    return any(name not in WITHOUT_FIXES for name, _ in parse_outputs(options["output_format"], FORMATS))


def _check_without_baseline(revision: str | None) -> Callable[[CheckRequest], CheckResult]:
    if revision:
        from trialrun.workspace.since import check_since

        return partial(check_since, name=revision)
    from trialrun.workspace import check

    return check


def _write_reports(
    outputs: Sequence[tuple[str, str | None]],
    options: dict[str, Any],
    request: CheckRequest,
    outcome: CheckResult,
    fixed: tuple[int, int] | None = None,
) -> int:
    """Write the reports of an outcome, with how many findings were fixed in how many files; the exit code."""
    if files := [file for _, file in outputs if file]:
        from trialrun.cli.files import require_not_checked

        require_not_checked(files, outcome.paths)
    from trialrun.outputs.report_run import report_run

    for hint in _hints([profiles for _, profiles in outcome.workspaces]):
        print_note(hint)
    run = report_run(request, outcome, options["fail_on"])
    if fixed:
        run = replace(run, summary=replace(run.summary, fixed=fixed))
    for name, file in outputs:
        _write_report(run, name, file, options)
    nothing = not outcome.files and not outcome.not_checked
    if nothing and _is_for_person(outputs) and _searches_folders(request, options):
        print_note(FIRST_STEPS)
    return run.exit_code


def _is_for_person(outputs: Sequence[tuple[str, str | None]]) -> bool:
    from trialrun.report.interface import FOR_PEOPLE

    return any(file is None and name in FOR_PEOPLE for name, file in outputs)


def _searches_folders(request: CheckRequest, options: dict[str, Any]) -> bool:
    """Whether a person asks for all files of folders, and not only for what has changed there."""
    return not options["since"] and not request.as_discovered and all(map(os.path.isdir, request.paths))


def _hints(profiles: Sequence[Profiles]) -> Iterator[str]:
    """What is worth knowing of the settings of the workspaces that were checked, once where several share them."""
    settings = {profile.settings.file: profile.settings for profile in profiles}
    for setting in settings.values():
        yield from (*setting.hints, *limit_hints(setting))


def _write_report(run: Run, name: str, file: str | None, options: dict[str, Any]) -> None:
    if file is None:
        from trialrun.report.interface import FOR_PEOPLE

        parts = _format_report(run, name, options)
        if name in FOR_PEOPLE:
            sys.stdout.writelines(parts)
        else:
            write_utf8(parts, is_commands=name == "github")
        return
    from trialrun.cli.files import write_atomically

    parts = _format_report(run, name, {**options, "color": "never"})
    write_atomically(file, parts, is_commands=name == "github")


def _format_report(run: Run, name: str, options: dict[str, Any]) -> Iterator[str]:
    from trialrun.report.color import use_color
    from trialrun.report.interface import FOR_PEOPLE, load_report
    from trialrun.report.terminal_width import terminal_columns

    color, width = use_color(options["color"], sys.stdout, os.environ), terminal_columns(sys.stdout, os.environ)
    if options["statistics"] and name in FOR_PEOPLE:
        from trialrun.report.summary import statistics

        return statistics(run, color=color, width=width)
    return load_report(name)(run, color=color, width=width)
