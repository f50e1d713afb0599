"""`check --add-ignores`: suppressions for all findings, written or shown as a diff."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from trialrun.cli.report_error import print_note, report_error
from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.workspace.add_ignores import AddedIgnores, ChangedText, NewIgnores
    from trialrun.workspace.check import CheckResult
    from trialrun.workspace.check_request import CheckRequest

REFUSED_OPTIONS: Mapping[str, str] = {
    "fix": "run check --fix first",
    "unsafe_fixes": "run check --unsafe-fixes first",
    "watch": "files are not changed while they are edited",
    "show_files": "it checks nothing",
    "isolated": "suppressions in settings would not be read",
}
"""Options that do not go with it, and why."""
NOT_WRITTEN_EXIT = 2

Report = Callable[["CheckRequest", "CheckResult"], int]
"""Write the reports of a result; the exit code."""


def require_compatible_options(paths: Sequence[str], options: Mapping[str, Any]) -> None:
    """Raise UsageError where --add-ignores does not go with the other options."""
    if options["add_ignores"] is None:
        raise UsageError("--until is the last day of new suppressions; give their reason by --add-ignores")
    for name, why in REFUSED_OPTIONS.items():
        if options[name]:
            raise UsageError(f"--add-ignores cannot be combined with --{name.replace('_', '-')}; {why}")
    if "-" in paths:
        raise UsageError("--add-ignores writes files; name them instead of standard input")
    if options["diff"] and any("=" not in option for option in options["output_format"]):
        raise UsageError("--diff uses standard output; write the report to FORMAT=FILE")


def parse_ignores(reason: str, until: str | None, today: date) -> NewIgnores:
    """The reason and the last day of new suppressions. Raises UsageError."""
    from trialrun.lint.suppression.suppression import ignore_comment, parse_directives, parse_last_day, reason_and_owner
    from trialrun.workspace.add_ignores import NewIgnores

    text = reason.strip()
    if not text.isprintable():
        raise UsageError("--add-ignores: the reason has to be one line of printable characters")
    last = parse_last_day(until) if until is not None else None
    if until is not None and last is None:
        raise UsageError(f'--until: "{until}" is not a date; write it as 2027-01-31')
    if last is not None and last < today:
        raise UsageError(f"--until: {until} is over; name a day to come")
    (directive, *_) = parse_directives(ignore_comment(["rule"], text), 0)
    if directive.until is not None:
        raise UsageError("--add-ignores: the reason contains a date; give it by --until")
    if not directive.reason:
        raise UsageError("--add-ignores: the reason is empty; say why the findings are accepted")
    if directive.reason != reason_and_owner(text)[0]:
        raise UsageError('--add-ignores: a comment ends at " # "; write the reason without it')
    return NewIgnores(text, until)


def add_ignores_to_files(
    open_request: Callable[[], CheckRequest],
    check: Callable[[CheckRequest], CheckResult],
    report: Report,
    options: Mapping[str, Any],
) -> int:
    """Suppress all findings of a request in its files, or show the changes; the exit code.

    The request is opened again at the end, so that the report is about the files and settings as they were written.
    """
    from trialrun.workspace.add_ignores import added_ignores

    request = open_request()
    ignores = parse_ignores(options["add_ignores"], options["until"], request.now.date())
    added = added_ignores(request, check, ignores)
    if options["diff"]:
        from trialrun.cli.fix import show_diff
        from trialrun.parser import read_source

        texts = ((file.path, read_source(file.before or b"", file.path), file.after) for file in added.files)
        show_diff([(path, before, read_source(after, path)) for path, before, after in texts], options["color"])
        _note_left(added)
        return report(request, added.before)
    links = request.links()
    written = [_write(file, request.root, links.get(file.path, ())) for file in added.files]
    after = open_request()
    result = check(after)
    _note_count(len(added.before.diagnostics) - len(result.diagnostics), sum(written))
    _note_left(added)
    code = report(after, result)
    return code if all(written) else NOT_WRITTEN_EXIT


def _note_count(findings: int, files: int) -> None:
    from trialrun.report.summary import pluralize

    changed = f"suppressed {pluralize(findings, 'finding')} by changes in {pluralize(files, 'file')}"
    print(changed if files else "nothing to suppress", file=sys.stderr, flush=True)


def _note_left(added: AddedIgnores) -> None:
    """Say which findings are left, by rule, and why."""
    from trialrun.report.summary import pluralize

    left: Counter[tuple[str, str]] = Counter((diagnostic.rule, why) for diagnostic, why in added.left)
    for (rule, why), count in sorted(left.items()):
        print_note(f"{pluralize(count, 'finding')} of {rule} not suppressed: {why}")


def _write(file: ChangedText, root: str, links: Sequence[str]) -> bool:
    """Write a file, and say why it was not; whether it was written."""
    from trialrun.workspace.write_files import FileNotWritten, FilesNotCreated, create_files, write_back

    if file.before is None:
        folder, name = os.path.split(file.path)
        try:
            create_files(folder or os.curdir, {name: file.after}, named_in=root)
        except FilesNotCreated as error:
            return _report_not_written(file.path, str(error))
        return True
    done = write_back(file.path, file.after, instead_of=file.before, named_in=root, links=links)
    if isinstance(done, FileNotWritten):
        return _report_not_written(file.path, done.reason)
    if done.links:
        print_note(f"{file.path} has other hard links with the old text")
    return True


def _report_not_written(path: str, reason: str) -> bool:
    report_error(UsageError(f"{path} was not changed: {reason}"))
    return False
