"""Work in small steps that begins after a quiet period and that messages interrupt."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator


class BackgroundTask:
    """Steps that are made one by one when nothing else is left to do; it begins anew when it is scheduled again."""

    def __init__(self, steps: Callable[[], Iterator[None]]) -> None:
        self._steps = steps
        self._due_at: float | None = None
        self._running: Iterator[None] | None = None

    def schedule(self, seconds: float) -> None:
        """Begin in so many seconds, whatever was scheduled before."""
        self._due_at = time.monotonic() + seconds

    @property
    def is_idle(self) -> bool:
        """Whether it neither runs nor will."""
        return self._due_at is None and self._running is None

    @property
    def delay(self) -> float | None:
        """The seconds until the next step; None for never."""
        if self._running is not None:
            return 0.0
        return None if self._due_at is None else max(self._due_at - time.monotonic(), 0.0)

    def run_step(self) -> bool:
        """Make a step if one is due; whether there was any."""
        if self._due_at is not None and self._due_at <= time.monotonic():
            self._due_at, self._running = None, self._steps()
        running = self._running
        if running is None:
            return False
        try:
            next(running)
        except StopIteration:
            self._running = None
        return True
