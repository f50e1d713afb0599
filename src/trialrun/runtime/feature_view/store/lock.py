"""The lock of a view: one sync at a time, in any thread or process; it ends with the process that holds it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256

from trialrun.runtime.feature_view.store.guard import RECREATE_HINT, refuse_unsafe_file
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.runtime.feature_view.store.store_errors import map_errors, to_store_error


def lock_file(file: str, view: str) -> str:
    """The empty file beside the file of a store that is locked while a view is synced."""
    return f"{file}-{sha256(view.encode()).hexdigest()[:16]}.lock"


@contextmanager
def hold_lock(file: str, view: str, *, patience: float = 0) -> Iterator[bool]:
    """Hold the lock of a view; false where another one does, for so many seconds.

    It is the lock that SQLite takes on a database, here an empty one, which is right on every system, between threads
    and between processes, and which a killed process lets go.
    """
    beside = lock_file(file, view)
    _require_empty(beside)
    with map_errors(beside):
        connection = sqlite3.connect(beside, timeout=patience, isolation_level=None, check_same_thread=False)
    with closing(connection):
        yield _try_lock(connection, beside)


def _require_empty(beside: str) -> None:
    """SQLite opens it as a database, and so would obey what stands in it, or in a journal of it. Raises StoreError."""
    refuse_unsafe_file(beside)
    for name in (f"{beside}-journal", f"{beside}-wal", f"{beside}-shm"):
        if os.path.lexists(name):
            raise StoreError(f"{name} was not created by trialrun; {RECREATE_HINT}")
    if os.path.isfile(beside) and os.path.getsize(beside):
        raise StoreError(f"{beside} is not empty, as a lock file must be; {RECREATE_HINT}")


def _try_lock(connection: sqlite3.Connection, beside: str) -> bool:
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as fault:
        if fault.sqlite_errorname.startswith("SQLITE_BUSY"):
            return False
        raise to_store_error(fault, beside) from fault
    return True
