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
from trialrun.runtime.feature_view.store.digest import sign_view_row
from trialrun.runtime.feature_view.store.interface import DirectWrite, InvalidWrite
from trialrun.runtime.feature_view.store.sql_statements import RowTable, same_id
from trialrun.runtime.feature_view.store.value_codec import Stored
from trialrun.values.timestamp import format_timestamp

PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {
    "BOOL": bool,
    "INT64": int,
    "DOUBLE": (int, float),
    "STRING": str,
    "BYTES": bytes,
    "TIMESTAMP": datetime,
}


def write_values(
    connection: Connection, view: str, table: RowTable, log: str | None, writes: Sequence[DirectWrite], *, now: datetime
) -> list[bool]:
    """Write values in the transaction of the caller; each says whether it is served now."""
    sound = [check_write(table, write, now=now) for write in writes]
    log = log or _create_log(connection, view, table)
    return [
        _write_value(connection, table, log, place, one, value)
        for one, (place, value) in zip(writes, sound, strict=True)
    ]


def check_write(table: RowTable, write: DirectWrite, *, now: datetime) -> tuple[int, Stored]:
    """The place of the feature and the value as it is stored. Raises InvalidWrite."""
    _check_id(table, write)
    if value_codec.to_microseconds(write.at) > value_codec.to_microseconds(now):
        raise InvalidWrite(
            f"{format_timestamp(write.at)} is in the future; write the value later, or with an earlier time"
        )
    names = [column.name for column in table.layout.features]
    if write.feature not in names:
        feature_list = ", ".join(names)
        raise InvalidWrite(f'there is no feature "{write.feature}"; the view has {feature_list}')
    place = names.index(write.feature)
    column = table.layout.features[place]
    if write.value is None:
        raise InvalidWrite(f'a direct write cannot delete the value of "{column.name}"; write another value')
    if not _has_column_type(column, write.value):
        raise InvalidWrite(f'a value of "{column.name}" must be {column.type_text}, not {_format_value(write.value)}')
    number = float if column.type == "DOUBLE" and not column.repeated else lambda value: value
    return place, value_codec.encode(column, number(write.value))  # type: ignore[arg-type]


def is_current_condition(table: RowTable, log: str, place: int, row: str) -> str:
    """The condition that a direct write to a feature is not older than the value that a sync read."""
    return f"{log}.at >= coalesce({row}.{table.timestamp_of(place)}, {row}.r, {-(2**63)})"


def apply_writes(connection: Connection, table: RowTable, log: str, since: int) -> int:
    """Put the direct writes after a number into a table, in rows that it has or gets; how many entities that made."""
    keys, applied = ", ".join(table.keys), 0
    for _, column in written_features(connection, table, log):
        applied += connection.execute(
            f"INSERT INTO {table.name} ({keys}) SELECT {keys} FROM {log} WHERE feature = ? AND type = ? "
            f"AND sequence > ? AND NOT EXISTS "
            f"(SELECT 1 FROM {table.name} WHERE {same_id(table, log, table.name)})",
            (column.name, column.type_text, since),
        ).rowcount
    update_rows(connection, table, log, since)
    return applied


def update_rows(connection: Connection, table: RowTable, log: str, since: int) -> None:
    """Put the direct writes after a number into the rows that a table has."""
    for place, column in written_features(connection, table, log):
        connection.execute(
            f"UPDATE {table.name} SET f{place} = {log}.value, w = max(ifnull(w, {log}.at), {log}.at) FROM {log} "
            f"WHERE {same_id(table, log, table.name)} AND feature = ? AND type = ? AND sequence > ? "
            f"AND {is_current_condition(table, log, place, table.name)}",
            (column.name, column.type_text, since),
        )


def written_features(connection: Connection, table: RowTable, log: str) -> list[tuple[int, Column]]:
    """The features of a table that were written directly."""
    names = {name for (name,) in connection.execute(f"SELECT DISTINCT feature FROM {log}")}
    return [(place, column) for place, column in enumerate(table.layout.features) if column.name in names]


def delete_superseded(connection: Connection, table: RowTable, log: str) -> None:
    """Forget the direct writes that are not served any more: a sync read something newer, or the feature is gone."""
    columns = written_features(connection, table, log)
    for place, column in columns:
        connection.execute(
            f"DELETE FROM {log} WHERE feature = ? AND (type != ? OR EXISTS (SELECT 1 FROM {table.name} "
            f"WHERE {same_id(table, log, table.name)} AND NOT {is_current_condition(table, log, place, table.name)}))",
            (column.name, column.type_text),
        )
    marks = ", ".join("?" * len(columns))
    connection.execute(f"DELETE FROM {log} WHERE feature NOT IN ({marks})", [column.name for _, column in columns])


def read_writes(connection: Connection, table: RowTable, log: str) -> Iterator[DirectWrite]:
    """The direct writes that are kept of features that the table has, in the order in which they were made."""
    columns = {(column.name, column.type_text): column for column in table.layout.features}
    width = len(table.keys)
    rows = connection.execute(f"SELECT {', '.join(table.keys)}, feature, type, at, value FROM {log} ORDER BY sequence")
    for *id, feature, type, at, value in rows:
        if column := columns.get((feature, type)):
            unpack = value_codec.decoder(column)
            yield DirectWrite(
                tuple(id[:width]), feature, unpack(value) if unpack else value, value_codec.from_microseconds(at)
            )


def last_sequence(connection: Connection, log: str) -> int:
    """The number of the newest direct write."""
    return int(connection.execute(f"SELECT ifnull(max(sequence), 0) FROM {log}").fetchone()[0])


def _create_log(connection: Connection, view: str, table: RowTable) -> str:
    log = temp_tables.new_name(connection, view, "writes")
    keys = ", ".join(f"{key} NOT NULL" for key in table.keys)
    connection.execute(
        f"CREATE TABLE {log} ({keys}, feature, type, at INTEGER NOT NULL, value, sequence INTEGER NOT NULL, "
        f"PRIMARY KEY ({', '.join(table.keys)}, feature)) WITHOUT ROWID"
    )
    connection.execute(f"CREATE INDEX {log}_by_sequence ON {log} (sequence)")
    connection.execute("UPDATE views SET writes = ? WHERE view = ?", (log, view))
    sign_view_row(connection, view)
    return log


def _write_value(
    connection: Connection, table: RowTable, log: str, place: int, write: DirectWrite, value: Stored
) -> bool:
    at, column = value_codec.to_microseconds(write.at), table.layout.features[place]
    if at < _served_timestamp(connection, table, log, place, write):
        return False
    keys, marks = ", ".join(table.keys), ", ".join("?" * len(table.keys))
    connection.execute(
        f"INSERT OR REPLACE INTO {log} ({keys}, feature, type, at, value, sequence) "
        f"VALUES ({marks}, ?, ?, ?, ?, (SELECT ifnull(max(sequence), 0) + 1 FROM {log}))",
        (*write.id, column.name, column.type_text, at, value),
    )
    connection.execute(
        f"INSERT INTO {table.name} ({keys}, w, f{place}) VALUES ({marks}, ?, ?) "
        f"ON CONFLICT ({keys}) DO UPDATE SET f{place} = excluded.f{place}, w = max(ifnull(w, excluded.w), excluded.w)",
        (*write.id, at, value),
    )
    return True


def _served_timestamp(connection: Connection, table: RowTable, log: str, place: int, write: DirectWrite) -> int:
    """The moment of the value that is served; before all others where there is none."""
    condition = " AND ".join(f"{key} = ?" for key in table.keys)
    read = f"SELECT coalesce({table.timestamp_of(place)}, r) AS at FROM {table.name} WHERE {condition}"
    written = f"SELECT at FROM {log} WHERE {condition} AND feature = ? AND type = ?"
    column = table.layout.features[place]
    (at,) = connection.execute(
        f"SELECT max(at) FROM ({read} UNION ALL {written})", (*write.id, *write.id, column.name, column.type_text)
    ).fetchone()
    return -(2**63) if at is None else int(at)


def _check_id(table: RowTable, write: DirectWrite) -> None:
    keys = table.layout.keys
    if len(write.id) != len(keys):
        names = ", ".join(column.name for column in keys)
        count = "1 part" if len(keys) == 1 else f"{len(keys)} parts"
        raise InvalidWrite(f"an entity id of the view has {count}, not {len(write.id)}: {names}")
    for column, part in zip(keys, write.id, strict=True):
        if not _has_column_type(column, part):
            raise InvalidWrite(
                f'the entity id column "{column.name}" must be {column.type_text}, not {_format_value(part)}'
            )


def _has_column_type(column: Column, value: object) -> bool:
    if not column.repeated:
        return _has_scalar_type(column, value)
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str | bytes)
        and all(_has_scalar_type(column, item) for item in value)
    )


def _has_scalar_type(column: Column, value: object) -> bool:
    if (isinstance(value, bool) and column.type != "BOOL") or not isinstance(value, PYTHON_TYPES.get(column.type, ())):
        return False
    if isinstance(value, str):
        return not any("\ud800" <= sign <= "\udfff" for sign in value)
    return column.type != "INT64" or -(2**63) <= value < 2**63  # type: ignore[operator]


def _format_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
