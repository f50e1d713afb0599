"""Names of files and folders, for texts that are paths or globs."""

from __future__ import annotations

import os
from collections.abc import Iterator

from trialrun.guarded_path import Boundary

MAX_ITEMS = 2_000
"""How many entries of a folder are looked at."""


def paths(folder: str, written: str, endings: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The paths from a folder on that begin like what is written, each with what it is; folders lead on.

    Without `endings` files of every sort are told. Folders outside of the workspace are not listed.
    """
    above = written.rpartition("/")[0]
    try:
        here = Boundary.around(folder).resolve(os.path.join(folder, above))
        with os.scandir(here) as listed:
            entries = [(one.name, one.is_dir()) for one, _ in zip(listed, range(MAX_ITEMS), strict=False)]
    except (OSError, ValueError):
        return
    for name, is_folder in sorted(entries):
        path = f"{above}/{name}" if above else name
        if name.startswith("."):
            continue
        if is_folder:
            yield path + "/", "a folder"
        elif not endings or name.endswith(endings):
            yield path, "a file"
