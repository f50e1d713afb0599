"""A file of a person's, written where it is as it was read: with the new bytes, or left with the old ones."""

from __future__ import annotations

import os

from trialrun.errors import os_error_reason
from trialrun.guarded_path import read_file, resolve_target
from trialrun.interrupts import defer_interrupts
from trialrun.lazy_dataclass import dataclass
from trialrun.workspace.atomic_write import create_temporary, replace_file

CHANGED = "it has changed since it was read"


@dataclass(frozen=True, slots=True)
class FileWritten:
    """A file that holds the new bytes; `links` counts other names of the old file, which keep the old bytes."""

    links: int = 0


@dataclass(frozen=True, slots=True)
class FileNotWritten:
    """A file that was left as it is, and why."""

    reason: str


def write_back(file: str, data: bytes, *, instead_of: bytes, named_in: str = os.curdir) -> FileWritten | FileNotWritten:
    """Put other bytes in place of those that a file was read with; of a link, the file that it leads to is written.

    A link that leads out of the work tree of `named_in` is not followed, whenever it came to be there.

    The new bytes are on the disk before they get the file's name, with the rights of the file. A file with other bytes
    than `instead_of`, or that may not be written to, stays as it is. A Ctrl-C waits until it is done.
    """
    try:
        with defer_interrupts():
            return _write(resolve_target(file, named_in=named_in), data, instead_of)
    except OSError as error:
        return FileNotWritten(os_error_reason(error))


def _write(target: str, data: bytes, instead_of: bytes) -> FileWritten | FileNotWritten:
    if _read(target, data) == data:  # by another of its names, say
        return FileWritten()
    if not os.access(target, os.W_OK):
        return FileNotWritten("it is read-only")
    with create_temporary(target) as new:
        new.write(data)
        links = os.stat(target).st_nlink - 1
        if _read(target, instead_of) != instead_of:
            return FileNotWritten(CHANGED)
        replace_file(new, target)
    return FileWritten(max(0, links))


def _read(target: str, expected: bytes) -> bytes:
    """The bytes of a file, as far as is needed to compare them with others."""
    return read_file(target, len(expected), named_in=os.path.dirname(target))
