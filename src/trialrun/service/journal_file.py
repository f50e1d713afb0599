"""A journal in a file of SQLite, in a folder of stores: what is written survives the end of the process.

The folder is guarded like that of the values, and each record has a keyed digest, so nothing that somebody else put
there is read. Nothing but JSON is kept.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store import database
from trialrun.runtime.feature_view.store.guard import StoreGuard
from trialrun.service.journal import Journal, Json, Record

FILE_NAME = "server.db"
TABLES = """
CREATE TABLE records (kind TEXT NOT NULL, name BLOB NOT NULL, number INTEGER NOT NULL, value TEXT NOT NULL,
    digest TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
"""
WRITE = """
INSERT INTO records VALUES (?, ?, ?, ?, ?)
ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value, digest = excluded.digest
"""
AFTER_ALL = b"\xff"
"""What no text in UTF-8 has: a name with a prefix comes before the prefix and this."""
REMOVE = "DELETE FROM records WHERE kind = ? AND name = ?"
READ = "SELECT name, value, digest FROM records WHERE kind = ? AND name >= ? AND name < ? ORDER BY number"
NAMES = "SELECT name FROM records WHERE kind = ? ORDER BY number"
GET = "SELECT value, digest FROM records WHERE kind = ? AND name = ?"
JOURNAL_FORMAT: database.FileFormat = (0x7472_696A, 1)
"""The form of our files; another one is refused, never converted or deleted."""
LOCK_NAME = "server.db-b3eacd33433b31b5.lock"
"""What servers of all versions lock."""


@contextmanager
def open_journal(folder: Path, guard: StoreGuard) -> Iterator[JournalFile]:
    """The journal of a folder of stores, for this process alone. Raises StoreError, also where another one has it."""
    file = str(folder / FILE_NAME)
    with ExitStack() as stack:
        guard.claim()
        if not stack.enter_context(database.hold_lock(str(folder / LOCK_NAME))):
            raise StoreError(f"another server uses {folder}; end it, or choose another folder by --store")
        journal = _open(file, guard, is_own=True)
        assert journal is not None
        yield stack.enter_context(closing(journal))


@contextmanager
def read_journal(folder: Path, guard: StoreGuard) -> Iterator[JournalFile | None]:
    """The journal of a folder as it is now, which a server may be writing, if there is one. Raises StoreError."""
    file = str(folder / FILE_NAME)
    with ExitStack() as stack:
        guard.check()
        journal = _open(file, guard, is_own=False)
        yield None if journal is None else stack.enter_context(closing(journal))


def _open(file: str, guard: StoreGuard, *, is_own: bool) -> JournalFile | None:
    """The journal in a file; where there is none, a new one if the file is this process's own."""
    database.refuse_unsafe_files(file)
    with database.map_errors(file):
        is_there = os.path.exists(file) and (os.path.isdir(file) or os.path.getsize(file) > 0)
        if not is_there and is_own:
            part = f"{file}.part"
            # A log that is left of a file that has gone would be taken for one of the new file.
            for name in (f"{part}-wal", f"{part}-shm", f"{part}-journal", part, f"{file}-wal", f"{file}-shm"):
                Path(name).unlink(missing_ok=True)
            database.publish(database.create(part, b"", JOURNAL_FORMAT, TABLES), file)
    return JournalFile(file, guard.key()) if is_there or is_own else None


class JournalFile(Journal):
    """Keeps states in a file: what is written outlives the process. Any thread may use it."""

    def __init__(self, file: str, key: bytes) -> None:
        self._file, self._lock = file, Lock()
        self._connection = connection = database.connect(file, key, JOURNAL_FORMAT)
        try:
            with database.map_errors(file, connection.budget):
                database.require_schema(connection, TABLES)
                (number,) = connection.execute("SELECT max(number) FROM records").fetchone()
            self._number = number or 0
            if not isinstance(self._number, int) or not 0 <= self._number < 2**62:
                raise self._damaged()
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def write(self, records: Sequence[Record]) -> None:
        if not records:
            return
        with self._lock:
            with database.transaction(self._connection):
                for number, record in enumerate(records, start=self._number + 1):
                    name = _encode(record.name)
                    if record.value is None:
                        self._connection.execute(REMOVE, (record.kind, name))
                    else:
                        value = json.dumps(record.value, separators=(",", ":"))
                        digest = self._digest(record.kind, name, value)
                        self._connection.execute(WRITE, (record.kind, name, number, value, digest))
            self._number += len(records)

    def read(self, kind: str, prefix: str = "") -> Iterator[tuple[str, Json]]:
        start = _encode(prefix)
        for name, value, digest in self._rows(READ, (kind, start, start + AFTER_ALL)):
            parsed = self._parse(kind, name, value, digest)
            yield name.decode("utf-8", "surrogatepass"), parsed

    def names(self, kind: str) -> list[str]:
        try:
            return [name.decode("utf-8", "surrogatepass") for (name,) in self._rows(NAMES, (kind,))]
        except (AttributeError, UnicodeDecodeError) as error:
            raise self._damaged() from error

    def get(self, kind: str, name: str) -> Json | None:
        rows = self._rows(GET, (kind, _encode(name)))
        return self._parse(kind, _encode(name), *rows[0]) if rows else None

    def _rows(self, statement: str, parameters: tuple[object, ...]) -> list[Any]:
        with self._lock, database.map_errors(self._file, self._connection.budget):
            self._connection.renew_budget()
            return self._connection.execute(statement, parameters).fetchall()

    def _parse(self, kind: str, name: Any, value: Any, digest: Any) -> Json:
        """The value of a record. Raises StoreError where it is not as it was written."""
        texts = isinstance(name, bytes) and isinstance(value, str) and isinstance(digest, str)
        if not texts or not hmac.compare_digest(digest.encode(), self._digest(kind, name, value).encode()):
            raise self._damaged()
        parsed: Json = json.loads(value)
        return parsed

    def _damaged(self) -> StoreError:
        return StoreError(f"{self._file} is damaged; move it away, and start the server again")

    def _digest(self, kind: str, name: bytes, value: str) -> str:
        content = b"\0".join((kind.encode(), name.hex().encode(), value.encode("utf-8", "surrogatepass")))
        return hmac.new(self._connection.key, content, "sha256").hexdigest()


def _encode(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
