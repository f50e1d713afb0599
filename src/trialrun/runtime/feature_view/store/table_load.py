"""Loading a view: rows are put beside those that are served, and served all at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.batches import list_positions, split_rows
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store import direct_write, sql_statements, temp_tables, value_codec
from trialrun.runtime.feature_view.store.database import Connection, transaction
from trialrun.runtime.feature_view.store.digest import read_view_row, sign_view_row
from trialrun.runtime.feature_view.store.interface import RowLayout, RowLoad, StoreError, SyncCounts
from trialrun.runtime.feature_view.store.sql_statements import RowTable, same_id
from trialrun.runtime.feature_view.store.store_errors import map_errors

BATCH_SIZE = 25_000
"""Rows of a transaction at most: between two of them others may write. An incremental load of no more is put into the
rows that are served, so that it takes time for itself only, and not for all that stays."""


@dataclass(frozen=True)
class ServedState:
    """What is served when a load begins: the table, and the direct writes with the number of the last one."""

    table: RowTable | None
    log: str | None
    number: int
    sequence: int


@dataclass(frozen=True)
class StagedRows:
    """Rows that are all there and not served yet: all that will be served, or what is to be put `into` what is."""

    table: RowTable
    counts: SyncCounts
    target: RowTable | None = None


def stage(connection: Connection, view: str, load: RowLoad, before: ServedState) -> StagedRows:
    """Put the rows of a load, and what stays of those before, into a table of their own."""
    new_table = _create_table(connection, view, load.layout)
    read = _insert_rows(connection, new_table, load)
    old = before.table if before.table and has_same_ids(before.table.layout, load.layout) else None
    with transaction(connection):
        if old and before.log:
            direct_write.update_rows(connection, new_table, before.log, 0)
    connection.budget.fit(connection.file)
    with map_errors(connection.file, connection.budget):
        compared = compare_tables(connection, new_table, before.table, is_comparable=old is not None)
    if old and load.incremental and read <= BATCH_SIZE and old.layout == load.layout and not load.before_serving:
        return StagedRows(new_table, _counts(read, read, compared, load), target=old)
    with transaction(connection):
        kept_count = (
            keep_entities(connection, new_table, old) if old and (load.keep_vanished or load.incremental) else 0
        )
        written = direct_write.apply_writes(connection, new_table, before.log, 0) if old and before.log else 0
    return StagedRows(new_table, _counts(read, read + kept_count + written, compared, load))


def swap(connection: Connection, view: str, load: RowLoad, staged: StagedRows, before: ServedState) -> SyncCounts:
    """Serve staged rows from now on, in one small transaction."""
    with transaction(connection):
        rows, log = _served_tables(connection, view)
        log = log if before.table is None or has_same_ids(before.table.layout, load.layout) else None
        served = staged.target or staged.table
        if staged.target:
            upsert_rows(connection, staged.table, staged.target)
        elif rows:
            temp_tables.set_aside(connection, rows)
        written = direct_write.apply_writes(connection, served, log, before.sequence) if log else 0
        entities = count_rows(connection, served) if staged.target else staged.counts.entities + written
        _update_view_row(connection, view, load, served, before.number + load.is_sync, entities, log)
    return replace(staged.counts, entities=entities)


def _served_tables(connection: Connection, view: str) -> tuple[str | None, str | None]:
    """The tables of the rows that are served and of their direct writes."""
    row = read_view_row(connection, view)
    return (row.rows, row.writes) if row else (None, None)


def has_same_ids(first: RowLayout, second: RowLayout) -> bool:
    """Whether entity ids of two layouts can be the same."""
    return [column.type for column in first.keys] == [column.type for column in second.keys]


def _create_table(connection: Connection, view: str, layout: RowLayout) -> RowTable:
    most = connection.getlimit(sqlite3.SQLITE_LIMIT_COLUMN)
    with transaction(connection):
        new_table = RowTable(temp_tables.new_name(connection, view, "rows"), layout)
        if len(new_table.columns) > most:
            raise StoreError(
                f"{len(layout.features):,} features make a row of {len(new_table.columns):,} columns; SQLite has at "
                f"most {most:,}; split the features over several views"
            )
        connection.execute(sql_statements.create(new_table))
    return new_table


def _insert_rows(connection: Connection, new_table: RowTable, load: RowLoad) -> int:
    statement = sql_statements.insert(new_table, value_codec.to_microseconds(load.synced_at))
    pack, read = value_codec.row_encoder(load.layout), 0
    lists = list_positions(load.layout.features, load.layout.feature_start)
    for rows in split_rows(load.rows, BATCH_SIZE, lists):
        ready = pack(rows)
        with transaction(connection):
            _insert_batch(connection, statement, ready)
        read += len(rows)
    with transaction(connection):
        _make_ids_unique(connection, new_table)
    return read


def _insert_batch(connection: Connection, statement: str, rows: Iterable[Sequence[object]]) -> None:
    try:
        connection.executemany(statement, rows)
    except sqlite3.IntegrityError as fault:
        raise StoreError("a loaded row has no entity id; remove such rows first") from fault


def _make_ids_unique(connection: Connection, new_table: RowTable) -> None:
    """Make the index when all rows are there, which takes a seventh of the time where they come in no order."""
    try:
        connection.execute(sql_statements.create_index(new_table))
    except sqlite3.IntegrityError as fault:
        raise StoreError("two loaded rows have the same entity id; choose one of them first") from fault


def _counts(read: int, entities: int, compared: ComparisonCounts, load: RowLoad) -> SyncCounts:
    return SyncCounts(
        read=read,
        entities=entities,
        new=read - compared.served_before,
        changed=compared.differing,
        unchanged=compared.served_before - compared.differing,
        vanished=0 if load.incremental else compared.read_before - compared.read_by_both,
    )


def _update_view_row(
    connection: Connection, view: str, load: RowLoad, new_table: RowTable, number: int, entities: int, log: str | None
) -> None:
    watermark = load.watermark()
    synced_at = value_codec.to_microseconds(load.synced_at)
    newest = None if watermark is None else value_codec.to_microseconds(watermark)
    layout = sql_statements.serialize_layout(load.layout)
    connection.execute(
        "INSERT OR REPLACE INTO views VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        (view, number, new_table.name, synced_at, newest, layout, entities, load.plan, log),
    )
    sign_view_row(connection, view)
    if load.is_sync:
        connection.execute("INSERT INTO syncs VALUES (?, ?, ?)", (view, number, synced_at))


def keep_entities(connection: sqlite3.Connection, new_table: RowTable, old: RowTable) -> int:
    """Add the entities of an older table that a sync read once and this one did not; how many."""
    columns = _carried_columns(new_table, old)
    return connection.execute(
        f"INSERT INTO {new_table.name} ({', '.join(columns)}) SELECT {', '.join(columns.values())} FROM {old.name} AS "
        f"o WHERE o.r NOT NULL AND NOT EXISTS (SELECT 1 "
        f"FROM {new_table.name} AS n WHERE {same_id(new_table, 'o', 'n')})"
    ).rowcount


def upsert_rows(connection: sqlite3.Connection, new_table: RowTable, served: RowTable) -> None:
    """Put the rows of a table into another one of the same columns, in the place of those with their entity ids."""
    columns = ", ".join(new_table.columns)
    changed = ", ".join(f"{column} = excluded.{column}" for column in new_table.columns[len(new_table.keys) :])
    connection.execute(
        f"INSERT INTO {served.name} ({columns}) SELECT {columns} FROM {new_table.name} WHERE true "
        f"ON CONFLICT ({', '.join(new_table.keys)}) DO UPDATE SET {changed}"
    )


def count_rows(connection: sqlite3.Connection, table: RowTable) -> int:
    """How many entities a table has."""
    return int(connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0])


def _carried_columns(new_table: RowTable, old: RowTable) -> dict[str, str]:
    """The columns of a table by what they are in an older one, whose features may be others."""
    old_positions = {(column.name, column.type, column.repeated): at for at, column in enumerate(old.layout.features)}
    columns = {key: f"o.{key}" for key in [*new_table.keys, "r", "w"]}
    moments: dict[str, set[str]] = {moment: set() for moment in new_table.timestamps}
    for place, column in enumerate(new_table.layout.features):
        at = old_positions.get((column.name, column.type, column.repeated))
        if at is not None:
            columns[f"f{place}"] = f"o.f{at}"
            moments[new_table.timestamp_of(place)].add(f"o.{old.timestamp_of(at)}")
    return columns | {moment: _max_or_null(sorted(of)) for moment, of in moments.items()}


def _max_or_null(moments: list[str]) -> str:
    if len(moments) < 2:
        return next(iter(moments), "NULL")
    return f"nullif(max({', '.join(f'ifnull({moment}, {-(2**63)})' for moment in moments)}), {-(2**63)})"


NUMBERS = {"BOOL", "INT64", "DOUBLE"}


@dataclass(frozen=True, slots=True)
class ComparisonCounts:
    """How many entities earlier syncs had read; this one read and were served; were read by both; and differ."""

    read_before: int = 0
    served_before: int = 0
    read_by_both: int = 0
    differing: int = 0


def compare_tables(
    connection: sqlite3.Connection, new_table: RowTable, old: RowTable | None, *, is_comparable: bool
) -> ComparisonCounts:
    """Compare the rows that a load read, and nothing else yet, with those before; ids may not be comparable."""
    if old is None:
        return ComparisonCounts()
    (read_before,) = connection.execute(f"SELECT count(r) FROM {old.name}").fetchone()
    if not is_comparable:
        return ComparisonCounts(read_before)
    counts = connection.execute(
        f"SELECT count(*), count(o.r), ifnull(sum({_differs_condition(new_table, old)}), 0) FROM {new_table.name} AS n "
        f"CROSS JOIN {old.name} AS o WHERE {same_id(new_table, 'n', 'o')}"
    ).fetchone()
    return ComparisonCounts(read_before, *counts)


def _differs_condition(new_table: RowTable, old: RowTable) -> str:
    was = {column.name: (f"o.f{at}", column) for at, column in enumerate(old.layout.features)}
    conditions = []
    for place, column in enumerate(new_table.layout.features):
        name, before = was.pop(column.name, ("NULL", column))
        conditions.append(_value_differs(f"n.f{place}", column, name, before))
    conditions += [f"{name} NOT NULL" for name, _ in was.values()]
    return " OR ".join(conditions) or "0"


def _value_differs(new: str, column: Column, old: str, before: Column) -> str:
    same = column.repeated == before.repeated and (
        column.type == before.type or (not column.repeated and {column.type, before.type} <= NUMBERS)
    )
    return f"{new} IS NOT {old}" if same else f"{new} NOT NULL OR {old} NOT NULL"
