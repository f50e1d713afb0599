"""What is being done, and how far it is, on a terminal only."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType

from trialrun.report.format_value import truncate
from trialrun.report.terminal_width import terminal_columns

REDRAW_INTERVAL = 0.1
"""The seconds between two looks at how far the work is."""
BAR_WIDTH = 24


class Progress:
    """One line on standard error: what is being done, then how many entities are; nothing of it is left there."""

    def __init__(self, title: str, *, wanted: bool) -> None:
        self._title = title
        self._draws = wanted and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._next = 0.0

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._draw("")

    def set_activity(self, deed: str) -> None:
        """Say what is being done, of which nothing is known yet but that."""
        self._draw(f"{self._title}  {deed} …")

    def set_title(self, title: str) -> None:
        """Say what is being done from now on."""
        self._title = title

    def __call__(self, done: int, total: int | None = None) -> None:
        """Say how far the work is."""
        if self._draws and time.monotonic() >= self._next:
            self._next = time.monotonic() + REDRAW_INTERVAL
            self._draw(progress_line(self._title, done, total))

    def _draw(self, text: str) -> None:
        if self._draws:
            shown = truncate(
                text, terminal_columns(sys.stderr, os.environ) - 1
            )  # a line that wraps could not be taken back
            sys.stderr.write(f"\r{shown}\x1b[K")
            sys.stderr.flush()


def progress_line(title: str, done: int, total: int | None) -> str:
    """The bar as a line; without a total, only how much is done."""
    if not total:
        return f"{title}  {done:,} entities"
    share = min(done / total, 1.0)
    bar = "#" * int(share * BAR_WIDTH)
    return f"{title}  [{bar:<{BAR_WIDTH}}] {share:4.0%}  {done:,} of {total:,}"
