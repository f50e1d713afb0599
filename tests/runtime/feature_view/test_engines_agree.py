"""Random views have the same rows, moments, counts and findings on every engine: those of a plain loop.

The rules about columns report no error in any of them; `test_refusals_have_rules.py` has what they report.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of, pairs_of, tries_all_cases
from tests.lint.workspace_findings import judged
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, synced
from tests.runtime.feature_view.engine_runs import (
    BOTH,
    DUCKDB,
    SQLITE,
    SQLITE_UTF_16,
    EngineUnderTest,
    check,
    keep_rows_in_table,
    run_views,
    without_nan,
)
from tests.runtime.feature_view.random_tables import random_table, read
from tests.runtime.feature_view.random_tables import without_nan as rows_without_nan
from tests.runtime.feature_view.random_views import KINDS, random_view
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.plan import build_plan
from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine
from trialrun.runtime.feature_view.store.sqlite import SqliteStore

VIEWS, AT_ONCE = 1000, 8
BLOCKS = first_of(range(0, VIEWS, AT_ONCE))
MANY_AT_ONCE = 3 * AT_ONCE if tries_all_cases() else AT_ONCE
TABLES_AT_ONCE = 8
TABLES = int(os.environ.get("SPARK_VIEWS", 304)) if tries_all_cases() else 2 * TABLES_AT_ONCE
LARGE_BLOCKS = first_of(range(0, VIEWS, MANY_AT_ONCE))


@pytest.mark.generated
@pytest.mark.parametrize("first", BLOCKS)
def test_engines_agree(first: int, tmp_path: Path) -> None:
    views = [random_view(seed) for seed in range(first, first + AT_ONCE)]
    plain = [without_nan(view) for view in views]
    outcomes = {}
    for engine in (DUCKDB, SQLITE):
        folder = tmp_path / engine.name
        folder.mkdir()
        of_engine = views if engine.holds_nan else plain
        outcomes[engine.name] = run_views(folder, of_engine, engine)
        for view, outcome in zip(of_engine, outcomes[engine.name], strict=True):
            check(view, outcome)
    for view, same, one, other in zip(views, plain, *outcomes.values(), strict=True):
        if view == same:
            assert [report.counts for report in one.reports] == [report.counts for report in other.reports]
            assert [report.findings for report in one.reports] == [report.findings for report in other.reports]


@pytest.mark.generated
@pytest.mark.parametrize("engine", [BOTH, SQLITE_UTF_16], ids=lambda engine: engine.name)
@pytest.mark.parametrize("first", LARGE_BLOCKS)
def test_engines_agree_on_views_that_both_read_and_on_other_texts(
    first: int, engine: EngineUnderTest, tmp_path: Path
) -> None:
    seeds = [seed for seed in range(first, first + MANY_AT_ONCE) if engine is not BOTH or KINDS[seed % 8] == "joined"]
    views = [without_nan(random_view(seed)) for seed in seeds]
    for view, outcome in zip(views, run_views(tmp_path, views, engine), strict=True):
        check(view, outcome)


@pytest.mark.generated
@pytest.mark.parametrize("engine", first_of([SQLITE, DUCKDB]), ids=lambda engine: engine.name)
@pytest.mark.parametrize("first", LARGE_BLOCKS)
def test_the_same_is_found_in_rows_that_stay_where_the_engine_is(
    first: int, engine: EngineUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    views = [without_nan(random_view(seed)) for seed in range(first, first + MANY_AT_ONCE) if seed % 8 in (0, 1, 4, 5)]
    passing, staying = tmp_path / "passing", tmp_path / "staying"
    passing.mkdir()
    staying.mkdir()
    expected = run_views(passing, views, engine)
    monkeypatch.setattr(DuckDbEngine, "latest_relation", keep_rows_in_table)
    for view, outcome, other in zip(views, run_views(staying, views, engine), expected, strict=True):
        check(view, outcome)
        assert [report.findings for report in outcome.reports] == [report.findings for report in other.reports]


@pytest.mark.generated
@pytest.mark.parametrize("first", range(0, TABLES, TABLES_AT_ONCE))
def test_a_file_and_a_database_have_one_reading(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + TABLES_AT_ONCE):
        table = random_table(seed, tmp_path / f"{seed}")
        in_files, in_database = (read(place, table.columns) for place in (table.files, table.database))
        assert rows_without_nan(in_files) == rows_without_nan(in_database), f"the table of seed {seed} differs"


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
@pytest.mark.parametrize(("view", "moment"), pairs_of(VIEWS, [{"timestampColumn": "at"}, {}]))
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


def test_a_list_of_integers_is_one_of_floats_in_json_alone(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "rows.jsonl").write_text('{"id": "a", "vector": [1, 0]}\n')
    view = {
        "warehouseSource": {"uri": "bq://r", "entityIdColumns": ["id"]},
        "indexConfig": {"embeddingColumn": "vector"},
    }
    for columns, is_sound in ((None, True), ([("id", "STRING"), ("vector", "ARRAY<INT64>")], False)):
        source: dict[str, Any] = {"uri": "bq://r", "files": "rows.jsonl"}
        if columns:
            source["columns"] = [{"name": name, "type": type} for name, type in columns]
        declared = catalog(tmp_path, view, sources=[source])
        documents = json.dumps([{"kind": "FeatureView", "name": NAME, **view}, {"kind": "Source", **source}])
        assert (judged("column-type", [(str(tmp_path / "documents.json"), documents)]) == []) is is_sound
        with nullcontext() if is_sound else pytest.raises(CannotSync):
            build_plan(declared.view(NAME), declared, cutoff=NOW)
