"""A file written whole or not at all: anyone who reads it, at any moment, finds the old bytes or the new ones."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from trialrun.record import dataclass
from trialrun.undisturbed import undisturbed
from trialrun.usage import system_reason

CHANGED = "it has changed since it was read"
FOLDERS = getattr(os, "O_DIRECTORY", 0)
LONGEST_NAME = 100
"""Characters of the file's name in that of the temporary file, which must not become too long itself."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file that holds the new bytes; `links` counts other names of the old file, which keep the old bytes."""

    links: int = 0


@dataclass(frozen=True, slots=True)
class NotWritten:
    """A file that was left as it is, and why."""

    reason: str


def write(file: str, data: bytes, *, instead_of: bytes) -> Written | NotWritten:
    """Put other bytes in place of those that a file was read with; of a link, the file that it leads to is written.

    The new bytes are on the disk before they get the file's name, with the rights of the file. A file with other bytes
    than `instead_of`, or that may not be written to, stays as it is. A Ctrl-C waits until it is done.
    """
    try:
        with undisturbed():
            return _write(os.path.realpath(file), data, instead_of)
    except OSError as error:
        return NotWritten(system_reason(error))


def _write(target: str, data: bytes, instead_of: bytes) -> Written | NotWritten:
    if _read(target) == data:  # by another of its names, say
        return Written()
    if not os.access(target, os.W_OK):
        return NotWritten("it is read-only")
    with _beside(target) as temporary:
        _fill(temporary, data, target)
        links = os.stat(target).st_nlink - 1
        if _read(target) != instead_of:
            return NotWritten(CHANGED)
        os.replace(temporary, target)
    _settle(os.path.dirname(target))
    return Written(max(0, links))


@contextmanager
def _beside(target: str) -> Iterator[str]:
    """A new empty file in the same folder, with a name that no search takes for one of ours; gone in the end."""
    from tempfile import mkstemp

    folder, name = os.path.split(target)
    descriptor, temporary = mkstemp(".tmp", f".{name[:LONGEST_NAME]}.", folder)
    try:
        os.close(descriptor)
        yield temporary
    finally:
        with suppress(FileNotFoundError):  # it has the file's name now
            os.remove(temporary)


def _fill(temporary: str, data: bytes, like: str) -> None:
    """Give the file the rights of another, and write all of the bytes through to the disk."""
    status = os.stat(like)
    with open(temporary, "r+b") as stream:
        _own(temporary, status)
        _share(temporary, like)
        os.chmod(temporary, stat.S_IMODE(status.st_mode))
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _own(temporary: str, status: os.stat_result) -> None:
    """Give the file the owner and group of another, or the group alone, as far as the system lets us."""
    if not hasattr(os, "chown"):
        return
    for owner in (status.st_uid, -1):
        with suppress(OSError):
            os.chown(temporary, owner, status.st_gid)
            return


def _share(temporary: str, like: str) -> None:
    """Give the file the extended attributes of another, which hold access lists; not every disk has them."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(like):
            with suppress(OSError):
                os.setxattr(temporary, name, os.getxattr(like, name))


def _read(target: str) -> bytes:
    with open(target, "rb") as stream:
        return stream.read()


def _settle(folder: str) -> None:
    """Write the folder through to the disk, where the system can."""
    if not FOLDERS:
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | FOLDERS)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
