"""No statement filters rows by a number that may be NaN.

Engines leave out groups of rows by the least and the greatest number in them, which say nothing of NaN: `x > 10` finds
NaN in a table and not in a Parquet file (docs/other-programs.md). So rows are chosen by entity ids and moments alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, synced
from trialrun.runtime.feature_view.plan import build_plan
from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine
from trialrun.runtime.feature_view.store.sqlite import SqliteStore

NUMBERS = {"real", "single", "vector"}
WAREHOUSE = {"warehouseSource": {"uri": "t", "entityIdColumns": ["id"]}}
REGISTRY = {"featureRegistrySource": {"featureGroups": [{"featureGroupId": g, "featureIds": [*NUMBERS]} for g in "g"]}}
INDEX = {"indexConfig": {"embeddingColumn": "vector", "filterColumns": ["real"], "crowdingColumn": "single"}}
VIEWS: list[Mapping[str, Any]] = [
    WAREHOUSE,
    {**WAREHOUSE, **INDEX, "syncConfig": {"continuous": True}},
    {**REGISTRY, **INDEX},
    {**REGISTRY, "syncConfig": {"continuous": True}},
]


def filtered_columns(statement: str) -> Iterator[str]:
    """The names of columns that decide which rows of a table a statement reads."""
    sqlglot = pytest.importorskip("sqlglot", reason="needs pyspark; run pip install '.[spark]'")
    from sqlglot import expressions

    for tree in sqlglot.parse(statement, read="duckdb"):
        for clause in tree.find_all(expressions.Where, expressions.Having, expressions.Qualify, expressions.Join):
            condition = clause.args.get("on") if isinstance(clause, expressions.Join) else clause
            yield from (column.name for column in (condition.find_all(expressions.Column) if condition else ()))


def test_what_filters_is_found() -> None:
    text = "SELECT a FROM t JOIN s ON t.b = s.b WHERE c > 1 AND (SELECT MAX(d) FROM u) > 0"
    assert set(filtered_columns(text)) == {"b", "c", "d"}


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("moment", [{"timestampColumn": "at"}, {}], ids=["latest", "any"])
@pytest.mark.parametrize("view", VIEWS, ids=["table", "index", "groups", "continuous"])
def test_rows_are_chosen_by_ids_and_moments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: Mapping[str, Any], moment: dict[str, str], *, dense: bool
) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    nan = float("nan")
    rows = {"id": ["a", "a", "b"], "at": [NOW, NOW + timedelta(1), NOW], "real": [1.0, nan, 5.0]}
    rows |= {"single": [nan, None, 1.0], "vector": [[nan, 1.0], None, [1.0, 2.0]]}
    types = {"id": "string", "at": arrow.timestamp("us"), "real": "float64", "single": "float32"}
    schema = arrow.schema([*types.items(), ("vector", arrow.list_(arrow.float32()))])
    parquet.write_table(arrow.table(rows, schema=schema), tmp_path / "t.parquet")
    features = [{"id": name} for name in NUMBERS]
    group = {"featureGroupId": "g", "uri": "t", "entityIdColumns": ["id"], "timestampColumn": "at", "dense": dense}
    made = catalog(
        tmp_path, view, sources=[{"uri": "t", "files": "t.parquet", **moment}], groups=[{**group, "features": features}]
    )
    statements: list[str] = []
    run = DuckDbEngine.rows

    def recorded(engine: DuckDbEngine, text: str, *lists: Any) -> Any:
        statements.append(text)
        return run(engine, text, *lists)

    monkeypatch.setattr(DuckDbEngine, "rows", recorded)
    store = SqliteStore(":memory:")
    synced(made, store)
    synced(made, store, now=NOW + timedelta(2))
    statements.append(build_plan(made.view(NAME), made, cutoff=NOW, ids=[("a",)]).statement.text)
    filtered = {name for text in statements if text.startswith(("SELECT", "WITH")) for name in filtered_columns(text)}
    assert filtered & NUMBERS == set()
    assert "id" in filtered
