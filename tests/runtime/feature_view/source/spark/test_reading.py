"""Spark reads the values that the embedded engine reads."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.runtime.feature_view.source.test_text_files import ROWS
from tests.spark_cluster import needs_spark
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.source.spark.engine import SparkEngine
from trialrun.runtime.feature_view.source.spark.reading import quote_text
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
    [
        ("_a.parquet", "PAR1", 'passes over files whose names begin with "_"'),
        ("a.parquet", "", "a.parquet"),
    ],
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
