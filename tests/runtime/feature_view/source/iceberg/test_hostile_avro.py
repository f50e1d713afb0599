"""Avro files of a stranger: every byte is accounted for, and a few of them do not become many."""

from __future__ import annotations

import bz2
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyiceberg", reason="needs pyiceberg; run pip install '.[iceberg]'")
pytest.importorskip("pyarrow")

import pyarrow as pa
from pyiceberg.exceptions import ResolveError
from pyiceberg.schema import Schema
from pyiceberg.types import ListType, LongType, NestedField, StringType

from tests.runtime.feature_view.source.iceberg.tables import arrow, create_table, place
from trialrun.runtime.feature_view.source import iceberg_manifests as reader
from trialrun.runtime.feature_view.source import iceberg_table as table_module
from trialrun.runtime.feature_view.source.iceberg_metadata import DamagedMetadata
from trialrun.runtime.feature_view.source.location import Unreadable

SYNC = b"0123456789abcdef"
TEXTS = Schema(NestedField(1, "text", StringType(), required=True))
LISTS = Schema(NestedField(1, "items", ListType(2, LongType(), True), required=True))
GUESTS = pa.schema([("id", pa.string()), ("visits", pa.int32())])


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


LIST_FIELD = [
    {"name": "items", "type": {"type": "array", "items": "long", "element-id": 2}, "field-id": 1},
]


def objects(data: bytes, schema: Schema = TEXTS) -> list[Any]:
    return list(reader.read_objects(data, schema, {}, {}))


@pytest.mark.parametrize(
    ("codec", "pack"),
    [
        ("null", bytes),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("bzip2", bz2.compress),
    ],
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
