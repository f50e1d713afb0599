"""Files that commands write: a file has the whole text or is as it was before."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TextIO

from trialrun.cli.output import program_parts, write_utf8
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import resolve_target
from trialrun.workspace.write_files import create_temporary, replace_file

IN_MEMORY = "/dev/shm/"
"""The folder of Linux for ordinary files in memory, among those of devices."""


def write_atomically(file: str, parts: Iterable[str], *, is_commands: bool = False) -> None:
    """Write the parts to a file, escaped as `write_utf8` does. Raises UsageError where that cannot be done.

    What is not a file on a disk, such as a pipe or /dev/stdout, gets the parts as they come.
    """
    if "\0" in file:
        raise UsageError(f"{file} cannot be written: file names cannot contain NUL")
    safe = program_parts(parts, is_commands=is_commands)
    try:
        target = resolve_target(file, named_in=os.getcwd())
        stream = _own_stream(file)
        if stream is not None:
            write_utf8(safe, stream, is_commands=is_commands)
            stream.flush()
        elif _is_device(file):
            with open(file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as opened:
                opened.writelines(safe)
        else:
            _replace(target, safe)
    except FileNotFoundError as error:
        raise UsageError(f"{file} cannot be written: there is no such folder; create it first") from error
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {os_error_reason(error)}") from error


def _own_stream(file: str) -> TextIO | None:
    """Our own stream where the file is one by another name: a second way into it would write over what is there."""
    with suppress(OSError, ValueError):
        status = os.stat(file)
        for stream in (sys.stdout, sys.stderr):
            if os.path.samestat(status, os.fstat(stream.fileno())):
                return stream
    return None


def _is_device(file: str) -> bool:
    folder = os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(file))), "")
    if folder.startswith(("/dev/", "/proc/")) and not folder.startswith(IN_MEMORY):
        return True
    with suppress(FileNotFoundError):
        return not stat.S_ISREG(os.stat(file).st_mode)
    return False


def _replace(file: str, parts: Iterable[str]) -> None:
    with create_temporary(file) as new:
        for part in parts:
            new.write(part.encode("utf-8", "backslashreplace"))
        replace_file(new, file)
