"""Comparing what a load serves with what was served before it, exactly: nulls are equal, and NaN is."""

from __future__ import annotations

import sqlite3

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.sql_statements import RowTable, same_id

NUMBERS = {"BOOL", "INT64", "DOUBLE"}


@dataclass(frozen=True, slots=True)
class ComparisonCounts:
    """How many entities earlier syncs had read; this one read and were served; were read by both; and differ."""

    read_before: int = 0
    served_before: int = 0
    read_by_both: int = 0
    differing: int = 0


def compare_tables(
    connection: sqlite3.Connection, made: RowTable, old: RowTable | None, *, is_comparable: bool
) -> ComparisonCounts:
    """Compare the rows that a load read, and nothing else yet, with those before; ids may not be comparable."""
    if old is None:
        return ComparisonCounts()
    (read_before,) = connection.execute(f"SELECT count(r) FROM {old.name}").fetchone()
    if not is_comparable:
        return ComparisonCounts(read_before)
    counts = connection.execute(
        f"SELECT count(*), count(o.r), ifnull(sum({_differs_condition(made, old)}), 0) FROM {made.name} AS n "
        f"CROSS JOIN {old.name} AS o WHERE {same_id(made, 'n', 'o')}"
    ).fetchone()
    return ComparisonCounts(read_before, *counts)


def _differs_condition(made: RowTable, old: RowTable) -> str:
    was = {column.name: (f"o.f{at}", column) for at, column in enumerate(old.layout.features)}
    conditions = []
    for place, column in enumerate(made.layout.features):
        name, before = was.pop(column.name, ("NULL", column))
        conditions.append(_value_differs(f"n.f{place}", column, name, before))
    conditions += [f"{name} NOT NULL" for name, _ in was.values()]
    return " OR ".join(conditions) or "0"


def _value_differs(new: str, column: Column, old: str, before: Column) -> str:
    same = column.repeated == before.repeated and (
        column.type == before.type or (not column.repeated and {column.type, before.type} <= NUMBERS)
    )
    return f"{new} IS NOT {old}" if same else f"{new} NOT NULL OR {old} NOT NULL"
