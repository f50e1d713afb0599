"""Batches of rows: as many as fit, fewer where lists are long, and every row once."""

from __future__ import annotations

from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.cases import first_of
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, sqlite_table
from trialrun.runtime.feature_view import batches
from trialrun.runtime.feature_view.batches import fetch_batches, split_rows
from trialrun.runtime.feature_view.plan import build_plan, open_engine_of
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.options import Options

ROWS = [(number, [0.5] * (number % 7)) for number in range(1_000)]


def fetched(rows: list[Any], lists: tuple[int, ...], max_rows: int = 400) -> list[list[Any]]:
    cursor = iter(rows)
    return list(fetch_batches(lambda size: list(islice(cursor, size)), max_rows, lists))


@pytest.mark.parametrize("lists", [(), (1,)])
def test_every_row_is_in_one_batch(lists: tuple[int, ...]) -> None:
    for made in (fetched(ROWS, lists), list(split_rows(ROWS, 400, lists))):
        assert list(chain.from_iterable(made)) == ROWS
        assert max(map(len, made)) == 400


def test_batches_of_long_lists_have_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MAX_ELEMENTS", 1_000)
    rows = [(number, [0.5] * (1 if number < 300 else 50)) for number in range(1_000)]
    late = [batch for batch in fetched(rows, (1,)) if batch[0][0] > 700]
    assert {len(batch) for batch in late[:-1]} == {20}
    assert {len(batch) for batch in list(split_rows(rows, 400, (1,)))[1:-1]} == {20}


def test_a_row_beyond_the_bound_is_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MAX_ELEMENTS", 10)
    rows = [(number, None if number == 5 else [0.5] * 100) for number in range(300)]
    assert {len(batch) for batch in fetched(rows, (1,))[1:]} == {1}
    assert [len(batch) for batch in split_rows(rows[:3], 400, (1,))] == [1, 1, 1]


@pytest.mark.parametrize("kind", first_of(["parquet", "sqlite"]))
def test_engines_read_views_with_vectors_in_small_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(batches, "MAX_ELEMENTS", 20_000)
    select = "SELECT i AS id, [i / 2.0 FOR d IN range(100)] AS e FROM range(2000) t (i)"
    source: dict[str, Any] = {"uri": "rows", "files": "rows.parquet"}
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{tmp_path / 'rows.parquet'}'")
    if kind == "sqlite":
        rows = [(number, str([number / 2] * 100)) for number in range(2000)]
        sqlite_table(tmp_path / "s.db", "t", "id INTEGER, e TEXT", rows)
        columns = [{"name": "id", "type": "INT64"}, {"name": "e", "type": "DOUBLE", "mode": "REPEATED"}]
        source = {"uri": "rows", "database": "s.db", "table": "t", "columns": columns}
    declared = catalog(tmp_path, {"warehouseSource": {"uri": "rows", "entityIdColumns": ["id"]}}, sources=[source])
    plan = build_plan(declared.view(NAME), declared, cutoff=NOW)
    with closing(EngineCache(Options())) as cache, open_engine_of(plan, cache) as engine:
        made = list(engine.latest(plan.statement))
    assert sum(map(len, made)) == 2000
    assert max(map(len, made)) <= 200
