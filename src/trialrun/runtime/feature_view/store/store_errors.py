"""Messages for faults of a store file: of SQLite, of the file system, and of damaged content."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trialrun.runtime.feature_view.entity_id import InvalidEntityId
from trialrun.runtime.feature_view.store.budget import StatementBudget
from trialrun.runtime.feature_view.store.interface import InvalidWrite, NeverSynced, StoreError

WRITE_TIMEOUT = 60.0
"""Seconds that a writer waits for another one."""
DAMAGED = "is damaged; move it away, and sync again"
DAMAGE_ERRORS = (ValueError, TypeError, ArithmeticError, LookupError, RecursionError, AttributeError)
"""What reading a value that is not as it was written ends in."""


def damaged_store(file: str) -> StoreError:
    """The error for a file whose content was changed after it was written."""
    return StoreError(f"{file} {DAMAGED}")


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
    try:
        with map_errors(file, budget):
            yield
    except (InvalidEntityId, InvalidWrite, NeverSynced):
        raise
    except DAMAGE_ERRORS as fault:
        raise damaged_store(file) from fault


def to_store_error(fault: Exception, file: str) -> StoreError:
    """The error message for a fault of SQLite or of the file system."""
    if wrong := _wrong_file_kind(file):
        return StoreError(wrong)
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
        return StoreError(f"{file} has a statement that does not end; move it away, and sync again")
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")) or _is_content_error(name, fault):
        return damaged_store(file)
    return StoreError(f"{file} cannot be used ({fault}); move it away, and sync again")


def _is_content_error(name: str, fault: Exception) -> bool:
    """Whether SQLite found something else in the file than what was written: a table gone, a text that is none."""
    return isinstance(fault, sqlite3.Error) and name in ("SQLITE_ERROR", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "")


def _wrong_file_kind(file: str) -> str | None:
    """What to say where a folder has the name of the file, or a file that of its folder."""
    folder = Path(file).parent
    if Path(file).is_dir():
        return f"{file} is a folder, but the store needs a file; move it away"
    return f"{folder} is a file, but the store needs a folder; move it away" if folder.is_file() else None
