"""Which files a workspace has: what git does not ignore, or a walk that reads `.gitignore` where there is no git."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from trialrun.record import dataclass
from trialrun.usage import UsageError

ENDINGS = (".yaml", ".yml", ".json")
SETTINGS_FILES = ("trialrun.toml", "pyproject.toml")


class UnknownPath(Exception):
    """A path that the user gave and that does not exist."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to look at: `shown` is its path for people, `file` that for the system; `named` if a person gave it."""

    shown: str
    file: str
    named: bool = False


def workspace_root(start: str) -> str:
    """The folder of the nearest settings file upward, else of the nearest git repository, else `start` itself."""
    for folder in upward(start):
        if os.path.isfile(os.path.join(folder, "trialrun.toml")) or _has_table(os.path.join(folder, "pyproject.toml")):
            return folder
    for folder in upward(start):
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
    return os.path.abspath(start)


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
        with open(file, "rb") as stream:
            data = stream.read()
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


def discover(paths: Sequence[str], *, root: str, exclude: Sequence[str] = (), as_found: bool = False) -> list[Found]:
    """The files that the paths name, sorted and without repeats; folders are searched, nothing named is excluded.

    Without paths the workspace at `root` is searched. `as_found` says that nobody named the files: they are taken as if
    a search had met them. Raises UnknownPath for a path that does not exist.
    """
    excluded = excluded_by(exclude, root)
    found: dict[str, Found] = {}
    for path in paths or [root]:
        is_file = bool(paths) and not os.path.isdir(path)
        for one in _file(path, excluded, as_found=as_found) if is_file else _inside(path, excluded):
            known = found.get(one.shown)
            if known is None or (one.named and not known.named):
                found[one.shown] = one
    return [found[shown] for shown in sorted(found)]


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


def _inside(path: str, excluded: Callable[[str], bool] | None) -> Iterator[Found]:
    shown = "" if (prefix := shown_path(path)) == "." else prefix + "/"
    inside = os.path.join(path, "")
    for file in _files(path):
        if file == path:
            yield Found(prefix, file)
        elif excluded is None or not excluded(file):
            name = shown_path(file) if shown.startswith("../") else shown + file[len(inside) :].replace(os.sep, "/")
            yield Found(name, name)  # one text for both: there may be many, and both lead from here to the file


def shown_path(file: str) -> str:
    """A path as a user would write it: relative to the working directory where it lies below it, with `/`."""
    absolute = os.path.abspath(file)
    here = os.getcwd()
    if absolute == here:
        return "."
    if absolute.startswith(here + os.sep):
        return absolute[len(here) + 1 :].replace(os.sep, "/")
    try:
        return os.path.relpath(absolute, here).replace(os.sep, "/")
    except ValueError:  # another drive
        return absolute.replace(os.sep, "/")


def excluded_by(globs: Sequence[str], root: str) -> Callable[[str], bool] | None:
    """Whether a file is excluded by the globs, which speak of paths from the root; None where there are no globs."""
    if not globs:
        return None
    from trialrun.workspace.walk import is_glob

    for glob in globs:
        if not is_glob(glob):
            problem = f'"{glob}" is no pattern of .gitignore; write a path or a glob'
            raise UsageError(f"the settings of {root}: exclude: {problem}")
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(globs)

    def excluded(file: str) -> bool:
        path = os.path.relpath(file, root).replace(os.sep, "/")
        is_folder = not path.endswith(ENDINGS)  # one that cannot be listed
        return bool(spec.match_file(path) or (is_folder and spec.match_file(path + "/")))

    return excluded


def _files(folder: str) -> Iterable[str]:
    """The files of a folder that have an ending of ours and that git does not ignore."""
    from trialrun.workspace.repository import Repository, find_repository, reached_top

    repository = find_repository(folder)
    if not isinstance(repository, Repository):
        from trialrun.workspace.walk import walked

        return walked(folder, None)
    from trialrun.workspace.listing import listed_by_git

    listed = listed_by_git(folder, repository)
    if listed is not None:
        return listed
    from trialrun.workspace.walk import walked

    return walked(folder, reached_top(folder, repository))


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
