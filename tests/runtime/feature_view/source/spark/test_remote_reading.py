"""Spark reads rows that are named by URLs: the values that the embedded engine reads of the same files."""

import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.runtime.feature_view.source.spark.test_reading import STORED, rows_of
from tests.spark_cluster import needs_spark
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.options import EngineAddress, Options

pytestmark = needs_spark
UNLIKE = ("beyond", "beyonds", "id", "nanos", "zones", "zone_list")
"""Columns whose types Spark finds in files otherwise than the embedded engine, and never as other values."""


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    (tmp_path / "lake").mkdir()
    return tmp_path / "lake"


def remote(spark: EngineAddress, lake: Path, files: str, **more: Any) -> list[dict[str, Any]]:
    """The rows of files by their URL, below a root."""
    options = Options(engine=replace(spark, roots=(f"{lake}/",)))
    return rows_of(TableLocation("t", "/nowhere", f"file://{lake}/{files}", **more), options)


def local(lake: Path, files: str, **more: Any) -> list[dict[str, Any]]:
    return rows_of(TableLocation("t", str(lake), files, **more))


def write_parquet(file: Path, query: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    duckdb.execute(f"COPY ({query}) TO '{file}'")


def test_every_type_of_a_parquet_file(spark: EngineAddress, lake: Path) -> None:
    write_parquet(lake / "a.parquet", f"SELECT * EXCLUDE ({', '.join(UNLIKE)}) FROM ({STORED})")
    assert remote(spark, lake, "*.parquet") == local(lake, "*.parquet")


@pytest.mark.parametrize("column", UNLIKE)
def test_a_column_that_spark_finds_otherwise_is_never_another_value(
    spark: EngineAddress, lake: Path, column: str
) -> None:
    write_parquet(lake / "a.parquet", f"SELECT 1 AS n, {column} FROM ({STORED})")
    try:
        rows = remote(spark, lake, "a.parquet")
    except Unreadable as error:
        assert "Spark: " in str(error)
    else:
        assert all(column not in row or row[column] == local(lake, "a.parquet")[0][column] for row in rows)


def test_parquet_files_whose_columns_differ(spark: EngineAddress, lake: Path) -> None:
    write_parquet(lake / "a" / "a.parquet", "SELECT 1::BIGINT AS id, 'x' AS word")
    write_parquet(lake / "b" / "day=2026-01-01%3A5" / "b.parquet", "SELECT 1.5::FLOAT AS real, 2::BIGINT AS id")
    write_parquet(lake / "c.parquet", "SELECT 3::BIGINT AS id")
    assert remote(spark, lake, "**/*.parquet") == local(lake, "**/*.parquet")
    assert remote(spark, lake, "*/*.parquet") == local(lake, "*/*.parquet")
    assert remote(spark, lake, "b/", format="PARQUET") == local(lake, "b/**/*.parquet")


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        ("a.csv", "id\n1\n", "Spark reads no files of CSV or JSON"),
        ("_a.parquet", "PAR1", "passes over files"),
        ("**/a/*.parquet", "", r"\*\* stands for all folders"),
        ("none-*.parquet", "", "none-"),
        ("a.parquet", "PAR1", "a.parquet"),
    ],
)
def test_what_cannot_be_read_is_refused(spark: EngineAddress, lake: Path, file: str, text: str, reason: str) -> None:
    if text:
        (lake / file).write_text(text)
    with pytest.raises(Unreadable, match=reason) as refused:
        remote(spark, lake, file)
    assert "java" not in str(refused.value)


def test_the_size_is_that_of_the_files(spark: EngineAddress, lake: Path) -> None:
    write_parquet(lake / "a.parquet", "SELECT 1 AS id")
    write_parquet(lake / "b.parquet", "SELECT 2 AS id")
    place = TableLocation("t", "/nowhere", f"file://{lake}/*.parquet")
    with closing(open_engine([place], Options(engine=replace(spark, roots=(str(lake),))))) as engine:
        assert engine.size("t") == sum(file.stat().st_size for file in lake.iterdir())


class TestDatabase:
    """Tables by JDBC: of Derby, which comes with Spark, read by several Java processes as a file of a jar."""

    @pytest.fixture
    def url(self, spark: EngineAddress, lake: Path) -> Iterator[str]:
        from trialrun.runtime.feature_view.source.spark_session import spark_session

        java: Any = spark_session(spark)._jvm
        java.java.lang.System.setProperty("derby.stream.error.file", str(lake / "derby.log"))
        driver, none = java.org.apache.derby.jdbc.EmbeddedDriver(), java.java.util.Properties()
        connection = driver.connect(f"jdbc:derby:{lake}/shop;create=true", none)
        statement = connection.createStatement()
        statement.execute(
            'CREATE TABLE app.guests ("id" VARCHAR(10), "n" INT, "big" BIGINT, "real" DOUBLE, "at" TIMESTAMP, '
            '"flag" BOOLEAN, "price" DECIMAL(9, 2), "whole" DECIMAL(10, 0), "odd ""name" VARCHAR(5))'
        )
        for number in range(100):
            statement.execute(
                f"INSERT INTO app.guests VALUES ('g{number}', {number - 5}, 9223372036854775807, 1.5, "
                f"TIMESTAMP('2026-01-01 12:00:00.123456'), {'TRUE' if number % 2 else 'NULL'}, 1.25, {number}, 'x')"
            )
        statement.execute('CREATE TABLE app."empty one" ("id" INT)')
        connection.close()
        with pytest.raises(Exception, match="shutdown"):
            driver.connect(f"jdbc:derby:{lake}/shop;shutdown=true", none)
        with zipfile.ZipFile(lake / "shop.jar", "w") as jar:
            for file in (lake / "shop").rglob("*"):
                jar.write(file, file.relative_to(lake))
        yield f"jdbc:derby:jar:({lake}/shop.jar)shop"

    def test_a_table(self, spark: EngineAddress, url: str) -> None:
        options = Options(engine=replace(spark, roots=(url,)))
        rows = rows_of(TableLocation("t", "/nowhere", database=url, table="APP.GUESTS"), options)
        assert sorted(row["n"] for row in rows) == list(range(-5, 95))
        first = min(rows, key=lambda row: row["n"])
        assert str(first.pop("at")) == "2026-01-01 12:00:00.123456"
        assert first == {
            "id": "g0", "n": -5, "big": 9223372036854775807, "real": 1.5, "flag": None, "whole": 0, 'odd "name': "x",
        }  # fmt: skip

    def test_an_empty_table(self, spark: EngineAddress, url: str) -> None:
        options = Options(engine=replace(spark, roots=(url,)))
        assert rows_of(TableLocation("t", "/nowhere", database=url, table="APP.empty one"), options) == []

    @pytest.mark.parametrize("table", ['APP"."GUESTS', "(SELECT 1) x", "APP.GUESTS; DROP", "", "APP..GUESTS", "`a`"])
    def test_a_name_that_is_none(self, spark: EngineAddress, url: str, table: str) -> None:
        options = Options(engine=replace(spark, roots=(url,)))
        with pytest.raises(Unreadable, match=r"name of a table|set `database` and `table`"):
            rows_of(TableLocation("t", "/nowhere", database=url, table=table), options)

    def test_a_table_that_is_not_there(self, spark: EngineAddress, url: str) -> None:
        options = Options(engine=replace(spark, roots=(url,)))
        with pytest.raises(Unreadable, match="NONE"):
            rows_of(TableLocation("t", "/nowhere", database=url, table="APP.NONE"), options)
