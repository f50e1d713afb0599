"""The folder that relative paths start from: the working directory, or one that a long-lived process keeps in mind.

Messages name paths as seen from it.

A working directory that is removed has no name any more: `os.getcwd` raises, and `os.path.abspath` with it. A process
that stays open for days meets this at any time, so it remembers the name. A file of a removed folder is then a file
that does not exist, which every reader expects.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache

_remembered: str | None = None


def enter_folder(folder: str) -> str:
    """Make a folder the working directory and remember its name, which is returned. Raises OSError."""
    global _remembered
    os.chdir(folder)
    _remembered = os.getcwd()
    return _remembered


def forget_folder() -> None:
    """Ask the system for the working directory again."""
    global _remembered
    _remembered = None


def working_folder() -> str:
    """The absolute path of the working directory. Raises OSError when it was removed and is not remembered."""
    return os.getcwd() if _remembered is None else _remembered


def absolute_path(path: str) -> str:
    """An absolute path without `.` and `..`, as `os.path.abspath`."""
    return os.path.abspath(_from_remembered(path))


def real_path(path: str) -> str:
    """An absolute path without symbolic links, as `os.path.realpath`."""
    return os.path.realpath(_from_remembered(path))


def relative_path(path: str, folder: str) -> str:
    """A path as seen from a folder, as `os.path.relpath`. Raises ValueError for another drive."""
    return os.path.relpath(_from_remembered(path), _from_remembered(folder))


def folder_and_parents(folder: str) -> Iterator[str]:
    """A folder, whose path is absolute, and its parents, nearest first."""
    yield folder
    while (parent := os.path.dirname(folder)) != folder:
        folder = parent
        yield folder


def _from_remembered(path: str) -> str:
    return path if _remembered is None else os.path.join(_remembered, path)


def display_path(file: str) -> str:
    """A path as a user would write it: relative to the working directory where it lies below it, with `/`."""
    absolute = absolute_path(file)
    here = working_folder()
    if absolute == here:
        return "."
    if absolute.startswith(here + os.sep):
        return absolute[len(here) + 1 :].replace(os.sep, "/")
    try:
        return os.path.relpath(absolute, here).replace(os.sep, "/")
    except ValueError:  # another drive
        return absolute.replace(os.sep, "/")


def path_order(paths: Iterable[str]) -> Callable[[str], str]:
    """A sort key of displayed paths by which these have the same order in every working directory."""
    return cache(absolute_path) if any(path.startswith("../") for path in paths) else str
