"""The repository of git that a folder is in: found by our own walk, and used only where this user owns it.

git itself would take any folder with a HEAD, objects and refs for a repository, tracked ones as well, and run what
their configuration names. It is therefore always told which repository is meant, which switches off its own check of
the owner; so the same check is made here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from trialrun.working_folder import absolute_path, folder_and_parents, real_path, relative_path, working_folder

MAX_MARKER_BYTES = 32_768
"""What a `.git` file may have: one line with a path."""

CHECKOUT_VARIABLES = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Where CI systems name the folder that they checked out."""


class Repository(NamedTuple):
    """A repository of this user: its work tree and its git directory, both without symbolic links."""

    top: str
    git_dir: str


class ForeignRepository(NamedTuple):
    """A repository that another user owns, whose configuration is obeyed in nothing; `top` is its work tree."""

    top: str

    @property
    def advice(self) -> str:
        """What the owner has to do with it, and what to do."""
        trust = f"git config --global --add safe.directory {self.top}"
        return f"the git repository {self.top} belongs to another user; if you trust it, run {trust}"


def find_repository(folder: str) -> Repository | ForeignRepository | None:
    """The repository whose work tree holds a folder, None if none does."""
    here = real_path(folder)
    for top in folder_and_parents(here):
        marker = os.path.join(top, ".git")
        if not os.path.lexists(marker):
            continue
        git_dir = _git_dir(marker)
        if git_dir is None and not os.path.isdir(marker):
            return None
        if git_dir is not None:
            if here == git_dir or here.startswith(os.path.join(git_dir, "")):
                return None
            return Repository(top, git_dir) if _is_trusted(top, marker, git_dir) else ForeignRepository(top)
    return None


def top_as_reached(folder: str, repository: Repository | ForeignRepository) -> str:
    """The top folder of the repository of a folder, reached as `folder` is, through the same symbolic links."""
    inside = os.path.join(absolute_path(folder), "")
    prefix = relative_path(real_path(folder), repository.top)
    prefix = "" if prefix == os.curdir else os.path.join(prefix, "")
    top = inside[: len(inside) - len(prefix)].rstrip(os.sep) or os.sep
    return top if inside.endswith(os.sep + prefix) and real_path(top) == repository.top else repository.top


def paths_from_top() -> Callable[[str], str]:
    """A function from the path of a file, as the working directory has it, to its path from the top of the repository.

    CI systems look for a file there, wherever a job runs. The repository is that of the working directory, or else that
    of the file; without one, the CI system's own variable says what it checked out. Other files keep their path.
    """
    here = working_folder()
    top_of_here, top_of = _top_of_checkout(here), cache(_top_of_checkout)

    def from_top(path: str) -> str:
        file = os.path.normpath(os.path.join(here, path))
        top = top_of_here or top_of(os.path.dirname(file)) or _checkout_of_ci(file)
        prefix = os.path.join(top or here, "")
        return file.removeprefix(prefix).replace(os.sep, "/") if file.startswith(prefix) else path

    return from_top


def _top_of_checkout(folder: str) -> str | None:
    """The top of the repository of a folder, whoever owns it; a submodule is a part of the repository around it."""
    repository = find_repository(folder)
    if repository is None:
        return None
    top = top_as_reached(folder, repository)
    return (_is_submodule(top) and _top_of_checkout(os.path.dirname(top))) or top


def _is_submodule(top: str) -> bool:
    """Whether `.git` is a file that names a git directory of its own; that of a linked worktree is shared."""
    marker = os.path.join(top, ".git")
    git_dir = None if os.path.isdir(marker) else _git_dir(marker)
    return git_dir is not None and common_dir(git_dir) == git_dir


def _checkout_of_ci(file: str) -> str | None:
    folders = [real_path(folder) for name in CHECKOUT_VARIABLES if (folder := os.environ.get(name))]
    return next((folder for folder in folders if file.startswith(os.path.join(folder, ""))), None)


def _git_dir(marker: str) -> str | None:
    """The git directory that `.git` is, or that it names as a file, as in a worktree or a submodule; else None."""
    if os.path.isdir(marker):
        git_dir = marker
    else:
        line = first_line(marker)
        if line is None or not line.startswith("gitdir: "):
            return None
        git_dir = os.path.join(os.path.dirname(marker), line.removeprefix("gitdir: "))
    git_dir = real_path(git_dir)
    return git_dir if _is_git_dir(git_dir) else None


def _is_git_dir(folder: str) -> bool:
    common = common_dir(folder)
    parts = [os.path.join(common, name) for name in ("objects", "refs")]
    return os.path.lexists(os.path.join(folder, "HEAD")) and all(map(os.path.isdir, parts))


def common_dir(git_dir: str) -> str:
    """The git directory that a worktree's shares its objects and its configuration with."""
    line = first_line(os.path.join(git_dir, "commondir"))
    return real_path(os.path.join(git_dir, line)) if line else git_dir


def first_line(file: str) -> str | None:
    """The first line of a small regular file, None if there is none."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        line = os.fsdecode(os.read(descriptor, MAX_MARKER_BYTES)).partition("\n")[0].rstrip("\r")
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None if "\0" in line else line


def _is_trusted(top: str, marker: str, git_dir: str) -> bool:
    """Whether this user owns a repository, or trusts it by the `safe.directory` of a configuration of their own."""
    if not hasattr(os, "geteuid"):  # no ids of users: git itself is asked, which asks nothing else for it
        from trialrun.git_process import is_opened_by_git

        return is_opened_by_git(top)
    if all(map(is_owned, {top, marker, git_dir, common_dir(git_dir)})):
        return True
    from trialrun.git_process import safe_directories

    return _is_safe(top, safe_directories())


def is_owned(path: str) -> bool:
    """Whether this user owns a path: not what a link leads to, but the path itself, as git sees it."""
    try:
        return os.lstat(path).st_uid in _user_ids()
    except OSError:
        return False


def _user_ids() -> set[int]:
    """The ids of this user; one who works as root by sudo is still who they were."""
    ids = {os.geteuid()}
    sudo = os.environ.get("SUDO_UID", "")
    if ids == {0} and sudo.isascii() and sudo.isdigit():
        ids.add(int(sudo))
    return ids


def _is_safe(top: str, values: list[str]) -> bool:
    """Whether the values of `safe.directory` name a work tree; an empty one takes back those before it."""
    is_safe = False
    for value in values:
        folder = real_path(value.removesuffix("*")) if os.path.isabs(value) else None
        if not value:
            is_safe = False
        elif value == "*" or (folder == top and not value.endswith("*")):
            is_safe = True
        elif folder and value.endswith("/*"):
            is_safe |= top.startswith(os.path.join(folder, ""))
    return is_safe
