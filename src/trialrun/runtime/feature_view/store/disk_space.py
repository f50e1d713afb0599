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
from trialrun.runtime.feature_view.store.budget import store_size
from trialrun.runtime.feature_view.store.database import Connection, transaction
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.runtime.feature_view.store.store_errors import WRITE_TIMEOUT, map_errors

SHORT_TIMEOUT = 0.5
"""Seconds to wait for readers of what is cut off; where they take longer, a later writer cuts it off."""
PAGES_PER_TRANSACTION = 3_000
"""Pages of a transaction that cuts off, 25 MB."""
MIN_RESERVE = 1_000_000
RESERVE_SHARE = 500
"""Bytes that are kept free during a load, and one more for so many of the file: giving space back takes some, too."""


@contextmanager
def shrink_on_failure(connection: Connection, view: str) -> Iterator[None]:
    """Give back the space of a load that fails, and before it that of one that was killed.

    Call it with the lock of the view. Raises StoreError.
    """
    _clear_and_shrink(connection, view)
    with map_errors(connection.file, connection.budget):
        pages = _read_pragma(connection, "page_count")
    with _reserve(connection.file) as reserve:
        try:
            yield
        except BaseException:
            reserve.close()
            with suppress(StoreError):  # the next load does it
                _clear_and_shrink(connection, view, pages=pages)
            raise


def _clear_and_shrink(connection: Connection, view: str, *, pages: int = 0) -> None:
    """Drop the tables of a load that did not end, and cut off the pages that they had; `pages` stay at least."""
    with map_errors(connection.file, connection.budget):
        names = temp_tables.leftovers(connection, view)
    if not names:
        return
    with _large_cache(connection):
        freed = _retry_after_checkpoint(connection, partial(_drop_tables, connection, names))
        surplus = min(freed, _read_pragma(connection, "page_count") - pages)
        for start in range(0, surplus, PAGES_PER_TRANSACTION):
            _retry_after_checkpoint(
                connection, partial(_vacuum_pages, connection, min(PAGES_PER_TRANSACTION, surplus - start))
            )
    _checkpoint(connection)


def _retry_after_checkpoint(connection: Connection, change: Callable[[], int]) -> int:
    """Make a change, and where the journal has no room left for it, once more after emptying that into the file."""
    try:
        return change()
    except StoreError:
        _checkpoint(connection)
        return change()


def _drop_tables(connection: Connection, names: Sequence[str]) -> int:
    """Drop tables; how many pages are free now that were not before."""
    with transaction(connection):
        before = _read_pragma(connection, "freelist_count")
        temp_tables.drop(connection, names)
        return _read_pragma(connection, "freelist_count") - before


def _vacuum_pages(connection: Connection, count: int) -> int:
    """Make the file so many pages shorter; how many."""
    with transaction(connection):
        for _ in range(count):
            connection.execute("PRAGMA incremental_vacuum(1)")  # one step of it is all that sqlite3 takes
    return count


@contextmanager
def _large_cache(connection: Connection) -> Iterator[None]:
    """Have changes write what they must: neither pages that are cut off, nor into the file what the journal has."""
    with map_errors(connection.file, connection.budget):
        before = _read_pragma(connection, "cache_size"), _read_pragma(connection, "wal_autocheckpoint")
        connection.execute(f"PRAGMA cache_size = {2 * PAGES_PER_TRANSACTION}")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size = {before[0]}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {before[1]}")


def _checkpoint(connection: Connection) -> None:
    """Put what the journal has into the file, which is cut off only then, and empty the journal."""
    with map_errors(connection.file, connection.budget), _short_busy_timeout(connection):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextmanager
def _short_busy_timeout(connection: Connection) -> Iterator[None]:
    connection.execute(f"PRAGMA busy_timeout = {SHORT_TIMEOUT * 1000:.0f}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {WRITE_TIMEOUT * 1000:.0f}")


def _reserve(file: str) -> IO[bytes]:
    """A file without a name, beside the file of a store, which is gone with the process at the latest."""
    with map_errors(file):
        reserve = tempfile.TemporaryFile(dir=os.path.dirname(file) or ".")  # noqa: SIM115 - the caller closes it
    with suppress(OSError):  # then there is no room to keep
        size = MIN_RESERVE + store_size(file) // RESERVE_SHARE
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(reserve.fileno(), 0, size)
        else:
            reserve.write(bytes(size))
            reserve.flush()
    return reserve


def _read_pragma(connection: Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
