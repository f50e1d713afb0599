"""File discovery: the files that git does not ignore, or a walk that reads `.gitignore` if there is no git."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trialrun.guarded_path import Boundary, RefusedPath, TooManyEntries, read_file
from trialrun.repository import ForeignRepository, find_repository
from trialrun.working_folder import (
    absolute_path,
    display_path,
    folder_and_parents,
    path_order,
    real_path,
    relative_path,
    working_folder,
)
from trialrun.workspace.walk import Stamp, has_ending, is_regular, list_with_git, walk

if TYPE_CHECKING:
    from trialrun.workspace.walk import InnerRepository, ListedFile


SETTINGS_FILES = ("trialrun.toml", "pyproject.toml")
MAX_SETTINGS_BYTES = 2**20
"""Maximum size of a settings file."""


class UnknownPath(Exception):
    """A path given by the user that does not exist."""


@dataclass(frozen=True, slots=True)
class DiscoveredFile:
    """A file to check: `display_path` is shown to people, `file` is used for access; `is_named` if a person gave it.

    A folder whose search was aborted is included, with the reason. `links` are further paths of the same file. With the
    `stamp` of an earlier run it has not changed since.
    """

    display_path: str
    file: str
    is_named: bool = False
    limit: str = ""
    links: tuple[str, ...] = ()
    stamp: Stamp | None = field(default=None, compare=False)


def workspace_root(start: str) -> str:
    """The nearest folder upward that has settings or is the top of a git work tree; otherwise `start` itself."""
    return WorkspaceRoots().root_of(absolute_path(start)) or absolute_path(start)


class WorkspaceRoots:
    """The workspaces of folders; each folder is examined once.

    A folder with its own settings is the root of a workspace, as is the top of a git work tree, such as that of a
    submodule: what is below belongs to it, and not to the workspace around. A link that leads out of a workspace
    belongs to the workspace, whatever it leads to; otherwise a repository could choose which others are read.
    """

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}

    def root_of(self, folder: str) -> str | None:
        """The root of the workspace of a folder, by its absolute path; None if there is none upward."""
        if folder not in self._known:
            parent = os.path.dirname(folder)
            is_root = _is_root(folder) and not (os.path.islink(folder) and self._leads_out(folder))
            self._known[folder] = folder if is_root else None if parent == folder else self.root_of(parent)
        return self._known[folder]

    def _leads_out(self, link: str) -> bool:
        """Whether a link to a folder leads out of the workspace that contains the link."""
        around = self.root_of(os.path.dirname(link))
        return around is not None and Boundary.around(around).is_left_by(link)

    def root_of_file(self, file: str) -> str | None:
        """The root of the workspace of a file, however its path is written."""
        return self.root_of(absolute_path(os.path.dirname(file)))

    def roots_of_paths(self, paths: Sequence[str]) -> dict[str, str]:
        """The root of each path. Paths below the working directory without one are files of the workspace there."""
        here, found = working_folder(), dict[str, str]()
        for path in paths:
            start = absolute_path(path if os.path.isdir(path) else os.path.dirname(absolute_path(path)))
            is_here = os.path.join(start, "").startswith(os.path.join(here, ""))
            found[path] = self.root_of(start) or (here if is_here else start)
        return found


def _is_root(folder: str) -> bool:
    settings = os.path.join(folder, "trialrun.toml")  # a link that leads nowhere is an error when it is read
    if os.path.isfile(settings) or os.path.islink(settings) or _has_settings(os.path.join(folder, "pyproject.toml")):
        return True
    return os.path.exists(os.path.join(folder, ".git"))


def settings_files(root: str) -> Iterator[str]:
    """The possible settings files of a workspace: in its folder, and in the folders above."""
    for folder in folder_and_parents(absolute_path(root)):
        yield from (os.path.join(folder, name) for name in SETTINGS_FILES)


def _has_settings(file: str) -> bool:
    """Whether a file has, or may have, our settings: its errors are reported when they are read."""
    try:
        data = read_file(file, MAX_SETTINGS_BYTES, named_in=os.path.dirname(file))
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
    paths: Sequence[str], *, root: str, exclude: Sequence[str] = (), as_found: bool = False, folder: str | None = None
) -> list[DiscoveredFile]:
    """The files that the paths name, sorted and without duplicates; folders are searched, named files are never
    excluded.

    Files of nested workspaces are left out. Without paths, the workspace at `root` is searched. `as_found` means that
    the paths were not named by a person and are filtered like search results. `exclude` applies to paths relative to
    `folder`, by default the root. Raises UnknownPath for a path that does not exist.
    """
    excluded, roots, found = excluded_by(exclude, folder or root), WorkspaceRoots(), list[DiscoveredFile]()
    for path in paths or [root]:
        is_file = bool(paths) and not os.path.isdir(path)
        if is_file:
            found += _named_file(path, excluded, as_found=as_found)
        else:
            found += files_of_workspace(_search_folder(path, root, excluded, lambda repository: None), path, roots)
    return without_links(found)


def without_links(discovered_files: Iterable[DiscoveredFile]) -> list[DiscoveredFile]:
    """Each file once, sorted by path: symbolic and hard links are names of one file.

    Of its paths, one that a person gave comes before others, then one without a symbolic link, then the first.
    """
    by_identity: dict[object, list[DiscoveredFile]] = {}
    for file in discovered_files:
        by_identity.setdefault(file.stamp[:2] if file.stamp else _identity(file.file), []).append(file)
    found = [same[0] if len(same) == 1 else _as_one(same) for same in by_identity.values()]
    order = path_order(file.display_path for file in found)
    return sorted(found, key=lambda file: order(file.display_path))


def _as_one(same: Sequence[DiscoveredFile]) -> DiscoveredFile:
    file = min(same, key=_name_order)
    return replace(file, links=tuple(sorted({other.display_path for other in same} - {file.display_path})))


def _identity(file: str) -> object:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return file
    return (status.st_dev, status.st_ino) if status.st_ino else file


def _name_order(file: DiscoveredFile) -> tuple[bool, bool, str]:
    is_link = real_path(file.file) != os.path.normpath(os.path.join(real_path(os.curdir), file.file))
    return not file.is_named, is_link, absolute_path(file.file)


def files_of_workspace(
    discovered_files: Iterable[DiscoveredFile], folder: str, roots: WorkspaceRoots
) -> Iterator[DiscoveredFile]:
    """The files of a folder that belong to its workspace, and not to nested ones."""
    root = roots.root_of(absolute_path(folder))
    is_own: dict[str, bool] = {}
    for file in discovered_files:
        inside = os.path.dirname(file.file)
        if inside not in is_own:
            is_own[inside] = roots.root_of(absolute_path(inside)) == root
        if is_own[inside]:
            yield file


def _named_file(path: str, excluded: Callable[[str], bool] | None, *, as_found: bool) -> Iterator[DiscoveredFile]:
    """A file given by its path; with `as_found`, only if a search would find it."""
    if not _may_exist(path):
        raise UnknownPath(path)
    if not as_found:
        yield DiscoveredFile(display_path(path), path, is_named=True)
    elif is_discoverable(path, excluded) and is_regular(path):
        yield DiscoveredFile(display_path(path), path)


def is_discoverable(file: str, excluded: Callable[[str], bool] | None) -> bool:
    """Whether a search finds files with such a name."""
    return has_ending(file) and not (excluded and excluded(file))


def files_inside(
    folder: str, root: str, pass_by: Callable[[InnerRepository], None] = lambda repository: None
) -> list[DiscoveredFile]:
    """All files in a folder of the workspace at `root`, including excluded ones and those of nested workspaces.

    `pass_by` is called with each nested repository, which is not entered. A folder that is a link to the outside is not
    searched: it is returned itself, and reading it fails with the reason.
    """
    return list(_search_folder(folder, root, None, pass_by))


def _search_folder(
    path: str, root: str, excluded: Callable[[str], bool] | None, pass_by: Callable[[InnerRepository], None]
) -> Iterator[DiscoveredFile]:
    shown = "" if (prefix := display_path(path)) == "." else prefix + "/"
    if Boundary.around(root).is_left_by(path):
        yield DiscoveredFile(prefix, path)
        return
    inside = os.path.join(path, "")
    try:
        for file, stamp in _list_files(path, pass_by):
            if file == path:
                yield DiscoveredFile(prefix, inside)
            elif excluded is None or not excluded(file):
                name = (
                    display_path(file) if shown.startswith("../") else shown + file[len(inside) :].replace(os.sep, "/")
                )
                yield DiscoveredFile(name, name, stamp=stamp)  # one string for both, since there may be many
    except TooManyEntries as error:
        yield DiscoveredFile(prefix, inside, limit=str(error))


def excluded_by(globs: Sequence[str], root: str) -> Callable[[str], bool] | None:
    """A function that tells whether the globs, relative to the root, exclude a file; None without globs."""
    if not globs:
        return None
    from trialrun.lint.settings.globs import matches

    def excluded(file: str) -> bool:
        path = relative_path(file, root).replace(os.sep, "/")
        return matches(globs, path, is_folder=not has_ending(path))  # one that cannot be listed

    return excluded


def _list_files(folder: str, pass_by: Callable[[InnerRepository], None]) -> Iterable[ListedFile]:
    """The files of a folder with our suffixes that git does not ignore."""
    from trialrun.repository import Repository, find_repository, top_as_reached

    repository = find_repository(folder)
    if not isinstance(repository, Repository):
        return walk(folder, None, pass_by)
    listed = list_with_git(folder, repository, pass_by)
    if listed is not None:
        return listed
    return walk(folder, top_as_reached(folder, repository), pass_by)


def _may_exist(path: str) -> bool:
    """Whether a path exists, or is in a folder that cannot be searched, which is reported when it is read."""
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def ownership_notes(folders: Iterable[str]) -> list[str]:
    """A note for each repository around some folders that belongs to another user, with how to trust it."""
    repositories = {find_repository(folder) for folder in set(folders)}
    advice = sorted(repository.advice for repository in repositories if isinstance(repository, ForeignRepository))
    return [f"files are listed without git: {clause}" for clause in advice]
