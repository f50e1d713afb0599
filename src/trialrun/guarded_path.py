"""The one way to a file that a document, a setting or a link names.

What is checked is not trusted, so a path that it chose is followed only inside the boundary: the work tree of git that
holds the naming document, the workspace, and folders that the user allowed (`--allow-path`, the user settings, a path
argument). What is read is a regular file, of a bounded size, and never from inside of a `.git` folder, where runners
keep tokens.

What the user allowed is kept for the whole process, like its working directory: it comes from its command line alone.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trialrun.working_folder import absolute_path, real_path

MAX_ENTRIES = 100_000
"""Entries of folders that one glob, or one search without git, may look at."""
ADVICE = "; allow it with --allow-path FOLDER"
READ_FLAGS = os.O_RDONLY
for _name in ("O_BINARY", "O_NONBLOCK", "O_NOCTTY"):
    READ_FLAGS |= getattr(os, _name, 0)
"""Flags so that a pipe without a writer is not waited for, and no terminal is taken over."""
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_allowed: dict[str, None] = {}


class RefusedPath(OSError):
    """A path that is not followed; `strerror` says why and what to do, as a clause for a message."""

    def __init__(self, reason: str, path: str) -> None:
        super().__init__(errno.EPERM, reason, path)


class TooManyEntries(Exception):
    """A glob, or the search of a folder, that looks at more entries of folders than it may."""


def allow_folder(folder: str) -> None:
    """Let paths lead into a folder, or to a file, that the user named; one in a `.git` folder only git follows."""
    _allowed[real_path(folder)] = None


def allow_arguments(paths: Sequence[str], root: str) -> None:
    """Let path arguments be read, and what is below them: the user named them. One that leads out by a link is not."""
    boundary = Boundary.around(root)
    for path in paths:
        if not boundary.contains(real_path(path)) and not boundary.is_left_by(path):
            allow_folder(path)


def allowed_folders() -> tuple[str, ...]:
    """What was allowed so far, without symbolic links."""
    return tuple(_allowed)


def forget_allowed() -> None:
    """Take back all that was allowed."""
    _allowed.clear()


class Boundary(NamedTuple):
    """Where the paths may lead that are named in a folder: into any of `folders`, without symbolic links."""

    folders: tuple[str, ...]

    @staticmethod
    def around(folder: str) -> Boundary:
        """The boundary of what is named in a folder: its work tree, or the folder, and what the user allowed."""
        from trialrun.repository import Repository, find_repository

        repository = find_repository(folder)
        own = repository.top if isinstance(repository, Repository) else real_path(folder)
        return Boundary((own, *(folder for folder in _allowed if ".git" not in folder.split(os.sep))))

    def contains(self, real: str) -> bool:
        """Whether a path without symbolic links lies inside, and in no `.git` folder."""
        return any(_is_below(real, folder) for folder in self.folders)

    def resolve(self, path: str) -> str:
        """The path without symbolic links. Raises RefusedPath where it leads out."""
        real = real_path(path)
        if self.contains(real):
            return real
        if any(real == folder or real.startswith(os.path.join(folder, "")) for folder in self.folders):
            raise RefusedPath("it is inside a .git folder, where no file is read", path)
        inside = os.path.normpath(absolute_path(path)) == real
        leads = "it is" if inside else f"it leads to {real},"
        raise RefusedPath(f"{leads} outside of {self.folders[0]}{ADVICE}", path)

    def is_left_by(self, path: str) -> bool:
        """Whether a path goes through the boundary and out of it again, by a link."""
        if self.contains(real_path(path)):
            return False
        here = absolute_path(path)
        while (parent := os.path.dirname(here)) != here:
            here = parent
            if self.contains(real_path(here)):
                return True
        return False


class GuardedFolder:
    """The boundary around a folder for many files: what was found of their folders is kept."""

    def __init__(self, folder: str) -> None:
        self._boundary = Boundary.around(folder)
        self._folders: dict[str, bool] = {}

    def is_inside(self, folder: str) -> bool:
        """Whether a folder is inside the boundary, by its path as it is written."""
        inside = self._folders.get(folder)
        if inside is None:
            inside = self._folders[folder] = self._boundary.contains(real_path(absolute_path(folder)))
        return inside

    def read(self, file: str, most: int) -> bytes:
        """The bytes of a file, at most one more than `most`. Raises OSError, and RefusedPath as one."""
        # the folder as it is written: to resolve the path of each file takes as long as to open it
        if self.is_inside(os.path.dirname(file)) and NO_LINK:
            try:
                return _read(file, most)
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
        return _read(self._boundary.resolve(file), most)


def read_file(file: str, most: int, *, named_in: str) -> bytes:
    """The bytes of a file that something in a folder names, at most one more than `most`.

    Raises OSError, and RefusedPath as one.
    """
    if NO_LINK and os.path.dirname(file) == named_in:
        try:
            return _read(file, most)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
    return _read(Boundary.around(named_in).resolve(file), most)


def resolve_target(file: str, *, named_in: str) -> str:
    """Where to write what is to be written to a file: a link inside is not followed out. Raises RefusedPath."""
    boundary = Boundary.around(named_in)
    return boundary.resolve(file) if boundary.is_left_by(file) else real_path(file)


def matching_files(pattern: str, folder: str) -> list[str]:
    """The regular files that a glob matches, seen from a folder, sorted; links to folders are not walked into.

    Raises TooManyEntries, and RefusedPath for a match that leads out.
    """
    boundary = Boundary.around(folder)
    found = dict.fromkeys(_match(folder, _parts(pattern), _EntryCounter()))
    files = sorted(path for path in found if os.path.isfile(path))
    return [path for path in files if boundary.resolve(path)]


def files_below(folder: str) -> Iterator[str]:
    """Every file below a folder; links to folders are not walked into. Raises TooManyEntries."""
    count = _EntryCounter()
    pending = [folder]
    while pending:
        for entry in count.entries(pending.pop()):
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            else:
                yield entry.path


def _is_below(real: str, folder: str) -> bool:
    if real == folder:
        return True
    inside = os.path.join(folder, "")
    return real.startswith(inside) and ".git" not in real[len(inside) :].split(os.sep)


def _read(file: str, most: int) -> bytes:
    descriptor = os.open(file, READ_FLAGS | NO_LINK)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder", file)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file; pipe it to trialrun check -", file)
        data = os.read(descriptor, min(status.st_size, most) + 1)
        if len(data) == status.st_size and status.st_size:
            return data
        return data + _read_rest(descriptor, most + 1 - len(data))
    finally:
        os.close(descriptor)


def _read_rest(descriptor: int, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0 and (part := os.read(descriptor, min(most, 1 << 20))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


class _EntryCounter:
    """How many entries of folders were looked at."""

    def __init__(self) -> None:
        self._left = MAX_ENTRIES

    def entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        """The entries of a folder; none of one that cannot be listed. Raises TooManyEntries."""
        try:
            with os.scandir(folder or os.curdir) as entries:
                for entry in entries:
                    self._left -= 1
                    if self._left < 0:
                        raise TooManyEntries
                    yield entry
        except OSError:
            return


def _parts(pattern: str) -> list[str]:
    parts = [part for part in re.split(r"[/\\]" if os.sep == "\\" else "/", pattern) if part not in ("", os.curdir)]
    return [part for at, part in enumerate(parts) if part != "**" or parts[at - 1 : at] != ["**"]]


def _match(folder: str, parts: Sequence[str], count: _EntryCounter) -> Iterator[str]:
    """The paths that the parts of a glob match below a folder."""
    if not parts:
        yield folder
    elif parts[0] == "**":
        yield from _match_any_depth(folder, parts, count)
    elif not re.search(r"[*?[]", parts[0]):
        path = os.path.join(folder, parts[0])
        if os.path.lexists(path):
            yield from _match(path, parts[1:], count)
    else:
        yield from _match_entries(folder, parts, count)


def _match_any_depth(folder: str, parts: Sequence[str], count: _EntryCounter) -> Iterator[str]:
    yield from _match(folder, parts[1:], count)
    for entry in count.entries(folder):
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _match_any_depth(entry.path, parts, count)
        elif len(parts) == 1:
            yield entry.path


def _match_entries(folder: str, parts: Sequence[str], count: _EntryCounter) -> Iterator[str]:
    import fnmatch

    matches = re.compile(fnmatch.translate(os.path.normcase(parts[0]))).match
    for entry in count.entries(folder):
        hidden = entry.name.startswith(".") and not parts[0].startswith(".")
        if hidden or not matches(os.path.normcase(entry.name)):
            continue
        if len(parts) == 1:
            yield entry.path
        elif entry.is_dir(follow_symlinks=False):
            yield from _match(entry.path, parts[1:], count)
