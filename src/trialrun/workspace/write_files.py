"""Writes files: atomically in place of others, only if these are unchanged since they were read, or new ones.

New content is written to a temporary file that is renamed, so that readers never see a part of it. New files are
created all or none, never over what is there, and never through a link.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

from trialrun.errors import os_error_reason
from trialrun.guarded_path import read_file, resolve_target
from trialrun.interrupts import defer_interrupts

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


CHANGED = "it has changed since it was read"


class FileNotWritten(Exception):
    """A file cannot be written, or one of several; `path` is that file, as given, and the message says why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path


def write_back(
    file: str, data: bytes, *, instead_of: bytes, named_in: str = os.curdir, links: Sequence[str] = ()
) -> int:
    """Replace the content of a file; for a link, that of its target. The number of other hard links with the old one.

    A link that leads out of the work tree of `named_in` is not followed, also if it was created meanwhile. The new
    content is flushed to the disk before the file is replaced, with the same permissions. A file whose content is not
    `instead_of`, or that is not writable, is left unchanged. Ctrl-C is deferred until the end. Hard links among
    `links`, other paths of the file, stay links. Raises FileNotWritten.
    """
    try:
        with defer_interrupts():
            target = resolve_target(file, named_in=named_in)
            others = {resolve_target(link, named_in=named_in) for link in links} - {target}
            return _write(target, data, instead_of, [other for other in others if os.path.samefile(other, target)])
    except OSError as error:
        raise FileNotWritten(file, os_error_reason(error)) from error


def _write(target: str, data: bytes, instead_of: bytes, others: Sequence[str]) -> int:
    if _read(target, data) == data:  # through another hard link, for example
        return 0
    if not os.access(target, os.W_OK):
        raise FileNotWritten(target, "it is read-only")
    with create_temporary(target) as new:
        new.write(data)
        links = os.stat(target).st_nlink - 1
        if _read(target, instead_of) != instead_of:
            raise FileNotWritten(target, CHANGED)
        replace_file(new, target)
    for other in others:
        temporary = new.name
        os.link(target, temporary)
        os.replace(temporary, other)
    return max(0, links - len(others))


def _read(target: str, expected: bytes) -> bytes:
    """The content of a file, as far as needed for the comparison."""
    return read_file(target, len(expected), named_in=os.path.dirname(target))


HAS_FOLDER_DESCRIPTORS = {os.open, os.mkdir, os.unlink, os.rmdir} <= os.supports_dir_fd
OPEN_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
CREATE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)

Undo = Callable[[], None]


def create_files(folder: str, files: Mapping[str, bytes], *, named_in: str = os.curdir) -> None:
    """Create files by their paths below a folder, with `/`; folders that are missing are created too.

    Either all files are there afterwards or nothing has changed. Each is opened for creation alone, so a file that
    appears meanwhile is not overwritten, and below `folder` no link is followed. The folder itself may be reached
    through a link that stays in the work tree of `named_in`. Ctrl-C is deferred until the end. Raises FileNotWritten.
    """
    undo: list[Undo] = []
    with defer_interrupts():
        try:
            for path, data in files.items():
                _create_named(folder, path, data, named_in, undo)
        except FileNotWritten:
            for step in reversed(undo):
                with suppress(OSError):
                    step()
            raise


def _create_named(folder: str, path: str, data: bytes, named_in: str, undo: list[Undo]) -> None:
    from trialrun.errors import os_error_reason

    try:
        target = resolve_target(folder, named_in=named_in)
        _create_parents(target, undo)
        with _open_folder(target) as top:
            _create(top, path.split("/"), data, undo)
    except FileExistsError as error:
        raise FileNotWritten(path, "it already exists") from error
    except NotADirectoryError as error:
        raise FileNotWritten(path, "a part of its path is a file or a link") from error
    except OSError as error:
        raise FileNotWritten(path, os_error_reason(error)) from error


def _create_parents(folder: str, undo: list[Undo]) -> None:
    """Create a folder and those above it."""
    if os.path.isdir(folder):
        return
    _create_parents(os.path.dirname(folder), undo)
    os.mkdir(folder)
    undo.append(partial(os.rmdir, folder))


@dataclass(frozen=True, slots=True)
class _Folder:
    """An open folder; without descriptors of folders, as on Windows, only its path."""

    path: str
    descriptor: int | None

    def entry(self, name: str) -> tuple[str, dict[str, Any]]:
        """How functions of `os` name an entry of the folder."""
        if self.descriptor is None:
            return os.path.join(self.path, name), {}
        return name, {"dir_fd": self.descriptor}


@contextmanager
def _open_folder(path: str, within: _Folder | None = None) -> Iterator[_Folder]:
    """A folder, or one in another folder that is no link. Raises OSError."""
    name, place = within.entry(path) if within else (path, {})
    if not HAS_FOLDER_DESCRIPTORS:
        if within and (os.path.islink(name) or not os.path.isdir(name)):
            raise NotADirectoryError(name)
        yield _Folder(name, None)
        return
    descriptor = os.open(name, OPEN_FOLDER | (NO_LINK if within else 0), **place)
    try:
        yield _Folder(os.path.join(within.path, path) if within else path, descriptor)
    finally:
        os.close(descriptor)


def _create(top: _Folder, steps: list[str], data: bytes, undo: list[Undo]) -> None:
    """Create a file by the steps to it from an open folder."""
    with ExitStack() as opened:
        here = top
        for step in steps[:-1]:
            name, place = here.entry(step)
            with suppress(FileExistsError):
                os.mkdir(name, **place)
                undo.append(partial(os.rmdir, os.path.join(here.path, step)))
            here = opened.enter_context(_open_folder(step, within=here))
        name, place = here.entry(steps[-1])
        with open(os.open(name, CREATE_FILE | NO_LINK, 0o666, **place), "wb") as stream:
            undo.append(partial(os.unlink, os.path.join(here.path, steps[-1])))
            stream.write(data)
