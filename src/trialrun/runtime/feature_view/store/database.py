"""The file of a store: how it is opened, begun and checked before anything in it is used."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from trialrun.runtime.feature_view.store import schema
from trialrun.runtime.feature_view.store.budget import STEPS, Budget
from trialrun.runtime.feature_view.store.guard import ANEW, Guard, refuse_unsafe_file
from trialrun.runtime.feature_view.store.interface import CannotStore
from trialrun.runtime.feature_view.store.lock import locked
from trialrun.runtime.feature_view.store.store_errors import PATIENCE, damaged, told

APPLICATION = 0x7472_6961
"""What SQLite's `application_id` is in our files."""
VERSION = 2
"""The form of our files; another one is refused, never converted or deleted. 2: rows of `views` have a digest."""
PAGE = 8192
JOURNAL = 64 * 1024 * 1024
"""What the journal is cut down to, which a reader that takes its time makes longer."""


class Connection(sqlite3.Connection):
    """A connection to the file of a store: it knows the key of digests, and ends statements without end."""

    file: str
    key: bytes
    budget: Budget


def connect(file: str, guard: Guard) -> Connection:
    """A connection to the file of a store, which is begun where there is none. Raises CannotStore."""
    refuse_unsafe(file)
    with told(file):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        is_there = os.path.exists(file) and os.path.getsize(file) > 0
    if not is_there:
        _begin(file)
    return _checked(file, guard)


def connect_to_read(file: str, guard: Guard) -> Connection | None:
    """A connection to the file of a store, None where there is none. Raises CannotStore."""
    refuse_unsafe(file)
    with told(file):
        is_there = os.path.exists(file) and (os.path.isdir(file) or os.path.getsize(file) > 0)
    return _checked(file, guard) if is_there else None


def refuse_unsafe(file: str) -> None:
    """See that the files of a store are regular ones, and that there is no journal. Raises CannotStore.

    Our files have a write-ahead log. SQLite would roll back what a journal says, and delete the file that it names.
    """
    for name in (file, f"{file}-wal", f"{file}-shm"):
        refuse_unsafe_file(name)
    if os.path.lexists(f"{file}-journal"):
        raise CannotStore(f"{file}-journal is not ours; move both files away, and sync again")


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """All of it or nothing; no other connection writes meanwhile. Raises CannotStore."""
    connection.budget.fit(connection.file)
    with told(connection.file):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def looking(connection: Connection) -> Iterator[None]:
    """Nothing changes for this connection meanwhile."""
    connection.budget.renew()
    connection.execute("BEGIN")
    try:
        yield
    finally:
        with suppress(sqlite3.Error):  # what went wrong before is what is told
            connection.execute("COMMIT")


def _checked(file: str, guard: Guard) -> Connection:
    key = guard.key()
    with told(file):
        connection = _opened(file, key)
        try:
            with looking(connection):
                _see_that_it_is_ours(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _opened(file: str, key: bytes = b"") -> Connection:
    uri = f"{Path(file).absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(
        uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False, factory=Connection
    )
    connection.file, connection.key, connection.budget = file, key, Budget()
    connection.set_progress_handler(connection.budget.is_spent, STEPS)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA synchronous = NORMAL")
    # What is dropped is overwritten in some builds of SQLite, which makes dropping as slow as loading.
    connection.execute("PRAGMA secure_delete = OFF")
    connection.execute(f"PRAGMA journal_size_limit = {JOURNAL}")
    return connection


def _begin(file: str) -> None:
    """Make the file, at another name first: it is never there without its tables, and never has a journal."""
    with locked(file, "begin", patience=PATIENCE) as is_held, told(file):
        if not is_held:
            raise CannotStore(f"another process has been making {file} for {PATIENCE:.0f} s; try again later")
        if os.path.exists(file) and os.path.getsize(file) > 0:
            return
        part = f"{file}.part"
        # A log that is left of a file that has gone would be taken for one of the new file.
        _remove(*(f"{name}{end}" for name in (part, file) for end in ("-wal", "-shm", "-journal")), part)
        Path(part).touch(exist_ok=False)
        with closing(_opened(part)) as connection:
            connection.execute(f"PRAGMA page_size = {PAGE}")
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # what a failed load took is cut off
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(
                f"{schema.TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
            )
        os.replace(part, file)


def _remove(*names: str) -> None:
    for name in names:
        Path(name).unlink(missing_ok=True)


def _see_that_it_is_ours(connection: Connection) -> None:
    """See that a file is a store of this version, with our tables and nothing else. Raises CannotStore."""
    file = connection.file
    application = _number(connection, "PRAGMA application_id")
    version = _number(connection, "PRAGMA user_version")
    if application != APPLICATION:
        raise CannotStore(f"{file} is a database of another program; move it away")
    if version != VERSION:
        raise CannotStore(f"{file} is a store of another version ({version}, not {VERSION}); {ANEW}")
    if str(connection.execute("PRAGMA journal_mode").fetchone()[0]).lower() != "wal":
        raise damaged(file)
    if not schema.is_ours(schema.entries(connection)):
        raise damaged(file)


def _number(connection: Connection, statement: str) -> int:
    return int(connection.execute(statement).fetchone()[0])
