"""The file that verdicts are kept in: every row carries a digest, and a damaged store is removed and rebuilt.

A cache may lose everything and must never say anything wrong. So a row counts only where its digest fits the key that
was asked for and the text that was read; any error but that of a store in use or a disk without room ends the store.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

from trialrun.cache_dir import private_cache_dir

if TYPE_CHECKING:
    import sqlite3

LAYOUT = 5
MAX_ROWS = 200_000
SCHEMA = "CREATE TABLE verdicts (key BLOB UNIQUE, report TEXT, digest BLOB)"
COMPANION_SUFFIXES = ("-journal", "-wal", "-shm")
"""What SQLite keeps beside a store, by the ends of their names."""
HARMLESS_ERRORS = ("BUSY", "LOCKED", "FULL", "READONLY", "CANTOPEN", "PERM", "AUTH", "INTERRUPT")
"""Errors of SQLite that say nothing against a store: somebody else writes to it, or the disk takes nothing more."""


class CacheStore:
    """Rows of key and text. Nothing that is wrong with the store raises: what cannot be read is not known."""

    def __init__(self, folder: str | None = None) -> None:
        folder = private_cache_dir(folder)
        self._file = folder and os.path.join(folder, f"verdicts-{LAYOUT}.sqlite")
        self._database = self._open()

    @property
    def is_open(self) -> bool:
        """Whether rows are found and kept."""
        return self._database is not None

    def find(self, key: bytes) -> str | None:
        """The text of a key, None if it is not known for certain."""
        if self._database is None:
            return None
        try:
            row = self._database.execute("SELECT report, digest FROM verdicts WHERE key = ?", (key,)).fetchone()
        except Exception as error:  # noqa: BLE001 - damage shows in any error, such as one of decoding its message
            self._handle_error(error)
            return None
        if row is None:
            return None
        if not isinstance(row[0], str) or row[1] != row_digest(key, row[0]):
            self._recreate()
            return None
        return row[0]

    def write(self, rows: Iterable[tuple[bytes, str]]) -> None:
        """Write rows in one transaction, and forget the oldest of very many."""
        if self._database is None:
            return
        signed = [(key, text, row_digest(key, text)) for key, text in rows]
        try:
            with self._database as database:
                database.executemany("INSERT OR REPLACE INTO verdicts (key, report, digest) VALUES (?, ?, ?)", signed)
                database.execute(
                    "DELETE FROM verdicts WHERE rowid <= (SELECT max(rowid) FROM verdicts) - ?", (MAX_ROWS,)
                )
        except Exception as error:  # noqa: BLE001 - damage shows in any error, such as one of decoding its message
            self._handle_error(error)

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None:
            _close(self._database)
            self._database = None

    def _open(self) -> sqlite3.Connection | None:
        """The store on the disk, a new one in place of what is none, or None if there can be none."""
        if not self._file:
            return None
        for _ in range(2):
            if not _is_own_file(self._file):
                remove_store(self._file)
            database = _connect(self._file)
            if not isinstance(database, Exception):
                return database
            if _is_harmless(database):
                return None
            remove_store(self._file)
        return None

    def _handle_error(self, error: Exception) -> None:
        if _is_harmless(error):
            return
        self._recreate()

    def _recreate(self) -> None:
        """Put an empty store in place of a damaged one, for this run and those to come."""
        self.close()
        if self._file:
            remove_store(self._file)
            self._database = self._open()


def row_digest(key: bytes, text: str) -> bytes:
    """What a row is believed by."""
    digest = blake2b(key, digest_size=16)
    digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.digest()


def remove_store(file: str) -> None:
    """Remove a store with what SQLite keeps beside it, as far as the system lets us."""
    for end in ("", *COMPANION_SUFFIXES):
        with suppress(OSError):
            os.remove(file + end)


def _connect(file: str) -> sqlite3.Connection | Exception:
    """The store of a file, or the error that says why it is none."""
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


def _is_harmless(error: Exception) -> bool:
    name = getattr(error, "sqlite_errorname", None) or ""
    return isinstance(error, OSError) or name.removeprefix("SQLITE_").startswith(HARMLESS_ERRORS)


def _is_own_file(file: str) -> bool:
    """Whether nobody else made what would be opened: a regular file of this user, no link, or nothing yet."""
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
