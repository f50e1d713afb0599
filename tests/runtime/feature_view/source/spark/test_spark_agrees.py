"""Random views have the same rows, moments, counts and findings on Spark as a plain loop finds.

A few are tried; the environment variable SPARK_VIEWS says how many, up to the thousand of the embedded engines.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.feature_view.engine_runs import EngineUnderTest, Rows, check, put_in_duckdb, run_views
from tests.runtime.feature_view.random_views import Table, random_view
from tests.spark_cluster import needs_spark
from trialrun.runtime.engine_address import EngineAddress
from trialrun.runtime.feature_view.source.dialect import sql_literal
from trialrun.runtime.options import Options

pytestmark = needs_spark
AT_ONCE = 8
VIEWS = int(os.environ.get("SPARK_VIEWS", AT_ONCE))


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


@pytest.mark.parametrize("first", range(0, VIEWS, AT_ONCE))
def test_spark_agrees(first: int, spark: EngineAddress, tmp_path: Path) -> None:
    views = [random_view(seed) for seed in range(first, first + AT_ONCE)]
    engine = EngineUnderTest("Spark", put_in_parquet, Options(engine=spark))
    for seed, (view, outcome) in enumerate(zip(views, run_views(tmp_path, views, engine), strict=True), first):
        try:
            check(view, outcome)
        except AssertionError as error:
            raise AssertionError(f"the view of seed {seed} differs") from error
