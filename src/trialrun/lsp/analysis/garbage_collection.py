"""What stays in memory is kept from the collector of garbage, whose look at all of it takes up to a second."""

from __future__ import annotations

import gc

AFTER = 50
"""Files that were linted or read after which the collector has them no longer before it."""


class Settling:
    """Counts files that nobody edits: of what is edited something may have to be collected."""

    def __init__(self) -> None:
        self._files = 0

    def count(self) -> None:
        """Another file was linted or read."""
        self._files += 1
        if self._files % AFTER == 0:
            gc.collect()
            gc.freeze()
