"""`trialrun check`: lint files, folders or the whole workspace; it imports no click, which plain lines do without."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from trialrun.cli.options import (
    COLOR,
    FORCE,
    SHARED_OPTIONS,
    Option,
    check_request,
    limit_hints,
    output_formats,
    parse_outputs,
    unknown_path_as_usage,
)
from trialrun.cli.output import print_note, write_utf8
from trialrun.errors import UsageError
from trialrun.report.color import use_color
from trialrun.report.interface import FOR_PEOPLE, FORMATS, WITHOUT_FIXES, load_report
from trialrun.report.terminal_width import escape_controls, terminal_columns, width

if TYPE_CHECKING:
    from trialrun.report.interface import Run
    from trialrun.workspace import CheckRequest, CheckResult

FIRST_STEPS = (
    "there are no documents here; trialrun init writes a first workspace, trialrun new KIND NAME a document, "
    "and trialrun import FILE takes over what you have"
)
SEVERITIES = ("error", "warning", "note")
GAP = 2
MAX_PATH_WIDTH = 60
"""The cells of the column of paths; what follows a longer path begins after it."""
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
    output_formats(FORMATS),
    FORCE,
    Option(
        "--show-files",
        is_flag=True,
        help="List the files with their kinds, or why they are skipped; do not check them.",
    ),
    Option("--baseline", metavar="FILE", help="Do not report the findings of a baseline file."),
    Option(
        "--since", metavar="REV", help="Report only findings introduced since REV; REV... compares with the merge base."
    ),
    Option(
        "--terraform-plan", metavar="FILE", help="Take what .tf files leave open from a plan (terraform show -json)."
    ),
    Option("--recurse-submodules", is_flag=True, help="Also check git submodules in the searched folders."),
    Option("--statistics", is_flag=True, help="Show the number of findings per rule (text formats only)."),
    Option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C."),
    *SHARED_OPTIONS,
    COLOR,
)


def run_check(paths: tuple[str, ...], options: dict[str, Any]) -> int:
    """Check files, folders or the whole workspace as the options say; the exit code."""
    outputs = parse_outputs(options["output_format"], FORMATS)
    is_adding = options["add_ignores"] is not None or options["until"] is not None
    fixes = [name for name in ("fix", "unsafe_fixes", "diff") if options[name]]
    files = [file for _, file in outputs if file]
    _require_combinable(paths, outputs, options, is_adding=is_adding)
    # fixes are computed only for what says or makes them
    needs_fixes = bool(fixes) or any(name not in WITHOUT_FIXES for name, _ in outputs)

    def request() -> CheckRequest:
        made = check_request(paths, {**options, "with_fixes": needs_fixes}, with_baselines=not options["baseline"])
        made = replace(made, recurse_submodules=options["recurse_submodules"])
        if options["terraform_plan"] is None:
            return made
        from trialrun.workspace.terraform_plan import read_plan

        return replace(made, planned=read_plan(options["terraform_plan"]))

    def run(request: CheckRequest) -> int:
        with unknown_path_as_usage():
            check = _check_function(options)
            if not fixes:
                return _write_reports(outputs, options, request, check(request))
            from trialrun.cli.fix import fix_files

            return fix_files(request, check, partial(_write_reports, shown, options), options)

    shown = [(name, file) for name, file in outputs if file or not options["diff"]]
    if options["show_files"]:
        with unknown_path_as_usage():
            return _show_files(request(), outputs[0][0])
    if is_adding:
        from trialrun.cli.fix import add_ignores_to_files

        with unknown_path_as_usage():
            report = partial(_write_reports, shown, options)
            return add_ignores_to_files(request, _check_function(options), report, options)
    if not options["watch"]:
        return run(request())
    if "-" in paths:
        raise UsageError("--watch needs files; standard input does not change")
    from trialrun.cli.watch import watch

    return watch(request, run, written=files)


def _require_combinable(
    paths: tuple[str, ...], outputs: Sequence[tuple[str, str | None]], options: dict[str, Any], *, is_adding: bool
) -> None:
    """Raise UsageError for options that do not go together, and for a file that is no report."""
    if is_adding:
        from trialrun.cli.fix import require_options_for_ignores

        require_options_for_ignores(paths, options)
    if options["show_files"] and (len(outputs) != 1 or outputs[0] not in (("text", None), ("json", None))):
        raise UsageError("--show-files supports only text and json on standard output; remove the other formats")
    if files := [file for _, file in outputs if file]:
        from trialrun.cli.files import require_replaceable

        require_replaceable(files, force=options["force"])
    fixes = [name for name in ("fix", "unsafe_fixes", "diff") if options[name]]
    if fixes and not is_adding and not options["show_files"]:
        from trialrun.cli.fix import require_options_for_fixes

        require_options_for_fixes(fixes[0], options)


def _check_function(options: dict[str, Any]) -> Callable[[CheckRequest], CheckResult]:
    """The check that the options ask for; a baseline of the command line holds for all workspaces together."""
    from trialrun.workspace import check

    if options["since"]:
        from trialrun.workspace.since import check_since

        check = partial(check_since, name=options["since"])
    if not options["baseline"]:
        return check
    from trialrun.workspace.check_request import read_baseline_file

    baseline = read_baseline_file(options["baseline"])
    return lambda request: check(request).without_baseline(baseline)


def _write_reports(
    outputs: Sequence[tuple[str, str | None]],
    options: dict[str, Any],
    request: CheckRequest,
    outcome: CheckResult,
    fixed: tuple[int, int] | None = None,
) -> int:
    """Write the reports of an outcome, with how many findings were fixed in how many files; the exit code."""
    from trialrun.outputs.report_run import report_run

    if files := [file for _, file in outputs if file]:
        from trialrun.cli.files import require_not_checked

        require_not_checked(files, outcome.paths)
    # what is worth knowing of the settings of the workspaces that were checked, once where several share them
    settings = {profiles.settings.file: profiles.settings for _, profiles in outcome.workspaces}
    for setting in settings.values():
        for hint in (*setting.hints, *limit_hints(setting)):
            print_note(hint)
    run = report_run(request, outcome, options["fail_on"])
    if fixed:
        run = run._replace(summary=run.summary._replace(fixed=fixed))
    for name, file in outputs:
        _write_report(run, name, file, options)
    for_people = any(file is None and name in FOR_PEOPLE for name, file in outputs)
    # a person asks for all files of folders, and not only for what has changed there
    of_folders = not options["since"] and not request.as_discovered and all(map(os.path.isdir, request.paths))
    if not outcome.files and not outcome.not_checked and for_people and of_folders:
        print_note(FIRST_STEPS)
    return run.exit_code


def _write_report(run: Run, name: str, file: str | None, options: dict[str, Any]) -> None:
    width = terminal_columns(sys.stdout, os.environ)
    color = use_color("never" if file else options["color"], sys.stdout, os.environ)
    if options["statistics"] and name in FOR_PEOPLE:
        from trialrun.report.summary import statistics

        parts = statistics(run, color=color, width=width)
    else:
        parts = load_report(name)(run, color=color, width=width)
    if file:
        from trialrun.cli.files import write_atomically

        write_atomically(file, parts, is_commands=name == "github")
    elif name in FOR_PEOPLE:
        sys.stdout.writelines(parts)
    else:
        write_utf8(parts, is_commands=name == "github")


def _show_files(request: CheckRequest, output_format: str) -> int:
    """Print every file that a check would look at, with the kinds of its documents or why it has none."""
    from trialrun.workspace.listed_files import listed_files

    files = list(listed_files(request))
    if output_format == "json":
        from trialrun.report.json import json_text

        objects = ({"path": file.path, "kinds": list(file.kinds), "reason": file.reason or None} for file in files)
        lines = ",".join(f"\n  {json_text(object_)}" for object_ in objects)
        write_utf8([f'{{"version": 1,\n "files": [{lines}]}}\n'])
        return 0
    column = max((width(file.path) for file in files if width(file.path) <= MAX_PATH_WIDTH), default=0) + GAP
    for file in files:
        path, what = escape_controls(file.path), escape_controls(file.reason or ", ".join(file.kinds))
        sys.stdout.write(f"{path}{' ' * max(GAP, column - width(path))}{what}\n")
    if not files:
        sys.stdout.write("no files\n")
    return 0
