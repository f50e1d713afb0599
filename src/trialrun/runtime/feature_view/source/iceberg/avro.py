"""The blocks of an Avro file that is whole, and its objects, in bounded memory.

pyiceberg takes a file that was cut off for one that ends there.
"""

from __future__ import annotations

import bz2
import io
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pyiceberg.avro.codecs import KNOWN_CODECS
from pyiceberg.avro.decoder import BinaryDecoder
from pyiceberg.avro.file import AvroFile
from pyiceberg.manifest import (
    DEFAULT_READ_VERSION,
    MANIFEST_ENTRY_SCHEMAS,
    MANIFEST_LIST_FILE_SCHEMAS,
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    PartitionFieldSummary,
)
from pyiceberg.types import FixedType, IcebergType, ListType, MapType, StructType, UnknownType

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from pyiceberg.schema import Schema


MAGIC = b"Obj\x01"
SYNC_BYTES = 16
MAX_METADATA_ENTRIES = 1000
MAX_SHIFT = 63


class DamagedAvro(Exception):
    """Bytes that are no whole Avro file."""


@dataclass(frozen=True, slots=True)
class AvroBlock:
    """How many objects a block has by what it says, and their bytes, which may be packed."""

    count: int
    data: bytes


def avro_blocks(data: bytes) -> list[AvroBlock]:
    """The blocks of an Avro file. Raises DamagedAvro."""
    if not data.startswith(MAGIC):
        raise DamagedAvro("it does not begin as an Avro file does")
    position = _skip_header(data, len(MAGIC))
    sync, position = data[position : position + SYNC_BYTES], position + SYNC_BYTES
    blocks: list[AvroBlock] = []
    while position < len(data):
        count, position = read_number(data, position)
        size, position = read_number(data, position)
        start, position = position, position + size
        if count <= 0 or size < 0 or data[position : position + SYNC_BYTES] != sync:
            raise DamagedAvro("a block of it is not whole")
        blocks.append(AvroBlock(count, data[start:position]))
        position += SYNC_BYTES
    if position != len(data):
        raise DamagedAvro("its header is not whole")
    return blocks


def _skip_header(data: bytes, position: int) -> int:
    """Where the map of the header ends."""
    entries = 0
    while True:
        count, position = read_number(data, position)
        if count < 0:  # then the size of the block comes before it
            count, (_, position) = -count, read_number(data, position)
        entries += count
        if entries > MAX_METADATA_ENTRIES:
            raise DamagedAvro("its header is too long")
        if count == 0:
            return position
        for _ in range(2 * count):
            size, position = read_number(data, position)
            position += size
            if size < 0 or position > len(data):
                raise DamagedAvro("its header is not whole")


def read_number(data: bytes, position: int, *, signed: bool = True) -> tuple[int, int]:
    """A number of variable length, and where it ends. Raises DamagedAvro."""
    value = shift = 0
    while True:
        if position >= len(data) or shift > MAX_SHIFT:
            raise DamagedAvro("it ends early")
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1) if signed else value, position


MAX_UNPACKED_BYTES = 256 * 2**20
"""Bytes of the objects of one file."""
CODEC = "avro.codec"


def read_objects(
    data: bytes, schema: Schema, types: Mapping[int, Callable[..., Any]], enums: Mapping[int, Callable[..., Any]]
) -> Iterator[Any]:
    """The objects of a file as `schema` has them. Raises DamagedAvro, and whatever pyiceberg raises."""
    blocks, left = avro_blocks(data), MAX_UNPACKED_BYTES
    with AvroFile(_Content(data), schema, dict(types), dict(enums)) as file:
        _refuse_items_without_bytes(file.schema.as_struct())
        codec = file.header.meta.get(CODEC, "null")
        for block in blocks:
            unpacked = _unpack(codec, block.data, left)
            left -= len(unpacked)
            decoder = BoundedDecoder(unpacked)
            for _ in range(block.count):
                yield file.reader.read(decoder)
            if decoder.tell() != len(unpacked):
                raise DamagedAvro("a block of it has more objects than it says")


class _Content:
    """An InputFile of pyiceberg."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def open(self, seekable: bool = True) -> io.BytesIO:
        """Its bytes."""
        return io.BytesIO(self._data)


class BoundedDecoder(BinaryDecoder):  # type: ignore[misc]
    """Decodes bytes and nothing behind them. Raises DamagedAvro."""

    def __init__(self, data: bytes) -> None:
        self._data, self._position = data, 0

    def tell(self) -> int:
        """Where the next value begins."""
        return self._position

    def read(self, n: int) -> bytes:
        """The next bytes."""
        start, end = self._position, self._position + n
        if not start <= end <= len(self._data):
            raise DamagedAvro("a value of it is not whole")
        self._position = end
        return self._data[start:end]

    def skip(self, n: int) -> None:
        """Pass over bytes."""
        self.read(n)

    def read_int(self) -> int:
        """The next number."""
        position = self._position
        if position < len(self._data) and (byte := self._data[position]) < 0x80:  # as most are
            self._position = position + 1
            return (byte >> 1) ^ -(byte & 1)
        value, self._position = read_number(self._data, position)
        return value

    def read_bytes(self) -> bytes:
        """The next text, behind its length."""
        return self.read(self.read_int())


def _unpack(codec: str, data: bytes, most: int) -> bytes:
    """The bytes of a block, of which no more than a bound are unpacked. Raises DamagedAvro."""
    unpacked = data
    if codec == "deflate":
        unpacked = zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, most + 1)
    elif codec == "bzip2":
        unpacked = bz2.BZ2Decompressor().decompress(data, most + 1)
    elif codec == "zstandard":
        from zstandard import ZstdDecompressor

        unpacked = ZstdDecompressor().stream_reader(data).read(most + 1)
    elif codec == "snappy":
        size, _ = read_number(data, 0, signed=False)
        unpacked = KNOWN_CODECS[codec].decompress(data) if size <= most else data[:0].ljust(most + 1)
    elif codec != "null":
        raise DamagedAvro(f"it is packed by {codec!r}, which is no way of Avro")
    if len(unpacked) > most:
        raise DamagedAvro(f"it unpacks to more than {MAX_UNPACKED_BYTES // 2**20} MiB")
    return unpacked


def _refuse_items_without_bytes(type: IcebergType) -> None:
    """Refuse lists and maps of items without bytes, of which a few bytes can say any number. Raises DamagedAvro."""
    match type:
        case StructType():
            parts, items = [field.field_type for field in type.fields], []
        case ListType():
            parts = [type.element_type]
            items = parts if type.element_required else []
        case MapType():
            parts, items = [type.key_type, type.value_type], [type.key_type]
        case _:
            return
    if not all(map(_takes_bytes, items)):
        raise DamagedAvro("it has lists of items without bytes")
    for part in parts:
        _refuse_items_without_bytes(part)


def _takes_bytes(type: IcebergType) -> bool:
    """Whether each value of a type takes at least one byte."""
    match type:
        case UnknownType():
            return False
        case FixedType():
            return len(type) > 0
        case StructType():
            return any(not field.required or _takes_bytes(field.field_type) for field in type.fields)
    return True


def read_manifest_list(data: bytes) -> list[ManifestFile]:
    """The manifests of a list."""
    types = {-1: ManifestFile, 508: PartitionFieldSummary}
    return [*read_objects(data, MANIFEST_LIST_FILE_SCHEMAS[DEFAULT_READ_VERSION], types, {517: ManifestContent})]


def read_live_entries(data: bytes) -> list[ManifestEntry]:
    """The entries of a manifest whose files are not deleted."""
    types = {-1: ManifestEntry, 2: DataFile}
    enums = {0: ManifestEntryStatus, 101: FileFormat, 134: DataFileContent}
    entries = read_objects(data, MANIFEST_ENTRY_SCHEMAS[DEFAULT_READ_VERSION], types, enums)
    return [entry for entry in entries if entry.status != ManifestEntryStatus.DELETED]
