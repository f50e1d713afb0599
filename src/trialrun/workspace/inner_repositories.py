"""Nested git repositories in a searched folder: submodules and other clones, which a search does not enter."""

from __future__ import annotations

import os
import stat

from trialrun.diagnostic import NotChecked
from trialrun.lazy_dataclass import dataclass

ALL_FILES = "all files in it"
SUBMODULE = "it is a submodule; add --recurse-submodules"
ABSENT = "it is a submodule that is not checked out; run git submodule update --init"
CLONE = "it is a separate repository; name it to check it"


@dataclass(frozen=True, slots=True)
class InnerRepository:
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


def repository_in(folder: str) -> InnerRepository:
    """The repository of a folder with a `.git`, without git; that of a submodule is a file."""
    return InnerRepository(folder, is_submodule=os.path.isfile(os.path.join(folder, ".git")))


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
