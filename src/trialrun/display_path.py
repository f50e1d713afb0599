"""Paths as messages and reports name them."""

from __future__ import annotations

import os

from trialrun.working_folder import absolute_path, working_folder


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
