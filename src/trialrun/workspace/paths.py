"""Paths of a workspace: the endings of our files, and the folders around one."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from trialrun.working_folder import absolute_path

ENDINGS = (".yaml", ".yml", ".json", ".tf", ".tofu")


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
    try:
        return stat.S_ISREG(os.stat(file).st_mode)
    except PermissionError:  # reported when it is read
        return True
    except (OSError, ValueError):
        return False
