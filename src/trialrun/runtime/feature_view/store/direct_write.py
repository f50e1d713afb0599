"""Direct writes: the newest moment of each feature wins, whether a sync or a write brought it.

A write that wins is put into the row that is served, and kept beside with its moment. The next sync puts those into its
rows that are not older than the values it read, so the answer is the same before and after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store import temp_tables, value_codec
from trialrun.runtime.feature_view.store.database import Connection
from trialrun.runtime.feature_view.store.digest import sign
from trialrun.runtime.feature_view.store.interface import CannotWrite, Write
from trialrun.runtime.feature_view.store.sql_statements import Table, same_id
from trialrun.runtime.feature_view.store.value_codec import Stored

PYTHON: dict[str, type | tuple[type, ...]] = {
    "BOOL": bool,
    "INT64": int,
    "DOUBLE": (int, float),
    "STRING": str,
    "BYTES": bytes,
    "TIMESTAMP": datetime,
}


def write(
    connection: Connection, view: str, table: Table, log: str | None, writes: Sequence[Write], *, now: datetime
) -> list[bool]:
    """Write values in the transaction of the caller; each says whether it is served now."""
    sound = [checked(table, one, now=now) for one in writes]
    log = log or _create(connection, view, table)
    return [
        _write(connection, table, log, place, one, value) for one, (place, value) in zip(writes, sound, strict=True)
    ]


def checked(table: Table, write: Write, *, now: datetime) -> tuple[int, Stored]:
    """The place of the feature and the value as it is stored. Raises CannotWrite."""
    _check_id(table, write)
    if value_codec.microseconds(write.at) > value_codec.microseconds(now):
        raise CannotWrite(f"{write.at.isoformat()} is in the future; write when it has come, or with an earlier moment")
    names = [column.name for column in table.layout.features]
    if write.feature not in names:
        known = ", ".join(names)
        raise CannotWrite(f'there is no feature "{write.feature}"; the view has {known}')
    place = names.index(write.feature)
    column = table.layout.features[place]
    if write.value is None:
        raise CannotWrite(f'a direct write cannot delete the value of "{column.name}"; write another one')
    if not _fits(column, write.value):
        raise CannotWrite(f'a value of "{column.name}" must be {column.shown}; {_shown(write.value)} is none')
    number = float if column.type == "DOUBLE" and not column.repeated else lambda value: value
    return place, value_codec.packed(column, number(write.value))  # type: ignore[arg-type]


def live(table: Table, log: str, place: int, row: str) -> str:
    """The condition that a direct write to a feature is not older than the value that a sync read."""
    return f"{log}.at >= coalesce({row}.{table.moment_of(place)}, {row}.r, {-(2**63)})"


def apply(connection: Connection, table: Table, log: str, since: int) -> int:
    """Put the direct writes after a number into a table, in rows that it has or gets; how many entities that made."""
    keys, made = ", ".join(table.keys), 0
    for _, column in written_features(connection, table, log):
        made += connection.execute(
            f"INSERT INTO {table.name} ({keys}) SELECT {keys} FROM {log} WHERE feature = ? AND type = ? "
            f"AND sequence > ? AND NOT EXISTS "
            f"(SELECT 1 FROM {table.name} WHERE {same_id(table, log, table.name)})",
            (column.name, column.shown, since),
        ).rowcount
    overlay(connection, table, log, since)
    return made


def overlay(connection: Connection, table: Table, log: str, since: int) -> None:
    """Put the direct writes after a number into the rows that a table has."""
    for place, column in written_features(connection, table, log):
        connection.execute(
            f"UPDATE {table.name} SET f{place} = {log}.value, w = max(ifnull(w, {log}.at), {log}.at) FROM {log} "
            f"WHERE {same_id(table, log, table.name)} AND feature = ? AND type = ? AND sequence > ? "
            f"AND {live(table, log, place, table.name)}",
            (column.name, column.shown, since),
        )


def written_features(connection: Connection, table: Table, log: str) -> list[tuple[int, Column]]:
    """The features of a table that were written directly."""
    names = {name for (name,) in connection.execute(f"SELECT DISTINCT feature FROM {log}")}
    return [(place, column) for place, column in enumerate(table.layout.features) if column.name in names]


def forget_older(connection: Connection, table: Table, log: str) -> None:
    """Forget the direct writes that are not served any more: a sync read something newer, or the feature is gone."""
    columns = written_features(connection, table, log)
    for place, column in columns:
        connection.execute(
            f"DELETE FROM {log} WHERE feature = ? AND (type != ? OR EXISTS (SELECT 1 FROM {table.name} "
            f"WHERE {same_id(table, log, table.name)} AND NOT {live(table, log, place, table.name)}))",
            (column.name, column.shown),
        )
    marks = ", ".join("?" * len(columns))
    connection.execute(f"DELETE FROM {log} WHERE feature NOT IN ({marks})", [column.name for _, column in columns])


def kept(connection: Connection, table: Table, log: str) -> Iterator[Write]:
    """The direct writes that are kept of features that the table has, in the order in which they were made."""
    columns = {(column.name, column.shown): column for column in table.layout.features}
    width = len(table.keys)
    rows = connection.execute(f"SELECT {', '.join(table.keys)}, feature, type, at, value FROM {log} ORDER BY sequence")
    for *id, feature, type, at, value in rows:
        if column := columns.get((feature, type)):
            unpack = value_codec.unpacker(column)
            yield Write(tuple(id[:width]), feature, unpack(value) if unpack else value, value_codec.moment(at))


def last_sequence(connection: Connection, log: str) -> int:
    """The number of the newest direct write."""
    return int(connection.execute(f"SELECT ifnull(max(sequence), 0) FROM {log}").fetchone()[0])


def _create(connection: Connection, view: str, table: Table) -> str:
    log = temp_tables.new_name(connection, view, "writes")
    keys = ", ".join(f"{key} NOT NULL" for key in table.keys)
    connection.execute(
        f"CREATE TABLE {log} ({keys}, feature, type, at INTEGER NOT NULL, value, sequence INTEGER NOT NULL, "
        f"PRIMARY KEY ({', '.join(table.keys)}, feature)) WITHOUT ROWID"
    )
    connection.execute(f"CREATE INDEX {log}_by_sequence ON {log} (sequence)")
    connection.execute("UPDATE views SET writes = ? WHERE view = ?", (log, view))
    sign(connection, view)
    return log


def _write(connection: Connection, table: Table, log: str, place: int, write: Write, value: Stored) -> bool:
    at, column = value_codec.microseconds(write.at), table.layout.features[place]
    if at < _served_since(connection, table, log, place, write):
        return False
    keys, marks = ", ".join(table.keys), ", ".join("?" * len(table.keys))
    connection.execute(
        f"INSERT OR REPLACE INTO {log} ({keys}, feature, type, at, value, sequence) "
        f"VALUES ({marks}, ?, ?, ?, ?, (SELECT ifnull(max(sequence), 0) + 1 FROM {log}))",
        (*write.id, column.name, column.shown, at, value),
    )
    connection.execute(
        f"INSERT INTO {table.name} ({keys}, w, f{place}) VALUES ({marks}, ?, ?) "
        f"ON CONFLICT ({keys}) DO UPDATE SET f{place} = excluded.f{place}, w = max(ifnull(w, excluded.w), excluded.w)",
        (*write.id, at, value),
    )
    return True


def _served_since(connection: Connection, table: Table, log: str, place: int, write: Write) -> int:
    """The moment of the value that is served; before all others where there is none."""
    condition = " AND ".join(f"{key} = ?" for key in table.keys)
    read = f"SELECT coalesce({table.moment_of(place)}, r) AS at FROM {table.name} WHERE {condition}"
    written = f"SELECT at FROM {log} WHERE {condition} AND feature = ? AND type = ?"
    column = table.layout.features[place]
    (at,) = connection.execute(
        f"SELECT max(at) FROM ({read} UNION ALL {written})", (*write.id, *write.id, column.name, column.shown)
    ).fetchone()
    return -(2**63) if at is None else int(at)


def _check_id(table: Table, write: Write) -> None:
    keys = table.layout.keys
    if len(write.id) != len(keys):
        names = ", ".join(column.name for column in keys)
        count = "1 part" if len(keys) == 1 else f"{len(keys)} parts"
        raise CannotWrite(f"an entity id of the view has {count}, not {len(write.id)}: {names}")
    for column, part in zip(keys, write.id, strict=True):
        if not _fits(column, part):
            raise CannotWrite(f'the entity id column "{column.name}" is {column.shown}; {_shown(part)} is none')


def _fits(column: Column, value: object) -> bool:
    if not column.repeated:
        return _is_one(column, value)
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str | bytes)
        and all(_is_one(column, one) for one in value)
    )


def _is_one(column: Column, value: object) -> bool:
    if (isinstance(value, bool) and column.type != "BOOL") or not isinstance(value, PYTHON.get(column.type, ())):
        return False
    if isinstance(value, str):
        return not any("\ud800" <= sign <= "\udfff" for sign in value)
    return column.type != "INT64" or -(2**63) <= value < 2**63  # type: ignore[operator]


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
