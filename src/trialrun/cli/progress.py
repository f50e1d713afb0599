"""A bar for long work, on a terminal only."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType

WAIT = 1.0
"""The seconds that work may take without a bar."""
PAUSE = 0.1
CELLS = 24


class Progress:
    """Called with how many rows are done, and of how many; draws on standard error, and leaves nothing there."""

    def __init__(self, title: str, *, wanted: bool) -> None:
        self._title = title
        self._draws = wanted and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + WAIT
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def __call__(self, done: int, total: int | None = None) -> None:
        """Say how far the work is."""
        if not self._draws or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + PAUSE
        self._drawn = True
        sys.stderr.write(f"\r{line(self._title, done, total)}\x1b[K")
        sys.stderr.flush()


def line(title: str, done: int, total: int | None) -> str:
    """The bar as a line; without a total, only how much is done."""
    if not total:
        return f"{title}  {done:,} entities"
    share = min(done / total, 1.0)
    bar = "#" * int(share * CELLS)
    return f"{title}  [{bar:<{CELLS}}] {share:4.0%}  {done:,} of {total:,}"
