"""How faults of the file of a store are told: of SQLite, of the file system, and of what is damaged in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trialrun.runtime.feature_view.entity_id import BadId
from trialrun.runtime.feature_view.store.interface import CannotStore, CannotWrite, NeverSynced

PATIENCE = 60.0
"""Seconds that a writer waits for another one."""
DAMAGED = "is no sound store; move it away, and sync again"
OF_DAMAGE = (ValueError, TypeError, ArithmeticError, LookupError, RecursionError, AttributeError)
"""What reading a value that is not as it was written ends in."""


def damaged(file: str) -> CannotStore:
    """What is said of a file whose content is not as it was written."""
    return CannotStore(f"{file} {DAMAGED}")


@contextmanager
def told(file: str) -> Iterator[None]:
    """Tell faults of SQLite and of the file system as CannotStore; nothing of others may be called in it."""
    try:
        yield
    except (sqlite3.Error, OSError) as fault:
        raise in_words(fault, file) from fault


@contextmanager
def reading(file: str) -> Iterator[None]:
    """The same where values are read, which may be damaged; only what reads a store may be called in it."""
    try:
        yield
    except (sqlite3.Error, OSError) as fault:
        raise in_words(fault, file) from fault
    except (BadId, CannotWrite, NeverSynced):
        raise
    except OF_DAMAGE as fault:
        raise damaged(file) from fault


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
    if name.startswith("SQLITE_INTERRUPT"):
        return CannotStore(f"{file} keeps a statement at work without end; move it away, and sync again")
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")) or _is_of_content(name, fault):
        return damaged(file)
    return CannotStore(f"{file} cannot be used ({fault}); move it away, and sync again")


def _is_of_content(name: str, fault: Exception) -> bool:
    """Whether SQLite found something else in the file than what was written: a table gone, a text that is none."""
    return isinstance(fault, sqlite3.Error) and name in ("SQLITE_ERROR", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "")


def _wrong_kind(file: str) -> str | None:
    """What to say where a folder has the name of the file, or a file that of its folder."""
    folder = Path(file).parent
    if Path(file).is_dir():
        return f"{file} is a folder, and the store is a file; move it away"
    return f"{folder} is a file, and the store is in a folder; move it away" if folder.is_file() else None
