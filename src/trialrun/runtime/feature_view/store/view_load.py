"""Loading a view: rows are put into a new file, and served all at once."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime

from trialrun.runtime.feature_view.batches import list_positions, split_rows
from trialrun.runtime.feature_view.store import database, direct_write
from trialrun.runtime.feature_view.store.database import Connection, map_errors, transaction
from trialrun.runtime.feature_view.store.direct_write import LEAST
from trialrun.runtime.feature_view.store.interface import RowLoad, StoreError, SyncCounts
from trialrun.runtime.feature_view.store.value_codec import row_encoder, serialize_layout, to_microseconds
from trialrun.runtime.feature_view.store.view_file import (
    FIXED_TABLES,
    FORMAT,
    SnapshotRow,
    ViewFile,
    ViewPlace,
    ViewTables,
    read_snapshot_row,
    remove_file,
)

BATCH_SIZE = 25_000
"""Rows that are written at a time. An incremental load of no more is put into the file that is served, so that it takes
time for itself only, and not for all that stays."""
STAGING = "BEGIN"
"""How a transaction begins that writes into the new file alone: those who write into the served one do not wait."""
NUMBERS = {"BOOL", "INT64", "DOUBLE"}


def load_view(place: ViewPlace, load: RowLoad, before: ViewFile | None, key: bytes, *, is_durable: bool) -> SyncCounts:
    """Serve other rows in the place of the file that is served; call it with the lock of the view.

    Raises StoreError, and what the rows and `before_serving` raise; then what was served is as it was.
    """
    tables = ViewTables(load.layout)
    _require_columns(tables)
    title = before.file if before else place.numbered(1)
    with _new_file(place.part(to_microseconds(load.synced_at)), key, tables.tables, title) as connection:
        read = _insert_rows(connection, tables, load)
        number, sequence, old = _attach(connection, tables, before)
        number += load.is_sync
        counts = _compare(connection, tables, old, load, read)
        is_small = load.incremental and read <= BATCH_SIZE and not load.before_serving
        if old and is_small and old.layout == load.layout:
            entities = _upsert(connection, tables, place.view, load, number, sequence)
            return replace(counts, entities=entities)
        with transaction(connection, STAGING):
            entities = read
            if old and (load.keep_vanished or load.incremental):
                entities += _keep_entities(connection, tables, old)
            if old:
                entities += direct_write.apply_writes(connection, tables, "main.rows", "old.writes", 0)
        if load.before_serving:
            load.before_serving(number, lambda columns: _scan_part(connection.file, key, tables, columns))
        watermark = load.watermark()
        if before and is_durable:  # so that those who write wait for the last few pages only
            with map_errors(title):
                database.flush(connection.file)
        with transaction(before.connection) if before else nullcontext():
            with transaction(connection, STAGING):
                if old:
                    entities += direct_write.apply_writes(connection, tables, "main.rows", "old.writes", sequence)
                    connection.execute("INSERT INTO main.writes SELECT * FROM old.writes")
                if connection.attached:
                    connection.execute("INSERT INTO main.syncs SELECT * FROM old.syncs")
                _describe(connection, "main", place.view, load, number, entities, watermark)
            _publish(connection, place, before, is_durable=is_durable)
        return replace(counts, entities=entities)


def remove_view(place: ViewPlace, before: ViewFile, key: bytes, *, is_durable: bool) -> None:
    """Serve nothing in the place of the file that is served; call it with the lock of the view. Raises StoreError."""
    part = place.part(time.time_ns() // 1000)
    with _new_file(part, key, FIXED_TABLES, before.file) as connection, transaction(before.connection):
        row = read_snapshot_row(before.connection)
        with transaction(connection):
            number = row.number if row else 0
            SnapshotRow(place.view, number, None, None, None, None, None).write(connection, "main")
        _publish(connection, place, before, is_durable=is_durable)


@contextmanager
def _new_file(part: str, key: bytes, tables: str, title: str) -> Iterator[Connection]:
    """A connection to a new file, which is removed in the end unless it was put in place."""
    try:
        with map_errors(title):
            connection = database.create(part, key, FORMAT, tables)
        connection.title = title
        with closing(connection):
            yield connection
    finally:
        remove_file(part)


def _require_columns(tables: ViewTables) -> None:
    """See that SQLite can have the rows of a layout. Raises StoreError."""
    with closing(sqlite3.connect(":memory:")) as probe:
        most = probe.getlimit(sqlite3.SQLITE_LIMIT_COLUMN)
    if len(tables.columns) > most:
        raise StoreError(
            f"{len(tables.features):,} features make a row of {len(tables.columns):,} columns; SQLite has at "
            f"most {most:,}; split the features over several views"
        )


def _publish(connection: Connection, place: ViewPlace, before: ViewFile | None, *, is_durable: bool) -> None:
    """Put the new file in place and retire the one before it, whose transaction the caller has begun."""
    number = max(place.numbers(), default=0) + 1
    with map_errors(connection.title):
        if connection.attached:
            connection.execute("DETACH old")
        database.publish(connection, place.numbered(number), is_durable=is_durable)
        if before:
            before.connection.execute("DELETE FROM snapshot")
            if before.tables:
                before.connection.execute("ALTER TABLE rows RENAME TO retired")


def _insert_rows(connection: Connection, tables: ViewTables, load: RowLoad) -> int:
    """Insert the rows of a load; how many. The index is made when all are there, which takes a seventh of the time."""
    columns = [*tables.keys, *tables.timestamps, *tables.features]
    marks = ", ".join("?" * len(columns))
    statement = f"INSERT INTO rows ({', '.join(columns)}, r) VALUES ({marks}, {to_microseconds(load.synced_at)})"
    pack, read = row_encoder(load.layout), 0
    for rows in split_rows(load.rows, BATCH_SIZE, list_positions(load.layout.features, load.layout.feature_start)):
        ready = pack(rows)
        with transaction(connection):
            try:
                connection.executemany(statement, ready)
            except sqlite3.IntegrityError as fault:
                raise StoreError("a loaded row has no entity id; remove such rows first") from fault
        read += len(rows)
    with transaction(connection):
        try:
            connection.execute(tables.index)
        except sqlite3.IntegrityError as fault:
            raise StoreError("two loaded rows have the same entity id; choose one of them first") from fault
    return read


def _attach(connection: Connection, tables: ViewTables, before: ViewFile | None) -> tuple[int, int, ViewTables | None]:
    """Have statements read the served file as `old`, and put its direct writes into the rows that a load read.

    Gives the number of the snapshot before, that of the last direct write, and the tables before, where entity ids of
    both can be the same.
    """
    if before is None:
        return 0, 0, None
    with transaction(before.connection):
        row = read_snapshot_row(before.connection)
        number = row.number if row else 0
        if before.tables is None:
            return number, 0, None
        direct_write.delete_superseded(before.connection, before.tables)
        sequence = direct_write.last_sequence(before.connection)
    with map_errors(before.file):
        connection.execute("ATTACH ? AS old", (database.file_uri(before.file),))
        connection.execute("PRAGMA old.cache_size = 60")  # pages, enough for the inner ones of an index
    connection.attached = before.file
    if [column.type for column in before.tables.layout.keys] != [column.type for column in tables.layout.keys]:
        return number, 0, None
    with transaction(connection, STAGING):
        direct_write.update_rows(connection, tables, "main.rows", "old.writes", 0)
    return number, sequence, before.tables


def _compare(
    connection: Connection, tables: ViewTables, old: ViewTables | None, load: RowLoad, read: int
) -> SyncCounts:
    """Compare the rows that a load read, and the direct writes that stay, with what is served; ids may be others."""
    read_before = served_before = read_by_both = differing = 0
    connection.renew_budget()
    with map_errors(connection.title, connection.budget):
        if connection.attached:
            (read_before,) = connection.execute("SELECT count(r) FROM old.rows").fetchone()
        if old:
            served_before, read_by_both, differing = connection.execute(
                f"SELECT count(*), count(o.r), ifnull(sum({_differs(tables, old)}), 0) FROM main.rows AS n "
                f"CROSS JOIN old.rows AS o WHERE {tables.same_id('n', 'o')}"
            ).fetchone()
    return SyncCounts(
        read=read,
        new=read - served_before,
        changed=differing,
        unchanged=served_before - differing,
        vanished=0 if load.incremental else read_before - read_by_both,
    )


def _upsert(connection: Connection, tables: ViewTables, view: str, load: RowLoad, number: int, sequence: int) -> int:
    """Put the rows into the file that is served, in one transaction; how many entities it has then."""
    columns, watermark = ", ".join(tables.columns), load.watermark()
    changed = ", ".join(f"{column} = excluded.{column}" for column in tables.columns[len(tables.keys) :])
    with transaction(connection):
        connection.execute(
            f"INSERT INTO old.rows ({columns}) SELECT {columns} FROM main.rows WHERE true "
            f"ON CONFLICT ({', '.join(tables.keys)}) DO UPDATE SET {changed}"
        )
        direct_write.apply_writes(connection, tables, "old.rows", "old.writes", sequence)
        (entities,) = connection.execute("SELECT count(*) FROM old.rows").fetchone()
        _describe(connection, "old", view, load, number, entities, watermark)
    return int(entities)


def _keep_entities(connection: Connection, tables: ViewTables, old: ViewTables) -> int:
    """Add the entities that a sync read once and this one did not; how many. Their features may be others."""
    places = {(column.name, column.type, column.repeated): at for at, column in enumerate(old.layout.features)}
    columns = {key: f"o.{key}" for key in [*tables.keys, "r", "w"]}
    moments: dict[str, set[str]] = {moment: set() for moment in tables.timestamps}
    for place, column in enumerate(tables.layout.features):
        at = places.get((column.name, column.type, column.repeated))
        if at is not None:
            columns[f"f{place}"] = f"o.f{at}"
            moments[tables.timestamp_of(place)].add(f"o.{old.timestamp_of(at)}")
    for moment, of in moments.items():
        newest = ", ".join(f"ifnull({one}, {LEAST})" for one in sorted(of))
        columns[moment] = f"nullif(max({newest}), {LEAST})" if len(of) > 1 else next(iter(of), "NULL")
    return connection.execute(
        f"INSERT INTO main.rows ({', '.join(columns)}) SELECT {', '.join(columns.values())} FROM old.rows AS o "
        f"WHERE o.r NOT NULL AND NOT EXISTS (SELECT 1 FROM main.rows AS n WHERE {tables.same_id('o', 'n')})"
    ).rowcount


def _describe(
    connection: Connection,
    schema: str,
    view: str,
    load: RowLoad,
    number: int,
    entities: int,
    watermark: datetime | None,
) -> None:
    """Say what a file is of from now on, in the transaction of the caller."""
    synced_at = to_microseconds(load.synced_at)
    newest = None if watermark is None else to_microseconds(watermark)
    layout = serialize_layout(load.layout)
    SnapshotRow(view, number, synced_at, newest, layout, entities, load.plan).write(connection, schema)
    if load.is_sync:
        connection.execute(f"INSERT INTO {schema}.syncs VALUES (?, ?)", (number, synced_at))


def _scan_part(part: str, key: bytes, tables: ViewTables, columns: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """All rows of a file that is not served yet."""
    connection = database.open_connection(part, key)
    with closing(connection), database.map_read_errors(part, connection.budget):
        yield from ViewFile(connection, "", tables).scan(columns)


def _differs(tables: ViewTables, old: ViewTables) -> str:
    """The condition that an entity is served otherwise than before."""
    was = {column.name: (f"o.f{at}", column) for at, column in enumerate(old.layout.features)}
    conditions = []
    for place, column in enumerate(tables.layout.features):
        name, before = was.pop(column.name, ("NULL", column))
        is_comparable = column.repeated == before.repeated and (
            column.type == before.type or (not column.repeated and {column.type, before.type} <= NUMBERS)
        )
        both = f"n.f{place} IS NOT {name}" if is_comparable else f"n.f{place} NOT NULL OR {name} NOT NULL"
        conditions.append(both)
    conditions += [f"{name} NOT NULL" for name, _ in was.values()]
    return " OR ".join(conditions) or "0"
