"""The latest values as syncs serve them are those that a plain loop over the rows finds, on every engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import first_of, number_of_cases
from tests.runtime.feature_view.catalog_fixture import NOW, catalog, duckdb_table, lines, sqlite_table, synced
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.store.sqlite import SqliteStore

Row = tuple[str | None, int | None, int | None, str | None]
"""An entity id, a moment in hours before the sync, a number and a text."""

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", None]),
        st.sampled_from([-1, 0, 1, 2, None]),
        st.sampled_from([1, 2, None]),
        st.sampled_from(["x", "y", None]),
    ),
    max_size=9,
)
COLUMNS = 'id VARCHAR, "at" VARCHAR, number INTEGER, word VARCHAR'
TYPED = [{"name": "at", "type": "TIMESTAMP"}, {"name": "id", "type": "STRING"}, {"name": "number", "type": "INT64"}]
Put = Callable[[Path, str, Sequence[Row]], dict[str, Any]]


def moment(hours: int | None) -> str | None:
    return None if hours is None else (NOW - timedelta(hours=hours)).isoformat()


def in_json(folder: Path, name: str, rows: Sequence[Row]) -> dict[str, Any]:
    keys = ("id", "at", "number", "word")
    lines(folder / f"{name}.jsonl", [dict(zip(keys, (id, moment(at), *rest), strict=True)) for id, at, *rest in rows])
    if not rows:
        lines(folder / f"{name}.jsonl", [dict.fromkeys(keys)])
    return {"files": f"{name}.jsonl", "columns": [*TYPED, {"name": "word", "type": "STRING"}]}


def in_duckdb(folder: Path, name: str, rows: Sequence[Row]) -> dict[str, Any]:
    values = [[id, moment(at), *rest] for id, at, *rest in rows]
    inserts = [f"INSERT INTO {name} VALUES ({', '.join(map(sql, row))})" for row in values]
    columns = COLUMNS.replace('"at" VARCHAR', '"at" TIMESTAMPTZ')
    duckdb_table(folder / f"{name}.duckdb", f"CREATE TABLE {name} ({columns})", *inserts)
    return {"database": f"{name}.duckdb", "table": name}


def in_sqlite(folder: Path, name: str, rows: Sequence[Row]) -> dict[str, Any]:
    sqlite_table(folder / f"{name}.db", name, COLUMNS, [(id, moment(at), *rest) for id, at, *rest in rows])
    return {"database": f"{name}.db", "table": name, "columns": TYPED}


def sql(value: object) -> str:
    return "NULL" if value is None else json.dumps(value).replace('"', "'")


def readable(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row[0] is not None and row[1] is not None and row[1] >= 0]


def greatest(values: Sequence[Any]) -> Any:
    """The greatest, column by column; a null is least."""
    return max(values, key=lambda row: [(value is not None, value or 0) for value in row])


def latest_row(rows: Sequence[Row]) -> dict[tuple[str, ...], dict[str, Any]]:
    found = {}
    for id in {row[0] for row in readable(rows)}:
        newest = min(row[1] for row in readable(rows) if row[0] == id)  # type: ignore[type-var]
        number, word = greatest([row[2:] for row in readable(rows) if row[:2] == (id, newest)])
        found[(id,)] = {"number": number, "word": word}
    return found  # type: ignore[return-value]


def latest_values(rows: Sequence[Row]) -> dict[tuple[str, ...], dict[str, Any]]:
    return {
        id: {name: latest_value([row for row in readable(rows) if row[0] == id[0]], at) for name, at in PLACES}
        for id in latest_row(rows)
    }


PLACES = (("number", 2), ("word", 3))


def latest_value(rows: Sequence[Row], at: int) -> Any:
    there = [row for row in rows if row[at] is not None]
    newest = min((row[1] for row in there), default=None)  # type: ignore[type-var]
    return max((row[at] for row in there if row[1] == newest), default=None)  # type: ignore[type-var]


def warehouse(folder: Path, put: Put, rows: Sequence[Row], **source: Any) -> Catalog:
    view = {"warehouseSource": {"uri": "bq://t", "entityIdColumns": ["id"]}}
    return catalog(folder, view, sources=[{"uri": "bq://t", **put(folder, "t", rows), **source}])


def registry(
    folder: Path, puts: Sequence[Put], tables: Sequence[Sequence[Row]], *, dense: bool, continuous: bool = False
) -> Catalog:
    names = ["t", "u"][: len(tables)]
    sources = [{"uri": name, **put(folder, name, rows)} for name, put, rows in zip(names, puts, tables, strict=True)]
    groups = [
        {
            "featureGroupId": name,
            "uri": name,
            "entityIdColumns": ["id"],
            "timestampColumn": "at",
            "dense": dense,
            "features": [{"id": f"{column}_{name}", "column": column} for column, _ in PLACES],
        }
        for name in names
    ]
    asked = [{"featureGroupId": n, "featureIds": [f"number_{n}", f"word_{n}"]} for n in names]
    view = {"featureRegistrySource": {"featureGroups": asked}, "syncConfig": {"continuous": continuous}}
    return catalog(folder, view, sources=sources, groups=groups)


def renamed(values: dict[tuple[str, ...], dict[str, Any]], end: str) -> dict[tuple[str, ...], dict[str, Any]]:
    return {id: {f"{name}_{end}": value for name, value in row.items()} for id, row in values.items()}


ENGINES = pytest.mark.parametrize("put", first_of([in_duckdb, in_sqlite, in_json], 2))


@ENGINES
@settings(max_examples=number_of_cases(12), deadline=None)
@given(rows=ROWS)
def test_the_latest_row_of_a_table_with_moments(put: Put, rows: list[Row]) -> None:
    with TemporaryDirectory() as folder:
        assert synced(warehouse(Path(folder), put, rows, timestampColumn="at"))[1] == latest_row(rows)


@ENGINES
@settings(max_examples=number_of_cases(12), deadline=None)
@given(rows=ROWS)
def test_the_latest_value_of_each_feature_of_a_sparse_group(put: Put, rows: list[Row]) -> None:
    with TemporaryDirectory() as folder:
        found = synced(registry(Path(folder), [put], [rows], dense=False))[1]
        assert found == renamed(latest_values(rows), "t")


@pytest.mark.parametrize("puts", first_of([[in_sqlite, in_duckdb], [in_duckdb, in_json], [in_sqlite, in_sqlite]]))
@pytest.mark.parametrize("dense", first_of([False, True]))
@settings(max_examples=number_of_cases(12), deadline=None)
@given(tables=st.tuples(ROWS, ROWS))
def test_several_groups_are_joined_on_the_entity_id(
    puts: list[Put], dense: bool, tables: tuple[list[Row], list[Row]]
) -> None:
    latest = latest_row if dense else latest_values
    one, other = renamed(latest(tables[0]), "t"), renamed(latest(tables[1]), "u")
    nothing = {f"{name}_{end}": None for end in "tu" for name, _ in PLACES}
    with TemporaryDirectory() as folder:
        found = synced(registry(Path(folder), puts, tables, dense=dense))[1]
    assert found == {id: nothing | one.get(id, {}) | other.get(id, {}) for id in {*one, *other}}


@pytest.mark.parametrize("dense", first_of([False, True]))
@settings(max_examples=number_of_cases(12), deadline=None)
@given(rows=ROWS, newer=ROWS)
def test_a_continuous_sync_of_what_is_newer_serves_what_a_whole_one_would(
    dense: bool, rows: list[Row], newer: list[Row]
) -> None:
    later = [(id, None if at is None else at - 5, *rest) for id, at, *rest in newer]
    with TemporaryDirectory() as name:
        folder, store = Path(name), SqliteStore(":memory:")
        synced(registry(folder, [in_json], [rows], dense=dense, continuous=True), store)
        after = registry(folder, [in_json], [[*rows, *later]], dense=dense, continuous=True)
        found = synced(after, store, now=NOW + timedelta(hours=9))[1]
        whole = synced(after, now=NOW + timedelta(hours=9))[1]
    assert found == whole
