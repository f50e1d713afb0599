"""A map from key to text in a database of the user: what is known from earlier runs.

The database is in the user's cache folder and not in the repository, so that a cloned repository cannot bring results.
A cache may lose content, but must never return wrong content: a row is valid only if its digest fits the key and the
text. Every error, except for a locked database or a full disk, causes the database to be recreated.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

from trialrun.cache_dir import private_cache_dir

if TYPE_CHECKING:
    import sqlite3

LAYOUT = 7
DIGEST_SIZE = 20
FILE_NAME = "verdicts-{}.sqlite"
MAX_ROWS = 200_000
MAX_BYTES = 500_000_000
"""What rows may take; those of 20,000 files take about 180 MB. Beyond it, the older half is deleted, and its place used
again. A database of twice the size is recreated, since it never gets smaller."""
SCHEMA = "CREATE TABLE verdicts (key BLOB UNIQUE, report TEXT, digest BLOB)"
COMPANION_SUFFIXES = ("-journal", "-wal", "-shm")
"""Suffixes of files that SQLite creates next to a database."""
HARMLESS_ERRORS = ("BUSY", "LOCKED", "FULL", "READONLY", "CANTOPEN", "PERM", "AUTH", "INTERRUPT")
"""SQLite errors that do not mean damage: another process is writing, or the disk is full or read-only."""


class CacheStore:
    """A map from key to text in a database. Errors never raise: what cannot be read is missing."""

    def __init__(self, folder: str | None = None) -> None:
        folder = private_cache_dir(folder)
        self._file = folder and os.path.join(folder, FILE_NAME.format(LAYOUT))
        if folder and self._file and not os.path.lexists(self._file):
            for layout in range(1, LAYOUT):  # of older versions, which nothing would ever make smaller
                file = os.path.join(folder, FILE_NAME.format(layout))
                if os.path.lexists(file):
                    remove_store(file)
        self._database = self._open()

    @property
    def is_open(self) -> bool:
        """Whether the database is open."""
        return self._database is not None

    @property
    def has_rows(self) -> bool:
        """Whether there is any row."""
        if self._database is None:
            return False
        with self._recreated_if_damaged():
            return self._database.execute("SELECT 1 FROM verdicts LIMIT 1").fetchone() is not None
        return False

    def find(self, key: bytes) -> str | None:
        """The text of a key; None if it is missing or damaged."""
        row = None
        with self._recreated_if_damaged():
            if self._database is not None:
                row = self._database.execute("SELECT report, digest FROM verdicts WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        if not isinstance(row[0], str) or row[1] != row_digest(key, row[0]):
            self._recreate()
            return None
        return row[0]

    def find_range(self, first: bytes, last: bytes) -> Iterator[tuple[bytes, str]]:
        """The undamaged rows whose keys are in a range, in the order of the keys."""
        if self._database is None:
            return
        query = "SELECT key, report, digest FROM verdicts WHERE key BETWEEN ? AND ? ORDER BY key"
        with self._recreated_if_damaged():
            for key, text, digest in self._database.execute(query, (first, last)):
                if isinstance(text, str) and digest == row_digest(key, text):
                    yield key, text

    def write(self, rows: Iterable[tuple[bytes, str]]) -> None:
        """Write rows in one transaction, and delete the oldest ones if there are too many."""
        if self._database is None:
            return
        signed = [(key, text, row_digest(key, text)) for key, text in rows]
        with self._recreated_if_damaged(), self._database as database:
            database.executemany("INSERT OR REPLACE INTO verdicts (key, report, digest) VALUES (?, ?, ?)", signed)
            database.execute("DELETE FROM verdicts WHERE rowid <= (SELECT max(rowid) FROM verdicts) - ?", (MAX_ROWS,))
            pages, free, size = (
                database.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("page_count", "freelist_count", "page_size")
            )
            if (pages - free) * size > MAX_BYTES:
                middle = "(SELECT (min(rowid) + max(rowid)) / 2 FROM verdicts)"
                database.execute(f"DELETE FROM verdicts WHERE rowid <= {middle}")

    def close(self) -> None:
        """Close the database."""
        if self._database is not None:
            _close(self._database)
            self._database = None

    def _open(self) -> sqlite3.Connection | None:
        """Open the database, or create one; None if neither is possible."""
        if not self._file:
            return None
        for _ in range(2):
            if not _is_own_file(self._file) or _size(self._file) > 2 * MAX_BYTES:
                remove_store(self._file)
            database = _connect(self._file)
            if not isinstance(database, Exception):
                return database
            if _is_harmless(database):
                return None
            remove_store(self._file)
        return None

    @contextmanager
    def _recreated_if_damaged(self) -> Iterator[None]:
        """Suppresses every error, and replaces the database where it is damaged."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - damage shows in any error, such as one of decoding its message
            if not _is_harmless(error):
                self._recreate()

    def _recreate(self) -> None:
        """Replace a damaged database by an empty one."""
        self.close()
        if self._file:
            remove_store(self._file)
            self._database = self._open()


def row_digest(key: bytes, text: str) -> bytes:
    """The digest of a row, which proves that it is undamaged."""
    digest = blake2b(key, digest_size=16)
    digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.digest()


def remove_store(file: str) -> None:
    """Delete a database with its companion files, as far as permitted."""
    for end in ("", *COMPANION_SUFFIXES):
        with suppress(OSError):
            os.remove(file + end)


def _connect(file: str) -> sqlite3.Connection | Exception:
    """A connection to the database, or the error that prevents it."""
    import sqlite3

    try:
        database = sqlite3.connect(file, timeout=1)
    except (sqlite3.Error, OSError) as error:
        return error
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")
        tables = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if not tables:
            database.execute(SCHEMA.replace("TABLE", "TABLE IF NOT EXISTS"))
        elif tables != [(SCHEMA,)]:
            raise sqlite3.DatabaseError("the store has other tables than ours")
    except Exception as error:  # noqa: BLE001 - damage shows in any error, such as one of decoding its message
        _close(database)
        return error
    return database


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size
    except OSError:
        return 0


def _is_harmless(error: Exception) -> bool:
    name = getattr(error, "sqlite_errorname", None) or ""
    return isinstance(error, OSError) or name.removeprefix("SQLITE_").startswith(HARMLESS_ERRORS)


def _is_own_file(file: str) -> bool:
    """Whether it is safe to open: a regular file of this user, not a link, or nothing yet."""
    for end in ("", *COMPANION_SUFFIXES):
        try:
            status = os.lstat(file + end)
        except OSError:
            continue
        if not stat.S_ISREG(status.st_mode) or (hasattr(os, "geteuid") and status.st_uid != os.geteuid()):
            return False
    return True


def _close(database: sqlite3.Connection) -> None:
    import sqlite3

    with suppress(sqlite3.Error):
        database.close()


def digest(data: bytes) -> bytes:
    """The digest of the bytes of a file, or of a text."""
    return blake2b(data, digest_size=DIGEST_SIZE).digest()
