"""What stays of the rows before: entities that a load does not have."""

from __future__ import annotations

import sqlite3

from trialrun.runtime.feature_view.store.sql_statements import RowTable, same_id


def keep_entities(connection: sqlite3.Connection, made: RowTable, old: RowTable) -> int:
    """Add the entities of an older table that a sync read once and this one did not; how many."""
    columns = _carried_columns(made, old)
    return connection.execute(
        f"INSERT INTO {made.name} ({', '.join(columns)}) SELECT {', '.join(columns.values())} FROM {old.name} AS o "
        f"WHERE o.r NOT NULL AND NOT EXISTS (SELECT 1 FROM {made.name} AS n WHERE {same_id(made, 'o', 'n')})"
    ).rowcount


def upsert_rows(connection: sqlite3.Connection, made: RowTable, served: RowTable) -> None:
    """Put the rows of a table into another one of the same columns, in the place of those with their entity ids."""
    columns = ", ".join(made.columns)
    changed = ", ".join(f"{column} = excluded.{column}" for column in made.columns[len(made.keys) :])
    connection.execute(
        f"INSERT INTO {served.name} ({columns}) SELECT {columns} FROM {made.name} WHERE true "
        f"ON CONFLICT ({', '.join(made.keys)}) DO UPDATE SET {changed}"
    )


def count_rows(connection: sqlite3.Connection, table: RowTable) -> int:
    """How many entities a table has."""
    return int(connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0])


def _carried_columns(made: RowTable, old: RowTable) -> dict[str, str]:
    """The columns of a table by what they are in an older one, whose features may be others."""
    known = {(column.name, column.type, column.repeated): at for at, column in enumerate(old.layout.features)}
    columns = {key: f"o.{key}" for key in [*made.keys, "r", "w"]}
    moments: dict[str, set[str]] = {moment: set() for moment in made.timestamps}
    for place, column in enumerate(made.layout.features):
        at = known.get((column.name, column.type, column.repeated))
        if at is not None:
            columns[f"f{place}"] = f"o.f{at}"
            moments[made.timestamp_of(place)].add(f"o.{old.timestamp_of(at)}")
    return columns | {moment: _max_or_null(sorted(of)) for moment, of in moments.items()}


def _max_or_null(moments: list[str]) -> str:
    if len(moments) < 2:
        return next(iter(moments), "NULL")
    return f"nullif(max({', '.join(f'ifnull({moment}, {-(2**63)})' for moment in moments)}), {-(2**63)})"
