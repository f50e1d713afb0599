"""Spark reads the values that the embedded engine reads, from files with types and from texts."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.runtime.feature_view.source.test_other_texts import ROWS
from tests.spark_cluster import needs_spark
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.source.spark.conversions import quote_text
from trialrun.runtime.feature_view.source.spark.engine import SparkEngine
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
DECLARED = (
    Column("flag", "BOOL"),
    Column("whole", "INT64"),
    Column("real", "DOUBLE"),
    Column("at", "TIMESTAMP"),
    Column("bytes", "BYTES"),
)
TEXTS: list[dict[str, str | None]] = [
    {"flag": flag, "whole": whole, "real": real, "at": at, "bytes": bytes_}
    for flag, whole, real, at, bytes_ in [
        ("true", "7", "1.5", "2026-01-01", "YQ=="),
        ("F", "7.0", "1e5", "2026-01-01 12:00:00", "YQ"),
        ("1", " 7 ", "-inf", "2026-01-01T12:00:00.5Z", ""),
        ("yes", "7.5", "NaN", "2026-01-01T12:00:00+02:00", "%%"),
        ("maybe", "9223372036854775808", "1d", "12:00", "a"),
        ("", "", "", "", "YWI="),
        (None, None, None, None, None),
        ("TRUE", "+7", ".5", "2026-1-2", "YWJj"),
        ("no", "0x7", "1_0", "2026", "YW Jj"),
        ("t", "-0", "infinity", "2026-01-01 12:00:00 UTC", "YWJjZA=="),
        ("n", "00012", "1e400", "2026-02-30", "===="),
        ("tru", "1e3", "5.", "1969-12-31 23:59:59.999999", "YWI"),
        ("tru", "1e3", "5.", "9999-12-31 23:59:59-05:00", "YWI"),
        ("tru", "1e3", "5.", "10000-01-01 00:00:00", "YWI"),
        ("tru", "1e3", "5.", "0001-01-01 00:00:00+05:00", "YWI"),
    ]
]


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


@pytest.mark.parametrize("declared", [DECLARED, ()], ids=["declared", "inferred"])
def test_texts_of_a_csv_file(spark: EngineAddress, tmp_path: Path, declared: tuple[Column, ...]) -> None:
    (tmp_path / "a.csv").write_text("\n".join([",".join(TEXTS[0]), *(csv_line(row) for row in TEXTS)]) + "\n")
    remote, local = both(spark, TableLocation("t", str(tmp_path), "a.csv", declared=declared))
    assert remote == local


def test_long_lists_and_long_texts_in_lists_of_a_csv_file(spark: EngineAddress, tmp_path: Path) -> None:
    numbers, word = ",".join(["0.25"] * 20_000), "x" * 100_000
    (tmp_path / "a.csv").write_text(f'vector,words\n"[{numbers}]","[""{word}""]"\n')
    declared = (Column("vector", "DOUBLE", True), Column("words", "STRING", True))
    remote, local = both(spark, TableLocation("t", str(tmp_path), "a.csv", declared=declared))
    assert remote == local
    assert local[0]["words"] == [word]


def csv_line(row: dict[str, str | None]) -> str:
    return ",".join("" if text is None else f'"{text}"' for text in row.values())


def test_csv_files_that_are_written_differently(spark: EngineAddress, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,word\n1,"two\nlines, and ""quotes"" \\"\n2,\n3,""\n')
    (tmp_path / "b.csv").write_text("word;id\n é ;4\n")
    remote, local = both(spark, TableLocation("t", str(tmp_path), "*.csv"))
    assert remote == local


@pytest.mark.parametrize("layout", ["lines", "list"])
def test_texts_of_a_json_file(spark: EngineAddress, tmp_path: Path, layout: str) -> None:
    rows = [json.dumps({key: text for key, text in row.items() if text}) for row in TEXTS]
    (tmp_path / "a.json").write_text("\n".join(rows) if layout == "lines" else f"[{', '.join(rows)}]")
    remote, local = both(spark, TableLocation("t", str(tmp_path), "a.json", declared=DECLARED))
    assert remote == local


def test_lists_and_inferred_types_of_a_json_file(spark: EngineAddress, tmp_path: Path) -> None:
    declared = (Column("vector", "DOUBLE", True), Column("moments", "TIMESTAMP", True), Column("words", "STRING", True))
    rows = [
        {
            "vector": [1, 2.5, None],
            "moments": ["2026-01-01T00:00:00Z"],
            "words": ["a", None],
            "n": 1,
            "r": 1.5,
            "l": [1],
        },
        {"vector": ["x", 1], "moments": ["x"], "words": [], "n": None, "r": 2, "l": [], "flag": True},
        {"vector": None, "moments": [None], "words": None, "n": -7, "o": {"a": 1}, "when": "2026-01-01T00:00:00"},
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    remote, local = both(spark, TableLocation("t", str(tmp_path), "a.jsonl", declared=declared))
    assert remote == local


def test_a_later_value_that_is_not_of_the_inferred_type_is_an_error(spark: EngineAddress, tmp_path: Path) -> None:
    lines = [json.dumps({"id": place}) for place in range(30_000)]
    (tmp_path / "a.jsonl").write_text("\n".join([*lines, '{"id": "x"}']))
    with pytest.raises(Unreadable, match='column "id" is INT64 by its first rows'):
        rows_of(TableLocation("t", str(tmp_path), "a.jsonl"), Options(engine=spark))


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("_a.csv", "id\n1\n", 'passes over files whose names begin with "_"'),
        ("a.jsonl", '{"a": 1, "A": 2}\n', 'columns differ from "A" in capitals alone'),
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
    (tmp_path / "t.jsonl").write_text("\n".join(json.dumps({"id": text}) for text, *_ in ROWS))
    with closing(open_engine([TableLocation("t", str(tmp_path), "t.jsonl")], Options(engine=spark))) as engine:
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
