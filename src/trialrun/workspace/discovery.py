"""Which files a workspace has: what git does not ignore, or a walk that reads `.gitignore` where there is no git."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from trialrun.display_path import display_path
from trialrun.guarded_path import RefusedPath, TooManyEntries, read_file
from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.workspace.inner_repositories import InnerRepository

ENDINGS = (".yaml", ".yml", ".json")
SETTINGS_FILES = ("trialrun.toml", "pyproject.toml")
shown_path = display_path
MOST_BYTES = 2**20
"""The size of a settings file."""


class UnknownPath(Exception):
    """A path that the user gave and that does not exist."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to look at: `shown` is its path for people, `file` that for the system; `named` if a person gave it.

    A folder whose search ended before its end is one as well, with the reason: `ended`.
    """

    shown: str
    file: str
    named: bool = False
    ended: str = ""


def workspace_root(start: str) -> str:
    """The nearest folder upward that has settings or is the top of a git work tree; else `start` itself."""
    return Roots().of(os.path.abspath(start)) or os.path.abspath(start)


class Roots:
    """The workspaces that folders belong to; each folder is looked into once.

    A folder with settings of its own is the root of a workspace, and so is the top of a git work tree, such as that of
    a submodule: what lies below belongs to it, not to the workspace around.
    """

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}

    def of(self, folder: str) -> str | None:
        """The root of the workspace of a folder, by its absolute path; None where there is none upward."""
        if folder not in self._known:
            parent = os.path.dirname(folder)
            self._known[folder] = folder if _is_root(folder) else None if parent == folder else self.of(parent)
        return self._known[folder]

    def of_file(self, file: str) -> str | None:
        """The root of the workspace of a file, however its path is written."""
        return self.of(os.path.abspath(os.path.dirname(file)))

    def of_paths(self, paths: Sequence[str]) -> dict[str, str]:
        """The root of each path. Those without one share the folder around them, where that is in the working one."""
        starts = {path: _start(path) for path in paths}
        found = {path: self.of(start) for path, start in starts.items()}
        lone = [starts[path] for path in paths if found[path] is None]
        shared = os.path.commonpath(lone) if lone and all(map(_is_here, lone)) else None
        return {path: found[path] or shared or starts[path] for path in paths}


def _start(path: str) -> str:
    return os.path.abspath(path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)))


def _is_here(folder: str) -> bool:
    return os.path.join(folder, "").startswith(os.path.join(os.getcwd(), ""))


def _is_root(folder: str) -> bool:
    if os.path.isfile(os.path.join(folder, "trialrun.toml")) or _has_table(os.path.join(folder, "pyproject.toml")):
        return True
    return os.path.exists(os.path.join(folder, ".git"))


def settings_files(root: str) -> Iterator[str]:
    """Where the settings of a workspace stand or may come to stand: in its folder, or in one above."""
    for folder in upward(root):
        yield from (os.path.join(folder, name) for name in SETTINGS_FILES)


def upward(start: str) -> Iterator[str]:
    """A folder and those above it, the nearest first."""
    folder = os.path.abspath(start)
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _has_table(file: str) -> bool:
    """Whether a file has settings of ours, or may have had: what is wrong with it is told when they are read."""
    try:
        data = read_file(file, MOST_BYTES, named_in=os.path.dirname(file))
    except RefusedPath:
        return True
    except OSError:
        return False
    if b"trialrun" not in data:
        return False
    import tomllib

    try:
        tools = tomllib.loads(data.decode("utf-8")).get("tool")
    except (ValueError, RecursionError):
        return True
    return isinstance(tools, Mapping) and "trialrun" in tools


def discover(
    paths: Sequence[str],
    *,
    root: str,
    exclude: Sequence[str] = (),
    as_found: bool = False,
    folder: str | None = None,
) -> list[Found]:
    """The files that the paths name, sorted and without repeats; folders are searched, nothing named is excluded.

    What lies in a workspace inside of a folder is left out.

    Without paths the workspace at `root` is searched. `as_found` says that nobody named the files: they are taken as if
    a search had met them. `exclude` speaks of paths from `folder`, which is the root when unset. Raises UnknownPath for
    a path that does not exist.
    """
    excluded, roots = excluded_by(exclude, folder or root), Roots()
    found: dict[str, Found] = {}
    for path in paths or [root]:
        is_file = bool(paths) and not os.path.isdir(path)
        if is_file:
            given = _file(path, excluded, as_found=as_found)
        else:
            given = own_files(_inside(path, excluded, lambda repository: None), path, roots)
        for one in given:
            known = found.get(one.shown)
            if known is None or (one.named and not known.named):
                found[one.shown] = one
    return [found[shown] for shown in sorted(found)]


def own_files(found: Iterable[Found], folder: str, roots: Roots) -> Iterator[Found]:
    """The files found in a folder that belong to its workspace, and to none inside of it."""
    root = roots.of(os.path.abspath(folder))
    is_own: dict[str, bool] = {}
    for one in found:
        inside = os.path.dirname(one.file)
        if inside not in is_own:
            is_own[inside] = roots.of(os.path.abspath(inside)) == root
        if is_own[inside]:
            yield one


def _file(path: str, excluded: Callable[[str], bool] | None, *, as_found: bool) -> Iterator[Found]:
    """A file that was given by its path; one that no search would meet is passed over `as_found`."""
    if not _may_exist(path):
        raise UnknownPath(path)
    if not as_found:
        yield Found(shown_path(path), path, named=True)
    elif is_met(path, excluded) and is_regular(path):
        yield Found(shown_path(path), path)


def is_met(file: str, excluded: Callable[[str], bool] | None) -> bool:
    """Whether a search of the workspace looks at files of such a name."""
    return file.endswith(ENDINGS) and not (excluded and excluded(file))


def files_inside(folder: str, pass_by: Callable[[InnerRepository], None] = lambda repository: None) -> list[Found]:
    """All files in a folder, those of workspaces inside of it and excluded ones among them.

    `pass_by` is called with each repository inside of it, which is not entered.
    """
    return list(_inside(folder, None, pass_by))


def _inside(
    path: str, excluded: Callable[[str], bool] | None, pass_by: Callable[[InnerRepository], None]
) -> Iterator[Found]:
    shown = "" if (prefix := shown_path(path)) == "." else prefix + "/"
    inside = os.path.join(path, "")
    try:
        for file in _files(path, pass_by):
            if file == path:
                yield Found(prefix, inside)
            elif excluded is None or not excluded(file):
                name = shown_path(file) if shown.startswith("../") else shown + file[len(inside) :].replace(os.sep, "/")
                yield Found(name, name)  # one text for both: there may be many, and both lead from here to the file
    except TooManyEntries as error:
        yield Found(prefix, inside, ended=str(error))


def excluded_by(globs: Sequence[str], root: str) -> Callable[[str], bool] | None:
    """Whether a file is excluded by the globs, which speak of paths from the root; None where there are no globs."""
    if not globs:
        return None
    from trialrun.lint.settings.globs import matches

    def excluded(file: str) -> bool:
        path = os.path.relpath(file, root).replace(os.sep, "/")
        return matches(globs, path, is_folder=not path.endswith(ENDINGS))  # one that cannot be listed

    return excluded


def _files(folder: str, pass_by: Callable[[InnerRepository], None]) -> Iterable[str]:
    """The files of a folder that have an ending of ours and that git does not ignore."""
    from trialrun.repository import Repository, find_repository, reached_top

    repository = find_repository(folder)
    if not isinstance(repository, Repository):
        from trialrun.workspace.walk import walked

        return walked(folder, None, pass_by)
    from trialrun.workspace.git_files import listed_by_git

    listed = listed_by_git(folder, repository, pass_by)
    if listed is not None:
        return listed
    from trialrun.workspace.walk import walked

    return walked(folder, reached_top(folder, repository), pass_by)


def _may_exist(path: str) -> bool:
    """Whether there is something at a path, or in a folder that may not be searched, as reading it then tells."""
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def is_regular(file: str) -> bool:
    """Whether a listed file is still there as a file; one that vanished since the commit is no finding."""
    try:
        return stat.S_ISREG(os.stat(file).st_mode)
    except PermissionError:  # reading it tells
        return True
    except (OSError, ValueError):
        return False
