"""Where rows may be, and what types their columns are read as."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import each_of
from tests.runtime.feature_view.catalog_fixture import duckdb_table, lines, sqlite_table
from trialrun.model.companion import Source
from trialrun.runtime.feature_view.column import Column, declared_columns, parse_column
from trialrun.runtime.feature_view.source.columns import table_columns
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable, files_of
from trialrun.runtime.options import Options


def column_texts(columns: tuple[Column, ...]) -> list[str]:
    return [f"{column.name} {column.type_text}" for column in columns]


@each_of(
    [
        ("STRING", "STRING"),
        ("varchar(20)", "STRING"),
        ("INT64", "INT64"),
        ("FLOAT", "DOUBLE"),
        ("double precision", "DOUBLE"),
        ("BOOL", "BOOL"),
        ("BYTES", "BYTES"),
        ("TIMESTAMP", "TIMESTAMP"),
        ("ARRAY<FLOAT64>", "DOUBLE REPEATED"),
        ("FLOAT[3]", "DOUBLE REPEATED"),
        ("DATE", "DATE"),
        ("NUMERIC(9, 2)", "NUMERIC(9, 2)"),
        ("STRUCT<a INT64>", "STRUCT<a INT64>"),
    ],
)
def test_words_for_types(written: str, shown: str) -> None:
    assert parse_column("c", written).type_text == shown


def test_declared_columns_have_modes() -> None:
    columns = [{"name": "id", "type": "STRING", "mode": "REQUIRED"}, {"name": "v", "type": "FLOAT", "mode": "REPEATED"}]
    id, vector = declared_columns(Source.model_validate({"uri": "u", "columns": columns}))
    assert (id.required, vector.repeated, vector.type) == (True, True, "DOUBLE")


def test_types_of_a_duckdb_table(tmp_path: Path) -> None:
    duckdb_table(
        tmp_path / "d.duckdb",
        "CREATE TABLE t (a BOOLEAN, b UTINYINT, c UBIGINT, d FLOAT, e FLOAT[3], f ENUM ('x'), g BLOB, h TIMESTAMPTZ, "
        "i TIMESTAMP_NS, j VARCHAR[], k DATE, l DECIMAL(9, 2), m STRUCT(a INTEGER), n INTEGER[][], o HUGEINT)",
    )
    assert column_texts(table_columns(TableLocation("u", str(tmp_path), database="d.duckdb", table="t"))) == [
        "a BOOL", "b INT64", "c INT64", "d DOUBLE", "e DOUBLE REPEATED", "f STRING", "g BYTES", "h TIMESTAMP",
        "i TIMESTAMP", "j STRING REPEATED", "k DATE", "l DECIMAL(9,2)", "m STRUCT(a INTEGER)", "n INTEGER[][]",
        "o INT64",
    ]  # fmt: skip


def test_types_of_a_sqlite_table_are_those_that_it_or_the_source_declares(tmp_path: Path) -> None:
    sqlite_table(tmp_path / "d.db", "t", "a INTEGER, b TEXT, c REAL, d DATETIME, e DATE, f, g TEXT", [])
    declared = (parse_column("g", "FLOAT", mode="REPEATED"),)
    location = TableLocation("u", str(tmp_path), database="d.db", table="T", declared=declared)
    assert column_texts(table_columns(location)) == [
        "a INT64", "b STRING", "c DOUBLE", "d TIMESTAMP", "e DATE", "f without a type; declare it in the Source",
        "g DOUBLE REPEATED",
    ]  # fmt: skip


def test_a_declared_type_holds_in_a_text_format(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,at,v\n7,2026-01-01,[1.5]\n")
    declared = (parse_column("id", "STRING"), parse_column("at", "TIMESTAMP"), parse_column("v", "ARRAY<DOUBLE>"))
    columns = table_columns(TableLocation("u", str(tmp_path), "a.csv", declared=declared))
    assert column_texts(columns) == ["id STRING", "at TIMESTAMP", "v DOUBLE REPEATED"]


def test_parquet_footers_tell_which_columns_are_never_null(tmp_path: Path) -> None:
    for name, value in (("a", "1"), ("b", "NULL")):
        path = tmp_path / f"{name}.parquet"
        duckdb_table(tmp_path / f"{name}.duckdb", f"COPY (SELECT 1 AS x, {value}::INTEGER AS y) TO '{path}'")
    columns = table_columns(TableLocation("u", str(tmp_path), "*.parquet"))
    assert [column.required for column in columns] == [True, False]


def test_a_glob_gives_files_in_the_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b", "a/2", "a/10"):
        (tmp_path / f"{name}.csv").parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.csv").write_text("id\n1\n")
    found = files_of(TableLocation("u", str(tmp_path), "**/*.csv"))
    assert [os.path.relpath(path, tmp_path).replace(os.sep, "/") for path in found] == ["a/10.csv", "a/2.csv", "b.csv"]


def test_names_may_have_any_characters(tmp_path: Path) -> None:
    folder = tmp_path / "o'clock [1] *"
    folder.mkdir()
    lines(folder / 'it\'s "a" [x]*.jsonl', [{'the "id"': 1}])
    with closing(open_engine([TableLocation("u\"'", str(folder), "*.jsonl")], Options())) as opened:
        assert opened.all('SELECT "the ""id""" FROM "u""\'"') == [(1,)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text file and two databases."""
    folder = tmp_path_factory.mktemp("places")
    (folder / "a.txt").write_text("x" * 5000)
    duckdb_table(folder / "d.duckdb", "CREATE TABLE guests (id INTEGER)")
    sqlite_table(folder / "d.db", "guests", "id INTEGER", [])
    return folder


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"files": "*.csv"}, 'no file matches "*.csv"'),
        ({"files": "/etc/*.csv"}, '"/etc/*.csv" is an absolute path'),
        ({"files": "s3://bucket/a.csv"}, '"s3://bucket/a.csv" is not on this machine; choose an engine with --engine'),
        ({"files": "s3://me:secret@bucket/a.csv"}, "the location has a user; remove it"),
        ({"database": "jdbc:h2:mem:x", "table": "t"}, '"jdbc:h2:mem:x" is not on this machine'),
        ({"files": "a.txt"}, 'cannot tell the format from the extension of "a.txt"'),
        ({"database": "d.duckdb", "table": "gests"}, '"d.duckdb" has no table "gests"; did you mean "guests"?'),
        ({"database": "d.db", "table": "gests"}, '"d.db" has no table "gests"; did you mean "guests"?'),
        ({"database": "d.duckdb"}, "set `table`"),
        ({"database": "nowhere.db", "table": "t"}, 'there is no file "nowhere.db"'),
        ({"database": "a.txt", "table": "t"}, "not a valid DuckDB database file"),
        ({}, "the Source names neither files nor a database"),
    ],
)
def test_what_cannot_be_read_says_why(folder: Path, place: dict[str, str], message: str) -> None:
    with pytest.raises(Unreadable) as raised:
        table_columns(TableLocation("u", str(folder), **place))  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_nothing_but_the_files_of_the_source_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("id\n1\n")
    duckdb_table(tmp_path / "d.duckdb", f"CREATE VIEW t AS SELECT * FROM read_csv('{tmp_path}/secret.csv')")
    with pytest.raises(Unreadable, match="cannot access file"):
        table_columns(TableLocation("u", str(tmp_path), database="d.duckdb", table="t"))


def test_what_was_spilled_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lines(tmp_path / "a.jsonl", [{"id": 1}])
    table_columns(TableLocation("u", str(tmp_path), "a.jsonl"))
    assert os.listdir(tmp_path) == ["a.jsonl"]


def test_without_duckdb_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines(tmp_path / "a.jsonl", [{"id": 1}])
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(Unreadable, match=r"run pip install 'trialrun\[runtime\]'"):
        table_columns(TableLocation("u", str(tmp_path), "a.jsonl"))
