"""Lists the files of a folder: with git, which knows every ignore file, index and worktree, or by a walk without it.

The walk reads `.gitignore` as git does. Nested repositories, submodules and other clones, are not entered. Here
is also which files end as ours do, and by what an unchanged file is known again.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from trialrun.diagnostic import NotChecked
from trialrun.guarded_path import MAX_ENTRIES, TooManyEntries, read_file
from trialrun.repository import Repository
from trialrun.working_folder import absolute_path, folder_and_parents, real_path, relative_path

ENDINGS = (".yaml", ".yml", ".json", ".tf", ".tofu")
CLOCK_RESOLUTION = 2_000_000_000
"""Nanoseconds of the coarsest clock of a file system, that of FAT."""
Stamp = tuple[int, int, int, int, int]
"""By what an unchanged file is known without being opened, as in git's index: device, inode, size, times of change."""


def has_ending(file: str) -> bool:
    """Whether a file ends as ours do, in upper or lower case."""
    return file[-5:].lower().endswith(ENDINGS)


def is_regular(file: str) -> bool:
    """Whether a listed file still exists as a regular file."""
    return regular_file(file)[0]


def regular_file(file: str) -> tuple[bool, Stamp | None]:
    """Whether a listed file still exists as a regular file, and its stamp; a link has none."""
    try:
        status = os.lstat(file)
        if stat.S_ISLNK(status.st_mode):
            return stat.S_ISREG(os.stat(file).st_mode), None
        return stat.S_ISREG(status.st_mode), stamp_of(status)
    except PermissionError:  # reported when it is read
        return True, None
    except (OSError, ValueError):
        return False, None


def stamp_of(status: os.stat_result) -> Stamp | None:
    """The stamp of a file; None where it may change once more, or has just changed, without another stamp."""
    changed, status_changed = status.st_mtime_ns, status.st_ctime_ns
    if max(changed, status_changed) + CLOCK_RESOLUTION > time.time_ns() or not status.st_ino:
        return None
    return status.st_dev, status.st_ino, status.st_size, changed, status_changed


ALL_FILES = "all files in it"
SUBMODULE = "it is a submodule; add --recurse-submodules"
ABSENT = "it is a submodule that is not checked out; run git submodule update --init"
CLONE = "it is a separate repository; name it to check it"
IGNORED = "git ignores them; name a file to check it"
EXCLUDED = "the settings exclude them; name a file to check it"


class InnerRepository(NamedTuple):
    """A repository in a folder: a submodule if the outer repository records a commit of it, otherwise a clone.

    A submodule `is_absent` if it is not checked out, so that its folder is empty.
    """

    folder: str
    is_submodule: bool = False
    is_absent: bool = False

    def not_checked(self, shown: str) -> NotChecked:
        """The note that it was not entered; `shown` is its displayed path."""
        return NotChecked(shown, ALL_FILES, ABSENT if self.is_absent else SUBMODULE if self.is_submodule else CLONE)


def inner_repository(path: str) -> InnerRepository | None:
    """The repository of a path in git's listing, if it is one; the path of a clone ends with a slash."""
    if path.endswith("/"):
        return InnerRepository(path.rstrip("/"))
    if not _is_folder(path):
        return None
    is_there = os.path.lexists(os.path.join(path, ".git"))
    return InnerRepository(path, is_submodule=True, is_absent=not is_there) if is_there or _is_empty(path) else None


def _is_folder(path: str) -> bool:
    """Whether a path is a folder itself, and not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _is_empty(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except OSError:
        return False


NEVER_ENTERED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".tox",
        ".nox",
        ".venv",
        "node_modules",
        "__pycache__",
        ".mypy_cache",
        ".ruff_cache",
        ".terraform",
        ".terragrunt-cache",
    }
)
CACHES = frozenset({".terraform", ".terragrunt-cache"})
"""Copies of modules that Terraform made, which are left out also where git does not ignore them."""
MAX_IGNORE_FILE_BYTES = 2**20
"""Maximum size of a `.gitignore` file."""
LIMIT_ADVICE = "name the folders to check, or add large folders to .gitignore"
IgnoreCheck = Callable[[str], bool | None]
"""Returns whether a path is ignored, None if no pattern matches."""


def is_glob(line: str) -> bool:
    """Whether pathspec accepts a line; git ignores meaningless ones, such as a lone `!`."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file or a link to one; a loop of links is neither."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _stamp(entry: os.DirEntry[str]) -> Stamp | None:
    try:
        return None if entry.is_symlink() else stamp_of(os.lstat(entry.path))
    except OSError:
        return None


ListedFile = tuple[str, Stamp | None]
"""The path of a file, and its stamp."""


def walk(
    folder: str,
    repository: str | None,
    pass_by: Callable[[InnerRepository], None],
    *,
    reads_ignore_files: bool = True,
) -> Iterator[ListedFile]:
    """The files of a folder, without following links to folders, so that loops end; unreadable folders are included.

    Within a repository it also reads the `.gitignore` files above the folder, and does not enter nested repositories:
    `pass_by` is called with each of these. Raises TooManyEntries, after the files of the previous folders.
    """
    ignored = _IgnoreFiles(repository or folder)
    left = MAX_ENTRIES
    pending = [] if repository and ignored.above(folder) else [folder]
    while pending:
        here = pending.pop()
        try:
            entries = _entries(here, left)
        except OSError:  # it cannot be read either, which is then reported with the reason
            yield here, None
            continue
        left -= len(entries)
        names = {entry.name for entry in entries}
        if repository and here != folder and ".git" in names:
            pass_by(InnerRepository(here, is_submodule=os.path.isfile(os.path.join(here, ".git"))))
            continue
        if reads_ignore_files:
            ignored.enter(here, names)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NEVER_ENTERED and not ignored(entry.path, is_folder=True):
                    pending.append(entry.path)
            elif has_ending(entry.name) and _is_file(entry) and not ignored(entry.path, is_folder=False):
                yield entry.path, _stamp(entry)


def has_files(folder: str) -> bool:
    """Whether a folder has files that end as ours do, also ignored ones."""
    try:
        return any(has_ending(file) for file, _ in walk(folder, None, lambda inner: None, reads_ignore_files=False))
    except TooManyEntries:
        return False


def _entries(folder: str, most: int) -> list[os.DirEntry[str]]:
    """The entries of a folder, sorted. Raises OSError, and TooManyEntries for more than `most`."""
    with os.scandir(folder) as scanned:
        entries = list(islice(scanned, most + 1))
    if len(entries) > most:
        raise TooManyEntries(f"the search stopped after {MAX_ENTRIES:,} entries; {LIMIT_ADVICE}")
    return sorted(entries, key=lambda entry: entry.name)


class _IgnoreFiles:
    """The `.gitignore` files found on a walk, nearest first; each applies below its folder.

    `.git/info/exclude` applies to everything else.
    """

    def __init__(self, top: str) -> None:
        self._top = absolute_path(top)
        self._specs: dict[str, IgnoreCheck] = {}
        self._own = _parse_ignore_file(os.path.join(self._top, ".git", "info", "exclude"))

    def enter(self, folder: str, names: set[str]) -> None:
        """Read the folder's `.gitignore`, if it has one."""
        spec = _parse_ignore_file(os.path.join(folder, ".gitignore")) if ".gitignore" in names else None
        if spec is not None:
            self._specs[absolute_path(folder)] = spec

    def above(self, folder: str) -> bool:
        """Read the files from the top down to a folder; returns whether the folder is ignored."""
        here = absolute_path(folder)
        path = [above for above in folder_and_parents(here) if len(above) > len(self._top)]
        self.enter(self._top, {".gitignore"})
        for below in reversed(path):
            if self(below, is_folder=True):
                return True
            self.enter(below, {".gitignore"})
        return False

    def __call__(self, path: str, *, is_folder: bool) -> bool:
        """Whether a file or folder is ignored."""
        if not self._specs and self._own is None:
            return False
        path = absolute_path(path)
        folder = os.path.dirname(path)
        while True:
            verdict = self._specs[folder](self._relative(path, folder, is_folder)) if folder in self._specs else None
            if verdict is not None:
                return verdict
            if folder == self._top or folder == os.path.dirname(folder):
                return bool(self._own and self._own(self._relative(path, folder, is_folder)))
            folder = os.path.dirname(folder)

    @staticmethod
    def _relative(path: str, folder: str, is_folder: bool) -> str:
        return relative_path(path, folder).replace(os.sep, "/") + ("/" if is_folder else "")


def _parse_ignore_file(file: str) -> IgnoreCheck | None:
    """The patterns of a file; None if it cannot be read."""
    try:
        data = read_file(file, MAX_IGNORE_FILE_BYTES, named_in=os.path.dirname(file))
    except OSError:
        return None
    from pathspec import GitIgnoreSpec

    lines = data.decode("utf-8", "replace").splitlines()
    spec = GitIgnoreSpec.from_lines(filter(is_glob, lines))
    return lambda path: spec.check_file(path).include


COULD_NOT_OPEN = re.compile(rb"^warning: could not open directory '(.+?)/?': ", re.MULTILINE)


def list_with_git(
    folder: str, repository: Repository, pass_by: Callable[[InnerRepository], None]
) -> list[ListedFile] | None:
    """The files of a folder as git lists them, and subfolders that cannot be read; None if git fails.

    `pass_by` is called with each nested repository, whose files are not listed.
    """
    from trialrun.git import NoAnswer, run_git  # most folders that are walked have no git

    words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    answer = run_git(repository, *words, folder=folder)
    if isinstance(answer, NoAnswer) or answer.code != 0:
        return None
    shut = _unreadable_folders(answer.err, folder, repository.top)
    inside_shut, files = tuple(shut.values()), list[ListedFile]()
    for name in map(os.fsdecode, filter(None, answer.out.split(b"\0"))):
        path = os.path.join(folder, name)
        is_ours = has_ending(name) and CACHES.isdisjoint(name.split("/"))
        is_file, stamp = regular_file(path) if is_ours else (False, None)
        if is_file:
            if not path.startswith(inside_shut):
                files.append((path, stamp))
        elif inner := inner_repository(path):
            pass_by(inner)
    return [*((folder, None) for folder in shut), *files]


def _unreadable_folders(warnings: bytes, folder: str, top: str) -> dict[str, str]:
    """The folders that git reported it could not open, each with the prefix of the paths of its files."""
    names = [os.fsdecode(name) for name in COULD_NOT_OPEN.findall(warnings)]
    paths = [os.path.join(folder, relative_path(os.path.join(top, name), real_path(folder))) for name in names]
    return {path: os.path.join(path, "") for path in paths}
