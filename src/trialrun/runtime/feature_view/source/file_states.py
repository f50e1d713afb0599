"""The files that have the rows of a place, as the file system tells them from what they were before."""

from __future__ import annotations

import os
import time

from trialrun.runtime.feature_view.source.location import TableLocation, files_of

FileState = tuple[str, int, int, int, int]
"""Path, number, size and both times of a file."""
COARSE = 1_000_000
"""Times of files that are multiples of so many nanoseconds may be rounded to seconds."""
FINE_GRAIN, COARSE_GRAIN = 50_000_000, 3_000_000_000
"""Within so many nanoseconds two changes of a file may have the same time."""


def file_states(place: TableLocation) -> tuple[FileState, ...]:
    """The files of a place. Raises Unreadable without any, and OSError for one that was just written."""
    return tuple(map(_file_state, files_of(place)))


def _file_state(path: str) -> FileState:
    status = os.stat(path)
    newest = max(status.st_mtime_ns, status.st_ctime_ns)
    grain = FINE_GRAIN if newest % COARSE else COARSE_GRAIN
    if time.time_ns() - newest < grain:  # another change of it would have the same time
        raise OSError(f"{path} was written just now")
    return path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


__all__ = ["FileState", "file_states"]
