"""Which files a workspace has: what git does not ignore, or a walk that reads `.gitignore` where there is no git."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from trialrun.record import dataclass
from trialrun.usage import UsageError

ENDINGS = (".yaml", ".yml", ".json")
SETTINGS_FILES = ("trialrun.toml", "pyproject.toml")
NEVER_ENTERED = frozenset(
    {".git", ".hg", ".svn", ".tox", ".nox", ".venv", "node_modules", "__pycache__", ".mypy_cache", ".ruff_cache"}
)
OF_ONE_REPOSITORY = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"})
STANDARD_INPUT = "-"


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
    for folder in _upward(start):
        if os.path.isfile(os.path.join(folder, "trialrun.toml")) or _has_table(os.path.join(folder, "pyproject.toml")):
            return folder
    for folder in _upward(start):
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
    return os.path.abspath(start)


def settings_files(root: str) -> Iterator[str]:
    """Where the settings of a workspace stand or may come to stand: in its folder, or in one above."""
    for folder in _upward(root):
        yield from (os.path.join(folder, name) for name in SETTINGS_FILES)


def _upward(start: str) -> Iterator[str]:
    folder = os.path.abspath(start)
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _has_table(file: str) -> bool:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return re.search(r"^\[tool\.trialrun[.\]]", stream.read(), re.MULTILINE) is not None
    except OSError:
        return False


def discover(paths: Sequence[str], *, root: str, exclude: Sequence[str] = ()) -> list[Found]:
    """The files that the paths name, sorted and without repeats; folders are searched, nothing named is excluded.

    Without paths the workspace at `root` is searched. Raises UnknownPath for a path that does not exist.
    """
    excluded = _matcher(exclude, root)
    found: dict[str, Found] = {}
    for path in paths or [root]:
        for one in _under(path, excluded, given=bool(paths)):
            known = found.get(one.shown)
            if known is None or (one.named and not known.named):
                found[one.shown] = one
    return [found[shown] for shown in sorted(found)]


def _under(path: str, excluded: Callable[[str], bool] | None, *, given: bool) -> Iterator[Found]:
    if given and not os.path.isdir(path):
        if not os.path.lexists(path):
            raise UnknownPath(path)
        yield Found(shown_path(path), path, named=True)
        return
    shown = "" if (prefix := shown_path(path)) == "." else prefix + "/"
    inside = os.path.join(path, "")
    for file in _files(path):
        if file == path:
            yield Found(prefix, file)
        elif excluded is None or not excluded(file):
            name = shown + file[len(inside) :].replace(os.sep, "/")
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


def _matcher(globs: Sequence[str], root: str) -> Callable[[str], bool] | None:
    """Whether a file is excluded by the globs, which speak of paths from the root; None where there are no globs."""
    if not globs:
        return None
    for glob in globs:
        if not _is_glob(glob):
            raise UsageError(f'exclude: "{glob}" is no pattern of .gitignore; write a path or a glob')
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(globs)
    return lambda file: bool(spec.match_file(os.path.relpath(file, root).replace(os.sep, "/")))


def _is_glob(line: str) -> bool:
    """Whether pathspec takes a line; git passes over those that mean nothing, such as a lone `!`."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _files(folder: str) -> Iterable[str]:
    """The files of a folder that have an ending of ours and that git does not ignore."""
    repository = next((above for above in _upward(folder) if os.path.exists(os.path.join(above, ".git"))), None)
    listed = _listed_by_git(folder) if repository else None
    return _walked(folder, repository) if listed is None else listed


def _listed_by_git(folder: str) -> list[str] | None:
    import subprocess

    command = ["git", "-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, stdin=subprocess.DEVNULL, env=_environment_of_git()
        )
    except OSError:
        return None
    if done.returncode != 0:
        return None
    names = (os.fsdecode(name) for name in done.stdout.split(b"\0"))
    files = [os.path.join(folder, name) for name in names if name.endswith(ENDINGS)]
    return [file for file in files if _is_regular(file)]


def _environment_of_git() -> dict[str, str]:
    """Our environment without what points at one repository, as in a hook: the folder says which one is asked."""
    return {name: value for name, value in os.environ.items() if name not in OF_ONE_REPOSITORY}


def _is_regular(file: str) -> bool:
    """Whether a listed file is still there as a file; one that vanished since the commit is no finding."""
    return os.path.isfile(file)


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file or a link to one; a loop of links is neither."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _walked(folder: str, repository: str | None) -> Iterator[str]:
    """A walk that follows no links to folders, so that a loop of links ends; one that cannot be listed is given.

    Within a repository it goes by the `.gitignore` files above the folder too, and enters no other repository, as git.
    """
    ignored = _Ignored(repository or folder)
    pending = [] if repository and ignored.above(folder) else [folder]
    while pending:
        here = pending.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:  # reading it fails too, and then the reason is told
            yield here
            continue
        names = {entry.name for entry in entries}
        if repository and here != folder and ".git" in names:
            continue
        ignored.enter(here, names)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NEVER_ENTERED and not ignored(entry.path, is_folder=True):
                    pending.append(entry.path)
            elif entry.name.endswith(ENDINGS) and _is_file(entry) and not ignored(entry.path, is_folder=False):
                yield entry.path


class _Ignored:
    """The `.gitignore` files met on a walk: each speaks of what lies below its folder, the nearest one first."""

    def __init__(self, top: str) -> None:
        self._top = os.path.abspath(top)
        self._specs: dict[str, Callable[[str], bool | None]] = {}

    def enter(self, folder: str, names: set[str]) -> None:
        """Read the folder's `.gitignore`, if it has one."""
        if ".gitignore" not in names:
            return
        from pathspec import GitIgnoreSpec

        try:
            with open(os.path.join(folder, ".gitignore"), encoding="utf-8", errors="replace") as stream:
                spec = GitIgnoreSpec.from_lines(filter(_is_glob, stream))
        except OSError:
            return
        self._specs[os.path.abspath(folder)] = lambda path: spec.check_file(path).include

    def above(self, folder: str) -> bool:
        """Read the files from the top down to a folder; whether it lies in what they ignore."""
        here = os.path.abspath(folder)
        path = [above for above in _upward(here) if len(above) > len(self._top)]
        self.enter(self._top, {".gitignore"})
        for below in reversed(path):
            if self(below, is_folder=True):
                return True
            self.enter(below, {".gitignore"})
        return False

    def __call__(self, path: str, *, is_folder: bool) -> bool:
        """Whether a file or folder is ignored."""
        if not self._specs:
            return False
        path = os.path.abspath(path)
        folder = os.path.dirname(path)
        while True:
            verdict = self._specs[folder](self._relative(path, folder, is_folder)) if folder in self._specs else None
            if verdict is not None:
                return verdict
            if folder == self._top or folder == os.path.dirname(folder):
                return False
            folder = os.path.dirname(folder)

    @staticmethod
    def _relative(path: str, folder: str, is_folder: bool) -> str:
        return os.path.relpath(path, folder).replace(os.sep, "/") + ("/" if is_folder else "")
