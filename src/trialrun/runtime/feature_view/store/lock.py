"""The lock of a view: one sync at a time, in any thread or process; it ends with the process that holds it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256

from trialrun.runtime.feature_view.store.database import in_words, told


def lock_file(file: str, view: str) -> str:
    """The empty file beside the file of a store that is locked while a view is synced."""
    return f"{file}-{sha256(view.encode()).hexdigest()[:16]}.lock"


@contextmanager
def locked(file: str, view: str) -> Iterator[bool]:
    """Hold the lock of a view; false where another one does.

    It is the lock that SQLite takes on a database, here an empty one, which is right on every system, between threads
    and between processes, and which a killed process lets go.
    """
    beside = lock_file(file, view)
    with told(beside):
        connection = sqlite3.connect(beside, timeout=0, isolation_level=None, check_same_thread=False)
    with closing(connection):
        yield _is_taken(connection, beside)


def _is_taken(connection: sqlite3.Connection, beside: str) -> bool:
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as fault:
        if fault.sqlite_errorname.startswith("SQLITE_BUSY"):
            return False
        raise in_words(fault, beside) from fault
    return True
