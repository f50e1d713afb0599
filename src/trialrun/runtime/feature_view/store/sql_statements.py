"""The table of a snapshot: its statements.

Columns have no types, so that SQLite converts nothing, and are called by their places (`k0`, `m0`, `f0`), so that a
feature may have any name. `r` is the moment of the sync that read the row, null for one that was only written directly;
`w` is the newest moment of the direct writes that are served in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import RowLayout


@dataclass(frozen=True)
class RowTable:
    """A table of rows: its name, and what its rows are made of."""

    name: str
    layout: RowLayout

    @property
    def keys(self) -> list[str]:
        """The columns of the entity id."""
        return [f"k{place}" for place, _ in enumerate(self.layout.keys)]

    @property
    def timestamps(self) -> list[str]:
        """The columns of the moments."""
        return [f"m{place}" for place in range(self.layout.timestamp_count)]

    @property
    def features(self) -> list[str]:
        """The columns of the features."""
        return [f"f{place}" for place, _ in enumerate(self.layout.features)]

    @property
    def columns(self) -> list[str]:
        """All columns."""
        return [*self.keys, "r", "w", *self.timestamps, *self.features]

    def timestamp_of(self, feature: int) -> str:
        """The column of the moment of a feature."""
        return f"m{self.layout.timestamp_indexes[feature] if self.layout.timestamp_indexes else 0}"


def create(table: RowTable) -> str:
    """The statement that makes a table, without its index."""
    keys = [f"{key} NOT NULL" for key in table.keys]
    return f"CREATE TABLE {table.name} ({', '.join([*keys, *table.columns[len(keys) :]])})"


def create_index(table: RowTable) -> str:
    """The statement that makes entity ids unique, and quick to find."""
    return f"CREATE UNIQUE INDEX {table.name}_by_id ON {table.name} ({', '.join(table.keys)})"


def insert(table: RowTable, read_at: int) -> str:
    """The statement that adds a row as a load has it."""
    columns = [*table.keys, *table.timestamps, *table.features]
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table.name} ({', '.join(columns)}, r) VALUES ({marks}, {read_at})"


def select(table: RowTable, count: int) -> str:
    """The statement that finds the rows of some entity ids."""
    columns = ", ".join([*table.keys, "w", *table.timestamps, *table.features])
    return f"SELECT {columns} FROM {table.name} WHERE {_id_condition(tuple(table.keys), count)}"


def scan(table: RowTable, features: Iterable[int]) -> str:
    """The statement that gives all rows in the order of their entity ids."""
    columns = ", ".join([*table.keys, *(f"f{place}" for place in features)])
    return f"SELECT {columns} FROM {table.name} ORDER BY {', '.join(table.keys)}"


def same_id(table: RowTable, table_name: str, other_table: str) -> str:
    """The condition that rows of two tables have the same entity id: for each of the one, that of the other is found.

    The plus keeps SQLite, which does not know how large tables are, from going the other way.
    """
    return " AND ".join(f"+{table_name}.{key} = {other_table}.{key}" for key in table.keys)


@lru_cache(maxsize=64)
def _id_condition(keys: tuple[str, ...], count: int) -> str:
    if count == 1:
        return " AND ".join(f"{key} = ?" for key in keys)
    if len(keys) == 1:
        return f"{keys[0]} IN ({', '.join('?' * count)})"
    marks = f"({', '.join('?' * len(keys))})"
    return f"({', '.join(keys)}) IN (VALUES {', '.join([marks] * count)})"


def serialize_layout(layout: RowLayout) -> str:
    """A layout as JSON."""
    features = [_serialize_column(column) for column in layout.features]
    return json.dumps([[_serialize_column(column) for column in layout.keys], features, layout.timestamp_indexes])


def parse_layout(text: str) -> RowLayout:
    """The layout that a JSON text has."""
    keys, features, moment_of = json.loads(text)
    return RowLayout(
        tuple(Column(*column) for column in keys), tuple(Column(*column) for column in features), tuple(moment_of)
    )


def _serialize_column(column: Column) -> list[object]:
    return [column.name, column.type, column.repeated, column.source_type, column.required]
