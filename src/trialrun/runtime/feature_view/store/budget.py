"""How long a statement may work: what is damaged can keep SQLite at work for ever, and it is never asked to."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress

STEPS_BETWEEN_CHECKS = 50_000
"""Instructions of SQLite's machine, under a millisecond, between two looks at the clock."""
MIN_SECONDS = 5.0
BYTES_PER_SECOND = 2_000_000
"""A statement over a store may take so many seconds, and one more for so many bytes of the file; it needs a hundredth
of it."""


class StatementBudget:
    """Seconds of processor time until a statement is ended; a slow disk takes none of them.

    SQLite calls `is_spent` now and then, and ends the statement by one error, SQLITE_INTERRUPT, whether it answers True
    or Ctrl-C strikes meanwhile. `was_spent` tells the two apart: the last answer.
    """

    __slots__ = ("_thread", "_until", "is_new", "seconds", "was_spent")

    def __init__(self) -> None:
        self.seconds, self._thread, self._until, self.is_new = MIN_SECONDS, 0, 0.0, True
        self.was_spent = False

    def renew(self) -> None:
        """Begin anew, before a statement: the clock is only read where the statement takes long enough to be asked."""
        self.is_new, self.was_spent = True, False

    def fit(self, file: str, bytes_per_second: int = BYTES_PER_SECOND) -> None:
        """Allow what a file of this size may need, and begin anew."""
        self.seconds = MIN_SECONDS + store_size(file) / bytes_per_second
        self.renew()

    def is_spent(self) -> bool:
        """Whether the statement is to be ended."""
        if self.is_new or self._thread != threading.get_ident():  # every thread has a clock of its own
            self.is_new = False
            self._thread, self._until = threading.get_ident(), time.thread_time() + self.seconds
        self.was_spent = time.thread_time() > self._until
        return self.was_spent

    def require_spent(self, fault: Exception) -> None:
        """Raise KeyboardInterrupt for a statement that was ended, but not by this."""
        if getattr(fault, "sqlite_errorname", "") == "SQLITE_INTERRUPT" and not self.was_spent:
            raise KeyboardInterrupt from fault


def store_size(file: str) -> int:
    """The bytes of the file of a store with its journal."""
    total = 0
    for name in (file, f"{file}-wal"):
        with suppress(OSError):
            total += os.stat(name).st_size
    return total
