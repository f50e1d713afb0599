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
from trialrun.runtime.feature_view.store.interface import Layout


@dataclass(frozen=True)
class Table:
    """A table of rows: its name, and what its rows are made of."""

    name: str
    layout: Layout

    @property
    def keys(self) -> list[str]:
        """The columns of the entity id."""
        return [f"k{place}" for place, _ in enumerate(self.layout.keys)]

    @property
    def moments(self) -> list[str]:
        """The columns of the moments."""
        return [f"m{place}" for place in range(self.layout.moments)]

    @property
    def features(self) -> list[str]:
        """The columns of the features."""
        return [f"f{place}" for place, _ in enumerate(self.layout.features)]

    @property
    def columns(self) -> list[str]:
        """All columns."""
        return [*self.keys, "r", "w", *self.moments, *self.features]

    def moment_of(self, feature: int) -> str:
        """The column of the moment of a feature."""
        return f"m{self.layout.moment_of[feature] if self.layout.moment_of else 0}"


def create(table: Table) -> str:
    """The statement that makes a table, without its index."""
    keys = [f"{key} NOT NULL" for key in table.keys]
    return f"CREATE TABLE {table.name} ({', '.join([*keys, *table.columns[len(keys) :]])})"


def create_index(table: Table) -> str:
    """The statement that makes entity ids unique, and quick to find."""
    return f"CREATE UNIQUE INDEX {table.name}_by_id ON {table.name} ({', '.join(table.keys)})"


def insert(table: Table, read_at: int) -> str:
    """The statement that adds a row as a load has it."""
    columns = [*table.keys, *table.moments, *table.features]
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table.name} ({', '.join(columns)}, r) VALUES ({marks}, {read_at})"


def select(table: Table, count: int) -> str:
    """The statement that finds the rows of some entity ids."""
    columns = ", ".join([*table.keys, "w", *table.moments, *table.features])
    return f"SELECT {columns} FROM {table.name} WHERE {_is_one_of(tuple(table.keys), count)}"


def scan(table: Table, features: Iterable[int]) -> str:
    """The statement that gives all rows in the order of their entity ids."""
    columns = ", ".join([*table.keys, *(f"f{place}" for place in features)])
    return f"SELECT {columns} FROM {table.name} ORDER BY {', '.join(table.keys)}"


def same_id(table: Table, each: str, found: str) -> str:
    """The condition that rows of two tables have the same entity id: for each of the one, that of the other is found.

    The plus keeps SQLite, which does not know how large tables are, from going the other way.
    """
    return " AND ".join(f"+{each}.{key} = {found}.{key}" for key in table.keys)


@lru_cache(maxsize=64)
def _is_one_of(keys: tuple[str, ...], count: int) -> str:
    if count == 1:
        return " AND ".join(f"{key} = ?" for key in keys)
    if len(keys) == 1:
        return f"{keys[0]} IN ({', '.join('?' * count)})"
    marks = f"({', '.join('?' * len(keys))})"
    return f"({', '.join(keys)}) IN (VALUES {', '.join([marks] * count)})"


def written_layout(layout: Layout) -> str:
    """A layout as JSON."""
    features = [_written(column) for column in layout.features]
    return json.dumps([[_written(column) for column in layout.keys], features, layout.moment_of])


def read_layout(text: str) -> Layout:
    """The layout that a JSON text has."""
    keys, features, moment_of = json.loads(text)
    return Layout(
        tuple(Column(*column) for column in keys), tuple(Column(*column) for column in features), tuple(moment_of)
    )


def _written(column: Column) -> list[object]:
    return [column.name, column.type, column.repeated, column.written, column.required]
