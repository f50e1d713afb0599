"""Paths of a workspace: the endings of our files, and the folders around one."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from trialrun.working_folder import absolute_path

ENDINGS = (".yaml", ".yml", ".json")


def folder_and_parents(start: str) -> Iterator[str]:
    """A folder and those above it, the nearest first."""
    folder = absolute_path(start)
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def is_regular(file: str) -> bool:
    """Whether a listed file is still there as a file; one that vanished since the commit is not a finding."""
    try:
        return stat.S_ISREG(os.stat(file).st_mode)
    except PermissionError:  # reading it tells
        return True
    except (OSError, ValueError):
        return False
