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
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import find_column
from trialrun.runtime.feature_view.store import database
from trialrun.runtime.feature_view.store.database import (
    DAMAGE_ERRORS,
    Connection,
    FileFormat,
    damaged_store,
    store_size,
)
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    EntityId,
    RowLayout,
    ServedEntity,
    Snapshot,
    StoreError,
    Value,
    ViewHistory,
)
from trialrun.runtime.feature_view.store.value_codec import Stored, decoder, from_microseconds, parse_layout

FORMAT = FileFormat(0x7472_6961, 3)
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
Unpack = Callable[[Stored], Value]


class SnapshotRow(NamedTuple):
    """The row of `snapshot`."""

    view: str
    number: int
    synced_at: int | None
    watermark: int | None
    layout: str | None
    entities: int | None
    plan: str | None

    def digest(self, key: bytes) -> str:
        """The keyed digest of the row: what is served, and what its columns mean, is as a sync wrote it."""
        return hmac.new(key, json.dumps(self, default=repr).encode(), "sha256").hexdigest()

    def write(self, connection: Connection, schema: str) -> None:
        """Put the row into a file, in the transaction of the caller."""
        connection.execute(f"DELETE FROM {schema}.snapshot")
        connection.execute(
            f"INSERT INTO {schema}.snapshot VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*self, self.digest(connection.key))
        )


def read_snapshot_row(connection: Connection) -> SnapshotRow | None:
    """The row of `snapshot`, None where the file is retired. Raises StoreError where it is not as it was written."""
    rows = connection.execute("SELECT * FROM main.snapshot LIMIT 2").fetchall()
    if not rows:
        return None
    (*values, digest), row = rows[0], SnapshotRow(*rows[0][:-1])
    if len(rows) > 1 or not isinstance(digest, str) or len(values) != len(row):
        raise damaged_store(connection.file)
    if not hmac.compare_digest(digest.encode(), row.digest(connection.key).encode()):
        raise damaged_store(connection.file)
    return row


@dataclass(frozen=True)
class ViewTables:
    """The tables `rows` and `writes` of a layout."""

    layout: RowLayout

    @cached_property
    def keys(self) -> list[str]:
        """The columns of the entity id."""
        return [f"k{place}" for place, _ in enumerate(self.layout.keys)]

    @cached_property
    def timestamps(self) -> list[str]:
        """The columns of the moments."""
        return [f"m{place}" for place in range(self.layout.timestamp_count)]

    @cached_property
    def features(self) -> list[str]:
        """The columns of the features."""
        return [f"f{place}" for place, _ in enumerate(self.layout.features)]

    @cached_property
    def columns(self) -> list[str]:
        """All columns of `rows`."""
        return [*self.keys, "r", "w", *self.timestamps, *self.features]

    def timestamp_of(self, feature: int) -> str:
        """The column of the moment of a feature."""
        return f"m{self.layout.timestamp_indexes[feature] if self.layout.timestamp_indexes else 0}"

    @cached_property
    def index(self) -> str:
        """The statement that makes entity ids unique, and quick to find."""
        return f"CREATE UNIQUE INDEX rows_by_id ON rows ({', '.join(self.keys)})"

    @cached_property
    def tables(self) -> str:
        """The statements that make all tables of the file; the index of `rows` is made when they are there."""
        keys = ", ".join(f"{key} NOT NULL" for key in self.keys)
        return (
            f"{FIXED_TABLES} CREATE TABLE rows ({', '.join([keys, *self.columns[len(self.keys) :]])}); "
            f"CREATE TABLE writes ({keys}, feature, type, at INTEGER NOT NULL, value, sequence INTEGER NOT NULL, "
            f"PRIMARY KEY ({', '.join(self.keys)}, feature)) WITHOUT ROWID; "
            "CREATE INDEX writes_by_sequence ON writes (sequence);"
        )

    def select(self, count: int) -> str:
        """The statement that finds the rows of some entity ids."""
        columns = ", ".join([*self.keys, "w", *self.timestamps, *self.features])
        return f"SELECT {columns} FROM rows WHERE {_id_condition(tuple(self.keys), count)}"

    def same_id(self, table: str, other: str) -> str:
        """The condition that rows of two tables have the same entity id: for each of the one, that of the other.

        The plus keeps SQLite, which does not know how large tables are, from going the other way.
        """
        return " AND ".join(f"+{table}.{key} = {other}.{key}" for key in self.keys)


@lru_cache(maxsize=256)
def tables_of(layout: str) -> ViewTables:
    """The tables of a layout in JSON."""
    return ViewTables(parse_layout(layout))


class ViewFile:
    """An open file; `tables` is None where the view was removed.

    `_doubles` takes the doubles out of a row, of which one in a million is NaN: all of them are looked at at once.
    """

    def __init__(self, connection: Connection, view: str, tables: ViewTables | None) -> None:
        self.connection, self.file, self.view, self.tables = connection, connection.file, view, tables
        layout = tables.layout if tables else RowLayout((), ())
        self._width, self._first = len(layout.keys), len(layout.keys) + 1 + layout.timestamp_count
        self._names = tuple(column.name for column in layout.features)
        double_places = [
            place for place, column in enumerate(layout.features) if column.type == "DOUBLE" and not column.repeated
        ]
        self._double_names = [self._names[place] for place in double_places]
        first = [self._first + place for place in double_places]
        self._doubles = itemgetter(*first, first[0]) if first else None
        self._unpack = [
            (column.name, unpack)
            for place, column in enumerate(layout.features)
            if place not in double_places and (unpack := decoder(column))
        ]
        self._most_rows = store_size(connection.file) // MIN_ROW_SIZE
        self._select_one = tables.select(1) if tables else ""

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def snapshot(self, row: SnapshotRow) -> Snapshot | None:
        """What is served by the row of the file; None where the view was removed."""
        if self.tables is None:
            return None
        watermark = None if row.watermark is None else from_microseconds(row.watermark)
        synced_at = from_microseconds(row.synced_at or 0)
        layout, plan = self.tables.layout, row.plan or ""
        return Snapshot(self.view, row.number, synced_at, watermark, layout, row.entities or 0, plan)

    def fetch(self, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
        """The entities of some ids, at most MAX_IDS_PER_STATEMENT of them, by one statement."""
        self.connection.budget.is_new = True
        if len(ids) == 1:
            rows = self.connection.execute(self._select_one, ids[0]).fetchall()
            return list(self._entities(rows[:1])) or [None]
        # The next power of two: a statement for each count would be prepared anew each time.
        padded_ids = [*ids, *[ids[-1]] * ((1 << (len(ids) - 1).bit_length()) - len(ids))]
        assert self.tables is not None
        statement = self.tables.select(len(padded_ids))
        rows = self.connection.execute(statement, [part for id in padded_ids for part in id]).fetchall()
        entities_by_id = {entity.id: entity for entity in self._entities(rows)}
        return [entities_by_id.get(id) for id in ids]

    def scan(self, columns: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """All rows in the order of their entity ids: the id, a tuple, then the values of some columns."""
        assert self.tables is not None
        layout, width = self.tables.layout, self._width
        known, found = (*layout.keys, *layout.features), []
        for name in columns:
            column = find_column(name, known)
            if column is None:
                raise KeyError(name)
            found.append(known.index(column))
        names = [*self.tables.keys, *(f"f{place - width}" for place in found if place >= width)]
        unpack = [
            (at, how)
            for at, place in enumerate([place for place in found if place >= width], width)
            if (how := decoder(known[place]))
        ]
        further = iter(range(width, len(names)))
        taken = [place if place < width else next(further) for place in found]
        rows = self._limited_rows(
            f"SELECT {', '.join(names)} FROM rows ORDER BY {', '.join(self.tables.keys)}",
        )
        if taken == [*range(width, len(names))]:
            return ((row[:width], *_decode(row, unpack)[width:]) for row in rows)
        decoded = ((row[:width], _decode(row, unpack)) for row in rows)
        return ((id, *(values[at] for at in taken)) for id, values in decoded)

    def history(self) -> ViewHistory:
        """The moments of all syncs, and the direct writes that are kept, in the order in which they were made."""
        if self.tables is None:
            return ViewHistory([])
        syncs = self.connection.execute("SELECT synced_at FROM syncs ORDER BY number").fetchall()
        columns = {(column.name, column.type_text): column for column in self.tables.layout.features}
        writes = []
        for *id, feature, type, at, value, _ in self.connection.execute("SELECT * FROM writes ORDER BY sequence"):
            if column := columns.get((feature, type)):
                unpack = decoder(column)
                writes.append(
                    DirectWrite(tuple(id), feature, unpack(value) if unpack else value, from_microseconds(at))
                )
        return ViewHistory([from_microseconds(at) for (at,) in syncs], writes)

    def _entities(self, rows: Iterable[Any]) -> Iterator[ServedEntity]:
        """The entities of rows. Raises StoreError for values that nobody wrote; the ids, which were found, fit."""
        try:
            yield from map(self._entity, rows)
        except DAMAGE_ERRORS as fault:
            raise damaged_store(self.file) from fault

    def _entity(self, row: Sequence[Stored]) -> ServedEntity:
        values: dict[str, Value] = dict(zip(self._names, row[self._first :], strict=True))
        for name, unpack in self._unpack:
            if (value := values[name]) is not None:
                values[name] = unpack(value)  # type: ignore[arg-type]
        if self._doubles and bytes in map(type, self._doubles(row)):
            values |= {name: float("nan") for name in self._double_names if isinstance(values[name], bytes)}
        width = self._width
        return ServedEntity(row[:width], values, _newest_timestamp(row[width : self._first]))  # type: ignore[arg-type]

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
            row = read_snapshot_row(connection)
            if row is not None:
                tables = None if row.layout is None else tables_of(row.layout)
                layout_tables = f"{tables.tables} {tables.index};" if tables else FIXED_TABLES
                database.require_schema(connection, layout_tables)
                if row.view != view:
                    raise damaged_store(file)
                return ViewFile(connection, view, tables)
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

    def part(self, since: int) -> str:
        """The file of a load of this process, until it is put in place; its name says who loads, and since when."""
        return str(self.folder / f"{self._name}.{since}.{os.getpid()}.part")

    def numbers(self) -> list[int]:
        """The numbers of the files that are there, in their order. Raises StoreError."""
        return sorted(int(match[1]) for match in self._matches(r"([0-9]{1,18})\.db"))

    def running(self) -> tuple[datetime, int] | None:
        """Since when a load is made, by which process."""
        for match in self._matches(r"(-?[0-9]{1,18})\.([0-9]{1,10})\.part"):
            try:
                return from_microseconds(int(match[1])), int(match[2])
            except OverflowError:
                continue
        return None

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
            self._refuse_former(key)
            return None

    def _refuse_former(self, key: Callable[[], bytes]) -> None:
        """See that no file of an earlier version has the values of the view. Raises StoreError."""
        former = str(self.folder / f"{file_name(self.view.rpartition('/featureViews/')[0])}.db")
        if os.path.lexists(former):
            database.connect(former, key(), FORMAT).close()
            raise damaged_store(former)

    def clear(self, served: ViewFile | None) -> None:
        """Remove all files but the one that is served; only with the lock of the view.

        Where a system removes no file that is being read, the next load does it. Raises StoreError for a file that
        would be served next, in the place of the next load.
        """
        for match in self._matches(r"(?:[0-9]{1,18}\.db|-?[0-9]{1,18}\.[0-9]{1,10}\.part)"):
            file = str(self.folder / match.string)
            if not served or file != served.file:
                remove_file(file)
        for match in self._matches(r"([0-9]{1,18}\.db|-?[0-9]{1,18}\.[0-9]{1,10}\.part)-(?:wal|shm)"):
            if not os.path.lexists(self.folder / f"{self._name}.{match[1]}"):
                remove_file(str(self.folder / match.string))
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


@lru_cache(maxsize=64)
def _id_condition(keys: tuple[str, ...], count: int) -> str:
    if count == 1:
        return " AND ".join(f"{key} = ?" for key in keys)
    if len(keys) == 1:
        return f"{keys[0]} IN ({', '.join('?' * count)})"
    marks = f"({', '.join('?' * len(keys))})"
    return f"({', '.join(keys)}) IN (VALUES {', '.join([marks] * count)})"


def _decode(row: Sequence[Stored], unpack: Sequence[tuple[int, Unpack]]) -> Sequence[object]:
    if not unpack:
        return row
    values: list[object] = [*row]
    for at, how in unpack:
        if (value := row[at]) is not None:
            values[at] = how(value)
    return values


def _newest_timestamp(moments: Sequence[Stored]) -> datetime | None:
    """The newest of some moments, the first of which is that of direct writes, which most rows have none of."""
    timestamps = [moment for moment in moments if moment is not None]
    return from_microseconds(max(timestamps)) if timestamps else None  # type: ignore[arg-type]
