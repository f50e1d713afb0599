"""Random views have the same rows, moments, counts and findings on Spark as in DuckDB, in SQLite and by a plain loop.

Random tables of odd values have one reading. A few of both are tried; the environment variable SPARK_VIEWS
says how many, and SPARK_FIRST from which seed on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.feature_view.engine_runs import (
    SQLITE,
    EngineUnderTest,
    Outcome,
    Rows,
    check,
    loads,
    put_in_duckdb,
    run_views,
    without_nan,
)
from tests.runtime.feature_view.random_tables import random_table, read
from tests.runtime.feature_view.random_views import RandomView, Table, random_view
from tests.spark_cluster import needs_spark
from trialrun.runtime.feature_view.source.interface import sql_literal
from trialrun.runtime.feature_view.source.location import has_types
from trialrun.runtime.options import EngineAddress, Options

pytestmark = needs_spark
AT_ONCE = 8
VIEWS, FIRST = int(os.environ.get("SPARK_VIEWS", AT_ONCE)), int(os.environ.get("SPARK_FIRST", 0))


def put_in_parquet(folder: Path, name: str, table: Table, rows: Rows) -> Mapping[str, Any]:
    """Add rows to a table of Parquet files: each time there are rows, another file."""
    import duckdb

    (folder / name).mkdir(exist_ok=True)
    number = len(list((folder / name).iterdir()))
    database = folder / f"{name}_{number}"
    database.mkdir()
    put_in_duckdb(database, name, table, rows)
    with duckdb.connect(str(database / "tables.duckdb")) as connection:
        file = sql_literal(str(folder / name / f"{number}.parquet"))
        connection.execute(f"COPY {name} TO {file} (FORMAT parquet)")
    return {"files": f"{name}/*.parquet"}


@pytest.mark.parametrize("first", range(FIRST, FIRST + VIEWS, AT_ONCE))
def test_spark_agrees(first: int, spark: EngineAddress, tmp_path: Path) -> None:
    views = [random_view(seed) for seed in range(first, first + AT_ONCE)]
    on_same_files = EngineUnderTest("DuckDB", put_in_parquet)
    engines = (EngineUnderTest("Spark", put_in_parquet, Options(engine=spark)), on_same_files, SQLITE)
    outcomes = [_run(tmp_path / engine.name, views, engine) for engine in engines]
    for seed, (view, on_spark, *embedded) in enumerate(zip(views, *outcomes, strict=True), first):
        try:
            check(view, on_spark)
            for engine, outcome in zip(engines[1:], embedded, strict=True):
                if engine.holds_nan or view == without_nan(view):
                    require_same(view, on_spark, outcome)
        except AssertionError as error:
            raise AssertionError(f"the view of seed {seed} differs") from error


def _run(folder: Path, views: list[RandomView], engine: EngineUnderTest) -> list[Outcome]:
    folder.mkdir()
    return run_views(folder, views if engine.holds_nan else [without_nan(view) for view in views], engine)


def require_same(view: RandomView, first: Outcome, second: Outcome) -> None:
    """See that two engines loaded the same values and moments, and counted and said the same of each sync.

    Files that come later are another table, which is read whole; of one table that grows, only the new rows are.
    """
    if [report.plan.incremental for report in first.reports] != [report.plan.incremental for report in second.reports]:
        return
    assert loads(view, first) == loads(view, second)
    assert [report.counts for report in first.reports] == [report.counts for report in second.reports]
    assert [report.findings for report in first.reports] == [report.findings for report in second.reports]


@pytest.mark.parametrize("first", range(FIRST, FIRST + VIEWS, AT_ONCE))
def test_spark_has_the_reading_of_the_embedded_engine(first: int, spark: EngineAddress, tmp_path: Path) -> None:
    for seed in range(first, first + AT_ONCE):
        table = random_table(seed, tmp_path / f"{seed}")
        if has_types(table.files):
            read_by = [read(table.files, table.columns, options) for options in (Options(engine=spark), Options())]
            assert read_by[0] == read_by[1], f"the table of seed {seed} differs"
