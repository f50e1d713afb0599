"""A new file beside an old one, which gets its name once it is whole: nobody ever reads half a file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import BinaryIO

MAX_NAME_LENGTH = 50
"""Characters of the file's name in that of the new one, which may have 255 bytes, four for a character."""
OPEN_FOLDER_FLAG = getattr(os, "O_DIRECTORY", 0)


@contextmanager
def create_temporary(target: str) -> Iterator[BinaryIO]:
    """An empty file in the folder of another, with its rights, and a name that no search takes for one of ours.

    It is gone in the end, unless `put_in_place` gave it the name of the other.
    """
    folder, name = os.path.split(target)
    path = os.path.join(folder, f".{name[:MAX_NAME_LENGTH]}.{os.urandom(6).hex()}.tmp")
    old = os.stat(target) if os.path.exists(target) else None
    try:
        with open(path, "xb", opener=partial(os.open, mode=0o600 if old else 0o666)) as stream:
            if old:
                _copy_owner(path, old)
                _copy_attributes(path, target)
                os.chmod(path, stat.S_IMODE(old.st_mode))
            yield stream
    finally:
        with suppress(FileNotFoundError):  # it has the file's name now
            os.remove(path)


def replace_file(new: BinaryIO, target: str) -> None:
    """Write a file of `beside` through to the disk, and give it the name of the other."""
    with new:
        new.flush()
        os.fsync(new.fileno())
    os.replace(new.name, target)
    _sync_folder(os.path.dirname(target))


def _copy_owner(new: str, status: os.stat_result) -> None:
    """Give the file the owner and group of another, or the group alone, as far as the system lets us."""
    if not hasattr(os, "chown"):
        return
    for owner in (status.st_uid, -1):
        with suppress(OSError):
            os.chown(new, owner, status.st_gid)
            return


def _copy_attributes(new: str, like: str) -> None:
    """Give the file the extended attributes of another, which hold access lists; not every disk has them."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(like):
            with suppress(OSError):
                os.setxattr(new, name, os.getxattr(like, name))


def _sync_folder(folder: str) -> None:
    """Write the folder through to the disk, where the system can."""
    if not OPEN_FOLDER_FLAG:
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | OPEN_FOLDER_FLAG)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
