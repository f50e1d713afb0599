"""Freeze long-lived objects (`gc.freeze`): a full collection of all of them takes up to a second."""

from __future__ import annotations

import gc

FREEZE_INTERVAL = 50
"""Processed files after which the heap is frozen."""


class HeapFreezer:
    """Counts files that are not being edited: objects of edited files become garbage."""

    def __init__(self) -> None:
        self._processed_files = 0

    def file_processed(self) -> None:
        """A file was linted or read."""
        self._processed_files += 1
        if self._processed_files % FREEZE_INTERVAL == 0:
            gc.collect()
            gc.freeze()
