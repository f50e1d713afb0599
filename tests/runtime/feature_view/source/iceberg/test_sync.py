"""Views of tables of Iceberg: a sync serves the rows of the snapshot of its moment, as of plain Parquet files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyiceberg", reason="needs pyiceberg; run pip install '.[iceberg]'")
pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

from tests.cases import first_of
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, restored, synced
from tests.runtime.feature_view.source.iceberg.tables import FOLDER, arrow, change_metadata, create_table, metadata_of
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.plan import build_plan
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import sync_size, sync_view
from trialrun.runtime.options import Options

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("tier", pa.string()),
        ("score", pa.float64()),
        ("tags", pa.list_(pa.string())),
        ("day", pa.date32()),
        ("feature_timestamp", pa.timestamp("us", tz="UTC")),
    ]
)
VIEW = {"warehouseSource": {"uri": "bq://guests", "entityIdColumns": ["id"]}}


def row(id: int, tier: str | None, hours: float, **more: Any) -> dict[str, Any]:
    return {"id": id, "tier": tier, "feature_timestamp": NOW - timedelta(hours=hours), **more}


BATCHES = [
    [row(1, "gold", 50, score=float("nan")), row(2, None, 50, tags=["a", None]), row(7, "future", -1)],
    [row(1, "silver", 30), row(3, "iron", 30, score=-0.0), row(None, "x", 30)],  # type: ignore[arg-type]
    [row(1, "bronze", 10, tags=[])],
]


@pytest.fixture
def table(tmp_path: Path) -> Any:
    """A table with three snapshots, of 49, 29 and 9 hours ago."""
    made = create_table(tmp_path, SCHEMA)
    for batch in BATCHES:
        made.append(arrow(SCHEMA, *batch))

    def move(metadata: dict[str, Any]) -> None:
        for hours, snapshot, entry in zip((49, 29, 9), metadata["snapshots"], metadata["snapshot-log"], strict=True):
            moment = int((NOW - timedelta(hours=hours)).timestamp() * 1000)
            snapshot["timestamp-ms"] = entry["timestamp-ms"] = moment

    change_metadata(metadata_of(made), move)
    return made


def iceberg_catalog(folder: Path, **view: Any) -> Catalog:
    source = {"uri": "bq://guests", "files": FOLDER, "format": "ICEBERG"}
    return catalog(folder, VIEW | view, sources=[source])


def parquet_catalog(folder: Path, count: int) -> Catalog:
    """The same rows of the first batches, in one Parquet file."""
    rows = [row for batch in BATCHES[:count] for row in batch]
    pq.write_table(arrow(SCHEMA, *rows), folder / f"rows-{count}.parquet")
    return catalog(folder, VIEW, sources=[{"uri": "bq://guests", "files": f"rows-{count}.parquet"}])


@pytest.mark.parametrize(("hours", "count"), first_of([(29, 2), (49, 1), (30, 1), (9, 3), (0, 3)]))
@pytest.mark.parametrize("confined", [False, True])
def test_what_is_served_is_that_of_the_same_rows_in_parquet(
    tmp_path: Path, table: Any, hours: int, count: int, confined: bool
) -> None:
    now, options = NOW - timedelta(hours=hours), Options(confined=confined)
    report, rows = synced(iceberg_catalog(tmp_path), now=now, options=options)
    expected, expected_rows = synced(parquet_catalog(tmp_path, count), now=now, options=options)
    assert repr(rows) == repr(expected_rows) and rows
    assert report.counts == expected.counts
    assert report.findings == expected.findings
    assert set(report.assumptions) ^ set(expected.assumptions) == {"sync-iceberg", "sync-files"}


def test_a_sync_of_a_time_before_the_first_snapshot_says_so(tmp_path: Path, table: Any) -> None:
    with pytest.raises(CannotSync, match=r'"bq://guests" cannot be read: the table has no snapshot of 2026-11-20T'):
        synced(iceberg_catalog(tmp_path), now=NOW - timedelta(hours=60))


def test_a_fetch_of_a_past_moment_reads_the_snapshot_of_its_sync(tmp_path: Path, table: Any) -> None:
    declared, store = iceberg_catalog(tmp_path), SqliteStore(":memory:")
    for hours in (40, 20, 0):
        now = NOW - timedelta(hours=hours)
        sync_view(declared.view(NAME), declared, store, clock=FixedClock(now))
    past = restored(declared, store, NOW - timedelta(hours=15))
    assert past.is_replayed
    assert dict(past.store.scan(NAME, ["tier"])) == {(1,): "silver", (2,): None, (3,): "iron"}


def test_a_continuous_view_reads_what_is_newer(tmp_path: Path, table: Any) -> None:
    declared = iceberg_catalog(tmp_path, syncConfig={"continuous": True})
    store = SqliteStore(":memory:")
    for hours, tier in ((40, "gold"), (20, "silver"), (0, "bronze")):
        report, rows = synced(declared, store, now=NOW - timedelta(hours=hours))
        assert rows[(1,)]["tier"] == tier
        assert report.plan.incremental == (hours == 0)  # the second snapshot has the first null among the ids


def test_a_plan_knows_how_many_rows_there_are(tmp_path: Path, table: Any) -> None:
    declared = iceberg_catalog(tmp_path)

    def estimate(hours: int) -> Any:
        plan = build_plan(declared.view(NAME), declared, cutoff=NOW - timedelta(hours=hours))
        return sync_size(plan, Options()).tables[0]

    now = estimate(0)
    assert (now.format, now.rows.low, now.rows.high) == ("Iceberg", 7, 7)
    assert now.row_width == 8 + 24 + 8 + 16 * 24 + 8
    assert now.file_bytes == sum(task.file.file_size_in_bytes for task in table.scan().plan_files())
    assert now.basis == "the metadata of the table, with 3 files"
    assert (estimate(40).rows.high, estimate(40).most_keys, now.most_keys) == (3, 7, 7)


@pytest.mark.exhaustive
def test_a_moment_with_microseconds_is_compared_in_milliseconds(tmp_path: Path, table: Any) -> None:
    moment = datetime(2026, 11, 21, 7, 0, 0, 999, tzinfo=UTC)
    _, rows = synced(iceberg_catalog(tmp_path), now=moment)
    assert rows[(1,)]["tier"] == "silver"
