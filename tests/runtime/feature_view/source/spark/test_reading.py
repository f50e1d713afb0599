"""Spark reads the values that the embedded engine reads.

Random views have the same rows, moments, counts and findings on Spark as in DuckDB, in SQLite and by a plain loop; the
environment variable SPARK_VIEWS says how many are tried, and SPARK_FIRST from which seed on.
"""

import os
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
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
from tests.runtime.feature_view.source.test_text_files import ROWS
from tests.spark_cluster import needs_spark
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.interface import sql_literal
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable, has_types
from trialrun.runtime.feature_view.source.spark_engine import SparkEngine
from trialrun.runtime.feature_view.source.spark_reading import quote_text
from trialrun.runtime.options import DEFAULT_OPTIONS, EngineAddress, Options

pytestmark = needs_spark
STORED = """
    SELECT uuid() AS id, 'x'::ENUM ('x', 'y') AS word, 200::UTINYINT AS tiny, 4000000000::UINTEGER AS number,
        unnest([18446744073709551615, 7])::UBIGINT AS beyond, 5::HUGEINT AS huge, 1.5::FLOAT AS single,
        'NaN'::DOUBLE AS nan, '-0.0'::DOUBLE AS zero, TIMESTAMP '0001-02-03 04:05:06.000007' AS old,
        TIMESTAMPTZ '2026-01-01 12:00:00.5+02' AS zoned, TIMESTAMP_MS '1969-12-31 23:59:59.999' AS milliseconds,
        unnest([TIMESTAMP_NS '2026-01-01 12:00:00.123456789', TIMESTAMP_NS '1969-12-31 23:59:59.999999999']) AS nanos,
        DATE '2026-01-01' AS day, 1.25::DECIMAL (9, 2) AS price,
        'a\\x00'::BLOB AS bytes, [1, NULL, 3]::TINYINT[] AS small,
        [1.5, 2.5]::FLOAT[] AS vector, [TIMESTAMPTZ '2026-01-01 00:00:00-05'] AS moments, [[1]] AS nested,
        [18446744073709551615, 7]::UBIGINT[] AS beyonds, 'x' AS "we`ird ""na.me",
        unnest(['2026-01-01 12:00:00.123456789+02', 'infinity', '1677-09-22'])::TIMESTAMPTZ_NS AS zones,
        unnest(['10000-01-01', 'infinity', '-infinity', '9999-12-31 23:59:59.999999'])::TIMESTAMP AS far,
        [unnest(['10000-01-01', '2026-01-01'])::TIMESTAMPTZ] AS fars,
        ['1969-12-31 23:59:59.999999999+00'::TIMESTAMPTZ_NS] AS zone_list
"""


def rows_of(place: TableLocation, options: Options = DEFAULT_OPTIONS) -> list[dict[str, Any]]:
    """The rows of a place as an engine reads them, NaN as a text, in an order of their own."""
    with closing(open_engine([place], options)) as engine:
        names = [reading.column.name for reading in engine.readings[place.uri] if reading.column.type != "UNSUPPORTED"]
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        rows = engine.all(f'SELECT {quoted} FROM "{place.uri}"')
    return sorted((dict(zip(names, map(comparable, row), strict=True)) for row in rows), key=str)


def comparable(value: Any) -> Any:
    return "NaN" if value != value else list(map(comparable, value)) if isinstance(value, list) else value


def both(spark: EngineAddress, place: TableLocation) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    return rows_of(place, Options(engine=spark)), rows_of(place)


def test_every_type_of_a_parquet_file(spark: EngineAddress, tmp_path: Path) -> None:
    duckdb.execute(f"COPY ({STORED}) TO '{tmp_path}/a.parquet'")
    remote, local = both(spark, TableLocation("t", str(tmp_path), "a.parquet"))
    assert remote == local
    assert local[0]["small"] is None


def test_parquet_files_whose_columns_differ(spark: EngineAddress, tmp_path: Path) -> None:
    duckdb.execute(f"COPY (SELECT 1::TINYINT AS id, 'x' AS word) TO '{tmp_path}/a [1].parquet'")
    duckdb.execute(f"COPY (SELECT 1.5::FLOAT AS real, 2::BIGINT AS ID) TO '{tmp_path}/b.parquet'")
    remote, local = both(spark, TableLocation("t", str(tmp_path), "*.parquet"))
    assert remote == local


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [("_a.parquet", "PAR1", 'passes over files whose names begin with "_"'), ("a.parquet", "", "a.parquet")],
)
def test_what_spark_would_read_wrongly_is_refused(
    spark: EngineAddress, tmp_path: Path, file: str, content: str, reason: str
) -> None:
    (tmp_path / file).write_text(content)
    with pytest.raises(Unreadable, match=reason) as refused:
        rows_of(TableLocation("t", str(tmp_path), file), Options(engine=spark))
    assert "java" not in str(refused.value)


def test_moments_are_in_utc_whatever_the_zone_of_the_column(spark: EngineAddress, tmp_path: Path) -> None:
    duckdb.execute(f"COPY (SELECT TIMESTAMPTZ '2026-01-01 12:00:00-05' AS at) TO '{tmp_path}/a.parquet'")
    place = TableLocation("t", str(tmp_path), "a.parquet")
    with closing(open_engine([place], Options(engine=spark))) as engine:
        noon = engine.dialect.literal(datetime(2026, 1, 1, 12) + timedelta(hours=5))
        assert engine.all(f"SELECT COUNT(*), CAST(MAX(at) AS VARCHAR(40)) FROM t WHERE at = {noon}") == [
            (1, "2026-01-01 17:00:00")
        ]


def test_what_spark_makes_of_texts(spark: EngineAddress, tmp_path: Path) -> None:
    """The rows of "Texts" in docs/other-programs.md."""
    duckdb.execute(f"COPY (SELECT 1 AS id) TO '{tmp_path}/t.parquet'")
    with closing(open_engine([TableLocation("t", str(tmp_path), "t.parquet")], Options(engine=spark))) as engine:
        assert isinstance(engine, SparkEngine)
        session = engine._session
        found = [session.sql(f"SELECT {sql.format(quote_text(text))}").collect()[0][0] for text, (_, sql), *_ in ROWS]
    assert found == [expected for *_, expected in ROWS]


def test_half_floats_and_lists_with_a_null(spark: EngineAddress, tmp_path: Path) -> None:
    import numpy
    import pyarrow
    from pyarrow import parquet

    halves = numpy.array([1.1, numpy.nan, -numpy.inf, 6e-8, -0.0, 65504], "float16")
    lists = pyarrow.array([[half] for half in halves[:5]] + [[halves[0], None]], pyarrow.list_(pyarrow.float16()))
    table = pyarrow.table({"id": range(6), "half": pyarrow.array(halves), "list": lists})
    parquet.write_table(table, tmp_path / "a.parquet")
    remote, local = both(spark, TableLocation("t", str(tmp_path), "a.parquet"))
    assert list(map(repr, remote)) == list(map(repr, local))
    assert local[5]["list"] is None


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
