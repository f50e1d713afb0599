"""The lock of a view: one sync at a time, in any thread or process; it ends with the process that holds it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256

from trialrun.runtime.feature_view.store.guard import ANEW, refuse_unsafe_file
from trialrun.runtime.feature_view.store.interface import CannotStore
from trialrun.runtime.feature_view.store.store_errors import in_words, told


def lock_file(file: str, view: str) -> str:
    """The empty file beside the file of a store that is locked while a view is synced."""
    return f"{file}-{sha256(view.encode()).hexdigest()[:16]}.lock"


@contextmanager
def locked(file: str, view: str, *, patience: float = 0) -> Iterator[bool]:
    """Hold the lock of a view; false where another one does, for so many seconds.

    It is the lock that SQLite takes on a database, here an empty one, which is right on every system, between threads
    and between processes, and which a killed process lets go.
    """
    beside = lock_file(file, view)
    _see_that_it_is_empty(beside)
    with told(beside):
        connection = sqlite3.connect(beside, timeout=patience, isolation_level=None, check_same_thread=False)
    with closing(connection):
        yield _is_taken(connection, beside)


def _see_that_it_is_empty(beside: str) -> None:
    """SQLite opens it as a database, and so would obey what stands in it, or in a journal of it. Raises CannotStore."""
    refuse_unsafe_file(beside)
    for name in (f"{beside}-journal", f"{beside}-wal", f"{beside}-shm"):
        if os.path.lexists(name):
            raise CannotStore(f"{name} is not ours; {ANEW}")
    if os.path.isfile(beside) and os.path.getsize(beside):
        raise CannotStore(f"{beside} is not empty, as a lock is; {ANEW}")


def _is_taken(connection: sqlite3.Connection, beside: str) -> bool:
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as fault:
        if fault.sqlite_errorname.startswith("SQLITE_BUSY"):
            return False
        raise in_words(fault, beside) from fault
    return True
