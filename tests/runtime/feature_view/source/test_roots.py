"""Rows elsewhere are named by URLs, and read by an engine of the user's choice below the roots that it has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cases import each_of
from trialrun.runtime.feature_view.source.engine import engine_kind, open_engine
from trialrun.runtime.feature_view.source.location import (
    TableLocation,
    Unreadable,
    assumption_of,
    has_types,
    remote_location,
)
from trialrun.runtime.options import EngineAddress, Options

ROOTS = ("s3a://lake/guests/", "jdbc:postgresql://db/shop?user=reader", "/mnt/lake")


@pytest.mark.parametrize(
    ("place", "url"),
    [
        (TableLocation("t", "/w", "s3a://lake/guests/*.parquet"), "s3a://lake/guests/*.parquet"),
        (TableLocation("t", "/w", "file:///mnt/lake/a.csv"), "file:///mnt/lake/a.csv"),
        (
            TableLocation("t", "/w", database="jdbc:postgresql://DB/shop", table="guests"),
            "jdbc:postgresql://db/shop?user=reader",
        ),
    ],
)
def test_what_is_below_a_root(place: TableLocation, url: str) -> None:
    assert remote_location(place, ROOTS).url == url
    assert assumption_of(place) == "sync-roots"


@each_of(
    [
        (TableLocation("t", "/w", "s3a://lake/guests/t", "ICEBERG"), "read by its metadata on this machine"),
        (
            TableLocation("t", "/w", "s3a://lake/guests/t/metadata/v1.metadata.json"),
            "read by its metadata on this machine",
        ),
        (TableLocation("t", "/w", "s3a://lake/menu/*.parquet"), 'below no root of the engine; add "s3a://lake/menu/"'),
        (TableLocation("t", "/w", "s3a://lake/guests-2/a.csv"), 'add "s3a://lake/guests-2/"'),
        (TableLocation("t", "/w", "s3a://lake/guests/../a.csv"), "contains .. as a folder"),
        (TableLocation("t", "/w", "jdbc:postgresql://db/shop"), "a database is no file"),
        (TableLocation("t", "/w", database="s3a://lake/guests/a.db", table="t"), "named by its jdbc: URL and a table"),
        (TableLocation("t", "/w", database="jdbc:postgresql://db/shop"), "named by its jdbc: URL and a table"),
        (
            TableLocation("t", "/w", database="jdbc:postgresql://db/shop?socketFactory=x", table="t"),
            "only a root of the engine may have them",
        ),
    ],
)
def test_what_is_refused(place: TableLocation, reason: str) -> None:
    with pytest.raises(Unreadable) as refused:
        remote_location(place, ROOTS)
    assert reason in str(refused.value)


@pytest.mark.parametrize("roots", [(), ROOTS])
def test_what_nobody_vouched_for_is_read_here_alone(tmp_path: Path, roots: tuple[str, ...]) -> None:
    engine = EngineAddress("spark://127.0.0.1:1", roots=roots)
    place = TableLocation("t", str(tmp_path), "s3a://lake/guests/a.parquet")
    for options in (Options(), Options(confined=True), Options(confined=True, engine=engine)):
        with pytest.raises(Unreadable, match="is not on this machine; choose an engine with --engine"):
            open_engine([place], options)
    assert engine_kind(Options(engine=engine)).name == "Spark"


@pytest.mark.parametrize("file", ["a.csv", "a.jsonl", "s3a://lake/guests/a.json"])
def test_files_without_types_are_refused_before_spark_is_started(tmp_path: Path, file: str) -> None:
    (tmp_path / os.path.basename(file)).touch()
    place = TableLocation("t", str(tmp_path), file)
    with pytest.raises(Unreadable) as refused:
        open_engine([place], Options(engine=EngineAddress("spark://127.0.0.1:1", roots=ROOTS)))
    reason = f'Spark reads no files of CSV or JSON, such as "{file}"; write them as Parquet, or use no engine'
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (TableLocation("t", "/w", "s3a://lake/a.parquet"), True),
        (TableLocation("t", "/w", "s3a://lake/guests/", "PARQUET"), True),
        (TableLocation("t", "/w", "s3a://lake/a.csv.gz"), False),
        (TableLocation("t", "/w", database="jdbc:postgresql://db/shop", table="t"), True),
    ],
)
def test_whether_columns_elsewhere_have_types(place: TableLocation, expected: bool) -> None:
    assert has_types(place) is expected
