"""Paths of a workspace: which endings files of ours have, and how paths are displayed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

ENDINGS = (".yaml", ".yml", ".json")


def folder_and_parents(start: str) -> Iterator[str]:
    """A folder and those above it, the nearest first."""
    folder = os.path.abspath(start)
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def display_path(file: str) -> str:
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


def is_regular(file: str) -> bool:
    """Whether a listed file is still there as a file; one that vanished since the commit is no finding."""
    try:
        return stat.S_ISREG(os.stat(file).st_mode)
    except PermissionError:  # reading it tells
        return True
    except (OSError, ValueError):
        return False
