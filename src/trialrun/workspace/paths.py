"""Paths of a workspace: the endings of our files, the folders around one, and by what a file is known again."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator

from trialrun.working_folder import absolute_path

ENDINGS = (".yaml", ".yml", ".json", ".tf", ".tofu")
CLOCK_RESOLUTION = 2_000_000_000
"""Nanoseconds of the coarsest clock of a file system, that of FAT."""
Stamp = tuple[int, int, int, int, int]
"""By what an unchanged file is known without being opened, as in git's index: device, inode, size, times of change."""


def has_ending(file: str) -> bool:
    """Whether a file ends as ours do, in upper or lower case."""
    return file[-5:].lower().endswith(ENDINGS)


def folder_and_parents(start: str) -> Iterator[str]:
    """A folder and its parents, nearest first."""
    folder = absolute_path(start)
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


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
