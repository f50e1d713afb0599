"""What a sync is estimated to take, when the embedded engine is not enough, and which settings would be."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.cases import first_of
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, duckdb_table, sqlite_table, synced
from trialrun.runtime.feature_view.estimate import sync_estimate as module
from trialrun.runtime.feature_view.estimate.rates import RATES, rate
from trialrun.runtime.feature_view.estimate.resources import Executors, Resources
from trialrun.runtime.feature_view.estimate.sync_estimate import SyncEstimate, estimate_sync
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan
from trialrun.runtime.feature_view.source.table_size import Range, TableSize
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.options import Options

GIGABYTE = 10**9
ROOMY = Resources(4 * GIGABYTE, 18 * GIGABYTE, 2, 2, 1_000 * GIGABYTE, 1_000 * GIGABYTE)
VIEW = {"warehouseSource": {"uri": "rows", "entityIdColumns": ["id"]}}
SOURCE = {"uri": "rows", "files": "rows.parquet"}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Parquet file of 5,000 rows of 1,000 entities."""
    file = tmp_path_factory.mktemp("table") / "rows.parquet"
    with duckdb.connect() as connection:
        rows = "SELECT 'g-' || i % 1000 AS id, i / 2.0 AS price FROM range(5000) t (i)"
        connection.execute(f"COPY ({rows}) TO '{file}'")
    return file


@pytest.fixture
def plan(tmp_path: Path, file: Path) -> SyncPlan:
    """The plan over the file."""
    shutil.copy(file, tmp_path)
    return planned(tmp_path, SOURCE)


def planned(folder: Path, source: dict[str, Any]) -> SyncPlan:
    declared = catalog(folder, VIEW, sources=[source])
    return build_plan(declared.view(NAME), declared, cutoff=NOW)


def estimated(plan: SyncPlan, resources: Resources = ROOMY, **known: Any) -> SyncEstimate:
    return estimate_sync(plan, Options(), resources, **known)


@pytest.fixture
def billions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table has two billion rows of 121 bytes."""
    table = TableSize("rows", "Parquet", 10**11, Range(2e9, 2e9), 121.0, "footers of 100 files")
    monkeypatch.setattr(module, "table_size", lambda *_: table)


def test_a_small_table_is_enough_for_the_embedded_engine(plan: SyncPlan) -> None:
    estimate = estimated(plan)
    assert (estimate.rows, estimate.entities) == (Range(5_000, 5_000), Range(1, 5_000))
    assert (estimate.problems, estimate.advice) == ((), ())
    (embedded,) = estimate.engines
    assert embedded.seconds is not None
    assert embedded.memory is not None
    assert 0 < embedded.seconds.low < embedded.seconds.high < 2
    assert embedded.memory.low < embedded.memory.high < GIGABYTE


def test_the_real_sync_lies_in_the_range_of_its_store(plan: SyncPlan, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    synced(catalog(tmp_path, VIEW, sources=[SOURCE]), SqliteStore(str(store)))
    size = estimated(plan).stores[0].bytes
    assert size is not None
    assert size.low < store.stat().st_size < size.high


@pytest.mark.parametrize(
    ("rows", "entities", "seconds", "mebibytes"), [(10e6, 1_000_000, 5.04, 410), (50e6, 5_000_000, 33.5, 1_233)]
)
def test_measured_syncs_lie_in_their_ranges(
    plan: SyncPlan, monkeypatch: pytest.MonkeyPatch, rows: float, entities: int, seconds: float, mebibytes: float
) -> None:
    table = TableSize("rows", "Parquet", 10**9, Range(rows, rows), 121.0, "footers of 1 file")
    monkeypatch.setattr(module, "table_size", lambda *_: table)
    (embedded,) = estimated(plan, served=entities).engines  # the figures of `benchmarks.sync` in benchmarks/README.md
    assert embedded.seconds is not None
    assert embedded.memory is not None
    assert embedded.seconds.low < seconds < embedded.seconds.high
    assert embedded.memory.low < mebibytes * 2**20 < embedded.memory.high


@pytest.mark.parametrize(
    ("vectors", "dimension", "mebibytes"),
    first_of([(30_000, 256, 388), (20_000, 64, 177), (20_000, 768, 562), (100_000, 256, 697), (300_000, 256, 1_240)]),
)
def test_measured_syncs_of_vectors_lie_in_their_ranges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vectors: int, dimension: int, mebibytes: int
) -> None:
    table = TableSize("rows", "Parquet", 10**9, Range(vectors, vectors), 16 + dimension * 4.0, "footers of 1 file")
    monkeypatch.setattr(module, "table_size", lambda *_: table)
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT '1' AS id, [0.5::FLOAT] AS e) TO '{tmp_path / 'rows.parquet'}'")
    config = {"embeddingColumn": "e", "embeddingDimension": dimension, "treeAhConfig": {}}
    declared = catalog(tmp_path, VIEW | {"indexConfig": config}, sources=[SOURCE])
    indexed = build_plan(declared.view(NAME), declared, cutoff=NOW)
    (embedded,) = estimated(indexed, served=vectors).engines  # the figures of `benchmarks.growth`
    assert embedded.memory is not None
    assert embedded.memory.low < mebibytes * 2**20 < embedded.memory.high


def test_the_entities_served_now_narrow_the_range(plan: SyncPlan) -> None:
    estimate = estimated(plan, served=1_000)
    assert (estimate.entities, estimate.entity_basis) == (Range(800, 1_250), "the entities served now")
    assert estimated(plan, served=1_000_000).entities == Range(5_000, 5_000)


def test_whole_numbers_as_ids_bound_the_entities(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        rows = "SELECT i % 70 + 5 AS id, i AS price FROM range(5000) t (i)"
        connection.execute(f"COPY ({rows}) TO '{tmp_path / 'rows.parquet'}'")
    estimate = estimated(planned(tmp_path, SOURCE))
    assert estimate.entities == Range(1, 70)
    assert estimate.entity_basis == "the least and the greatest entity id in the footers"


def test_executors_are_estimated_where_the_user_names_them(plan: SyncPlan, billions: None) -> None:
    few, many = (estimated(plan, executors=Executors(count, 2, 8 * GIGABYTE)).engines[1] for count in (4, 40))
    assert few.engine == "Spark (4 executors of 2 cores and 8GB)"
    assert few.seconds is not None
    assert many.seconds is not None
    start = rate("spark-start")
    ratio = (few.seconds.high / module.CLOCK_MARGIN - start) / (many.seconds.high / module.CLOCK_MARGIN - start)
    assert ratio == pytest.approx(10)
    assert few.memory == Range(32 * GIGABYTE, 32 * GIGABYTE)


@pytest.mark.parametrize(
    ("resources", "known", "problem", "advice"),
    [
        (
            {"memory_limit": 10**8},
            {"served": 2_000_000},
            "it needs more memory than memory-limit",
            'memory-limit = "1GB"',
        ),
        ({"free_store": 10**6}, {"served": 2_000_000}, "it needs more room for the store", "free space on the disk"),
        ({"free_spill": 10**6}, {}, "it perhaps spills more than the disk has left", 'engine = "ALIAS"'),
        ({}, {"interval": timedelta(minutes=1), "served": 10}, "takes longer than the 60 s", 'engine = "ALIAS"'),
        ({"threads": 1}, {"interval": timedelta(minutes=1), "served": 10}, "takes longer than the 60 s", "threads = 2"),
        ({}, {}, "it perhaps needs more memory than memory-limit", 'engine = "ALIAS"'),
    ],
)
def test_what_is_not_enough_is_said_with_what_would_be(
    plan: SyncPlan, billions: None, resources: dict[str, int], known: dict[str, Any], problem: str, advice: str
) -> None:
    estimate = estimated(plan, replace(ROOMY, **resources), **known)
    assert any(problem in each for each in estimate.problems), estimate.problems
    assert any(advice in each for each in estimate.advice), estimate.advice


def test_advised_memory_is_enough(plan: SyncPlan, billions: None) -> None:
    small = replace(ROOMY, memory_limit=10**8)
    assert any("memory-limit" in each for each in estimated(plan, small, served=2_000_000).problems)
    assert estimated(plan, replace(small, memory_limit=GIGABYTE), served=2_000_000).problems == ()


def test_unknown_rows_make_unknown_figures(tmp_path: Path) -> None:
    duckdb_table(tmp_path / "d.db", "CREATE TABLE t AS SELECT 1 AS id, 2 AS price", "CREATE VIEW v AS SELECT * FROM t")
    estimate = estimated(planned(tmp_path, {"uri": "rows", "database": "d.db", "table": "v"}))
    assert (estimate.rows, estimate.entities, estimate.problems) == (None, None, ())
    assert {(engine.seconds, engine.memory) for engine in estimate.engines} == {(None, None)}
    assert {(store.seconds, store.bytes) for store in estimate.stores} == {(None, None)}


def test_a_table_that_this_machine_cannot_read_is_unknown(plan: SyncPlan, tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").unlink()
    estimate = estimated(plan)
    assert estimate.rows is None
    assert estimate.tables[0].basis.startswith("cannot be read on this machine: no file matches")


def test_a_table_of_sqlite_that_takes_too_long_is_to_be_copied(tmp_path: Path) -> None:
    sqlite_table(tmp_path / "s.db", "t", "id INTEGER, word TEXT", [(number, "x") for number in range(200_000)])
    plan = planned(tmp_path, {"uri": "rows", "database": "s.db", "table": "t"})
    estimate = estimated(plan, interval=timedelta(seconds=1))
    assert estimate.problems[0].endswith("takes longer than the 1 s between runs")
    assert estimate.advice[0].startswith("copy the table from SQLite into a Parquet file")


def test_every_rate_says_what_measured_it() -> None:
    for name, each in RATES.items():
        assert each.value > 0, name
        assert each.unit and each.meaning and each.command and each.machine, name
