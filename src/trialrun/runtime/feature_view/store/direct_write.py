"""Direct writes: the newest moment of each feature wins, whether a sync or a write brought it.

A write that wins is put into the row that is served, and kept beside with its moment. The next sync puts those into its
rows that are not older than the values it read, so the answer is the same before and after it. `rows` is the name of a
table of rows with its schema, and `writes` that of a table of direct writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.database import Connection
from trialrun.runtime.feature_view.store.interface import DirectWrite
from trialrun.runtime.feature_view.store.value_codec import check_write, to_microseconds
from trialrun.runtime.feature_view.store.view_file import ViewTables

LEAST = -(2**63)


def write_values(
    connection: Connection, tables: ViewTables, writes: Sequence[DirectWrite], *, now: datetime
) -> list[bool]:
    """Write values in the transaction of the caller; each says whether it is served now. Raises InvalidWrite."""
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
        if not is_served[-1]:
            continue
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


def apply_writes(connection: Connection, tables: ViewTables, rows: str, writes: str, since: int) -> int:
    """Put the direct writes after a number into rows that are there or made for them; how many were made."""
    keys, made = ", ".join(tables.keys), 0
    for _, column in written_features(connection, tables, writes):
        made += connection.execute(
            f"INSERT INTO {rows} ({keys}) SELECT {keys} FROM {writes} AS v WHERE feature = ? AND type = ? "
            f"AND sequence > ? AND NOT EXISTS (SELECT 1 FROM {rows} AS n WHERE {tables.same_id('v', 'n')})",
            (column.name, column.type_text, since),
        ).rowcount
    update_rows(connection, tables, rows, writes, since)
    return made


def update_rows(connection: Connection, tables: ViewTables, rows: str, writes: str, since: int) -> None:
    """Put the direct writes after a number into the rows that are there."""
    for place, column in written_features(connection, tables, writes):
        connection.execute(
            f"UPDATE {rows} AS n SET f{place} = v.value, w = max(ifnull(w, v.at), v.at) FROM {writes} AS v "
            f"WHERE {tables.same_id('v', 'n')} AND v.feature = ? AND v.type = ? AND v.sequence > ? "
            f"AND {_is_current(tables, place)}",
            (column.name, column.type_text, since),
        )


def delete_superseded(connection: Connection, tables: ViewTables) -> None:
    """Forget the direct writes that are not served any more: a sync read something newer, or the feature is gone."""
    columns = written_features(connection, tables, "writes")
    for place, column in columns:
        connection.execute(
            f"DELETE FROM writes AS v WHERE feature = ? AND (type != ? OR EXISTS (SELECT 1 FROM rows AS n "
            f"WHERE {tables.same_id('v', 'n')} AND NOT {_is_current(tables, place)}))",
            (column.name, column.type_text),
        )
    marks = ", ".join("?" * len(columns))
    connection.execute(f"DELETE FROM writes WHERE feature NOT IN ({marks})", [column.name for _, column in columns])


def written_features(connection: Connection, tables: ViewTables, writes: str) -> list[tuple[int, Column]]:
    """The features that were written directly, with their places."""
    names = {name for (name,) in connection.execute(f"SELECT DISTINCT feature FROM {writes}")}
    return [(place, column) for place, column in enumerate(tables.layout.features) if column.name in names]


def last_sequence(connection: Connection) -> int:
    """The number of the newest direct write; 0 without any."""
    return int(connection.execute("SELECT ifnull(max(sequence), 0) FROM writes").fetchone()[0])


def _is_current(tables: ViewTables, place: int) -> str:
    """The condition that the direct write `v` to a feature is not older than the value that a sync read into `n`."""
    return f"v.at >= coalesce(n.{tables.timestamp_of(place)}, n.r, {LEAST})"
