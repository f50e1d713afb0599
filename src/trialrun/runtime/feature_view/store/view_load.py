"""What is put into a view: the rows of a load, which are served all at once, and direct writes, each as it comes.

Rows are put into a new file. The newest moment of each feature wins, whether a sync or a direct write brought it: a
write that wins is put into the row that is served, and kept beside with its moment. The next load puts those into its
rows that are not older than the values it read, so the answer is the same before and after it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.column import Column, list_positions, split_rows
from trialrun.runtime.feature_view.store import database
from trialrun.runtime.feature_view.store.database import Connection, map_errors, transaction
from trialrun.runtime.feature_view.store.interface import DirectWrite, RowLayout, RowLoad, Snapshot, SyncCounts
from trialrun.runtime.feature_view.store.value_codec import check_write, encode_rows, is_comparable, to_microseconds
from trialrun.runtime.feature_view.store.view_file import (
    FIXED_TABLES,
    FORMAT,
    ViewFile,
    ViewPlace,
    ViewTables,
    read_snapshot,
    remove_file,
    write_snapshot,
)

BATCH_SIZE = 25_000
"""Rows that are written at a time. An incremental load of no more is put into the file that is served, so that it takes
time for itself only, and not for all that stays."""
STAGING = "BEGIN"
"""How a transaction begins that writes into the new file alone: those who write into the served one do not wait."""
LEAST = -(2**63)


def load_view(place: ViewPlace, load: RowLoad, before: ViewFile | None, key: bytes, *, is_durable: bool) -> SyncCounts:
    """Serve other rows in the place of the file that is served; call it with the lock of the view.

    Raises StoreError, and what the rows and `before_serving` raise; then what was served is as it was.
    """
    tables = _tables_of(load.layout)
    title = before.file if before else place.numbered(1)
    with _new_file(place.part(load.synced_at), key, tables.tables, title) as connection:
        read = _insert_rows(connection, tables, load)
        number, sequence, old = _attach(connection, tables, before)
        number += load.is_sync
        counts = _compare(connection, tables, old, load, read)
        snapshot = Snapshot(place.view, number, load.synced_at, None, load.layout, read, load.plan)
        is_small = load.incremental and read <= BATCH_SIZE and not load.before_serving
        if old and is_small and old.layout == load.layout:
            snapshot = replace(snapshot, watermark=load.watermark())
            return replace(counts, entities=_update_served(connection, tables, load, snapshot, sequence))
        with transaction(connection, STAGING):
            entities = read
            if old and (load.keep_vanished or load.incremental):
                entities += _keep_entities(connection, tables, old)
            if old:
                entities += _apply_writes(connection, tables, "main.rows", 0)
        if load.before_serving:

            def scan(columns: Sequence[str]) -> Iterator[tuple[object, ...]]:
                part = database.open_connection(connection.file, key)
                with closing(part), database.map_read_errors(part.file, part.budget):
                    yield from ViewFile(part, tables).scan(columns)

            load.before_serving(number, scan)
        watermark = load.watermark()
        if before and is_durable:  # so that those who write wait for the last few pages only
            with map_errors(title):
                database.flush(connection.file)
        with transaction(before.connection) if before else nullcontext():
            with transaction(connection, STAGING):
                if old:
                    entities += _apply_writes(connection, tables, "main.rows", sequence)
                    connection.execute("INSERT INTO main.writes SELECT * FROM old.writes")
                if connection.attached:
                    connection.execute("INSERT INTO main.syncs SELECT * FROM old.syncs")
                _describe(connection, "main", load, replace(snapshot, watermark=watermark, entities=entities))
            _publish(connection, place, before, is_durable=is_durable)
        return replace(counts, entities=entities)


def _tables_of(layout: RowLayout) -> ViewTables:
    """The tables of a layout. Raises StoreError for more columns than SQLite has."""
    tables = ViewTables(layout)
    with closing(sqlite3.connect(":memory:")) as probe:
        most = probe.getlimit(sqlite3.SQLITE_LIMIT_COLUMN)
    if len(tables.columns) > most:
        raise StoreError(
            f"{len(tables.features):,} features make a row of {len(tables.columns):,} columns; SQLite has at "
            f"most {most:,}; split the features over several views"
        )
    return tables


def remove_view(place: ViewPlace, before: ViewFile, key: bytes, *, is_durable: bool) -> None:
    """Serve nothing in the place of the file that is served; call it with the lock of the view. Raises StoreError."""
    now = datetime.now(UTC)
    with _new_file(place.part(now), key, FIXED_TABLES, before.file) as connection, transaction(before.connection):
        snapshot = read_snapshot(before.connection)
        with transaction(connection):
            number = snapshot.number if snapshot else 0
            write_snapshot(connection, "main", Snapshot(place.view, number, now, None, RowLayout((), ()), 0))
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


def _update_served(connection: Connection, tables: ViewTables, load: RowLoad, snapshot: Snapshot, sequence: int) -> int:
    """Put the rows of a small load into the file that is served; how many entities it has then."""
    columns = ", ".join(tables.columns)
    changed = ", ".join(f"{column} = excluded.{column}" for column in tables.columns[len(tables.keys) :])
    with transaction(connection):
        connection.execute(
            f"INSERT INTO old.rows ({columns}) SELECT {columns} FROM main.rows WHERE true "
            f"ON CONFLICT ({', '.join(tables.keys)}) DO UPDATE SET {changed}"
        )
        _apply_writes(connection, tables, "old.rows", sequence)
        entities: int = connection.execute("SELECT count(*) FROM old.rows").fetchone()[0]
        _describe(connection, "old", load, replace(snapshot, entities=entities))
    return entities


def _describe(connection: Connection, schema: str, load: RowLoad, snapshot: Snapshot) -> None:
    write_snapshot(connection, schema, snapshot)
    if load.is_sync:
        sync = snapshot.number, to_microseconds(load.synced_at)
        connection.execute(f"INSERT INTO {schema}.syncs VALUES (?, ?)", sync)


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
    """Insert the rows of a load; how many."""
    columns = [*tables.keys, *tables.timestamps, *tables.features]
    marks = ", ".join("?" * len(columns))
    statement = f"INSERT INTO rows ({', '.join(columns)}, r) VALUES ({marks}, {to_microseconds(load.synced_at)})"
    read = 0
    for rows in split_rows(load.rows, BATCH_SIZE, list_positions(load.layout.features, load.layout.feature_start)):
        encoded = encode_rows(load.layout, rows)
        with transaction(connection):
            try:
                connection.executemany(statement, encoded)
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
        snapshot = read_snapshot(before.connection)
        number = snapshot.number if snapshot else 0
        if before.tables is None:
            return number, 0, None
        _delete_superseded(before.connection, before.tables)
        (sequence,) = before.connection.execute("SELECT ifnull(max(sequence), 0) FROM writes").fetchone()
    with map_errors(before.file):
        connection.execute("ATTACH ? AS old", (database.file_uri(before.file),))
        connection.execute("PRAGMA old.cache_size = 60")  # pages, enough for the inner ones of an index
    connection.attached = before.file
    if [column.type for column in before.tables.layout.keys] != [column.type for column in tables.layout.keys]:
        return number, 0, None
    with transaction(connection, STAGING):
        _apply_writes(connection, tables, "main.rows", 0, makes_rows=False)
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


def _differs(tables: ViewTables, old: ViewTables) -> str:
    was = {column.name: (f"o.f{at}", column) for at, column in enumerate(old.layout.features)}
    conditions = []
    for place, column in enumerate(tables.layout.features):
        name, before = was.pop(column.name, ("NULL", column))
        is_same_kind = is_comparable(column, before)
        conditions.append(f"n.f{place} IS NOT {name}" if is_same_kind else f"n.f{place} NOT NULL OR {name} NOT NULL")
    conditions += [f"{name} NOT NULL" for name, _ in was.values()]
    return " OR ".join(conditions) or "0"


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


def write_values(file: ViewFile, writes: Sequence[DirectWrite], *, now: datetime) -> list[bool]:
    """Write values in the transaction of the caller; each says whether it is served now. Raises InvalidWrite."""
    tables, connection = file.tables, file.connection
    assert tables
    checked = [check_write(tables.layout, write, now=now) for write in writes]
    keys, marks = ", ".join(tables.keys), ", ".join("?" * len(tables.keys))
    condition = " AND ".join(f"{key} = ?" for key in tables.keys)
    is_served = []
    for write, (place, value) in zip(writes, checked, strict=True):
        at, column = to_microseconds(write.at), tables.layout.features[place]
        (newest,) = connection.execute(
            f"SELECT max(at) FROM (SELECT coalesce({tables.timestamp_of(place)}, r) AS at FROM rows WHERE {condition} "
            f"UNION ALL SELECT at FROM writes WHERE {condition} AND feature = ? AND type = ?)",
            (*write.id, *write.id, column.name, column.type_text),
        ).fetchone()
        is_served.append(newest is None or at >= newest)
        if is_served[-1]:
            connection.execute(
                f"INSERT OR REPLACE INTO writes ({keys}, feature, type, at, value, sequence) "
                f"VALUES ({marks}, ?, ?, ?, ?, (SELECT ifnull(max(sequence), 0) + 1 FROM writes))",
                (*write.id, column.name, column.type_text, at, value),
            )
            connection.execute(
                f"INSERT INTO rows ({keys}, w, f{place}) VALUES ({marks}, ?, ?) ON CONFLICT ({keys}) "
                f"DO UPDATE SET f{place} = excluded.f{place}, w = max(ifnull(w, excluded.w), excluded.w)",
                (*write.id, at, value),
            )
    return is_served


def _apply_writes(connection: Connection, tables: ViewTables, rows: str, since: int, *, makes_rows: bool = True) -> int:
    """Put the direct writes after a number into rows that are there or, maybe, made for them; how many were made."""
    keys, made = ", ".join(tables.keys), 0
    written = "v.feature = ? AND v.type = ? AND v.sequence > ?"
    for place, column in _written_features(connection, tables, "old.writes"):
        parameters = (column.name, column.type_text, since)
        if makes_rows:
            made += connection.execute(
                f"INSERT INTO {rows} ({keys}) SELECT {keys} FROM old.writes AS v WHERE {written} "
                f"AND NOT EXISTS (SELECT 1 FROM {rows} AS n WHERE {tables.same_id('v', 'n')})",
                parameters,
            ).rowcount
        connection.execute(
            f"UPDATE {rows} AS n SET f{place} = v.value, w = max(ifnull(w, v.at), v.at) FROM old.writes AS v "
            f"WHERE {tables.same_id('v', 'n')} AND {written} AND {_is_current(tables, place)}",
            parameters,
        )
    return made


def _delete_superseded(connection: Connection, tables: ViewTables) -> None:
    """Forget the direct writes that are not served any more: a sync read something newer, or the feature is gone."""
    columns = _written_features(connection, tables, "writes")
    for place, column in columns:
        connection.execute(
            f"DELETE FROM writes AS v WHERE feature = ? AND (type != ? OR EXISTS (SELECT 1 FROM rows AS n "
            f"WHERE {tables.same_id('v', 'n')} AND NOT {_is_current(tables, place)}))",
            (column.name, column.type_text),
        )
    marks = ", ".join("?" * len(columns))
    connection.execute(f"DELETE FROM writes WHERE feature NOT IN ({marks})", [column.name for _, column in columns])


def _written_features(connection: Connection, tables: ViewTables, writes: str) -> list[tuple[int, Column]]:
    names = {name for (name,) in connection.execute(f"SELECT DISTINCT feature FROM {writes}")}
    return [(place, column) for place, column in enumerate(tables.layout.features) if column.name in names]


def _is_current(tables: ViewTables, place: int) -> str:
    """The condition that the direct write `v` to a feature is not older than the value that a sync read into `n`."""
    return f"v.at >= coalesce(n.{tables.timestamp_of(place)}, n.r, {LEAST})"
