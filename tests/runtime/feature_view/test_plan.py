"""The plan of a sync: its statement, its layout, its size, and what keeps a view from being synced."""

import sqlite3
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.cases import first_of
from tests.runtime.feature_view.catalog_fixture import (
    NAME,
    NOW,
    catalog,
    duckdb_table,
    grouped,
    guests,
    lines,
    sqlite_table,
    synced,
)
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view import sync as module
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan, open_engine_of
from trialrun.runtime.feature_view.source import resource_limits, sqlite_reader
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.source.table_size import EstimatedRange, SourceSize, SyncEstimate
from trialrun.runtime.feature_view.store.database import StatementBudget
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import estimate_sync
from trialrun.runtime.options import Options, set_user_limits

ROW = {
    "id": "g-1",
    "feature_timestamp": "2026-11-01T00:00:00Z",
    "visits": 3,
    "vector": [1.5, 2.5],
    "born": "2026-11-01",
}


def planned(catalog: Catalog, **bounds: Any) -> SyncPlan:
    return build_plan(catalog.view(NAME), catalog, cutoff=NOW, **bounds)


def test_the_statement_reads_the_table_by_its_uri(tmp_path: Path) -> None:
    row = {"id": "g-1", "feature_timestamp": "2026-11-01T00:00:00Z", "visits": 3}
    assert (
        planned(guests(tmp_path, row)).statement.text
        == """\
SELECT
  "id",
  "feature_timestamp",
  "visits",
  choice
FROM (
  SELECT
    source."id",
    source."feature_timestamp",
    source."visits",
    ROW_NUMBER() OVER (
      PARTITION BY source."id"
      ORDER BY
        source."visits" DESC NULLS LAST
    ) AS preference,
    COUNT(*) OVER (PARTITION BY source."id") AS choice
  FROM "bq://guests" AS source
  JOIN (
    SELECT "id", MAX("feature_timestamp") AS latest_moment
    FROM "bq://guests"
    WHERE "id" IS NOT NULL
      AND "feature_timestamp" <= TIMESTAMP '2026-11-22 12:00:00.000000'
    GROUP BY "id"
  ) AS latest
    ON source."id" = latest."id"
    AND source."feature_timestamp" = latest.latest_moment
) AS ranked
WHERE preference = 1"""
    )


def test_a_plan_has_the_same_digest_at_another_moment(tmp_path: Path) -> None:
    made = guests(tmp_path, ROW)
    assert planned(made, since=NOW).digest == planned(made, ids=[("g-1",)]).digest


def test_a_table_otherwise_than_declared_is_told(tmp_path: Path) -> None:
    path = tmp_path / "g.parquet"
    duckdb_table(tmp_path / "d.duckdb", f"COPY (SELECT 'a' AS id, 1 AS visits) TO '{path}'")
    columns = [{"name": "visits", "type": "STRING"}]
    (finding,) = planned(guests(tmp_path, files="g.parquet", columns=columns)).findings
    assert (finding.code, finding.examples) == ("declared-otherwise", ["visits: declared STRING, is INT64"])


def test_declared_columns_that_the_table_lacks_are_told(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("id,Visits\na,1\n")
    columns = [{"name": name, "type": "STRING"} for name in ("id", "visits", "city", "x")]
    (finding,) = planned(guests(tmp_path, files="g.csv", columns=columns)).findings
    assert (finding.code, finding.examples) == ("declared-missing", ["city", "x"])


def test_each_feature_of_a_sparse_group_has_its_own_moment(tmp_path: Path) -> None:
    lines(tmp_path / "guests.jsonl", [ROW])
    made = grouped(tmp_path, {"visits": "t", "vector": "t"}, {"uri": "t", "files": "guests.jsonl"})
    assert planned(made).layout.timestamp_indexes == (0, 1)


def test_without_a_dimension_the_length_of_vectors_is_not_checked(tmp_path: Path) -> None:
    (skipped,) = planned(guests(tmp_path, ROW, view={"indexConfig": {"embeddingColumn": "vector"}})).skipped
    assert skipped.code == "wrong-vector-length"


MORNING = "2026-11-22T08:00:00Z"
MAX_EXPRESSION_DEPTH = 1000
"""Of SQLite and of DuckDB, if nobody sets another. DuckDB takes seconds for thousands of parameters."""


def two_groups(folder: Path, one: str, other: str) -> Catalog:
    """A continuous view of two groups, whose tables have these uris."""
    uris = {"a": one, "b": other}
    for name in uris:
        lines(folder / f"{name}.jsonl", [{"id": "x", "feature_timestamp": MORNING, name: name}])
    sources = [{"uri": uri, "files": f"{name}.jsonl"} for name, uri in uris.items()]
    return grouped(folder, uris, *sources, syncConfig={"continuous": True})


@pytest.mark.parametrize(
    ("one", "other"), first_of([("touched", "latest"), ("group_2", "group_1"), ("source", "ranked")])
)
def test_uris_may_be_names_of_the_statement(tmp_path: Path, one: str, other: str) -> None:
    made, store = two_groups(tmp_path, one, other), SqliteStore(":memory:")
    found = [synced(made, store, now=NOW + timedelta(hours=hours))[1] for hours in (0, 1)]
    assert found == [{("x",): {"a": "a", "b": "b"}}] * 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", first_of([{"database": "t.db", "table": "t"}, {"files": "t.jsonl"}]))
def test_many_ids_of_several_columns_may_be_asked_for(tmp_path: Path, place: dict[str, Any]) -> None:
    rows = [(number, f"{number}\n", 1) for number in range(1500)]
    lines(tmp_path / "t.jsonl", [dict(zip("abc", row, strict=True)) for row in rows])
    sqlite_table(tmp_path / "t.db", "t", "a INTEGER, b TEXT, c INTEGER", rows)
    view = {"warehouseSource": {"uri": "bq://t", "entityIdColumns": ["a", "b"]}}
    made = catalog(tmp_path, view, sources=[{"uri": "bq://t", **place}])
    ids = [row[:2] for row in rows[: MAX_EXPRESSION_DEPTH + 1]]
    with closing(EngineCache(Options())) as engine:
        planned = build_plan(made.view(NAME), made, cutoff=NOW, ids=ids, engine=engine)
        with open_engine_of(planned, engine) as opened:
            assert sum(map(len, opened.latest(planned.statement))) == len(ids)


def work_of_sqlite(folder: Path, monkeypatch: pytest.MonkeyPatch, rows: int, *, sparse: bool) -> int:
    """Thousands of instructions of SQLite's machine that a sync of a table takes, ten rows for each entity."""
    values = [(number // 10, f"2026-11-22T08:{number % 60:02}:00", number) for number in range(rows)]
    folder.mkdir()
    sqlite_table(folder / "t.db", "t", "id INTEGER, feature_timestamp TIMESTAMP, a INTEGER", values)
    source = {"uri": "bq://t", "database": "t.db", "table": "t"}
    made = catalog(folder, {"warehouseSource": {"uri": "bq://t", "entityIdColumns": ["id"]}}, sources=[source])
    made = grouped(folder, {"a": "bq://t"}, source) if sparse else made
    calls = []
    monkeypatch.setattr(sqlite_reader, "STEPS_BETWEEN_CHECKS", 1000)
    monkeypatch.setattr(StatementBudget, "is_spent", lambda budget: bool(calls.append(1)))
    assert len(synced(made)[1]) == rows // 10
    return len(calls)


@pytest.mark.parametrize("sparse", [False, True], ids=["rows", "values"])
def test_the_work_of_sqlite_grows_as_the_rows_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sparse: bool) -> None:
    few = work_of_sqlite(tmp_path / "few", monkeypatch, 1000, sparse=sparse)
    many = work_of_sqlite(tmp_path / "many", monkeypatch, 4000, sparse=sparse)
    assert many < 6 * few, "each row is compared with each entity"


BY_ID = {"warehouseSource": {"uri": "rows", "entityIdColumns": ["id"]}}
IN_PARQUET = {"uri": "rows", "files": "rows.parquet"}


def planned_rows(
    folder: Path, source: dict[str, Any] = IN_PARQUET, rows: str = "SELECT i % 70 + 5 AS id, i AS price"
) -> SyncPlan:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows} FROM range(5000) t (i)) TO '{folder / 'rows.parquet'}'")
    declared = catalog(folder, BY_ID, sources=[source])
    return build_plan(declared.view(NAME), declared, cutoff=NOW)


def size_of(plan: SyncPlan, *, memory_limit: str = "2GB", served: int | None = None) -> SyncEstimate:
    return estimate_sync(plan, Options(memory_limit=memory_limit), served=served)


def test_rows_come_from_footers_and_entities_are_no_more(tmp_path: Path) -> None:
    size = size_of(planned_rows(tmp_path, rows="SELECT 'g-' || i % 1000 AS id, i / 2.0 AS price"))
    assert (size.rows, size.entities) == (EstimatedRange(5_000, 5_000), EstimatedRange(1, 5_000))
    assert (size.problems, size.advice) == ((), ())


def test_the_entities_served_now_narrow_the_range(tmp_path: Path) -> None:
    plan = planned_rows(tmp_path, rows="SELECT 'g-' || i AS id, i AS price")
    size = size_of(plan, served=1_000)
    assert (size.entities, size.entities_from) == (EstimatedRange(800, 1_250), "the entities served now")
    assert size_of(plan, served=1_000_000).entities == EstimatedRange(5_000, 5_000)


def test_whole_numbers_as_ids_bound_the_entities(tmp_path: Path) -> None:
    size = size_of(planned_rows(tmp_path))
    assert size.entities == EstimatedRange(1, 70)
    assert size.entities_from == "the least and the greatest entity id in the footers"


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
    plan = planned_rows(tmp_path)
    table = SourceSize("rows", "Parquet", EstimatedRange(2e9, 2e9), "footers of 100 files", 10**11, 121.0)
    monkeypatch.setattr(module, "source_size", lambda *_: table)
    set_user_limits({"memory": "18GB"})
    size = size_of(plan, served=served)
    assert "".join(size.problems).startswith(problem)
    assert "".join(size.advice).startswith(advice)
    assert bool(size.problems) == bool(problem)


def test_a_table_of_duckdb_has_a_count_and_a_view_none(tmp_path: Path) -> None:
    duckdb_table(tmp_path / "d.db", "CREATE TABLE t AS SELECT 1 AS id, 2 AS price", "CREATE VIEW v AS SELECT * FROM t")
    size = size_of(planned_rows(tmp_path, {"uri": "rows", "database": "d.db", "table": "v"}))
    assert (size.rows, size.entities, size.bytes, size.problems) == (None, None, None, ())
    size = size_of(planned_rows(tmp_path, {"uri": "rows", "database": "d.db", "table": "t"}))
    assert (size.rows, size.sources[0].rows_from) == (EstimatedRange(1, 1), "the catalogue of the database")


def test_a_table_of_sqlite_has_as_many_rows_as_row_ids(tmp_path: Path) -> None:
    sqlite_table(tmp_path / "s.db", "t", "id INTEGER, word TEXT", [(number, "x") for number in range(200)])
    assert size_of(planned_rows(tmp_path, {"uri": "rows", "database": "s.db", "table": "t"})).rows == EstimatedRange(
        1, 200
    )


@pytest.mark.parametrize("stat", ["9" * 5000, "²", "1²"])
def test_a_count_of_sqlite_that_is_no_number_is_passed_over(tmp_path: Path, stat: str) -> None:
    sqlite_table(tmp_path / "s.db", "t", "id INTEGER, word TEXT", [(1, "x"), (2, "x")])
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        connection.execute("ANALYZE")
        connection.execute("UPDATE sqlite_stat1 SET stat = ?", (stat,))
    assert size_of(planned_rows(tmp_path, {"uri": "rows", "database": "s.db", "table": "t"})).rows == EstimatedRange(
        1, 2
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no limit for the memory of a process")
def test_a_database_of_sqlite_takes_no_more_memory_than_an_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource_limits, "MEMORY_MARGIN", 100_000_000)
    sqlite_table(tmp_path / "s.db", "t", "id INTEGER, word TEXT", [(1, "x")])
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        connection.execute("ANALYZE")
        connection.executemany("INSERT INTO sqlite_stat1 (tbl) VALUES (?)", [("t",)] * 20)
        connection.execute("PRAGMA writable_schema = ON")
        stat = "CREATE TABLE sqlite_stat1 (tbl, idx, stat AS (CAST(zeroblob(20000000) AS TEXT)))"
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'sqlite_stat1'", (stat,))
    plan = planned_rows(tmp_path, {"uri": "rows", "database": "s.db", "table": "t"})
    assert (
        estimate_sync(plan, Options(memory_limit="50MB", bounded=True))
        .sources[0]
        .rows_from.startswith("cannot be read on this machine: it takes more memory than memory-limit")
    )


def test_a_table_that_this_machine_cannot_read_is_unknown(tmp_path: Path) -> None:
    plan = planned_rows(tmp_path)
    (tmp_path / "rows.parquet").unlink()
    size = size_of(plan)
    assert size.rows is None
    assert size.sources[0].rows_from.startswith("cannot be read on this machine: no file matches")
