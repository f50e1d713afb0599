"""The file of a store: how it is opened, begun and checked before anything in it is used."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store import schema
from trialrun.runtime.feature_view.store.budget import STEPS_BETWEEN_CHECKS, StatementBudget
from trialrun.runtime.feature_view.store.guard import RECREATE_HINT, StoreGuard, refuse_unsafe_file
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.runtime.feature_view.store.lock import hold_lock
from trialrun.runtime.feature_view.store.store_errors import WRITE_TIMEOUT, damaged_store, map_errors

APPLICATION_ID = 0x7472_6961
"""What SQLite's `application_id` is in our files."""
VERSION = 2
"""The form of our files; another one is refused, never converted or deleted. 2: rows of `views` have a digest."""
PAGE_SIZE = 8192
MAX_JOURNAL_SIZE = 64 * 1024 * 1024
"""What the journal is cut down to, which a reader that takes its time makes longer."""


@dataclass(frozen=True)
class FileFormat:
    """What a kind of files of ours has: its id and version, the tables of a new one, and which schemas are its own."""

    application_id: int
    version: int
    tables: str
    is_own_schema: Callable[[Sequence[Sequence[object]]], bool]


STORE_FORMAT = FileFormat(APPLICATION_ID, VERSION, schema.TABLES, schema.is_own_schema)


class Connection(sqlite3.Connection):
    """A connection to the file of a store: it knows the key of digests, and ends statements without end."""

    file: str
    key: bytes
    budget: StatementBudget


def connect(file: str, guard: StoreGuard, format: FileFormat = STORE_FORMAT) -> Connection:
    """A connection to the file of a store, which is begun where there is none. Raises StoreError."""
    refuse_unsafe_files(file)
    with map_errors(file):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        is_there = os.path.exists(file) and os.path.getsize(file) > 0
    if not is_there:
        _create_file(file, format)
    return _connect_checked(file, guard, format)


def connect_for_reading(file: str, guard: StoreGuard, format: FileFormat = STORE_FORMAT) -> Connection | None:
    """A connection to the file of a store, None where there is none. Raises StoreError."""
    refuse_unsafe_files(file)
    with map_errors(file):
        is_there = os.path.exists(file) and (os.path.isdir(file) or os.path.getsize(file) > 0)
    return _connect_checked(file, guard, format) if is_there else None


def refuse_unsafe_files(file: str) -> None:
    """See that the files of a store are regular ones, and that there is no journal. Raises StoreError.

    Our files have a write-ahead log. SQLite would roll back what a journal says, and delete the file that it names.
    """
    for name in (file, f"{file}-wal", f"{file}-shm"):
        refuse_unsafe_file(name)
    if os.path.lexists(f"{file}-journal"):
        raise StoreError(f"{file}-journal was not created by trialrun; move both files away, and sync again")


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """All of it or nothing; no other connection writes meanwhile. Raises StoreError."""
    connection.budget.fit(connection.file)
    with map_errors(connection.file, connection.budget):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def read_transaction(connection: Connection) -> Iterator[None]:
    """Nothing changes for this connection meanwhile."""
    connection.budget.renew()
    connection.execute("BEGIN")
    try:
        yield
    finally:
        with suppress(sqlite3.Error):  # the earlier error is the one to report
            connection.execute("COMMIT")


def _connect_checked(file: str, guard: StoreGuard, format: FileFormat) -> Connection:
    key = guard.key()
    with map_errors(file):
        connection = _open_connection(file, key)
        try:
            with read_transaction(connection):
                _require_own_schema(connection, format)
        except BaseException:
            connection.close()
            raise
    return connection


def _open_connection(file: str, key: bytes = b"") -> Connection:
    uri = f"{Path(file).absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(
        uri, uri=True, timeout=WRITE_TIMEOUT, isolation_level=None, check_same_thread=False, factory=Connection
    )
    connection.file, connection.key, connection.budget = file, key, StatementBudget()
    connection.set_progress_handler(connection.budget.is_spent, STEPS_BETWEEN_CHECKS)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA synchronous = NORMAL")
    # What is dropped is overwritten in some builds of SQLite, which makes dropping as slow as loading.
    connection.execute("PRAGMA secure_delete = OFF")
    connection.execute(f"PRAGMA journal_size_limit = {MAX_JOURNAL_SIZE}")
    return connection


def _create_file(file: str, format: FileFormat) -> None:
    """Make the file, at another name first: it is never there without its tables, and never has a journal."""
    with hold_lock(file, "begin", patience=WRITE_TIMEOUT) as is_held, map_errors(file):
        if not is_held:
            raise StoreError(f"another process has been creating {file} for {WRITE_TIMEOUT:.0f} s; try again later")
        if os.path.exists(file) and os.path.getsize(file) > 0:
            return
        part = f"{file}.part"
        # A log that is left of a file that has gone would be taken for one of the new file.
        _remove(*(f"{name}{end}" for name in (part, file) for end in ("-wal", "-shm", "-journal")), part)
        Path(part).touch(exist_ok=False)
        with closing(_open_connection(part)) as connection:
            connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # what a failed load took is cut off
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(
                f"{format.tables} PRAGMA application_id = {format.application_id}; "
                f"PRAGMA user_version = {format.version};"
            )
        os.replace(part, file)


def _remove(*names: str) -> None:
    for name in names:
        Path(name).unlink(missing_ok=True)


def _require_own_schema(connection: Connection, format: FileFormat) -> None:
    """See that a file is a store of this version, with our tables and nothing else. Raises StoreError."""
    file = connection.file
    application = _read_number(connection, "PRAGMA application_id")
    version = _read_number(connection, "PRAGMA user_version")
    if application != format.application_id:
        raise StoreError(f"{file} is a database of another program; move it away")
    if version != format.version:
        raise StoreError(f"{file} is a store of another version ({version}, not {format.version}); {RECREATE_HINT}")
    if str(connection.execute("PRAGMA journal_mode").fetchone()[0]).lower() != "wal":
        raise damaged_store(file)
    if not format.is_own_schema(schema.schema_entries(connection)):
        raise damaged_store(file)


def _read_number(connection: Connection, statement: str) -> int:
    return int(connection.execute(statement).fetchone()[0])
