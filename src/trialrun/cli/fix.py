"""What `check` writes into files, or shows as a diff: fixes, and with `--add-ignores` suppressions for all findings."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from datetime import date
from typing import TYPE_CHECKING, Any

from trialrun.cli.output import print_note, report_error, write_filtered, write_utf8
from trialrun.errors import UsageError
from trialrun.parser import read_source
from trialrun.report.color import painter, use_color
from trialrun.report.diff import file_diff
from trialrun.report.summary import pluralize
from trialrun.text import Source
from trialrun.workspace.check import CheckResult
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.fix_loop import FixedFile, fix_until_stable
from trialrun.workspace.write_files import FileNotWritten, create_files, write_back

if TYPE_CHECKING:
    from trialrun.workspace.add_ignores import ChangedText

REFUSED_OPTIONS: Mapping[str, str] = {
    "fix": "run check --fix first",
    "unsafe_fixes": "run check --unsafe-fixes first",
    "watch": "files are not changed while they are edited",
    "show_files": "it checks nothing",
    "isolated": "suppressions in settings would not be read",
}
"""Options that do not go with --add-ignores, and why."""
NOT_WRITTEN_EXIT = 2

Check = Callable[[CheckRequest], CheckResult]
Report = Callable[[CheckRequest, CheckResult, tuple[int, int] | None], int]
"""Write the reports of an outcome, with how many findings were fixed in how many files; the exit code."""


def require_options_for_fixes(option: str, options: Mapping[str, Any]) -> None:
    """Raise UsageError where an option that fixes does not go with the others."""
    if options["watch"]:
        name = option.replace("_", "-")
        raise UsageError(f"--{name} cannot be combined with --watch; files are not fixed while they are edited")
    _require_free_output(options)


def require_options_for_ignores(paths: Sequence[str], options: Mapping[str, Any]) -> None:
    """Raise UsageError where --add-ignores does not go with the other options."""
    if options["add_ignores"] is None:
        raise UsageError("--until is the last day of new suppressions; give their reason by --add-ignores")
    for name, why in REFUSED_OPTIONS.items():
        if options[name]:
            raise UsageError(f"--add-ignores cannot be combined with --{name.replace('_', '-')}; {why}")
    if "-" in paths:
        raise UsageError("--add-ignores writes files; name them instead of standard input")
    _require_free_output(options)


def _require_free_output(options: Mapping[str, Any]) -> None:
    if options["diff"] and any("=" not in option for option in options["output_format"]):
        raise UsageError("--diff uses standard output; write the report to FORMAT=FILE")


def fix_files(request: CheckRequest, check: Check, tell: Report, options: Mapping[str, Any]) -> int:
    """Fix the files of a request, or show what would change; the exit code.

    What came by standard input goes to standard output, and the report that would be there to standard error.
    """
    mending = fix_until_stable(
        lambda texts: check(request.with_texts(texts)), request.files.bytes_of, unsafe=options["unsafe_fixes"]
    )
    if options["diff"]:
        _show_diff([(file.path, file.before, file.source) for file in mending.files], options["color"])
        findings, files = _counts(mending.files)
        fixable = f"{pluralize(findings, 'finding')} would be fixed in {pluralize(files, 'file')}"
        print(fixable if files else "nothing to fix", file=sys.stderr)
        return tell(request, mending.before, None)
    after = request.with_texts({file.path: file.data for file in mending.files})
    if request.overlay:
        for data in after.overlay.values():
            write_filtered(data or b"")
        with redirect_stdout(sys.stderr):
            return tell(after, mending.after, _counts(mending.files))
    links = request.links()
    written = []
    for file in mending.files:
        try:
            old_links = write_back(
                file.path, file.data, instead_of=file.original, named_in=request.root, links=links.get(file.path, ())
            )
        except FileNotWritten as error:
            report_error(UsageError(f"{file.path} was not fixed: {error}"))
            continue
        written.append(file)
        if old_links:
            print_note(f"{file.path} has {pluralize(old_links, 'other hard link')} with the old text")
    if len(written) == len(mending.files):
        return tell(after, mending.after, _counts(written))
    tell(request, check(request), _counts(written))
    return NOT_WRITTEN_EXIT


def _counts(files: Sequence[FixedFile]) -> tuple[int, int]:
    return sum(file.fixed for file in files), len(files)


def _show_diff(files: Iterable[tuple[str, Source, Source]], color: str) -> None:
    """The diff of files on standard output: exact in UTF-8, where it is not painted for a person."""
    is_painted = use_color(color, sys.stdout, os.environ)
    for path, before, after in files:
        lines, why = file_diff(path, before, after, paint=painter(color=is_painted))
        if is_painted:
            sys.stdout.writelines(lines)
        else:
            write_utf8(lines)
        if why:
            print_note(f"{path} {why}; its diff can be read but not applied")
    sys.stdout.flush()


def add_ignores_to_files(
    open_request: Callable[[], CheckRequest], check: Check, report: Report, options: Mapping[str, Any]
) -> int:
    """Suppress all findings of a request in its files, or show the changes; the exit code.

    The request is opened again at the end, so that the report is about the files and settings as they were written.
    """
    from trialrun.workspace.add_ignores import added_ignores

    request = open_request()
    reason, until = options["add_ignores"].strip(), options["until"]
    require_valid_ignores(reason, until, request.now.date())
    files, before, rest = added_ignores(request, check, reason, until)
    left = Counter((diagnostic.rule, why) for diagnostic, why in rest)
    notes = [
        f"{pluralize(count, 'finding')} of {rule} not suppressed: {why}" for (rule, why), count in sorted(left.items())
    ]
    if options["diff"]:
        texts = [(path, read_source(old or b"", path), read_source(new, path)) for path, old, new in files]
        _show_diff(texts, options["color"])
        for note in notes:
            print_note(note)
        return report(request, before, None)
    links = request.links()
    written = [_write_ignores(file, request.root, links.get(file[0], ())) for file in files]
    after = open_request()
    result = check(after)
    findings = pluralize(len(before.diagnostics) - len(result.diagnostics), "finding")
    changed = f"suppressed {findings} by changes in {pluralize(sum(written), 'file')}"
    print(changed if sum(written) else "nothing to suppress", file=sys.stderr, flush=True)
    for note in notes:
        print_note(note)
    code = report(after, result, None)
    return code if all(written) else NOT_WRITTEN_EXIT


def require_valid_ignores(reason: str, until: str | None, today: date) -> None:
    """Raise UsageError for a reason or a last day that suppressions cannot have."""
    from trialrun.lint.suppression.suppression import ignore_comment, parse_directives, parse_last_day, reason_and_owner

    if not reason.isprintable():
        raise UsageError("--add-ignores: the reason has to be one line of printable characters")
    last = parse_last_day(until) if until is not None else None
    if until is not None and last is None:
        raise UsageError(f'--until: "{until}" is not a date; write it as 2027-01-31')
    if last is not None and last < today:
        raise UsageError(f"--until: {until} is over; name a day to come")
    (directive, *_) = parse_directives(ignore_comment(["rule"], reason), 0)
    if directive.until is not None:
        raise UsageError("--add-ignores: the reason contains a date; give it by --until")
    if not directive.reason:
        raise UsageError("--add-ignores: the reason is empty; say why the findings are accepted")
    if directive.reason != reason_and_owner(reason)[0]:
        raise UsageError('--add-ignores: a comment ends at " # "; write the reason without it')


def _write_ignores(file: ChangedText, root: str, links: Sequence[str]) -> bool:
    """Write a file, and say why it was not; whether it was written."""
    path, before, after = file
    try:
        if before is None:
            folder, name = os.path.split(path)
            create_files(folder or os.curdir, {name: after}, named_in=root)
        elif write_back(path, after, instead_of=before, named_in=root, links=links):
            print_note(f"{path} has other hard links with the old text")
    except FileNotWritten as error:
        report_error(UsageError(f"{path} was not changed: {error}"))
        return False
    return True
