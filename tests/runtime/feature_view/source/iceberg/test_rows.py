"""Rows of tables of Iceberg: those of a snapshot, in the columns of the table, whatever its files were written with."""

from __future__ import annotations

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

from tests.cases import first_of
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
from trialrun.runtime.feature_view.source.location import Unreadable
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


@pytest.mark.exhaustive
def test_a_column_that_was_renamed_since_has_its_new_name(tmp_path: Path) -> None:
    table = create_table(tmp_path, GUESTS)
    table.append(arrow(GUESTS, {"id": "a", "visits": 1}))
    with table.update_schema() as update:
        update.rename_column("visits", "calls")
    assert column_texts(place(tmp_path)) == ["id STRING!", "calls INT64!"]
    assert read_rows(place(tmp_path)) == [("a", 1)]


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
