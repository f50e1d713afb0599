"""The sizes of tables, known from footers, catalogues and samples: no row is read, and what is unknown is said so."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests.cases import pairs_of
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, duckdb_table, sqlite_table
from trialrun.runtime.feature_view.plan import build_plan
from trialrun.runtime.feature_view.source import table_size as module
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.source.table_size import Range, TableSize, table_size
from trialrun.runtime.options import Options

ROWS = "SELECT i % 300 + 100 AS id, i / 2.0 AS price, 'city-' || i % 7 AS city, i % 2 = 0 AS open FROM range({}) t (i)"
WIDTH = 8 + 8 + 24 + 1
"""Two numbers of 64 bits, a text, a truth value."""


def size(folder: Path, **source: str) -> TableSize:
    """The size of the one table of a view."""
    view = {"warehouseSource": {"uri": "rows", "entityIdColumns": ["id"]}}
    declared = catalog(folder, view, sources=[{"uri": "rows", **source}])
    plan = build_plan(declared.view(NAME), declared, cutoff=NOW)
    (selection,) = plan.queries[0].extractions
    names = [key.name for key in selection.keys] + [column.name for _, column in selection.features]
    with closing(EngineCache(Options())) as cache:
        return table_size(selection.place, names, ["id"], cache)


def copy(folder: Path, file: str, rows: int = 2_000, options: str = "") -> None:
    """Write rows into a file."""
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({ROWS.format(rows)}) TO '{folder / file}' {options}")


def test_parquet_rows_are_those_of_the_footers(tmp_path: Path) -> None:
    copy(tmp_path, "a.parquet")
    copy(tmp_path, "b.parquet", 500)
    table = size(tmp_path, files="*.parquet")
    assert (table.rows, table.basis, table.format) == (Range(2_500, 2_500), "footers of 2 files", "Parquet")
    assert table.row_width == pytest.approx(WIDTH, rel=0.2)
    assert table.file_bytes == sum(file.stat().st_size for file in tmp_path.glob("*.parquet"))


def test_the_numbers_of_a_key_bound_the_entities(tmp_path: Path) -> None:
    copy(tmp_path, "a.parquet")
    assert size(tmp_path, files="*.parquet").most_keys == 300


def test_many_footers_are_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy(tmp_path, "0.parquet", 1_000)
    for number in range(1, 9):
        shutil.copy(tmp_path / "0.parquet", tmp_path / f"{number}.parquet")
    monkeypatch.setattr(module, "MAX_FOOTERS", 3)
    table = size(tmp_path, files="*.parquet")
    assert table.basis == "footers of 3 of 9 files"
    assert table.rows is not None
    assert table.rows.low < 9_000 < table.rows.high
    assert table.most_keys is None


@pytest.mark.parametrize(
    ("rows", "options"), pairs_of([50, 30_000], ["(FORMAT CSV, HEADER)", "(FORMAT JSON, ARRAY)", "(FORMAT JSON)"])
)
def test_rows_of_text_files_are_counted_or_lie_in_the_range(tmp_path: Path, options: str, rows: int) -> None:
    copy(tmp_path, "rows", rows, options)
    table = size(tmp_path, files="rows", format="CSV" if "CSV" in options else "JSON")
    assert table.rows is not None
    assert table.rows.low <= rows <= table.rows.high
    assert (table.rows.low == table.rows.high) == (rows == 50)
    assert table.row_width == WIDTH


def test_a_compressed_file_is_sampled_too(tmp_path: Path) -> None:
    copy(tmp_path, "rows.csv", 60_000, "(HEADER)")
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress((tmp_path / "rows.csv").read_bytes(), compresslevel=1))
    rows = size(tmp_path, files="rows.csv.gz").rows
    assert rows is not None
    assert rows.low <= 60_000 <= rows.high


def test_line_ends_in_quotes_end_no_row(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('id,note\n1,"two\nlines, ""quoted"""\n2,plain', encoding="utf-8")
    assert size(tmp_path, files="rows.csv").rows == Range(2, 2)


def test_braces_in_texts_and_lists_are_no_rows(tmp_path: Path) -> None:
    rows = [{"id": 1, "note": 'a "}" {', "inner": [1, 2]}, {"id": 2, "note": "]", "inner": []}]
    (tmp_path / "rows.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    assert size(tmp_path, files="rows.json").rows == Range(2, 2)


def test_a_row_wider_than_the_sample_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLE_BYTES", 64)
    (tmp_path / "rows.json").write_text(json.dumps({"id": 1, "text": "x" * 1_000}), encoding="utf-8")
    table = size(tmp_path, files="rows.json")
    assert (table.rows, table.basis) == (None, "no row ends within the sample of a file")


def test_a_table_of_duckdb_has_a_count_and_a_view_has_none(tmp_path: Path) -> None:
    rows = ROWS.format(700)
    duckdb_table(tmp_path / "d.db", f"CREATE TABLE t AS {rows}", "CREATE VIEW v AS SELECT * FROM t")
    table, view = (size(tmp_path, database="d.db", table=name) for name in "tv")
    assert (table.rows, table.row_width) == (Range(700, 700), WIDTH)
    assert (view.rows, view.basis) == (None, "a view of a database has no count; only reading its rows would tell")


def fill(folder: Path, *statements: str) -> None:
    """A SQLite table of a hundred rows, and statements about it."""
    import sqlite3

    sqlite_table(folder / "s.db", "t", "id INTEGER, price REAL", [(number, 1.5) for number in range(100)])
    with closing(sqlite3.connect(folder / "s.db", isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize(
    ("statements", "rows", "basis"),
    [
        ((), Range(1, 100), "the row ids of the table, of which some may be unused"),
        (("CREATE INDEX i ON t (id)", "DELETE FROM t WHERE id < 40", "ANALYZE"), Range(60, 60), "what ANALYZE wrote"),
        (("DELETE FROM t",), Range(0, 0), "the row ids"),
    ],
)
def test_a_table_of_sqlite_has_row_ids_or_what_analyze_wrote(
    tmp_path: Path, statements: tuple[str, ...], rows: Range, basis: str
) -> None:
    fill(tmp_path, *statements)
    table = size(tmp_path, database="s.db", table="t")
    assert (table.rows, table.row_width) == (rows, 16)
    assert table.basis.startswith(basis)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("CREATE VIEW other AS SELECT * FROM t", "a view of a database has no count"),
        ("CREATE TABLE other (id INTEGER PRIMARY KEY, price REAL) WITHOUT ROWID", "a table without row ids"),
    ],
)
def test_what_sqlite_cannot_tell_is_unknown(tmp_path: Path, statement: str, says: str) -> None:
    fill(tmp_path, statement)
    table = size(tmp_path, database="s.db", table="other")
    assert table.rows is None
    assert table.basis.startswith(says)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many bytes of files were read."""
    read = [0]
    original = module.read_file

    def counting(file: str, most: int, *, named_in: str) -> bytes:
        content = original(file, most, named_in=named_in)
        read[0] += len(content)
        return content

    monkeypatch.setattr(module, "read_file", counting)
    return lambda: read[0]


def test_only_the_beginnings_of_some_files_are_read(
    tmp_path: Path, counted: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SAMPLE_BYTES", 32 * 1024)
    copy(tmp_path, "0.csv", 3_000, "(HEADER)")
    for number in range(1, 20):
        shutil.copy(tmp_path / "0.csv", tmp_path / f"{number}.csv")
    rows = size(tmp_path, files="*.csv").rows
    assert rows is not None
    assert rows.low <= 60_000 <= rows.high
    assert counted() <= module.MAX_SAMPLES * (module.SAMPLE_BYTES + 1)
