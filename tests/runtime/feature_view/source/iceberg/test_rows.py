"""Rows of tables of Iceberg: those of a snapshot, in the columns of the table, whatever its files were written with."""

import gzip
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyiceberg", reason="needs pyiceberg; run pip install '.[iceberg]'")
pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cases import first_of
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, restored, synced
from tests.runtime.feature_view.source.iceberg.tables import (
    EVOLVED,
    FOLDER,
    PARTITIONED,
    arrow,
    change_metadata,
    column_texts,
    create_table,
    drop_columns,
    evolved_table,
    metadata_of,
    partitioned_table,
    place,
    read_rows,
    table_of_all_types,
)
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.plan import build_plan
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.source.spark_reading import _mounted_place
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import estimate_sync, sync_view
from trialrun.runtime.options import Options

GUESTS = pa.schema([("id", pa.string()), ("visits", pa.int32())])
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def at(hour: int) -> int:
    return int((NOON + timedelta(hours=hour)).timestamp() * 1000)


def test_rows_of_the_last_snapshot(tmp_path: Path) -> None:
    table = create_table(tmp_path, GUESTS)
    table.append(arrow(GUESTS, {"id": "a", "visits": 1}))
    table.append(arrow(GUESTS, {"id": "b", "visits": None}))
    assert read_rows(place(tmp_path)) == [("a", 1), ("b", None)]
    assert read_rows(place(tmp_path), Options(confined=True)) == [("a", 1), ("b", None)]
    assert column_texts(place(tmp_path)) == ["id STRING!", "visits INT64"]


def test_an_empty_table(tmp_path: Path) -> None:
    create_table(tmp_path, GUESTS)
    assert read_rows(place(tmp_path, as_of=NOON)) == []
    assert column_texts(place(tmp_path)) == ["id STRING", "visits INT64"]


@pytest.mark.parametrize("version", first_of(["2", "1"]))
def test_rows_that_were_deleted_and_overwritten_by_new_files(tmp_path: Path, version: str) -> None:
    table = create_table(tmp_path, GUESTS, properties={"format-version": version})
    table.append(arrow(GUESTS, *({"id": id, "visits": 1} for id in "abc")))
    table.append(arrow(GUESTS, {"id": "d", "visits": 1}))
    table.delete("id == 'b'")
    assert [row[0] for row in read_rows(place(tmp_path))] == ["a", "c", "d"]
    table.delete("id == 'd'")
    table.overwrite(arrow(GUESTS, {"id": "a", "visits": 9}), overwrite_filter="id == 'a'")
    assert read_rows(place(tmp_path)) == [("a", 9), ("c", 1)]
    table.overwrite(arrow(GUESTS, {"id": "z", "visits": None}))
    assert read_rows(place(tmp_path)) == [("z", None)]


def test_all_types_are_those_of_the_table(tmp_path: Path) -> None:
    values = table_of_all_types(tmp_path)
    assert [text.rstrip("!") for text in column_texts(place(tmp_path))] == [
        f"{name} {text}" for name, _, _, text, _ in values
    ]
    assert read_rows(place(tmp_path)) == [tuple(read for *_, read in values)]


def test_the_snapshot_of_a_moment(tmp_path: Path) -> None:
    table = create_table(tmp_path, GUESTS)
    for id in "abc":
        table.append(arrow(GUESTS, {"id": id, "visits": 1}))

    def move(metadata: dict[str, Any]) -> None:
        for hour, (snapshot, entry) in enumerate(zip(metadata["snapshots"], metadata["snapshot-log"], strict=True)):
            snapshot["timestamp-ms"] = entry["timestamp-ms"] = at(hour)

    change_metadata(metadata_of(table), move)

    def ids(moment: datetime) -> str:
        return "".join(row[0] for row in read_rows(place(tmp_path, as_of=moment)))

    assert ids(NOON) == "a"
    assert ids(NOON + timedelta(hours=1, microseconds=-1)) == "a"
    assert ids(NOON + timedelta(hours=1)) == "ab"
    assert ids(NOON + timedelta(days=9)) == "abc"
    with pytest.raises(Unreadable, match=r"no snapshot of 2026-01-01T11:00:00Z, its first is of 2026-01-01T12:0"):
        ids(NOON - timedelta(hours=1))
    change_metadata(metadata_of(table), lambda metadata: metadata.pop("snapshot-log"))
    assert ids(NOON + timedelta(hours=1)) == "ab"


def test_a_table_that_was_rolled_back(tmp_path: Path) -> None:
    table = create_table(tmp_path, GUESTS)
    for id in "ab":
        table.append(arrow(GUESTS, {"id": id, "visits": 1}))

    def roll_back(metadata: dict[str, Any]) -> None:
        first = metadata["snapshots"][0]["snapshot-id"]
        for hour, entry in enumerate(metadata["snapshot-log"]):
            entry["timestamp-ms"] = at(hour)
        metadata["snapshot-log"].append({"snapshot-id": first, "timestamp-ms": at(2)})
        metadata["current-snapshot-id"] = metadata["refs"]["main"]["snapshot-id"] = first

    change_metadata(metadata_of(table), roll_back)
    assert [row[0] for row in read_rows(place(tmp_path))] == ["a"]
    assert [row[0] for row in read_rows(place(tmp_path, as_of=NOON + timedelta(hours=1)))] == ["a", "b"]
    assert [row[0] for row in read_rows(place(tmp_path, as_of=NOON + timedelta(hours=2)))] == ["a"]


def test_an_expired_snapshot_is_named(tmp_path: Path) -> None:
    table = create_table(tmp_path, GUESTS)
    for id in "ab":
        table.append(arrow(GUESTS, {"id": id, "visits": 1}))

    def expire(metadata: dict[str, Any]) -> None:
        for hour, entry in enumerate(metadata["snapshot-log"]):
            entry["timestamp-ms"] = at(hour)
        del metadata["snapshots"][0]

    change_metadata(metadata_of(table), expire)
    with pytest.raises(Unreadable, match=r"snapshot of 2026-01-01T12:00:00.* was expired"):
        read_rows(place(tmp_path, as_of=NOON))


def test_columns_are_found_by_their_ids(tmp_path: Path) -> None:
    evolved_table(tmp_path)
    assert read_rows(place(tmp_path), order="id") == EVOLVED
    assert column_texts(place(tmp_path)) == ["c STRING", "id STRING!", "amount INT64!", "b DOUBLE!", "a STRING"]


def test_an_older_snapshot_has_the_columns_that_it_had(tmp_path: Path) -> None:
    table = evolved_table(tmp_path)
    first = datetime.fromtimestamp(table.snapshots()[0].timestamp_ms / 1000, UTC) + timedelta(milliseconds=0)
    assert read_rows(place(tmp_path, as_of=first)) == [("1", 1, 1.5, "old c")]


def test_partitioned_tables(tmp_path: Path) -> None:
    partitioned_table(tmp_path)
    assert read_rows(place(tmp_path)) == PARTITIONED


def test_columns_that_only_the_partition_has(tmp_path: Path) -> None:
    drop_columns(partitioned_table(tmp_path), "city", "n")
    assert read_rows(place(tmp_path)) == PARTITIONED


def test_files_without_ids_are_read_by_the_names_that_the_table_gives(tmp_path: Path) -> None:
    table = create_table(tmp_path, GUESTS)
    file = tmp_path / "warehouse" / "added.parquet"
    pq.write_table(arrow(GUESTS, {"id": "a", "visits": 1}), file)
    table.add_files([f"file://{file}"])
    with table.update_schema() as update:
        update.rename_column("visits", "calls")
    assert column_texts(place(tmp_path)) == ["id STRING!", "calls INT64!"]
    assert read_rows(place(tmp_path)) == [("a", 1)]
    change_metadata(metadata_of(table), lambda metadata: metadata["properties"].pop("schema.name-mapping.default"))
    with pytest.raises(Unreadable, match=r"has no ids of columns; set schema\.name-mapping\.default"):
        read_rows(place(tmp_path))


def test_a_column_that_the_table_requires_and_a_file_does_not_have(tmp_path: Path) -> None:
    table = create_table(tmp_path, GUESTS)
    table.append(arrow(GUESTS, {"id": "a", "visits": 1}))

    def require(metadata: dict[str, Any]) -> None:
        metadata["schemas"][-1]["fields"].append({"id": 9, "name": "more", "type": "int", "required": True})
        metadata["last-column-id"] = 9

    change_metadata(metadata_of(table), require)
    with pytest.raises(Unreadable, match='no column "more", which the table requires'):
        read_rows(place(tmp_path))


@pytest.mark.parametrize("type", first_of(["int", "timestamptz", "string", "uuid"]))
def test_a_column_of_another_type_than_the_table_says(tmp_path: Path, type: str) -> None:
    schema = pa.schema([("id", pa.string()), ("visits", pa.int64())])
    table = create_table(tmp_path, schema)
    table.append(arrow(schema, {"id": "a", "visits": 1}))

    def lie(metadata: dict[str, Any]) -> None:
        metadata["schemas"][-1]["fields"][1]["type"] = type

    change_metadata(metadata_of(table), lie)
    with pytest.raises(Unreadable, match=r'column "visits" is .* in the table, and BIGINT in a data file'):
        read_rows(place(tmp_path))


def test_columns_that_differ_in_capitals_alone(tmp_path: Path) -> None:
    create_table(tmp_path, pa.schema([("id", pa.string()), ("ID", pa.string())]))
    with pytest.raises(Unreadable, match='"id" and "ID" differ in capitals alone'):
        read_rows(place(tmp_path))


def test_a_table_that_was_moved(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    create_table(here, GUESTS).append(arrow(GUESTS, {"id": "a", "visits": 1}))
    shutil.move(here, there)
    assert read_rows(place(there)) == [("a", 1)]


def test_the_file_of_metadata_may_be_named(tmp_path: Path) -> None:
    table = create_table(tmp_path, GUESTS)
    table.append(arrow(GUESTS, {"id": "a", "visits": 1}))
    older = metadata_of(table).relative_to(tmp_path)
    table.append(arrow(GUESTS, {"id": "b", "visits": 1}))
    assert read_rows(place(tmp_path, files=str(older), format=None)) == [("a", 1)]
    assert len(read_rows(place(tmp_path, files=f"{FOLDER}/metadata/*.metadata.json"))) == 2


def test_the_greatest_version_of_a_folder_counts(tmp_path: Path) -> None:
    table = create_table(tmp_path, GUESTS)
    table.append(arrow(GUESTS, {"id": "a", "visits": 1}))
    folder = metadata_of(table).parent
    for version, file in enumerate(sorted(folder.glob("*.metadata.json"))):
        file.rename(folder / f"v{version + 9}.metadata.json")
    (folder / "version-hint.text").write_text("9")
    assert read_rows(place(tmp_path)) == [("a", 1)]
    newest = folder / "v10.metadata.json"
    (folder / "v11.gz.metadata.json").write_bytes(gzip.compress(newest.read_bytes()))
    newest.write_text("{}")
    assert read_rows(place(tmp_path)) == [("a", 1)]
    shutil.copy(folder / "v11.gz.metadata.json", folder / "00011-a.metadata.json")
    with pytest.raises(Unreadable, match="may both be the current metadata"):
        read_rows(place(tmp_path))


def mounted(place: TableLocation, root: str) -> TableLocation:
    return _mounted_place(place, (root,))


def test_a_table_below_a_root(tmp_path: Path) -> None:
    table = evolved_table(tmp_path)
    here = TableLocation("t", "/nowhere", f"file://{tmp_path}/{FOLDER}", "ICEBERG")
    assert read_rows(mounted(here, f"{tmp_path}/"), order="id") == EVOLVED
    assert read_rows(mounted(here, f"{tmp_path}/{FOLDER}"), order="id") == EVOLVED
    with pytest.raises(Unreadable, match="below no root of the engine"):
        mounted(here, "/mnt/other")
    (first, *_) = table.scan().plan_files()
    file = Path(first.file.file_path.removeprefix("file://"))
    file.rename(tmp_path / "elsewhere.parquet")
    file.symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(Unreadable, match="outside of"):
        mounted(here, f"{tmp_path}/{FOLDER}")


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
    return catalog(folder, VIEW | view, sources=[{"uri": "bq://guests", "files": FOLDER, "format": "ICEBERG"}])


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
        return estimate_sync(plan, Options()).sources[0]

    now = estimate(0)
    assert (now.format, now.rows.low, now.rows.high) == ("Iceberg", 7, 7)
    assert now.row_width == 8 + 24 + 8 + 16 * 24 + 8
    assert now.file_bytes == sum(task.file.file_size_in_bytes for task in table.scan().plan_files())
    assert now.rows_from == "the metadata of the table, with 3 files"
    assert (estimate(40).rows.high, estimate(40).most_keys, now.most_keys) == (3, 7, 7)


@pytest.mark.exhaustive
def test_a_moment_with_microseconds_is_compared_in_milliseconds(tmp_path: Path, table: Any) -> None:
    moment = datetime(2026, 11, 21, 7, 0, 0, 999, tzinfo=UTC)
    _, rows = synced(iceberg_catalog(tmp_path), now=moment)
    assert rows[(1,)]["tier"] == "silver"
