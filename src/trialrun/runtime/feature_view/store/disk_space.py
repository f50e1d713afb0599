"""Disk space that a load took and does not need: where it fails, the file of a store gets back the size that it had.

The rows of a load lie behind those that are served, so that giving them back cuts off the end of the file and moves
next to nothing. What a successful load frees stays in the file, for the next one. Where the disk is full, giving back
needs some room too, which is held during a load: a ten-thousandth part is written for what is cut off.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO

from trialrun.runtime.feature_view.store import temp_tables
from trialrun.runtime.feature_view.store.budget import size_of
from trialrun.runtime.feature_view.store.database import Connection, transaction
from trialrun.runtime.feature_view.store.interface import CannotStore
from trialrun.runtime.feature_view.store.store_errors import PATIENCE, told

SHORT_PATIENCE = 0.5
"""Seconds to wait for readers of what is cut off; where they take longer, a later writer cuts it off."""
PAGES_AT_ONCE = 3_000
"""Pages of a transaction that cuts off, 25 MB."""
RESERVE = 1_000_000
RESERVE_SHARE = 500
"""Bytes that are kept free during a load, and one more for so many of the file: giving space back takes some, too."""


@contextmanager
def shrink_on_failure(connection: Connection, view: str) -> Iterator[None]:
    """Give back the space of a load that fails, and before it that of one that was killed.

    Call it with the lock of the view. Raises CannotStore.
    """
    _clear_and_shrink(connection, view)
    with told(connection.file):
        pages = _number(connection, "page_count")
    with _reserve(connection.file) as reserve:
        try:
            yield
        except BaseException:
            reserve.close()
            with suppress(CannotStore):  # the next load does it
                _clear_and_shrink(connection, view, pages=pages)
            raise


def _clear_and_shrink(connection: Connection, view: str, *, pages: int = 0) -> None:
    """Drop the tables of a load that did not end, and cut off the pages that they had; `pages` stay at least."""
    with told(connection.file):
        names = temp_tables.leftovers(connection, view)
    if not names:
        return
    with _little_room(connection):
        freed = _retried(connection, partial(_drop, connection, names))
        surplus = min(freed, _number(connection, "page_count") - pages)
        for start in range(0, surplus, PAGES_AT_ONCE):
            _retried(connection, partial(_cut_off, connection, min(PAGES_AT_ONCE, surplus - start)))
    _write_back(connection)


def _retried(connection: Connection, change: Callable[[], int]) -> int:
    """Make a change, and where the journal has no room left for it, once more after emptying that into the file."""
    try:
        return change()
    except CannotStore:
        _write_back(connection)
        return change()


def _drop(connection: Connection, names: Sequence[str]) -> int:
    """Drop tables; how many pages are free now that were not before."""
    with transaction(connection):
        before = _number(connection, "freelist_count")
        temp_tables.drop(connection, names)
        return _number(connection, "freelist_count") - before


def _cut_off(connection: Connection, count: int) -> int:
    """Make the file so many pages shorter; how many."""
    with transaction(connection):
        for _ in range(count):
            connection.execute("PRAGMA incremental_vacuum(1)")  # one step of it is all that sqlite3 takes
    return count


@contextmanager
def _little_room(connection: Connection) -> Iterator[None]:
    """Have changes write what they must: neither pages that are cut off, nor into the file what the journal has."""
    with told(connection.file):
        before = _number(connection, "cache_size"), _number(connection, "wal_autocheckpoint")
        connection.execute(f"PRAGMA cache_size = {2 * PAGES_AT_ONCE}")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size = {before[0]}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {before[1]}")


def _write_back(connection: Connection) -> None:
    """Put what the journal has into the file, which is cut off only then, and empty the journal."""
    with told(connection.file), _short_patience(connection):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextmanager
def _short_patience(connection: Connection) -> Iterator[None]:
    connection.execute(f"PRAGMA busy_timeout = {SHORT_PATIENCE * 1000:.0f}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")


def _reserve(file: str) -> IO[bytes]:
    """A file without a name, beside the file of a store, which is gone with the process at the latest."""
    with told(file):
        reserve = tempfile.TemporaryFile(dir=os.path.dirname(file) or ".")  # noqa: SIM115 - the caller closes it
    with suppress(OSError):  # then there is no room to keep
        size = RESERVE + size_of(file) // RESERVE_SHARE
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(reserve.fileno(), 0, size)
        else:
            reserve.write(bytes(size))
            reserve.flush()
    return reserve


def _number(connection: Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
