"""The file of a snapshot of a view: its tables, what is served from it, and which file of a view is served.

A view has one file, and two when a load is about to be served: `NAME.7.db` and `NAME.8.db`. The one that is served has
the least number of those that are not retired. A load puts the new file in place whole, and then retires the one before
it by one transaction. In this moment readers and writers go over: a direct write either is in the old file before it,
and is copied, or finds the file retired, and is made in the new one. So a kill leaves the old snapshot or the new one.
What a killed load leaves has another name, or a higher number, and the next load removes it.

Columns have no types, so that SQLite converts nothing, and are called by their places (`k0`, `m0`, `f0`), so that a
feature may have any name. `r` is the moment of the sync that read the row, null for one that was only written directly;
`w` is the newest moment of the direct writes that are served in it. `writes` has the direct writes that are served.
"""

from __future__ import annotations

import hmac
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store import database
from trialrun.runtime.feature_view.store.database import Connection, FileFormat, damaged_store, store_size
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    EntityId,
    RowLayout,
    ServedEntity,
    Snapshot,
    Value,
    ViewHistory,
)
from trialrun.runtime.feature_view.store.value_codec import (
    DAMAGE,
    EPOCH,
    Stored,
    decoder,
    find_columns,
    from_microseconds,
    parse_layout,
    serialize_layout,
    to_microseconds,
)

FORMAT: FileFormat = (0x7472_6961, 3)
"""The form of our files. 3: a file for each snapshot of a view; before, one for all views of a FeatureOnlineStore."""
FIXED_TABLES = """
CREATE TABLE snapshot (view TEXT NOT NULL, number INTEGER NOT NULL, synced_at INTEGER, watermark INTEGER, layout TEXT,
    entities INTEGER, plan TEXT, digest TEXT);
CREATE TABLE syncs (number INTEGER PRIMARY KEY, synced_at INTEGER NOT NULL);
"""
"""`snapshot` has one row, with a keyed digest of it; none where the file is retired. It has no layout where the view
was removed. `syncs` has the moments of all syncs of the view."""
MAX_IDS_PER_STATEMENT = 256
"""How many entities one statement asks for."""
BATCH_SIZE = 1000
MIN_ROW_SIZE = 4
"""Bytes that a row takes at least."""


def write_snapshot(connection: Connection, schema: str, snapshot: Snapshot) -> None:
    """Say what a file is of, in the transaction of the caller; a layout without keys is that of a removed view."""
    row: tuple[object, ...] = (snapshot.view, snapshot.number, None, None, None, None, None)
    if snapshot.layout.keys:
        watermark = None if snapshot.watermark is None else to_microseconds(snapshot.watermark)
        layout, synced_at = serialize_layout(snapshot.layout), to_microseconds(snapshot.synced_at)
        row = (snapshot.view, snapshot.number, synced_at, watermark, layout, snapshot.entities, snapshot.plan)
    connection.execute(f"DELETE FROM {schema}.snapshot")
    connection.execute(
        f"INSERT INTO {schema}.snapshot VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, _digest(connection.key, row))
    )


def read_snapshot(connection: Connection) -> Snapshot | None:
    """What a file is of, None where it is retired. Raises StoreError where that is not as it was written."""
    rows = connection.execute("SELECT * FROM main.snapshot LIMIT 2").fetchall()
    if not rows:
        return None
    snapshot = _verified_snapshot(connection.key, rows[0]) if len(rows) == 1 else None
    if snapshot is None:
        raise damaged_store(connection.file)
    return snapshot


@lru_cache(maxsize=256)
def _verified_snapshot(key: bytes, row: tuple[Any, ...]) -> Snapshot | None:
    """What the row of a snapshot says, None where its digest is not that of the row; asked for by every fetch."""
    *values, digest = row
    if not isinstance(digest, str) or not hmac.compare_digest(digest.encode(), _digest(key, values).encode()):
        return None
    view, number, synced_at, watermark, layout, entities, plan = values
    if layout is None:
        return Snapshot(view, number, EPOCH, None, RowLayout((), ()), 0)
    newest = None if watermark is None else from_microseconds(watermark)
    return Snapshot(view, number, from_microseconds(synced_at), newest, parse_layout(layout), entities, plan)


def _digest(key: bytes, row: Sequence[object]) -> str:
    """The keyed digest of the row: what is served, and what its columns mean, is as a sync wrote it."""
    return hmac.new(key, json.dumps(row, default=repr).encode(), "sha256").hexdigest()


class ViewTables:
    """The tables `rows` and `writes` of a layout: their columns, and the statements that make them."""

    def __init__(self, layout: RowLayout) -> None:
        self.layout = layout
        self.keys = [f"k{place}" for place, _ in enumerate(layout.keys)]
        self.timestamps = [f"m{place}" for place in range(layout.timestamp_count)]
        self.features = [f"f{place}" for place, _ in enumerate(layout.features)]
        self.columns = [*self.keys, "r", "w", *self.timestamps, *self.features]
        keys = ", ".join(f"{key} NOT NULL" for key in self.keys)
        self.tables = (
            f"{FIXED_TABLES} CREATE TABLE rows ({', '.join([keys, *self.columns[len(self.keys) :]])}); "
            f"CREATE TABLE writes ({keys}, feature, type, at INTEGER NOT NULL, value, sequence INTEGER NOT NULL, "
            f"PRIMARY KEY ({', '.join(self.keys)}, feature)) WITHOUT ROWID; "
            "CREATE INDEX writes_by_sequence ON writes (sequence);"
        )
        # It makes entity ids unique and quick to find, and is made when the rows are there: a seventh of the time.
        self.index = f"CREATE UNIQUE INDEX rows_by_id ON rows ({', '.join(self.keys)})"

    def timestamp_of(self, feature: int) -> str:
        """The column of the moment of a feature."""
        return f"m{self.layout.timestamp_indexes[feature] if self.layout.timestamp_indexes else 0}"

    def select(self, count: int) -> str:
        """The statement that finds the rows of some entity ids; a list of several parts by IN would find no index."""
        columns = ", ".join([*self.keys, "w", *self.timestamps, *self.features])
        ids = ", ".join([f"({', '.join('?' * len(self.keys))})"] * count)
        condition = " AND ".join(f"{key} = column{place}" for place, key in enumerate(self.keys, 1))
        return f"SELECT {columns} FROM (VALUES {ids}) CROSS JOIN rows ON {condition}"

    def same_id(self, table: str, other: str) -> str:
        """The condition that rows of two tables have the same entity id: for each of the one, that of the other.

        The plus keeps SQLite, which does not know how large tables are, from going the other way.
        """
        return " AND ".join(f"+{table}.{key} = {other}.{key}" for key in self.keys)


tables_of = lru_cache(maxsize=256)(ViewTables)


class ViewFile:
    """An open file; `tables` is None where the view was removed.

    `_doubles` takes the doubles out of a row, of which one in a million is NaN: all of them are looked at at once.
    """

    def __init__(self, connection: Connection, tables: ViewTables | None) -> None:
        self.connection, self.file, self.tables = connection, connection.file, tables
        self.layout = layout = tables.layout if tables else RowLayout((), ())
        self._width, self._first = len(layout.keys), layout.feature_start + 1
        self._names = tuple(column.name for column in layout.features)
        is_double = [column.type == "DOUBLE" and not column.repeated for column in layout.features]
        first = [place for place, found in enumerate(is_double, self._first) if found]
        self._doubles = itemgetter(*first, first[0]) if first else None
        self._unpack = [
            (column.name, unpack)
            for column, found in zip(layout.features, is_double, strict=True)
            if not found and (unpack := decoder(column))
        ]
        self._most_rows = store_size(connection.file) // MIN_ROW_SIZE
        self._select_one = tables.select(1) if tables else ""

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def fetch(self, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
        """The entities of some ids, at most MAX_IDS_PER_STATEMENT of them, by one statement."""
        self.connection.budget.is_new = True
        assert self.tables is not None
        # The next power of two: a statement for each count would be prepared anew each time.
        count = 1 << (len(ids) - 1).bit_length()
        statement = self._select_one if count == 1 else self.tables.select(count)
        parts = [part for id in ids for part in id] + [None] * (count - len(ids)) * self._width
        rows = self.connection.execute(statement, parts).fetchall()
        try:
            entities_by_id = {row[: self._width]: self._entity(row) for row in rows}
        except DAMAGE as fault:  # values that nobody wrote; the ids, which were found, fit
            raise damaged_store(self.file) from fault
        return [entities_by_id.get(id) for id in ids]

    def scan(self, columns: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """All rows in the order of their entity ids: the id, a tuple, then the values of some columns."""
        assert self.tables is not None
        layout, keys, width = self.tables.layout, self.tables.keys, self._width
        places, known = find_columns(layout, columns), (*layout.keys, *layout.features)
        names = [*keys, *([*keys, *self.tables.features][place] for place in places)]
        unpack = [(at, how) for at, place in enumerate(places, width) if (how := decoder(known[place]))]
        rows = self._limited_rows(f"SELECT {', '.join(names)} FROM rows ORDER BY {', '.join(keys)}")
        return ((row[:width], *_decode(row, unpack)[width:]) for row in rows)

    def history(self) -> ViewHistory:
        """The moments of all syncs, and the direct writes that are kept, in the order in which they were made."""
        assert self.tables is not None
        syncs = self.connection.execute("SELECT synced_at FROM syncs ORDER BY number").fetchall()
        columns = {(column.name, column.type_text): column for column in self.tables.layout.features}
        writes = []
        for *id, feature, type, at, value, _ in self.connection.execute("SELECT * FROM writes ORDER BY sequence"):
            if column := columns.get((feature, type)):
                unpack = decoder(column)
                value = unpack(value) if unpack else value
                writes.append(DirectWrite(tuple(id), feature, value, from_microseconds(at)))
        return ViewHistory([from_microseconds(at) for (at,) in syncs], writes)

    def _entity(self, row: tuple[Any, ...]) -> ServedEntity:
        values: dict[str, Value] = dict(zip(self._names, row[self._first :], strict=True))
        for name, unpack in self._unpack:
            if (value := values[name]) is not None:
                values[name] = unpack(value)
        if self._doubles and bytes in map(type, self._doubles(row)):
            values |= {
                name: float("nan")
                for name, column in zip(self._names, self.layout.features, strict=True)
                if column.type == "DOUBLE" and isinstance(values[name], bytes)
            }
        moments = [moment for moment in row[self._width : self._first] if moment is not None]
        return ServedEntity(row[: self._width], values, from_microseconds(max(moments)) if moments else None)

    def _limited_rows(self, statement: str) -> Iterator[tuple[Stored, ...]]:
        """The rows of a statement, no more than the file had room for: damage can make them come again and again."""
        self.connection.renew_budget()
        done, count = self.connection.execute(statement), 0
        while batch := done.fetchmany(BATCH_SIZE):
            count += len(batch)
            if count > self._most_rows:
                raise damaged_store(self.file)
            yield from batch
            self.connection.budget.renew()


def open_file(file: str, key: bytes, view: str) -> ViewFile | None:
    """A file of a view, None where it is retired. Raises StoreError where it is not as it was written."""
    connection = database.connect(file, key, FORMAT)
    try:
        with database.map_read_errors(file, connection.budget), database.read_transaction(connection):
            if not database.schema_of(FIXED_TABLES) <= {*database.schema_entries(connection)}:
                raise damaged_store(file)
            if snapshot := read_snapshot(connection):
                tables = tables_of(snapshot.layout) if snapshot.layout.keys else None
                database.require_schema(connection, f"{tables.tables} {tables.index};" if tables else FIXED_TABLES)
                if snapshot.view != view:
                    raise damaged_store(file)
                return ViewFile(connection, tables)
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


class ViewPlace:
    """The files of a view in a folder: those of its snapshots by their numbers, its lock, and those of loads."""

    def __init__(self, folder: Path, view: str) -> None:
        self.folder, self.view, self._name = folder, view, file_name(view)
        self.lock = str(folder / f"{self._name}.lock")

    def numbered(self, number: int) -> str:
        """The file with a number."""
        return str(self.folder / f"{self._name}.{number}.db")

    def part(self, since: datetime) -> str:
        """The file of a load of this process, until it is put in place; its name says who loads, and since when."""
        return str(self.folder / f"{self._name}.{to_microseconds(since)}.{os.getpid()}.part")

    def numbers(self) -> list[int]:
        """The numbers of the files that are there, in their order. Raises StoreError."""
        return sorted(int(match[1]) for match in self._matches(r"([0-9]{1,18})\.db"))

    def running(self) -> str:
        """Since when a load is made, by which process, as a message has it."""
        for match in self._matches(r"(-?[0-9]{1,18})\.([0-9]{1,10})\.part"):
            with suppress(OverflowError):
                return f" since {from_microseconds(int(match[1])):%Y-%m-%d %H:%M:%S} UTC, by process {int(match[2])}"
        return ""

    def served(self, key: Callable[[], bytes]) -> ViewFile | None:
        """The file that is served, None where there is none. Raises StoreError."""
        while True:
            numbers = self.numbers()
            for number in numbers:
                file = self.numbered(number)
                try:
                    found = open_file(file, key(), self.view)
                except StoreError:
                    if os.path.lexists(file):
                        raise
                    continue
                if found and os.path.lexists(file):
                    return found
                if found:  # it is retired and gone, and so may be the log that says so
                    found.close()
            if numbers != self.numbers():  # or a file was renamed while the folder was listed
                continue
            if numbers:
                raise damaged_store(self.numbered(numbers[-1]))
            former = str(self.folder / f"{file_name(self.view.rpartition('/featureViews/')[0])}.db")
            if os.path.lexists(former):  # a file of an earlier version has the values of the view
                database.connect(former, key(), FORMAT).close()
                raise damaged_store(former)
            return None

    def clear(self, served: ViewFile | None) -> None:
        """Remove all files but the one that is served; only with the lock of the view.

        Where a system removes no file that is being read, the next load does it. Raises StoreError for a file that
        would be served next, in the place of the next load.
        """
        for match in self._matches(r"([0-9]{1,18}\.db|-?[0-9]{1,18}\.[0-9]{1,10}\.part)(-wal|-shm)?"):
            file = str(self.folder / f"{self._name}.{match[1]}")
            if match[2] and not os.path.lexists(file):
                remove_file(f"{file}{match[2]}")
            elif not match[2] and (not served or file != served.file):
                remove_file(file)
        if served and (numbers := self.numbers()) and (last := self.numbered(numbers[-1])) != served.file:
            raise StoreError(f"{last} cannot be removed; move it away, and sync again")

    def _matches(self, ending: str) -> list[re.Match[str]]:
        pattern = re.compile(rf"{re.escape(self._name)}\.{ending}", re.ASCII)
        try:
            names = os.listdir(self.folder)
        except FileNotFoundError:
            return []
        except OSError as fault:
            raise database.to_store_error(fault, self.lock) from fault
        return [match for name in names if (match := pattern.fullmatch(name))]


def remove_file(file: str) -> None:
    """Remove a file, and then its log, so that whoever opens it meanwhile can tell by its name."""
    for name in (file, f"{file}-wal", f"{file}-shm"):
        try:
            os.unlink(name)
        except FileNotFoundError:
            continue
        except OSError:
            return


def file_name(name: str) -> str:
    """A name for a file: the id that a resource name ends with, and a digest of all of it."""
    id = re.sub(r"[^a-z0-9_-]", "_", name.rpartition("/")[2].lower())[:40]
    return f"{id or 'store'}-{sha256(name.encode()).hexdigest()[:12]}"


def _decode(row: Sequence[Stored], unpack: Sequence[tuple[int, Callable[[Stored], Value]]]) -> Sequence[object]:
    if not unpack:
        return row
    values: list[object] = [*row]
    for at, how in unpack:
        if (value := row[at]) is not None:
            values[at] = how(value)
    return values
