"""The folder that an engine spills into: it goes with the engine, or, where its process was ended, with a later one."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing

PREFIX = "trialrun-spill-"
HELD = "held"
"""The file in each folder that is locked while it is in use: by SQLite's lock, which ends with its process."""
YOUNG = 60.0
"""Seconds in which a folder may not have been locked yet."""


class Spill:
    """A folder of its own for spilling, until it is closed."""

    def __init__(self) -> None:
        clear()
        self.folder = tempfile.mkdtemp(prefix=PREFIX)
        self._lock = sqlite3.connect(
            os.path.join(self.folder, HELD), timeout=0, isolation_level=None, check_same_thread=False
        )
        self._lock.execute("BEGIN EXCLUSIVE")

    def close(self) -> None:
        """Take the folder away with all that is in it."""
        self._lock.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def clear() -> None:
    """Take away the folders of processes that were ended before they could."""
    for folder in list(_old()):
        if _is_left(os.path.join(folder, HELD)):
            shutil.rmtree(folder, ignore_errors=True)


def _old() -> Iterator[str]:
    with os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            try:
                if entry.name.startswith(PREFIX) and time.time() - entry.stat().st_mtime > YOUNG:
                    yield entry.path
            except OSError:  # another process has just taken it away
                continue


def _is_left(file: str) -> bool:
    if not os.access(file, os.W_OK):
        return False
    try:
        with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        return False
    return True
