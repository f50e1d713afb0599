"""Files of ours in SQLite: how they are made, opened, locked, and checked before anything in them is used.

A file is made under another name, whole and without a journal, and put in place by a rename. From then on it has a
write-ahead log. What else a database brings, such as triggers and views, runs when it is read, and is refused.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store.guard import RECREATE_HINT, refuse_unsafe_file
from trialrun.runtime.feature_view.store.value_codec import map_damage

STEPS_BETWEEN_CHECKS = 50_000
"""Instructions of SQLite's machine, under a millisecond, between two looks at the clock."""
MIN_SECONDS = 5.0
BYTES_PER_SECOND = 2_000_000
"""A statement over a store may take so many seconds, and one more for so many bytes of the file; it needs a hundredth
of it."""
WRITE_TIMEOUT = 60.0
"""Seconds that a writer waits for another one."""
PAGE_SIZE = 8192
MAX_JOURNAL_SIZE = 64 * 1024 * 1024
"""What the journal is cut down to, which a reader that takes its time makes longer."""
SchemaEntry = tuple[str, str, str, str | None]
"""What SQLite has of a part of a schema: its type, its name, its table, and its statement."""


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


FileFormat = tuple[int, int]
"""A kind of files of ours: the `application_id` of SQLite, and the version; another one is refused, by name."""


class Connection(sqlite3.Connection):
    """A connection to a file of ours: it knows the key of digests, and ends statements without end.

    `title` is how messages call the file. `attached` is a second file that its statements read.
    """

    file: str
    title: str
    attached: str
    key: bytes
    budget: StatementBudget

    def renew_budget(self) -> None:
        """Allow the next statement what files of this size may need."""
        self.budget.fit(self.file)
        if self.attached:
            self.budget.seconds += store_size(self.attached) / BYTES_PER_SECOND


def connect(file: str, key: bytes, format: FileFormat) -> Connection:
    """A connection to a file that is there, of this format. The caller checks its schema. Raises StoreError."""
    refuse_unsafe_files(file)
    with map_read_errors(file):  # the message of SQLite may have what it read
        connection = open_connection(file, key)
        try:
            with read_transaction(connection):
                application, version, journal = (
                    connection.execute(f"PRAGMA {name}").fetchone()[0]
                    for name in ("application_id", "user_version", "journal_mode")
                )
            if application != format[0]:
                raise StoreError(f"{file} is a database of another program; move it away")
            if version != format[1]:
                advice = f"another version ({version}, not {format[1]}); {RECREATE_HINT}"
                raise StoreError(f"{file} is a store of {advice}")
            if str(journal).lower() != "wal":
                raise damaged_store(file)
        except BaseException:
            connection.close()
            raise
    return connection


def create(part: str, key: bytes, format: FileFormat, tables: str) -> Connection:
    """A connection to a new file, of which nobody else knows, so it needs no journal. Raises sqlite3.Error, OSError."""
    refuse_unsafe_files(part)
    Path(part).touch(exist_ok=False)
    connection = open_connection(part, key)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -500")  # more of it makes loads no faster
        connection.executescript(f"{tables} PRAGMA application_id = {format[0]}; PRAGMA user_version = {format[1]};")
    except BaseException:
        connection.close()
        raise
    return connection


def flush(file: str) -> None:
    """Have the disk keep what a file has."""
    with open(file, "rb+") as stream:
        os.fsync(stream.fileno())


def publish(connection: Connection, file: str, *, is_durable: bool = True) -> None:
    """Close a new file and put it in place, whole. Raises sqlite3.Error, OSError."""
    part = connection.file
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.close()
    if mode != "wal" or os.path.lexists(f"{part}-wal"):  # the log would be lost with the name
        raise StoreError(f"the rows for {file} are still being read; try again later")
    if is_durable:
        flush(part)
    os.replace(part, file)


def refuse_unsafe_files(file: str) -> None:
    """See that the files of a store are regular ones, and that there is no journal. Raises StoreError.

    Our files have a write-ahead log. SQLite would roll back what a journal says, and delete the file that it names.
    """
    for name in (file, f"{file}-wal", f"{file}-shm"):
        refuse_unsafe_file(name)
    if os.path.lexists(f"{file}-journal"):
        raise StoreError(f"{file}-journal was not created by trialrun; move both files away, and sync again")


@contextmanager
def transaction(connection: Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """All of it or nothing; no other connection writes into its files meanwhile. Raises StoreError."""
    connection.renew_budget()
    with map_errors(connection.title, connection.budget):
        connection.execute(begin)
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


@contextmanager
def one_statement(connection: Connection) -> Iterator[None]:
    """A read of one statement, during which nothing changes anyway."""
    connection.budget.renew()
    yield


@contextmanager
def hold_lock(lock: str, *, patience: float = 0) -> Iterator[bool]:
    """Hold a lock, for which it waits so many seconds; false where another one holds it.

    It is the lock that SQLite takes on a database, here an empty file, which is right on every system, between threads
    and between processes, and which a killed process lets go. Raises StoreError.
    """
    refuse_unsafe_file(lock)
    for name in (f"{lock}-journal", f"{lock}-wal", f"{lock}-shm"):  # SQLite would obey what they say
        if os.path.lexists(name):
            raise StoreError(f"{name} was not created by trialrun; {RECREATE_HINT}")
    if os.path.isfile(lock) and os.path.getsize(lock):
        raise StoreError(f"{lock} is not empty, as a lock file must be; {RECREATE_HINT}")
    with map_errors(lock):
        connection = sqlite3.connect(lock, timeout=patience, isolation_level=None, check_same_thread=False)
    with closing(connection):
        is_ours = True
        try:
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as fault:
            if not fault.sqlite_errorname.startswith("SQLITE_BUSY"):
                raise to_store_error(fault, lock) from fault
            is_ours = False
        yield is_ours


def schema_entries(connection: sqlite3.Connection) -> list[SchemaEntry]:
    """The schema of a database."""
    return connection.execute("SELECT type, name, tbl_name, sql FROM main.sqlite_schema").fetchall()


@lru_cache(maxsize=256)
def schema_of(tables: str) -> frozenset[SchemaEntry]:
    """The schema that statements make."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(tables)
        return frozenset(schema_entries(connection))


def require_schema(connection: Connection, tables: str) -> None:
    """See that a file has these tables and nothing else. Raises StoreError."""
    entries = schema_entries(connection)
    if set(entries) != schema_of(tables) or len(entries) != len(schema_of(tables)):
        raise damaged_store(connection.file)


@contextmanager
def map_errors(file: str, budget: StatementBudget | None = None) -> Iterator[None]:
    """Raise faults of SQLite and of the file system as StoreError; nothing of others may be called in it.

    `budget` is that of the connection: a statement that it did not end was ended by Ctrl-C.
    """
    try:
        yield
    except (sqlite3.Error, OSError) as fault:
        if budget is not None:
            budget.require_spent(fault)
        raise to_store_error(fault, file) from fault


@contextmanager
def map_read_errors(file: str, budget: StatementBudget | None = None) -> Iterator[None]:
    """The same where values are read, which may be damaged; only what reads a store may be called in it."""
    with map_damage(lambda: damaged_store(file)), map_errors(file, budget):
        yield


def damaged_store(file: str) -> StoreError:
    """The error for a file whose content was changed after it was written."""
    return StoreError(f"{file} is damaged; {RECREATE_HINT}")


def to_store_error(fault: Exception, file: str) -> StoreError:
    """The error message for a fault of SQLite or of the file system."""
    if Path(file).is_dir():
        return StoreError(f"{file} is a folder, but the store needs a file; move it away")
    if plain := next((folder for folder in Path(file).parents if folder.is_file()), None):
        return StoreError(f"{plain} is a file, but the store needs a folder; move it away")
    name = getattr(fault, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL") or getattr(fault, "errno", None) == 28:
        return StoreError(f"the disk of {file} is full; free some space")
    if name.startswith("SQLITE_IOERR_WRITE"):
        return StoreError(f"{file} cannot grow; free some space")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")) or isinstance(fault, PermissionError):
        return StoreError(f"{file} cannot be written; make the file and its folder writable")
    if name.startswith("SQLITE_BUSY"):
        return StoreError(f"another process has been writing to {file} for {WRITE_TIMEOUT:.0f} s; try again later")
    if name.startswith("SQLITE_INTERRUPT"):
        return StoreError(f"{file} has a statement that does not end; {RECREATE_HINT}")
    # SQLite found something else in the file than what was written: a table gone, a text that is none.
    contents = ("SQLITE_ERROR", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "")
    is_content = isinstance(fault, sqlite3.Error) and name in contents
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")) or is_content:
        return damaged_store(file)
    return StoreError(f"{file} cannot be used ({fault}); {RECREATE_HINT}")


def open_connection(file: str, key: bytes) -> Connection:
    """A connection to a file that is there, of which nothing is checked."""
    connection = sqlite3.connect(
        file_uri(file),
        uri=True,
        timeout=WRITE_TIMEOUT,
        isolation_level=None,
        check_same_thread=False,
        factory=Connection,
    )
    connection.file = connection.title = file
    connection.attached, connection.key, connection.budget = "", key, StatementBudget()
    connection.set_progress_handler(connection.budget.is_spent, STEPS_BETWEEN_CHECKS)
    # What is deleted is overwritten in some builds of SQLite, which takes as long as writing it.
    for setting in ("trusted_schema = OFF", "synchronous = NORMAL", "secure_delete = OFF"):
        connection.execute(f"PRAGMA {setting}")
    connection.execute(f"PRAGMA journal_size_limit = {MAX_JOURNAL_SIZE}")
    return connection


def file_uri(file: str) -> str:
    """How SQLite is told to open a file that must be there."""
    return f"{Path(file).absolute().as_uri()}?mode=rw"
