"""Creates new files below a folder: all of them or none, never over what is there, and never through a link."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

from trialrun.guarded_path import resolve_target
from trialrun.interrupts import defer_interrupts
from trialrun.lazy_dataclass import dataclass

HAS_FOLDER_DESCRIPTORS = {os.open, os.mkdir, os.unlink, os.rmdir} <= os.supports_dir_fd
OPEN_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
CREATE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)

Undo = Callable[[], None]


class FilesNotCreated(Exception):
    """Files that cannot be created; `path` is the first such file, as given, and the message says why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path


def create_files(folder: str, files: Mapping[str, bytes], *, named_in: str = os.curdir) -> None:
    """Create files by their paths below a folder, with `/`; folders that are missing are created too.

    Either all files are there afterwards or nothing has changed. Each is opened for creation alone, so a file that
    appears meanwhile is not overwritten, and below `folder` no link is followed. The folder itself may be reached
    through a link that stays in the work tree of `named_in`. Ctrl-C is deferred until the end. Raises FilesNotCreated.
    """
    undo: list[Undo] = []
    with defer_interrupts():
        try:
            for path, data in files.items():
                _create_named(folder, path, data, named_in, undo)
        except FilesNotCreated:
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
        raise FilesNotCreated(path, "it already exists") from error
    except NotADirectoryError as error:
        raise FilesNotCreated(path, "a part of its path is a file or a link") from error
    except OSError as error:
        raise FilesNotCreated(path, os_error_reason(error)) from error


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
