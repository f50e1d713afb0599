"""`--fix`, `--unsafe-fixes` and `--diff`: files fixed and written, or what would change in them shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from typing import Any

from trialrun.cli.output import write_filtered, write_utf8
from trialrun.cli.report_error import print_note, report_error
from trialrun.errors import UsageError
from trialrun.report.color import painter, use_color
from trialrun.report.summary import pluralize
from trialrun.text import Source
from trialrun.workspace.check import CheckResult
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.fix_loop import FixedFile, FixResult, fix_until_stable
from trialrun.workspace.write_files import FileNotWritten, write_back

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


def show_diff(files: Iterable[tuple[str, Source, Source]], color: str) -> None:
    """The diff of files on standard output: exact in UTF-8, where it is not painted for a person."""
    from trialrun.report.diff import file_diff

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


def _show_diff(mending: FixResult, color: str) -> None:
    """The diff on standard output, and how much it fixes on standard error."""
    show_diff([(file.path, file.before, file.source) for file in mending.files], color)
    findings, files = _counts(mending.files)
    fixable = f"{pluralize(findings, 'finding')} would be fixed in {pluralize(files, 'file')}"
    print(fixable if files else "nothing to fix", file=sys.stderr)


def _write_standard_output(after: CheckRequest) -> None:
    """The bytes of standard input, fixed, to standard output."""
    for data in after.overlay.values():
        write_filtered(data or b"")


def _write_file(file: FixedFile, root: str, links: Sequence[str]) -> bool:
    """Write a file, and say what a person should know of it; whether it was written."""
    done = write_back(file.path, file.data, instead_of=file.original, named_in=root, links=links)
    if isinstance(done, FileNotWritten):
        report_error(UsageError(f"{file.path} was not fixed: {done.reason}"))
        return False
    if done.links:
        print_note(f"{file.path} has {pluralize(done.links, 'other hard link')} with the old text")
    return True
