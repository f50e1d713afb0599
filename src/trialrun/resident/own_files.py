"""The files that the resident process is made of: when one of them changes, what it would answer is out of date."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

IGNORED = frozenset(("__pycache__",))
IN_CHANGES = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
"""inotify: anything but opening and reading."""

Mark = tuple[int, int, int] | tuple[str, ...]


class OwnFiles:
    """The files of the package, the rules, the interpreter and all modules that are imported, as they are now."""

    def __init__(self, folders: list[str]) -> None:
        self._folders = folders
        self._modules = _module_files()
        self._before = self._marks()
        self._watch = _watch({os.path.dirname(path) for path in self._before} - {""})

    def have_changed(self) -> bool:
        """Whether one has changed, quickly where the system reports changes of folders."""
        if self._watch is not None:
            try:
                os.read(self._watch, 1 << 16)
            except BlockingIOError:
                return False
        return self.differ()

    def differ(self) -> bool:
        """Whether one has changed, by a look at each; also for folders whose changes no system reports."""
        return self._marks() != self._before

    def close(self) -> None:
        """Leave the watch, as a process does that answers a question."""
        if self._watch is not None:
            os.close(self._watch)
            self._watch = None

    def _marks(self) -> dict[str, Mark | None]:
        paths = [*self._modules, sys.executable, *(path for folder in self._folders for path in _files_below(folder))]
        installed = {folder: _installed(folder) for folder in sys.path}
        return {path: _mark(path) for path in paths} | installed


def _mark(path: str) -> Mark | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _installed(folder: str) -> Mark | None:
    """The libraries that are installed in a folder, with their versions."""
    try:
        return tuple(sorted(name for name in os.listdir(folder) if name.endswith(".dist-info")))
    except OSError:
        return None


def _module_files() -> list[str]:
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return sorted({file for file in files if file})


def _files_below(folder: str) -> Iterator[str]:
    for parent, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if name not in IGNORED]
        yield from (os.path.join(parent, name) for name in names)


def _watch(folders: set[str]) -> int | None:
    """A descriptor that can be read once something in the folders has changed; None where the system has none such."""
    if sys.platform != "linux":
        return None
    import ctypes

    library = ctypes.CDLL(None)
    descriptor: int = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        return None
    if any(library.inotify_add_watch(descriptor, os.fsencode(folder), IN_CHANGES) < 0 for folder in sorted(folders)):
        os.close(descriptor)
        return None
    return descriptor
