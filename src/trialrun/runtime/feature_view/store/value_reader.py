"""Reading the rows that are served: by entity id, and all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column, find_column
from trialrun.runtime.feature_view.store import sql_statements, value_codec
from trialrun.runtime.feature_view.store.budget import store_size
from trialrun.runtime.feature_view.store.database import Connection
from trialrun.runtime.feature_view.store.digest import read_view_row
from trialrun.runtime.feature_view.store.interface import EntityId, ServedEntity, Snapshot, Value
from trialrun.runtime.feature_view.store.sql_statements import RowTable
from trialrun.runtime.feature_view.store.store_errors import damaged_store
from trialrun.runtime.feature_view.store.value_codec import Stored

BATCH_SIZE = 1000
MIN_ROW_SIZE = 4
"""Bytes that a row takes at least."""
MAX_IDS_PER_STATEMENT = 256
"""How many entities one statement asks for."""
Unpack = Callable[[Stored], Value]


@dataclass(frozen=True)
class RowReader:
    """What is needed to read the rows of a table: its statement for one entity, and how values are unpacked.

    `doubles` takes the doubles out of a row, of which one in a million is NaN: all of them are looked at at once.
    """

    table: RowTable
    statement: str
    names: tuple[str, ...]
    unpack: tuple[tuple[str, Unpack], ...]
    doubles: Callable[[Sequence[Stored]], tuple[Stored, ...]] | None
    width: int
    first: int

    def to_entity(self, row: Sequence[Stored]) -> ServedEntity:
        """An entity, of the row that the statement gave."""
        values: dict[str, Value] = dict(zip(self.names, row[self.first :], strict=True))
        for name, unpack in self.unpack:
            if (value := values[name]) is not None:
                values[name] = unpack(value)  # type: ignore[arg-type]
        if self.doubles and bytes in map(type, self.doubles(row)):
            self._restore_nan(values)
        width = self.width
        return ServedEntity(row[:width], values, _newest_timestamp(row[width : self.first]))  # type: ignore[arg-type]

    def _restore_nan(self, values: dict[str, Value]) -> None:
        for column in self.table.layout.features:
            if column.type == "DOUBLE" and isinstance(values[column.name], bytes):
                values[column.name] = float("nan")


def read_snapshot(connection: Connection, view: str) -> tuple[RowTable, Snapshot] | None:
    """The snapshot of a view and its table, None before the first sync."""
    row = read_view_row(connection, view)
    if row is None or row.rows is None:
        return None
    of = _table(row.rows, row.layout or "")
    layout = of.layout
    _require_table(connection, of, _statements(row.rows, row.layout or ""))
    newest = None if row.watermark is None else value_codec.from_microseconds(row.watermark)
    synced_at = value_codec.from_microseconds(row.synced_at or 0)
    return of, Snapshot(view, row.number, synced_at, newest, layout, row.entities or 0, row.plan or "")


@lru_cache(maxsize=256)
def _table(name: str, layout: str) -> RowTable:
    return RowTable(name, sql_statements.parse_layout(layout))


@lru_cache(maxsize=256)
def _statements(name: str, layout: str) -> frozenset[str]:
    """The statements that make a table and its index, as SQLite keeps them."""
    of = _table(name, layout)
    return frozenset((sql_statements.create(of), sql_statements.create_index(of)))


def _require_table(connection: Connection, of: RowTable, expected: frozenset[str]) -> None:
    """See that the table of a snapshot has the columns of its layout, and its index. Raises StoreError."""
    statements = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE tbl_name = ?", (of.name,))}
    if statements != expected:
        raise damaged_store(connection.file)


def row_reader(of: RowTable) -> RowReader:
    """The reader of a table."""
    layout = of.layout
    first = len(layout.keys) + 1 + layout.timestamp_count
    doubles = [at for at, column in enumerate(layout.features, first) if is_double(column)]
    unpack = [(column.name, value_codec.decoder(column)) for column in layout.features if not is_double(column)]
    return RowReader(
        of,
        sql_statements.select(of, 1),
        tuple(column.name for column in layout.features),
        tuple((name, how) for name, how in unpack if how),
        itemgetter(*doubles, doubles[0]) if doubles else None,
        len(layout.keys),
        first,
    )


def is_double(column: Column) -> bool:
    """Whether a column has doubles, one in each row."""
    return column.type == "DOUBLE" and not column.repeated


def fetch_entities(connection: Connection, reader: RowReader, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
    """The entities of some ids, at most AT_ONCE of them, by one statement."""
    connection.budget.is_new = True
    if len(ids) == 1:
        rows = connection.execute(reader.statement, ids[0]).fetchall()
        return list(_to_entities(connection, reader, rows[:1])) or [None]
    padded_ids = [*ids, *[ids[-1]] * (_next_power_of_two(len(ids)) - len(ids))]
    statement = sql_statements.select(reader.table, len(padded_ids))
    rows = connection.execute(statement, [part for id in padded_ids for part in id]).fetchall()
    entities_by_id = {served.id: served for served in _to_entities(connection, reader, rows)}
    return [entities_by_id.get(id) for id in ids]


def _to_entities(connection: Connection, reader: RowReader, rows: Iterable[Any]) -> Iterator[ServedEntity]:
    """The entities of rows. Raises StoreError for values that nobody wrote: the ids, which were found, are sound."""
    try:
        yield from map(reader.to_entity, rows)
    except (OverflowError, UnicodeError) as fault:
        raise damaged_store(connection.file) from fault


def scan_rows(connection: Connection, of: RowTable, columns: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """All rows of a table in the order of their entity ids: the id, a tuple, then the values of some columns."""
    column_indexes, keys = [_column_index(of, name) for name in columns], len(of.layout.keys)
    places = [place - keys for place in column_indexes if place >= keys]
    unpack = [(at, value_codec.decoder(of.layout.features[place])) for at, place in enumerate(places, keys)]
    needed = [(at, how) for at, how in unpack if how]
    rows = _limited_rows(connection, sql_statements.scan(of, places))
    if len(places) == len(column_indexes):
        return ((row[:keys], *_decode_row(row, needed)[keys:]) for row in rows)
    further = iter(range(keys, keys + len(places)))
    taken = [place if place < keys else next(further) for place in column_indexes]
    values = ((row[:keys], _decode_row(row, needed)) for row in rows)
    return ((id, *(unpacked[at] for at in taken)) for id, unpacked in values)


def _limited_rows(connection: Connection, statement: str) -> Iterator[tuple[Stored, ...]]:
    """The rows of a statement, which are no more than fit into the file: damage can make them come again and again."""
    connection.budget.fit(connection.file)
    most = store_size(connection.file) // MIN_ROW_SIZE
    done, count = connection.execute(statement), 0
    while batch := done.fetchmany(BATCH_SIZE):
        count += len(batch)
        if count > most:
            raise damaged_store(connection.file)
        yield from batch
        connection.budget.renew()


def _column_index(of: RowTable, name: str) -> int:
    """The place of a column among the entity id's and the features."""
    columns = (*of.layout.keys, *of.layout.features)
    column = find_column(name, columns)
    if column is None:
        raise KeyError(name)
    return columns.index(column)


def _decode_row(row: Sequence[Stored], needed: Sequence[tuple[int, Unpack]]) -> Sequence[object]:
    if not needed:
        return row
    values: list[object] = [*row]
    for at, unpack in needed:
        if (value := row[at]) is not None:
            values[at] = unpack(value)
    return values


def _newest_timestamp(moments: Sequence[Stored]) -> datetime | None:
    """The newest of some moments, the first of which is that of direct writes, which most rows have none of."""
    timestamps = [moment for moment in moments if moment is not None]
    return value_codec.from_microseconds(max(timestamps)) if timestamps else None  # type: ignore[arg-type]


def _next_power_of_two(count: int) -> int:
    """The next power of two: a statement for each count would be prepared anew each time."""
    return 1 << (count - 1).bit_length()
