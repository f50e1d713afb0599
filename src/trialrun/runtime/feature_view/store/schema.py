"""The tables that a file of ours has, exactly: what else a database brings runs when it is read, and is refused."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache

TABLES = """
CREATE TABLE views (view TEXT PRIMARY KEY, number INTEGER NOT NULL, rows TEXT, synced_at INTEGER, watermark INTEGER,
    layout TEXT, entities INTEGER, plan TEXT, writes TEXT, digest TEXT) WITHOUT ROWID;
CREATE TABLE syncs (view TEXT, number INTEGER, synced_at INTEGER NOT NULL, PRIMARY KEY (view, number)) WITHOUT ROWID;
CREATE TABLE made (number INTEGER PRIMARY KEY AUTOINCREMENT, view TEXT NOT NULL, name TEXT);
CREATE TABLE running (view TEXT PRIMARY KEY, since INTEGER NOT NULL, process INTEGER NOT NULL) WITHOUT ROWID;
"""
"""`views` says which table of rows is served, and which has its direct writes, with a keyed digest of each row; `made`
has the name of every such table, so that those which killed syncs left can be told."""
TABLE_NAME = re.compile(r"(?:old_)?(?:rows|writes)_[0-9]{1,18}", re.ASCII)
"""The names of tables that come and go."""
_KEYS = r"k[0-9]+(?:, k[0-9]+)*"
_NOT_NULL = r"k[0-9]+ NOT NULL(?:, k[0-9]+ NOT NULL)*"
ROWS_TABLE = re.compile(
    rf"CREATE TABLE (\"?)(?P<name>\w+)\1 \({_NOT_NULL}, r, w(?:, m[0-9]+)+(?:, f[0-9]+)*\)", re.ASCII
)
WRITES_TABLE = re.compile(
    rf"CREATE TABLE (\"?)(?P<name>\w+)\1 \({_NOT_NULL}, feature, type, at INTEGER NOT NULL, value, "
    rf"sequence INTEGER NOT NULL, PRIMARY KEY \({_KEYS}, feature\)\) WITHOUT ROWID",
    re.ASCII,
)
INDEXES = (
    re.compile(rf"CREATE UNIQUE INDEX (?P<index>\w+)_by_id ON (\"?)(?P<name>\w+)\2 \({_KEYS}\)", re.ASCII),
    re.compile(r"CREATE INDEX (?P<index>\w+)_by_sequence ON (\"?)(?P<name>\w+)\2 \(sequence\)", re.ASCII),
)
SchemaEntry = tuple[str, str, str, str | None]
"""What SQLite has of a part of a schema: its type, its name, its table, and its statement."""


def is_own_schema(entries: Sequence[Sequence[object]]) -> bool:
    """Whether a schema has our tables, tables that come and go as we make them, and nothing else."""
    schema_entries = {tuple(entry) for entry in entries}
    further = schema_entries - _initial_schema()
    return (
        _initial_schema() <= schema_entries
        and len(schema_entries) == len(entries)
        and all(map(_is_dynamic_table, further))
    )


def schema_entries(connection: sqlite3.Connection) -> list[SchemaEntry]:
    """The schema of a database."""
    return connection.execute("SELECT type, name, tbl_name, sql FROM main.sqlite_schema").fetchall()


def _is_dynamic_table(entry: Sequence[object]) -> bool:
    type, name, table, sql = entry
    if not (isinstance(name, str) and isinstance(table, str) and TABLE_NAME.fullmatch(table)):
        return False
    if sql is None:
        return type == "index" and name.startswith(f"sqlite_autoindex_{table.removeprefix('old_')}")
    if not isinstance(sql, str):
        return False
    patterns = (ROWS_TABLE, WRITES_TABLE) if type == "table" else INDEXES if type == "index" else ()
    found = next((match for pattern in patterns if (match := pattern.fullmatch(sql))), None)
    return found is not None and found["name"] == table and (type == "index" or name == table)


@cache
def _initial_schema() -> frozenset[SchemaEntry]:
    """The schema of a new file."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        return frozenset(schema_entries(connection))
