"""The statement whatever tables, columns and entity ids are called, over files and tables of DuckDB and SQLite."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, duckdb_table, lines, sqlite_table, synced
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.plan import build_plan, open_engine_of
from trialrun.runtime.feature_view.source import sqlite_reader
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.store.database import StatementBudget
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.options import Options

MORNING = "2026-11-22T08:00:00Z"
MAX_EXPRESSION_DEPTH = 1000
"""Of SQLite and of DuckDB, if nobody sets another. DuckDB takes seconds for thousands of parameters."""


def groups(folder: Path, one: str, other: str) -> Catalog:
    """A continuous view of two groups, whose tables have these uris."""
    tables = list(zip("ab", (one, other), strict=True))
    for name, _ in tables:
        lines(folder / f"{name}.jsonl", [{"id": "x", "feature_timestamp": MORNING, name: name}])
    asked = [{"featureGroupId": name, "featureIds": [name]} for name, _ in tables]
    view = {"featureRegistrySource": {"featureGroups": asked}, "syncConfig": {"continuous": True}}
    declared = [
        {"featureGroupId": name, "uri": uri, "entityIdColumns": ["id"], "features": [{"id": name}]}
        for name, uri in tables
    ]
    sources = [{"uri": uri, "files": f"{name}.jsonl"} for name, uri in tables]
    return catalog(folder, view, sources=sources, groups=declared)


@pytest.mark.parametrize(
    ("one", "other"), first_of([("touched", "latest"), ("group_2", "group_1"), ("source", "ranked")])
)
def test_uris_may_be_names_of_the_statement(tmp_path: Path, one: str, other: str) -> None:
    made, store = groups(tmp_path, one, other), SqliteStore(":memory:")
    found = [synced(made, store, now=NOW + timedelta(hours=hours))[1] for hours in (0, 1)]
    assert found == [{("x",): {"a": "a", "b": "b"}}] * 2


def test_uris_that_differ_in_capitals_only_are_told(tmp_path: Path) -> None:
    with pytest.raises(CannotSync, match='"bq://t" and "bq://T" differ only in case'):
        synced(groups(tmp_path, "bq://t", "bq://T"))


def test_a_name_may_have_a_line_break(tmp_path: Path) -> None:
    table = f"CREATE TABLE t AS SELECT 'x' AS id, TIMESTAMP '{MORNING[:-1]}' AS feature_timestamp, 1 AS \"a\nb\""
    duckdb_table(tmp_path / "t.duckdb", table)
    view = {"warehouseSource": {"uri": "bq://t", "entityIdColumns": ["id"]}}
    made = catalog(tmp_path, view, sources=[{"uri": "bq://t", "database": "t.duckdb", "table": "t"}])
    assert synced(made)[1] == {("x",): {"a\nb": 1}}


@pytest.mark.parametrize("place", first_of([{"database": "t.db", "table": "t"}, {"files": "t.jsonl"}]))
def test_many_ids_of_several_columns_may_be_asked_for(tmp_path: Path, place: dict[str, Any]) -> None:
    rows = [(number, f"{number}\n", 1) for number in range(1500)]
    lines(tmp_path / "t.jsonl", [dict(zip("abc", row, strict=True)) for row in rows])
    sqlite_table(tmp_path / "t.db", "t", "a INTEGER, b TEXT, c INTEGER", rows)
    view = {"warehouseSource": {"uri": "bq://t", "entityIdColumns": ["a", "b"]}}
    made = catalog(tmp_path, view, sources=[{"uri": "bq://t", **place}])
    ids = [row[:2] for row in rows[: MAX_EXPRESSION_DEPTH + 100]]
    with closing(EngineCache(Options())) as engine:
        planned = build_plan(made.view(NAME), made, cutoff=NOW, ids=ids, engine=engine)
        with open_engine_of(planned, engine) as opened:
            assert sum(map(len, opened.latest(planned.statement))) == len(ids)


def work_of_sqlite(folder: Path, monkeypatch: pytest.MonkeyPatch, rows: int, *, sparse: bool) -> int:
    """Thousands of instructions of SQLite's machine that a sync of a table takes, ten rows for each entity."""
    values = [(number // 10, f"2026-11-22T08:{number % 60:02}:00", number) for number in range(rows)]
    folder.mkdir()
    sqlite_table(folder / "t.db", "t", "id INTEGER, feature_timestamp TIMESTAMP, a INTEGER", values)
    source = {"uri": "bq://t", "database": "t.db", "table": "t"}
    group = {"featureGroupId": "g", "uri": "bq://t", "entityIdColumns": ["id"], "features": [{"id": "a"}]}
    asked = {"featureRegistrySource": {"featureGroups": [{"featureGroupId": "g", "featureIds": ["a"]}]}}
    table = {"warehouseSource": {"uri": "bq://t", "entityIdColumns": ["id"]}}
    made = catalog(folder, asked if sparse else table, sources=[source], groups=[group] if sparse else [])
    calls = []
    monkeypatch.setattr(sqlite_reader, "STEPS_BETWEEN_CHECKS", 1000)
    monkeypatch.setattr(StatementBudget, "is_spent", lambda budget: bool(calls.append(1)))
    assert len(synced(made)[1]) == rows // 10
    return len(calls)


@pytest.mark.parametrize("sparse", [False, True], ids=["rows", "values"])
def test_the_work_of_sqlite_grows_as_the_rows_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sparse: bool) -> None:
    few = work_of_sqlite(tmp_path / "few", monkeypatch, 1000, sparse=sparse)
    many = work_of_sqlite(tmp_path / "many", monkeypatch, 4000, sparse=sparse)
    assert many < 6 * few, "each row is compared with each entity"
