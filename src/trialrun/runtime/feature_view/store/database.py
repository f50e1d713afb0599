"""The file of a store: how it is opened and begun, and how its faults are told."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trialrun.runtime.feature_view.store.interface import CannotStore

APPLICATION = 0x7472_6961
"""What SQLite's `application_id` is in our files."""
VERSION = 1
"""The form of our files; another one is refused, never converted or deleted."""
PATIENCE = 60.0
"""Seconds that a writer waits for another one."""
PAGE = 8192
JOURNAL = 64 * 1024 * 1024
"""What the journal is cut down to, which a reader that takes its time makes longer."""

TABLES = """
CREATE TABLE views (view TEXT PRIMARY KEY, number INTEGER NOT NULL, rows TEXT, synced_at INTEGER, watermark INTEGER,
    layout TEXT, entities INTEGER, plan TEXT, writes TEXT) WITHOUT ROWID;
CREATE TABLE syncs (view TEXT, number INTEGER, synced_at INTEGER NOT NULL, PRIMARY KEY (view, number)) WITHOUT ROWID;
CREATE TABLE made (number INTEGER PRIMARY KEY AUTOINCREMENT, view TEXT NOT NULL, name TEXT);
CREATE TABLE running (view TEXT PRIMARY KEY, since INTEGER NOT NULL, process INTEGER NOT NULL) WITHOUT ROWID;
"""
"""`views` says which table of rows is served, and which has its direct writes; `made` has the name of every such table,
so that those which killed syncs left can be told."""


def connect(file: str) -> sqlite3.Connection:
    """A connection to the file of a store, which is begun where there is none. Raises CannotStore."""
    with told(file):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        connection = _opened(file, "rwc")
        _begin(connection, file)
    return connection


def connect_to_read(file: str) -> sqlite3.Connection | None:
    """A connection to the file of a store, None where there is none. Raises CannotStore."""
    if not Path(file).exists():
        return None
    with told(file):
        connection = _opened(file, "rw")
        with looking(connection):
            is_ours = _is_ours(connection, file)
        if is_ours:
            return connection
        connection.close()
        return None


@contextmanager
def told(file: str) -> Iterator[None]:
    """Tell faults of SQLite and of the file system as CannotStore; nothing of others may be called in it."""
    try:
        yield
    except (sqlite3.Error, OSError) as fault:
        raise in_words(fault, file) from fault


def in_words(fault: Exception, file: str) -> CannotStore:
    """A fault of SQLite or of the file system, as a person is told."""
    if wrong := _wrong_kind(file):
        return CannotStore(wrong)
    name = getattr(fault, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL") or getattr(fault, "errno", None) == 28:
        return CannotStore(f"the disk of {file} is full; make room")
    if name.startswith("SQLITE_IOERR_WRITE"):
        return CannotStore(f"{file} cannot grow; make room")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")) or isinstance(fault, PermissionError):
        return CannotStore(f"{file} cannot be written; make the file and its folder writable")
    if name.startswith("SQLITE_BUSY"):
        return CannotStore(f"another process has been writing to {file} for {PATIENCE:.0f} s; try again later")
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return CannotStore(f"{file} is no sound store; move it away, and sync again")
    return CannotStore(f"{file} cannot be used: {fault}")


def _wrong_kind(file: str) -> str | None:
    """What to say where a folder has the name of the file, or a file that of its folder."""
    folder = Path(file).parent
    if Path(file).is_dir():
        return f"{file} is a folder, and the store is a file; move it away"
    return f"{folder} is a file, and the store is in a folder; move it away" if folder.is_file() else None


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; no other connection writes meanwhile. Raises CannotStore."""
    with told(_file_of(connection)):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def looking(connection: sqlite3.Connection) -> Iterator[None]:
    """Nothing changes for this connection meanwhile."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def _opened(file: str, mode: str) -> sqlite3.Connection:
    uri = f"{Path(file).absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = NORMAL")
    # What is dropped is overwritten in some builds of SQLite, which makes dropping as slow as loading.
    connection.execute("PRAGMA secure_delete = OFF")
    connection.execute(f"PRAGMA journal_size_limit = {JOURNAL}")
    return connection


def _begin(connection: sqlite3.Connection, file: str) -> None:
    with looking(connection):
        is_ours = _is_ours(connection, file)
    if is_ours:
        return
    connection.execute(f"PRAGMA page_size = {PAGE}")
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        if not _is_ours(connection, file):
            for statement in TABLES.split(";")[:-1]:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")


def _is_ours(connection: sqlite3.Connection, file: str) -> bool:
    """Whether a file is a store; false for an empty one. Raises CannotStore for what it must not touch."""
    application = _number(connection, "PRAGMA application_id")
    version = _number(connection, "PRAGMA user_version")
    if application == APPLICATION and version == VERSION:
        return True
    if application == APPLICATION:
        raise CannotStore(
            f"{file} is a store of another version ({version}, not {VERSION}); move it away, and sync again"
        )
    if application or version or _number(connection, "SELECT count(*) FROM sqlite_schema"):
        raise CannotStore(f"{file} is a database of another program; move it away")
    return False


def _file_of(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA database_list").fetchone()[2])


def _number(connection: sqlite3.Connection, statement: str) -> int:
    return int(connection.execute(statement).fetchone()[0])
