"""What DuckDB, pyarrow, polars and Spark make of tables: each row of docs/other-programs.md, by running it.

The first line of a test is the first cell of its row.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.spark_cluster import needs_spark
from trialrun.runtime.options import EngineAddress

PAGE = Path(__file__).parents[4] / "docs" / "other-programs.md"
duckdb = pytest.importorskip("duckdb")


def value(expression: str) -> Any:
    """What DuckDB makes of an expression."""
    return duckdb.sql(f"SELECT {expression}").fetchall()[0][0]


def written(folder: Path, values: Any, **options: Any) -> str:
    """A Parquet file with a column x, as DuckDB names it."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"x": values}), folder / "t.parquet", **options)
    return f"'{folder}/t.parquet'"


def nanoseconds(*numbers: int, zone: str | None = None) -> Any:
    arrow = pytest.importorskip("pyarrow")
    return arrow.array(numbers, arrow.timestamp("ns", zone))


def test_nanoseconds_with_a_zone(tmp_path: Path) -> None:
    """a Parquet column `timestamp[ns, UTC]` in DuckDB"""
    table = written(tmp_path, nanoseconds(1999, zone="UTC"))
    assert duckdb.sql(f"SELECT typeof(x), epoch_ns(x) FROM {table}").fetchall() == [("TIMESTAMPTZ_NS", 1999)]
    with pytest.raises(duckdb.BinderException, match="epoch_us"):
        duckdb.sql(f"SELECT epoch_us(x) FROM {table}")


def test_casts_from_nanoseconds() -> None:
    """a cast of nanoseconds to a TIMESTAMP in DuckDB"""
    for type, target in (("TIMESTAMP_NS", "TIMESTAMP"), ("TIMESTAMPTZ_NS", "TIMESTAMPTZ")):
        assert value(f"epoch_us('1970-01-01 00:00:00.000001999'::{type}::{target})") == 2


def test_casts_from_nanoseconds_in_arrow() -> None:
    """a cast of nanoseconds to microseconds in pyarrow"""
    arrow = pytest.importorskip("pyarrow")
    cut = nanoseconds(-1, -1001, 1999).cast(arrow.timestamp("us"), safe=False)
    assert cut.cast(arrow.int64()).to_pylist() == [0, -1, 1]


def test_the_greatest_nanosecond(tmp_path: Path) -> None:
    """the last moment of 64-bit nanoseconds, `Timestamp.max` of pandas, in DuckDB"""
    table = written(tmp_path, nanoseconds(2**63 - 1, 2**63 - 2))
    assert duckdb.sql(f"SELECT isfinite(x) FROM {table}").fetchall() == [(False,), (True,)]


def test_int96(tmp_path: Path) -> None:
    """int96 moments of a Parquet file in DuckDB"""
    table = written(tmp_path, nanoseconds(-1, 1999), use_deprecated_int96_timestamps=True)
    assert duckdb.sql(f"SELECT typeof(x), epoch_us(x) FROM {table}").fetchall() == [("TIMESTAMP", -1), ("TIMESTAMP", 1)]


def test_milliseconds_beyond_microseconds(tmp_path: Path) -> None:
    """one moment in milliseconds, of a Parquet file, that has no 64-bit microseconds, in DuckDB"""
    arrow = pytest.importorskip("pyarrow")
    table = written(tmp_path, arrow.array([2**60, 5], arrow.int64()).cast(arrow.timestamp("ms")))
    with pytest.raises(duckdb.ConversionException, match="Could not convert"):
        duckdb.sql(f"SELECT x FROM {table} WHERE false OR x IS NOT NULL").fetchall()


def test_far_moments() -> None:
    """a moment before the year 1, after the year 9999, or at infinity, in DuckDB"""
    assert [value(f"TIMESTAMP '{text}' < TIMESTAMP '10001-01-01'") for text in ("10000-01-01", "infinity")] == [
        *(True, False),
    ]
    assert value("TIMESTAMP '0044-03-15 (BC) 00:00:00' > '-infinity'")


def test_nan_is_pruned(tmp_path: Path) -> None:
    """`x > 10` over a row group of 1, NaN and 5"""
    parquet = pytest.importorskip("pyarrow.parquet")
    table = written(tmp_path, pytest.importorskip("pyarrow").array([1.0, float("nan"), 5.0]))
    count = "SELECT count(*) FROM {} WHERE x > 10"
    assert duckdb.sql(count.format(table)).fetchall() == [(0,)]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM {table}")
        assert connection.execute(count.format("t")).fetchall() == [(1,)]
    assert parquet.read_table(tmp_path / "t.parquet", filters=[("x", ">", 10)]).num_rows == 0


def test_lists_of_integers_beyond_64_bits() -> None:
    """`TRY_CAST` of a list with an integer that does not fit, in DuckDB"""
    assert value("TRY_CAST([18446744073709551615, 5]::UBIGINT[] AS BIGINT[])") == [None, 5]


def test_128_bit_integers_in_parquet(tmp_path: Path) -> None:
    """a HUGEINT that DuckDB writes into a Parquet file"""
    duckdb.sql(f"COPY (SELECT 9007199254740993::HUGEINT AS x) TO '{tmp_path}/t.parquet'")
    read = duckdb.sql(f"SELECT typeof(x), x::BIGINT FROM '{tmp_path}/t.parquet'").fetchall()
    assert read == [("DOUBLE", 9007199254740992)]


def test_wide_decimals(tmp_path: Path) -> None:
    """a Parquet column `decimal256(60, 2)` in DuckDB"""
    arrow = pytest.importorskip("pyarrow")
    table = written(tmp_path, arrow.array([1]).cast(arrow.decimal256(60, 2)))
    assert duckdb.sql(f"SELECT typeof(x) FROM {table}").fetchall() == [("DOUBLE",)]


def test_durations(tmp_path: Path) -> None:
    """a Parquet column `duration[us]` in DuckDB"""
    arrow = pytest.importorskip("pyarrow")
    assert duckdb.sql(
        f"SELECT typeof(x) FROM {written(tmp_path, arrow.array([1], arrow.duration('us')))}"
    ).fetchall() == [("BIGINT",)]


def test_half_floats(tmp_path: Path) -> None:
    """a Parquet column `halffloat` in DuckDB"""
    arrow = pytest.importorskip("pyarrow")
    table = written(tmp_path, arrow.array([1.1], arrow.float16()))
    assert duckdb.sql(f"SELECT typeof(x), x FROM {table}").fetchall() == [("FLOAT", 1.099609375)]


def test_128_bit_integers_of_polars(tmp_path: Path) -> None:
    """an `Int128` that polars writes into a Parquet file"""
    polars = pytest.importorskip("polars", reason="needs polars; run pip install polars")
    parquet = pytest.importorskip("pyarrow.parquet")
    polars.DataFrame({"x": polars.Series([7], dtype=polars.Int128)}).write_parquet(tmp_path / "t.parquet")
    read = duckdb.sql(f"SELECT typeof(x), x FROM '{tmp_path}/t.parquet'").fetchall()
    assert read == [("BLOB", (7).to_bytes(16, "little"))]
    with pytest.raises(NotImplementedError):
        parquet.read_schema(tmp_path / "t.parquet")


def test_nan_is_pruned_by_spark(spark: EngineAddress, tmp_path: Path) -> None:
    """`x > 10` over 1, NaN and 5 in Spark"""
    from trialrun.runtime.feature_view.source.spark.session import spark_session

    written(tmp_path, pytest.importorskip("pyarrow").array([1.0, float("nan"), 5.0]))
    session = spark_session(spark)
    session.read.parquet(f"file:{tmp_path}/t.parquet").createOrReplaceTempView("t")
    session.sql("CACHE TABLE cached AS SELECT * FROM t")
    values = "VALUES (1.0D), (DOUBLE('NaN')), (5.0D) AS v (x)"
    counts = [
        session.sql(f"SELECT count(*) FROM {table} WHERE x > 10D").collect()[0][0] for table in ("t", "cached", values)
    ]
    session.sql("UNCACHE TABLE cached")
    assert counts == [0, 0, 1]


for mark in needs_spark:
    test_nan_is_pruned_by_spark = mark(test_nan_is_pruned_by_spark)


def test_the_page_has_these_rows() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Engines that read tables\n")[2].partition("\n##")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in section.splitlines() if line.startswith("| ")]
    tests = [item.__doc__ for name, item in vars(sys.modules[__name__]).items() if name.startswith("test_")]
    assert sorted(rows[1:]) == sorted(text for text in tests if text)
