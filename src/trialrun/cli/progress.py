"""What is being done, and how far it is, on standard error."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from types import TracebackType

from trialrun.cli.output import send_control
from trialrun.report.format_value import truncate
from trialrun.report.terminal_width import escape_controls, terminal_columns

REDRAW_INTERVAL = 0.1
"""The seconds between two looks at how far the work is."""
LINE_INTERVAL = 10.0
"""The seconds between two lines where there is no terminal: CI systems end a job that says nothing for minutes."""
BAR_WIDTH = 24


class Progress:
    """What is being done, then how many entities are: on a terminal in a line of which nothing is left there.

    Elsewhere a line every ten seconds, from a thread of its own: a query may take minutes before its first row. The
    thread starts when there is something to say; `ended` is the event that it waits for.
    """

    def __init__(self, title: str = "", *, ended: threading.Event | None = None) -> None:
        self._title = title
        self._draws = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._next = 0.0
        self._line: Callable[[], str] | None = None
        self._ended = ended or threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.clear()
        self._ended.set()
        if self._thread:
            self._thread.join()

    def clear(self) -> None:
        """Nothing is being done, and other text may be written."""
        self._line = None
        if self._draws:
            self._draw("")

    def set_activity(self, deed: str) -> None:
        """Say what is being done, of which nothing is known yet but that."""
        self._next = 0.0
        self._show(partial("{}  {} …".format, self._title, deed))

    def set_title(self, title: str) -> None:
        """Say what is being done from now on."""
        self._title = title

    def __call__(self, done: int, total: int | None = None) -> None:
        """Say how far the work is."""
        self._show(partial(progress_line, self._title, done, total))

    def _show(self, line: Callable[[], str]) -> None:
        self._line = line
        if not self._draws and self._thread is None:
            self._thread = threading.Thread(target=self._write_lines, daemon=True)
            self._thread.start()
        elif self._draws and time.monotonic() >= self._next:
            self._next = time.monotonic() + REDRAW_INTERVAL
            self._draw(line())

    def _write_lines(self) -> None:
        while not self._ended.wait(LINE_INTERVAL):
            if line := self._line:
                sys.stderr.write(f"{escape_controls(line())}\n")
                sys.stderr.flush()

    def _draw(self, text: str) -> None:
        shown = truncate(
            text, terminal_columns(sys.stderr, os.environ) - 1
        )  # a line that wraps could not be taken back
        send_control(sys.stderr, "\r")
        sys.stderr.write(shown)
        send_control(sys.stderr, "\x1b[K")
        sys.stderr.flush()


def progress_line(title: str, done: int, total: int | None) -> str:
    """The bar as a line; without a total, only how much is done."""
    if not total:
        return f"{title}  {done:,} entities"
    share = min(done / total, 1.0)
    bar = "#" * int(share * BAR_WIDTH)
    return f"{title}  [{bar:<{BAR_WIDTH}}] {share:4.0%}  {done:,} of {total:,}"
