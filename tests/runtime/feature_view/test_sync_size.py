"""How large a sync would be, when the embedded engine spills, and which setting would be enough."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, duckdb_table, sqlite_table
from trialrun.runtime.feature_view import sync as module
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan
from trialrun.runtime.feature_view.source import engine
from trialrun.runtime.feature_view.source.table_size import Range, TableSize
from trialrun.runtime.feature_view.sync import SyncSize, sync_size
from trialrun.runtime.limits import set_user_limits
from trialrun.runtime.options import Options

VIEW = {"warehouseSource": {"uri": "rows", "entityIdColumns": ["id"]}}
SOURCE = {"uri": "rows", "files": "rows.parquet"}


def planned(
    folder: Path, source: dict[str, Any] = SOURCE, rows: str = "SELECT i % 70 + 5 AS id, i AS price"
) -> SyncPlan:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows} FROM range(5000) t (i)) TO '{folder / 'rows.parquet'}'")
    declared = catalog(folder, VIEW, sources=[source])
    return build_plan(declared.view(NAME), declared, cutoff=NOW)


def size_of(plan: SyncPlan, *, memory_limit: str = "2GB", served: int | None = None) -> SyncSize:
    return sync_size(plan, Options(memory_limit=memory_limit), served=served)


def test_rows_come_from_footers_and_entities_are_no_more(tmp_path: Path) -> None:
    size = size_of(planned(tmp_path, rows="SELECT 'g-' || i % 1000 AS id, i / 2.0 AS price"))
    assert (size.rows, size.entities) == (Range(5_000, 5_000), Range(1, 5_000))
    assert (size.problem, size.advice) == ("", "")


def test_the_entities_served_now_narrow_the_range(tmp_path: Path) -> None:
    plan = planned(tmp_path, rows="SELECT 'g-' || i AS id, i AS price")
    size = size_of(plan, served=1_000)
    assert (size.entities, size.entity_basis) == (Range(800, 1_250), "the entities served now")
    assert size_of(plan, served=1_000_000).entities == Range(5_000, 5_000)


def test_whole_numbers_as_ids_bound_the_entities(tmp_path: Path) -> None:
    size = size_of(planned(tmp_path))
    assert size.entities == Range(1, 70)
    assert size.entity_basis == "the least and the greatest entity id in the footers"


@pytest.mark.parametrize(
    ("served", "problem", "advice"),
    [
        (1_000_000, "", ""),
        (8_000_000, "it perhaps needs more memory than memory-limit, 2GB", 'set memory-limit = "3GB" under [runtime]'),
        (20_000_000, "it needs more memory than memory-limit, 2GB", 'set memory-limit = "8GB" under [runtime]'),
        (500_000_000, "it needs more memory than memory-limit, 2GB", "name an engine alias of a Spark cluster"),
    ],
)
def test_what_does_not_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, served: int, problem: str, advice: str
) -> None:
    plan = planned(tmp_path)
    table = TableSize("rows", "Parquet", 10**11, Range(2e9, 2e9), 121.0, "footers of 100 files")
    monkeypatch.setattr(module, "table_size", lambda *_: table)
    set_user_limits({"memory": "18GB"})
    size = size_of(plan, served=served)
    assert size.problem.startswith(problem)
    assert size.advice.startswith(advice)
    assert bool(size.problem) == bool(problem)


def test_unknown_rows_make_unknown_figures(tmp_path: Path) -> None:
    duckdb_table(tmp_path / "d.db", "CREATE TABLE t AS SELECT 1 AS id, 2 AS price", "CREATE VIEW v AS SELECT * FROM t")
    size = size_of(planned(tmp_path, {"uri": "rows", "database": "d.db", "table": "v"}))
    assert (size.rows, size.entities, size.bytes, size.problem) == (None, None, None, "")


def test_a_table_of_sqlite_has_as_many_rows_as_row_ids(tmp_path: Path) -> None:
    sqlite_table(tmp_path / "s.db", "t", "id INTEGER, word TEXT", [(number, "x") for number in range(200)])
    assert size_of(planned(tmp_path, {"uri": "rows", "database": "s.db", "table": "t"})).rows == Range(1, 200)


@pytest.mark.parametrize("stat", ["9" * 5000, "²", "1²"])
def test_a_count_of_sqlite_that_is_no_number_is_passed_over(tmp_path: Path, stat: str) -> None:
    sqlite_table(tmp_path / "s.db", "t", "id INTEGER, word TEXT", [(1, "x"), (2, "x")])
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        connection.execute("ANALYZE")
        connection.execute("UPDATE sqlite_stat1 SET stat = ?", (stat,))
    assert size_of(planned(tmp_path, {"uri": "rows", "database": "s.db", "table": "t"})).rows == Range(1, 2)


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no limit for the memory of a process")
def test_a_database_of_sqlite_takes_no_more_memory_than_an_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "MEMORY_MARGIN", 100_000_000)
    sqlite_table(tmp_path / "s.db", "t", "id INTEGER, word TEXT", [(1, "x")])
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        connection.execute("ANALYZE")
        connection.executemany("INSERT INTO sqlite_stat1 (tbl) VALUES (?)", [("t",)] * 20)
        connection.execute("PRAGMA writable_schema = ON")
        stat = "CREATE TABLE sqlite_stat1 (tbl, idx, stat AS (CAST(zeroblob(20000000) AS TEXT)))"
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'sqlite_stat1'", (stat,))
    plan = planned(tmp_path, {"uri": "rows", "database": "s.db", "table": "t"})
    size = sync_size(plan, Options(memory_limit="50MB", bounded=True))
    assert size.tables[0].basis.startswith("cannot be read on this machine: it takes more memory than memory-limit")


def test_a_table_that_this_machine_cannot_read_is_unknown(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    (tmp_path / "rows.parquet").unlink()
    size = size_of(plan)
    assert size.rows is None
    assert size.tables[0].basis.startswith("cannot be read on this machine: no file matches")
