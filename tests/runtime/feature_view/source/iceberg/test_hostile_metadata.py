"""Metadata of a table of Iceberg may be a stranger's: it leads to no file outside, to no connection, and to no end.

Of its Avro files every byte is accounted for, and a few of them do not become many.
"""

import random
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyiceberg", reason="needs pyiceberg; run pip install '.[iceberg]'")
pytest.importorskip("pyarrow")

import bz2
import gzip
import json
import zlib

import pyarrow as pa
from pyiceberg.exceptions import ResolveError
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    read_manifest_list,
    write_manifest,
    write_manifest_list,
)
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import ListType, LongType, NestedField, StringType

from tests.cases import first_of, number_of_cases
from tests.runtime.feature_view.source.iceberg.tables import (
    FOLDER,
    arrow,
    change_metadata,
    create_table,
    metadata_of,
    place,
    read_rows,
)
from trialrun import extras
from trialrun.guarded_path import allow_folder, forget_allowed
from trialrun.runtime.feature_view.source import confined
from trialrun.runtime.feature_view.source import iceberg_manifests as reader
from trialrun.runtime.feature_view.source import iceberg_table as table_module
from trialrun.runtime.feature_view.source.columns import columns_of
from trialrun.runtime.feature_view.source.iceberg_manifests import DataFile as DataFileOfTable
from trialrun.runtime.feature_view.source.iceberg_metadata import DamagedMetadata
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.options import Options

GUESTS = pa.schema([("id", pa.string()), ("visits", pa.int32())])
CONFINED = Options(confined=True, memory_limit="500MB")
SLOW = 0.2
"""Seconds that an import takes longer."""


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    forget_allowed()
    yield
    forget_allowed()


@pytest.fixture
def table(tmp_path: Path) -> Any:
    (tmp_path / "work").mkdir()
    made = create_table(tmp_path / "work", GUESTS)
    made.append(arrow(GUESTS, {"id": "a", "visits": 1}))
    return made


def local(address: str) -> Path:
    return Path(address.removeprefix("file://"))


def rewrite_data_files(table: Any, change: Callable[[DataFile], None], count: int = 1) -> None:
    """Write the manifest of the last snapshot anew, with its data file changed, as often as `count` says."""
    snapshot = table.current_snapshot()
    (manifest,) = snapshot.manifests(table.io)
    (entry,) = manifest.fetch_manifest_entry(table.io)
    change(entry.data_file)
    path = manifest.manifest_path.replace("-m0", "-changed")
    with write_manifest(
        2, table.spec(), table.schema(), table.io.new_output(path), snapshot.snapshot_id, "null"
    ) as out:
        for _ in range(count):
            out.add_entry(
                ManifestEntry.from_args(
                    status=ManifestEntryStatus.ADDED, snapshot_id=snapshot.snapshot_id, data_file=entry.data_file
                )
            )
    replace_manifests(table, [out.to_manifest_file()])


def replace_manifests(table: Any, manifests: list[Any]) -> None:
    """Write the list of manifests of the last snapshot anew."""
    snapshot = table.current_snapshot()
    local(snapshot.manifest_list).unlink()
    output = table.io.new_output(snapshot.manifest_list)
    with write_manifest_list(2, output, snapshot.snapshot_id, None, 1, "null") as out:
        out.add_manifests(manifests)


def refused(tmp_path: Path, message: str, options: Options | None = None) -> None:
    table_module._read_table.cache_clear()
    with pytest.raises(Unreadable, match=message) as error:
        read_rows(place(tmp_path / "work"), options)
    assert "\n" not in str(error.value) and len(str(error.value)) < 600


@pytest.fixture
def outside(tmp_path: Path, table: Any) -> Path:
    """A copy of the data file beside the workspace."""
    (task,) = table.scan().plan_files()
    shutil.copy(local(task.file.file_path), tmp_path / "secret.parquet")
    return tmp_path / "secret.parquet"


@pytest.mark.parametrize("form", first_of(["file://{}", "{}", "file:{}", "file://localhost{}"]))
def test_data_files_outside_of_the_workspace(tmp_path: Path, table: Any, outside: Path, form: str) -> None:
    rewrite_data_files(table, lambda file: _change(file, 1, form.format(outside)))
    refused(tmp_path, "outside of .*allow it with --allow-path")
    refused(tmp_path, "outside of .*allow it with --allow-path", CONFINED)
    allow_folder(str(tmp_path))
    assert read_rows(place(tmp_path / "work")) == [("a", 1)]
    assert read_rows(place(tmp_path / "work"), CONFINED) == [("a", 1)]
    forget_allowed()
    with pytest.raises(Unreadable, match="outside of"):  # also where it was just read
        read_rows(place(tmp_path / "work"))


def _change(record: Any, index: int, value: Any) -> None:
    record._data = _with(record, index, value)


def _with(record: Any, index: int, value: Any) -> list[Any]:
    data = list(record._data)
    data[index] = value
    return data


@pytest.mark.parametrize(
    ("written", "message"),
    first_of(
        [
            ("{location}/../../../../secret.parquet", "outside of"),
            ("http://127.0.0.1:{port}/a.parquet", "not on this machine"),
            ("{location}/data/nowhere.parquet", "which is not there"),
            ("{location}/.git/config", "inside a .git folder"),
            ("{location}/data/../../../../../secret.parquet", "outside of"),
            ("s3://bucket/a.parquet", "not on this machine"),
            ("file://host/a.parquet", "not on this machine"),
            ("a.parquet", "not on this machine"),
            ("", "not on this machine"),
            ("{location}/data", "which is not there"),
            ("{location}/a\0.parquet", "which is not there"),
            ("/dev/stdin", "outside of"),
        ],
        4,
    ),
)
def test_paths_of_data_files(tmp_path: Path, table: Any, outside: Path, written: str, message: str) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        path = written.format(location=table.location(), port=server.getsockname()[1])
        rewrite_data_files(table, lambda file: _change(file, 1, path))
        refused(tmp_path, message)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_links_that_lead_out_or_in_a_circle(tmp_path: Path, table: Any, outside: Path) -> None:
    (task,) = table.scan().plan_files()
    file = local(task.file.file_path)
    for target, message in ((outside, "it leads to .*secret.parquet, outside of"), (file.name, "which is not there")):
        file.unlink()
        file.symlink_to(target)
        refused(tmp_path, message)
    folder = tmp_path / "work" / FOLDER / "metadata"
    shutil.rmtree(folder)
    folder.symlink_to(folder.name)
    refused(tmp_path, r"has no metadata/\*\.metadata\.json")


def test_a_folder_of_metadata_that_leads_out(tmp_path: Path, table: Any) -> None:
    folder = tmp_path / "work" / FOLDER
    shutil.move(folder, tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    refused(tmp_path, "outside of")


def test_manifests_outside(tmp_path: Path, table: Any) -> None:
    change_metadata(
        metadata_of(table), lambda metadata: metadata["snapshots"][0].update({"manifest-list": "/etc/passwd"})
    )
    refused(tmp_path, '"/etc/passwd": it is outside of')
    change_metadata(
        metadata_of(table), lambda metadata: metadata["snapshots"][0].update({"manifest-list": "https://h/l.avro"})
    )
    refused(tmp_path, '"https://h/l.avro", which is not on this machine')


def test_no_class_of_the_metadata_is_imported(tmp_path: Path, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hostile_io.py").write_text("open('ran', 'w')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    change_metadata(
        metadata_of(table), lambda metadata: metadata["properties"].update({"py-io-impl": "hostile_io.FileIO"})
    )
    assert read_rows(place(tmp_path / "work")) == [("a", 1)]
    assert "hostile_io" not in sys.modules and not (tmp_path / "ran").exists()


@pytest.mark.exhaustive
def test_no_settings_of_the_working_directory_are_read(
    tmp_path: Path, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".pyiceberg.yaml").write_text("manifest-cache-size: -1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    confined._process.cache_clear()
    assert read_rows(place(tmp_path / "work"), CONFINED) == [("a", 1)]
    confined._process.cache_clear()


DATA_FILES = [
    (0, DataFileContent.POSITION_DELETES, "has the delete file .*which is not applied; rewrite its data files"),
    (2, FileFormat.ORC, "is .*ORC; write the table as Parquet"),
    (12, b"key", "is encrypted"),
    (5, 7, "bytes, where the table says 7; copy the table again"),
    (0, DataFileContent.EQUALITY_DELETES, "has the delete file .*which is not applied; rewrite its data files"),
    (2, FileFormat.AVRO, "is .*AVRO; write the table as Parquet"),
]


@pytest.mark.parametrize(("field", "value", "message"), first_of(DATA_FILES, 4))
def test_data_files_that_are_not_read(tmp_path: Path, table: Any, field: int, value: Any, message: str) -> None:
    rewrite_data_files(table, lambda file: _change(file, field, value))
    refused(tmp_path, message)


def test_manifests_of_deletes(tmp_path: Path, table: Any) -> None:
    manifests = table.current_snapshot().manifests(table.io)
    manifests[0]._data = _with(manifests[0], 3, ManifestContent.DELETES)
    replace_manifests(table, manifests)
    refused(tmp_path, "has delete files, which are not applied; rewrite its data files")
    manifests[0]._data = _with(manifests[0], 7, 0)  # which says that all of its files were removed
    replace_manifests(table, manifests)
    table_module._read_table.cache_clear()
    refused(tmp_path, "is not whole: 1 where the table says 0; copy the table again")


def test_a_file_that_is_listed_twice(tmp_path: Path, table: Any) -> None:
    rewrite_data_files(table, lambda file: None, count=2)
    refused(tmp_path, "twice")


def test_more_files_than_may_be(tmp_path: Path, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_DATA_FILES", 1)
    rewrite_data_files(table, lambda file: None, count=2)
    refused(tmp_path, "more than 1 data files; compact it")
    monkeypatch.setattr(reader, "MAX_MANIFESTS", 0)
    refused(tmp_path, "more than 0 manifests; rewrite the manifests")
    monkeypatch.undo()
    monkeypatch.setattr(reader, "MAX_TOTAL_BYTES", 100)
    refused(tmp_path, "the manifests of the table have more than 100 bytes")


def avro_files(table: Any) -> list[Path]:
    snapshot = table.current_snapshot()
    return [local(snapshot.manifest_list), local(snapshot.manifests(table.io)[0].manifest_path)]


@pytest.mark.generated
def test_avro_that_is_cut_off_anywhere(tmp_path: Path, table: Any) -> None:
    here = place(tmp_path / "work")
    for file in avro_files(table):
        whole = file.read_bytes()
        for length in range(0, len(whole), max(1, len(whole) // number_of_cases(100))):
            file.write_bytes(whole[:length])
            with pytest.raises(Unreadable, match=r"damaged|not whole"):
                table_module.read_table(here)
        file.write_bytes(whole)


@pytest.mark.generated
def test_changed_bytes_of_avro_are_an_error_or_change_nothing(tmp_path: Path, table: Any) -> None:
    here = place(tmp_path / "work")
    sound = files_without_statistics(here)
    for file in avro_files(table):
        whole = file.read_bytes()
        end = len(whole) - number_of_cases(40)
        positions = {*range(4, len(whole), max(1, len(whole) // number_of_cases(100))), *range(end, len(whole))}
        for position in sorted(positions):
            file.write_bytes(whole[:position] + bytes([whole[position] ^ 0x41]) + whole[position + 1 :])
            try:
                assert files_without_statistics(here) == sound
            except Unreadable as error:
                assert "\n" not in str(error)
        file.write_bytes(whole)


def files_without_statistics(place: TableLocation) -> list[DataFileOfTable]:
    table_module._read_table.cache_clear()
    files = table_module.read_table(place).files
    return [replace(file, row_count=0, never_null=frozenset(), bounds={}) for file in files]


@pytest.mark.parametrize(
    "data",
    first_of([b"Obj\x01" + b"\xff" * 100, b"[" * 100_000, b"", b"Obj", b"Obj\x01", random.Random(1).randbytes(100)], 2),
)
def test_garbage(tmp_path: Path, table: Any, data: bytes) -> None:
    local(table.current_snapshot().manifest_list).write_bytes(data)
    refused(tmp_path, "damaged")
    metadata_of(table).write_bytes(data)
    refused(tmp_path, "damaged")


@pytest.mark.parametrize(
    ("path", "value"),
    first_of(
        [
            (("schemas",), []),
            (("schemas", 0, "fields", 0, "type"), "text"),
            (("properties",), {"schema.name-mapping.default": "[{"}),
            (("format-version",), 9),
            (("current-schema-id",), 99),
            (("snapshots", 0, "manifest-list"), 7),
            (("schemas", 0, "fields", 0, "type"), {"type": "list"}),
            (("location",), None),
            (("snapshots", 0, "parent-snapshot-id"), "circle"),
            (("properties",), {"schema.name-mapping.default": "[7]"}),
        ],
        3,
    ),
)
def test_metadata_that_makes_no_sense(tmp_path: Path, table: Any, path: tuple[Any, ...], value: Any) -> None:
    def change(metadata: Any) -> None:
        for step in path[:-1]:
            metadata = metadata[step]
        metadata[path[-1]] = value

    change_metadata(metadata_of(table), change)
    refused(tmp_path, "damaged")


def test_a_current_snapshot_that_is_not_there(tmp_path: Path, table: Any) -> None:
    change_metadata(metadata_of(table), lambda metadata: metadata.update({"current-snapshot-id": 5, "refs": {}}))
    refused(tmp_path, "no snapshot 5, which is current")


def test_snapshots_that_follow_each_other_in_a_circle(tmp_path: Path, table: Any) -> None:
    def change(metadata: Any) -> None:
        metadata["snapshots"][0]["parent-snapshot-id"] = metadata["snapshots"][0]["snapshot-id"]
        del metadata["snapshot-log"]

    change_metadata(metadata_of(table), change)
    assert len(read_rows(place(tmp_path / "work", as_of=datetime(2100, 1, 1, tzinfo=UTC)))) == 1


def test_a_type_that_is_nested_without_end(tmp_path: Path, table: Any) -> None:
    def change(metadata: Any) -> None:
        type: Any = "int"
        for id in range(10, 200):
            type = {"type": "list", "element-id": id, "element": type, "element-required": False}
        metadata["schemas"][0]["fields"][1]["type"] = type

    change_metadata(metadata_of(table), change)
    refused(tmp_path, "damaged")


def test_metadata_that_unpacks_to_too_much(tmp_path: Path, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata_of(table).write_bytes(gzip.compress(b" " * (65 * 2**20), compresslevel=1))
    refused(tmp_path, "more than 64 MiB")


@pytest.mark.exhaustive
def test_a_block_of_a_manifest_that_unpacks_to_too_much_ends_the_process_that_reads_it(
    tmp_path: Path, table: Any
) -> None:
    manifest_list = local(table.current_snapshot().manifest_list)
    whole = manifest_list.read_bytes()
    (manifest,) = read_manifest_list(table.io.new_input(str(manifest_list)))
    assert isinstance(manifest, Record)
    assert whole.index(b"avro.codec") > 0
    packer = zlib.compressobj(9, wbits=-15)
    packed = b"".join(packer.compress(b"\0" * 2**20) for _ in range(800)) + packer.flush()
    header, sync = _header_with_codec(whole, b"deflate")
    manifest_list.write_bytes(header + number(1) + number(len(packed)) + packed + sync)
    table_module._read_table.cache_clear()
    with pytest.raises(Unreadable, match=r"memory|takes too long"):
        read_rows(place(tmp_path / "work"), Options(confined=True, memory_limit="100MB"))


def _header_with_codec(whole: bytes, codec: bytes) -> tuple[bytes, bytes]:
    sync = whole[-16:]
    header = whole[: whole.index(sync) + 16]
    before = header.index(b"avro.codec") + len(b"avro.codec")
    length = header[before] >> 1
    return header[:before] + number(len(codec)) + codec + header[before + 1 + length :], sync


def test_columns_are_known_to_a_check_without_reading_manifests_here(
    tmp_path: Path, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_module, "_read_table", lambda *read: pytest.fail("parsed in this process"))
    columns = columns_of({"files": FOLDER, "format": "ICEBERG"}, str(tmp_path / "work"))
    assert [column.name for column in columns if not isinstance(column, str)] == ["id", "visits"]


def test_without_pyiceberg_the_extra_is_named(tmp_path: Path, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table_module._read_table.cache_clear()
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    refused(tmp_path, r"pip install 'trialrun\[iceberg\]'")


@pytest.mark.exhaustive
def test_the_time_of_importing_pyiceberg_is_no_time_of_a_source(
    tmp_path: Path, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, process = confined._ReaderProcess._load_iceberg, confined._ReaderProcess(500_000_000, 6)

    def load_slowly(process: confined._ReaderProcess) -> bool:
        time.sleep(SLOW)
        return original(process)

    monkeypatch.setattr(confined._ReaderProcess, "_load_iceberg", load_slowly)
    process._prepare(1, [place(tmp_path / "work")])
    assert confined._time_budget.left == confined.MAX_LOST_SECONDS
    process._end()
    process._prepare(2, [place(tmp_path / "work")])  # it had to be started again
    assert confined._time_budget.left < confined.MAX_LOST_SECONDS - SLOW
    process._end()


SYNC = b"0123456789abcdef"
TEXTS = Schema(NestedField(1, "text", StringType(), required=True))
LISTS = Schema(NestedField(1, "items", ListType(2, LongType(), True), required=True))


def number(value: int) -> bytes:
    """A number as Avro writes it."""
    rest, written = value << 1 if value >= 0 else (-value << 1) - 1, bytearray()
    while rest > 0x7F:
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*written, rest])


def text(value: bytes) -> bytes:
    return number(len(value)) + value


def avro(fields: list[dict[str, Any]], block: bytes, count: int = 1, codec: str = "null") -> bytes:
    """A file of one block of records."""
    schema = json.dumps({"type": "record", "name": "r", "fields": fields}).encode()
    header = {b"avro.schema": schema, b"avro.codec": codec.encode()}
    pairs = b"".join(text(name) + text(value) for name, value in header.items())
    return b"Obj\x01" + number(len(header)) + pairs + number(0) + SYNC + number(count) + text(block) + SYNC


def field(type: Any) -> list[dict[str, Any]]:
    return [{"name": "text", "type": type, "field-id": 1}]


LIST_FIELD = [{"name": "items", "type": {"type": "array", "items": "long", "element-id": 2}, "field-id": 1}]


def objects(data: bytes, schema: Schema = TEXTS) -> list[Any]:
    return list(reader.read_objects(data, schema, {}, {}))


@pytest.mark.parametrize(
    ("codec", "pack"),
    [("null", bytes), ("deflate", lambda data: zlib.compress(data, wbits=-15)), ("bzip2", bz2.compress)],
)
def test_objects_and_blocks_that_unpack_to_too_much(codec: str, pack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = avro(field("string"), pack(text(b"one") + text(b"two")), 2, codec)
    assert [row[0] for row in objects(data)] == ["one", "two"]
    monkeypatch.setattr(reader, "MAX_UNPACKED_BYTES", 7)
    with pytest.raises(DamagedMetadata, match="unpacks to more than"):
        objects(data)


@pytest.mark.parametrize("codec", ["zstandard", "snappy", "rot13"])
def test_other_codecs(codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    block = text(b"one") * 1000
    if codec == "zstandard":
        block = pytest.importorskip("zstandard").ZstdCompressor().compress(block)
    with pytest.raises((DamagedMetadata, ImportError, KeyError, TypeError)) as error:
        monkeypatch.setattr(reader, "MAX_UNPACKED_BYTES", 100)
        objects(avro(field("string"), block, 1000, codec))
    assert codec != "zstandard" or "unpacks to more" in str(error.value)


@pytest.mark.parametrize("length", [4, 1000, 2**31, 2**62, -1, -50])
def test_a_text_that_ends_behind_its_block(length: int) -> None:
    with pytest.raises(DamagedMetadata, match="not whole"):
        objects(avro(field("string"), number(length) + b"one"))


@pytest.mark.parametrize("count", [1, 3])
def test_a_block_of_another_count(count: int) -> None:
    with pytest.raises(DamagedMetadata, match=r"more objects than it says|ends early"):
        objects(avro(field("string"), text(b"one") + text(b"two"), count))


@pytest.mark.parametrize("count", [5, 2**40, 2**61, 2**62, -(2**62)])
def test_a_list_of_more_numbers_than_there_are(count: int) -> None:
    with pytest.raises(DamagedMetadata, match="ends early"):
        objects(avro(LIST_FIELD, number(count) + number(7) * 4 + number(0)), LISTS)


NOTHING: list[Any] = [
    "null",
    {"type": "fixed", "name": "f", "size": 0},
    {"type": "record", "name": "e", "fields": [{"name": "part", "type": "null", "field-id": 3}]},
    {"type": "array", "items": "null", "element-id": 3},
]


@pytest.mark.parametrize("items", NOTHING, ids=["null", "fixed", "record", "list"])
@pytest.mark.parametrize("name", ["items", "extra"])
def test_a_list_of_any_number_of_items_without_bytes(name: str, items: Any) -> None:
    """It would take a loop of as many steps as a number of a few bytes says."""
    id = 1 if name == "items" else 7
    extra = {"name": name, "type": {"type": "array", "items": items, "element-id": 2}, "field-id": id}
    with pytest.raises((DamagedMetadata, ResolveError), match=r"items without bytes|not aligned|Cannot promote"):
        objects(avro([extra, *LIST_FIELD] if name == "extra" else [extra], number(2**62) + number(0) * 2), LISTS)


def test_a_manifest_that_a_changed_count_would_hide(tmp_path: Path) -> None:
    table = create_table(tmp_path, GUESTS)
    for visits in range(3):
        table.append(arrow(GUESTS, {"id": f"guest {visits}", "visits": visits}))
    file = Path(table.current_snapshot().manifest_list.removeprefix("file://"))
    whole = file.read_bytes()
    at = whole.index(whole[-16:]) + 16
    assert whole[at] == 6, "the count of the only block: 3 manifests"
    for count in (2, 4):
        file.write_bytes(whole[:at] + bytes([count]) + whole[at + 1 :])
        table_module._read_table.cache_clear()
        with pytest.raises(Unreadable, match="damaged: a block of it has more objects than it says"):
            table_module.read_table(place(tmp_path))
