"""Atomic file replacement: writes a temporary file and renames it, so that readers never see a partial file."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import BinaryIO

MAX_NAME_LENGTH = 50
"""Characters of the original name used in that of the temporary file, which may have 255 bytes."""
MAX_OPEN_FILES = 200
"""Files of a batch that are open at once; a process may have 256 on some systems."""
MIN_SHARED_FLUSH = 16
"""Files for which flushing the whole disk is faster than flushing each."""
OPEN_FOLDER_FLAG = getattr(os, "O_DIRECTORY", 0)


@contextmanager
def create_temporary(target: str) -> Iterator[BinaryIO]:
    """Create a temporary file next to another one, with the same permissions and a name that discovery skips.

    It is removed at the end, unless `replace_file` has renamed it.
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
        with suppress(FileNotFoundError):  # `replace_file` has renamed it
            os.remove(path)


def replace_files(contents: Sequence[tuple[str, bytes]], is_unchanged: Callable[[str], bool]) -> set[str]:
    """Write several files, each atomically. On Linux they are flushed together, ten times faster than one by one.

    Each is looked at right before it is replaced; one that is not `is_unchanged` then stays. Returns these.
    """
    changed: set[str] = set()
    for start in range(0, len(contents), MAX_OPEN_FILES):
        changed |= _replace_batch(contents[start : start + MAX_OPEN_FILES], is_unchanged)
    for folder in dict.fromkeys(os.path.dirname(target) for target, _ in contents):
        _sync_folder(folder)
    return changed


def _replace_batch(contents: Sequence[tuple[str, bytes]], is_unchanged: Callable[[str], bool]) -> set[str]:
    changed: set[str] = set()
    with ExitStack() as stack:
        streams = [stack.enter_context(create_temporary(target)) for target, _ in contents]
        for stream, (_, data) in zip(streams, contents, strict=True):
            stream.write(data)
            stream.flush()
        if len(contents) >= MIN_SHARED_FLUSH and sys.platform == "linux":
            os.sync()  # it returns when all is on the disk, on Linux alone
        else:
            for stream in streams:
                os.fsync(stream.fileno())
        for stream, (target, _) in zip(streams, contents, strict=True):
            stream.close()
            if is_unchanged(target):
                os.replace(stream.name, target)
            else:
                changed.add(target)
    return changed


def replace_file(new: BinaryIO, target: str) -> None:
    """Flush a file of `create_temporary` to the disk, and rename it to the target."""
    with new:
        new.flush()
        os.fsync(new.fileno())
    os.replace(new.name, target)
    _sync_folder(os.path.dirname(target))


def _copy_owner(new: str, status: os.stat_result) -> None:
    """Set the owner and group of another file, as far as permitted."""
    if not hasattr(os, "chown"):
        return
    for owner in (status.st_uid, -1):
        with suppress(OSError):
            os.chown(new, owner, status.st_gid)
            return


def _copy_attributes(new: str, like: str) -> None:
    """Copy extended attributes such as access lists, if the file system has them."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(like):
            with suppress(OSError):
                os.setxattr(new, name, os.getxattr(like, name))


def _sync_folder(folder: str) -> None:
    """Flush a folder to the disk, if the system supports it."""
    if not OPEN_FOLDER_FLAG:
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | OPEN_FOLDER_FLAG)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
