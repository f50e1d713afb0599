"""`--fix`, `--unsafe-fixes` and `--diff`: files fixed and written, or what would change in them shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

from trialrun.errors import UsageError
from trialrun.report.color import painter, wanted
from trialrun.report.diff import commented, diff
from trialrun.report.summary import counted
from trialrun.report.terminal_width import visible
from trialrun.workspace.check import Outcome, Request
from trialrun.workspace.fix_loop import MendedFile, Mending, mended
from trialrun.workspace.write_back import NotWritten, write

NOT_WRITTEN_EXIT = 2

Tell = Callable[[Request, Outcome, tuple[int, int] | None], int]
"""Write the reports of an outcome, with how many findings were fixed in how many files; the exit code."""


def require_sense(option: str, options: Mapping[str, Any]) -> None:
    """Raise UsageError where an option that fixes does not go with the others."""
    if options["watch"]:
        raise UsageError(
            f"--{option.replace('_', '-')} goes without --watch; files are not fixed while they are edited"
        )
    if options["diff"] and any("=" not in one for one in options["output_format"]):
        raise UsageError("--diff goes to standard output; write the report to FORMAT=FILE")


def fixed(request: Request, check: Callable[[Request], Outcome], tell: Tell, options: Mapping[str, Any]) -> int:
    """Fix the files of a request, or show what would change; the exit code.

    What came by standard input goes to standard output, and the report that would stand there to standard error.
    """
    mending = mended(lambda texts: check(_with(request, texts)), request.files.bytes_of, unsafe=options["unsafe_fixes"])
    if options["diff"]:
        _show(mending, options["color"])
        return tell(request, mending.found, None)
    after = _with(request, {file.path: file.data for file in mending.files})
    if request.overlay:
        _pass_on(after)
        with redirect_stdout(sys.stderr):
            return tell(after, mending.outcome, _counts(mending.files))
    written = [file for file in mending.files if _written(file, request.root)]
    if len(written) == len(mending.files):
        return tell(after, mending.outcome, _counts(written))
    tell(request, check(request), _counts(written))
    return NOT_WRITTEN_EXIT


def _with(request: Request, texts: Mapping[str, bytes]) -> Request:
    """The request with other bytes in place of those of some files, by their paths as they are shown."""
    return replace(request, overlay={**request.overlay, **{os.path.abspath(path): texts[path] for path in texts}})


def _counts(files: Sequence[MendedFile]) -> tuple[int, int]:
    return sum(file.fixed for file in files), len(files)


def _show(mending: Mending, color: str) -> None:
    """The diff on standard output, in UTF-8, and how much it fixes on standard error."""
    paint = painter(color=wanted(color, sys.stdout, os.environ))
    sys.stdout.flush()
    for file in mending.files:
        lines = diff(file.path, file.before.written, file.source.written, paint=paint)
        is_applicable = file.source.encoding.startswith("utf-8")
        for line in lines if is_applicable else commented(lines):
            sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
        if not is_applicable:
            _say(f"note: {file.path} is {file.source.encoding.upper()}; its diff is for reading, not for applying")
    findings, files = _counts(mending.files)
    _say(f"{counted(findings, 'finding')} would be fixed in {counted(files, 'file')}" if files else "nothing to fix")


def _pass_on(after: Request) -> None:
    """The bytes of standard input, fixed, to standard output."""
    sys.stdout.flush()
    for data in after.overlay.values():
        sys.stdout.buffer.write(data or b"")
    sys.stdout.flush()


def _written(file: MendedFile, root: str) -> bool:
    """Write a file, and say what a person should know of it; whether it was written."""
    done = write(file.path, file.data, instead_of=file.original, named_in=root)
    if isinstance(done, NotWritten):
        _say(f"error: {file.path} was not fixed: {done.reason}")
        return False
    if done.links:
        _say(f"note: {file.path} had {counted(done.links, 'other name')} (hard links), with the old text")
    return True


def _say(text: str) -> None:
    print(visible(text), file=sys.stderr)
