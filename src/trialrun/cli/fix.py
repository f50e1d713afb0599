"""`--fix`, `--unsafe-fixes` and `--diff`: files fixed and written, or what would change in them shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from typing import Any

from trialrun.errors import UsageError
from trialrun.report.color import painter, use_color
from trialrun.report.diff import comment_out, unified_diff
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.check_result import CheckResult
from trialrun.workspace.fix_loop import FixedFile, FixResult, fix_until_stable
from trialrun.workspace.write_back import FileNotWritten, write_back

NOT_WRITTEN_EXIT = 2

Report = Callable[[CheckRequest, CheckResult, tuple[int, int] | None], int]
"""Write the reports of an outcome, with how many findings were fixed in how many files; the exit code."""


def require_compatible_options(option: str, options: Mapping[str, Any]) -> None:
    """Raise UsageError where an option that fixes does not go with the others."""
    if options["watch"]:
        raise UsageError(
            f"--{option.replace('_', '-')} cannot be combined with --watch; files are not fixed while they are edited"
        )
    if options["diff"] and any("=" not in option for option in options["output_format"]):
        raise UsageError("--diff uses standard output; write the report to FORMAT=FILE")


def fix_files(
    request: CheckRequest, check: Callable[[CheckRequest], CheckResult], tell: Report, options: Mapping[str, Any]
) -> int:
    """Fix the files of a request, or show what would change; the exit code.

    What came by standard input goes to standard output, and the report that would be there to standard error.
    """
    mending = fix_until_stable(
        lambda texts: check(request.with_texts(texts)), request.files.bytes_of, unsafe=options["unsafe_fixes"]
    )
    if options["diff"]:
        _show_diff(mending, options["color"])
        return tell(request, mending.before, None)
    after = request.with_texts({file.path: file.data for file in mending.files})
    if request.overlay:
        _write_standard_output(after)
        with redirect_stdout(sys.stderr):
            return tell(after, mending.after, _counts(mending.files))
    links = request.links()
    written = [file for file in mending.files if _write_file(file, request.root, links.get(file.path, ()))]
    if len(written) == len(mending.files):
        return tell(after, mending.after, _counts(written))
    tell(request, check(request), _counts(written))
    return NOT_WRITTEN_EXIT


def _counts(files: Sequence[FixedFile]) -> tuple[int, int]:
    return sum(file.fixed for file in files), len(files)


def _show_diff(mending: FixResult, color: str) -> None:
    """The diff on standard output, in UTF-8, and how much it fixes on standard error."""
    paint = painter(color=use_color(color, sys.stdout, os.environ))
    sys.stdout.flush()
    for file in mending.files:
        lines = unified_diff(file.path, file.before.raw, file.source.raw, paint=paint)
        is_applicable = file.source.encoding.startswith("utf-8")
        for line in lines if is_applicable else comment_out(lines):
            sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
        if not is_applicable:
            _print_note(f"note: {file.path} is {file.source.encoding.upper()}; its diff can be read but not applied")
    findings, files = _counts(mending.files)
    _print_note(
        f"{pluralize(findings, 'finding')} would be fixed in {pluralize(files, 'file')}" if files else "nothing to fix"
    )


def _write_standard_output(after: CheckRequest) -> None:
    """The bytes of standard input, fixed, to standard output."""
    sys.stdout.flush()
    for data in after.overlay.values():
        sys.stdout.buffer.write(data or b"")
    sys.stdout.flush()


def _write_file(file: FixedFile, root: str, links: Sequence[str]) -> bool:
    """Write a file, and say what a person should know of it; whether it was written."""
    done = write_back(file.path, file.data, instead_of=file.original, named_in=root, links=links)
    if isinstance(done, FileNotWritten):
        _print_note(f"error: {file.path} was not fixed: {done.reason}")
        return False
    if done.links:
        _print_note(f"note: {file.path} has {pluralize(done.links, 'other hard link')} with the old text")
    return True


def _print_note(text: str) -> None:
    print(escape_controls(text), file=sys.stderr)
