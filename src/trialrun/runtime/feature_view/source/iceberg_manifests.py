"""The data files of a snapshot, as its manifests list them: Avro files of a stranger, decoded in bounded memory.

pyiceberg has the schemas and makes the objects. Its own reader takes a file that was cut off for one that ends there,
and its decoder reads memory behind the bytes that it was given; so blocks and bytes are counted here.
"""

from __future__ import annotations

import bz2
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pyiceberg.avro.codecs import AVRO_CODEC_KEY, KNOWN_CODECS
from pyiceberg.avro.decoder import BinaryDecoder
from pyiceberg.avro.file import MAGIC, META_SCHEMA, SYNC_SIZE, AvroFileHeader
from pyiceberg.avro.resolver import construct_reader, resolve_reader
from pyiceberg.manifest import (
    DEFAULT_READ_VERSION,
    MANIFEST_ENTRY_SCHEMAS,
    MANIFEST_LIST_FILE_SCHEMAS,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    PartitionFieldSummary,
)
from pyiceberg.manifest import DataFile as ListedFile
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import FixedType, IcebergType, ListType, MapType, StructType, UnknownType

from trialrun.runtime.feature_view.source.iceberg_metadata import (
    MAX_TOTAL_BYTES,
    DamagedMetadata,
    TableFiles,
    refuse_damage,
)
from trialrun.runtime.feature_view.source.location import Unreadable

MAX_MANIFESTS = 10_000
MAX_DATA_FILES = 100_000
MAX_HEADER_BYTES = 2**24
"""Bytes of the header of a file: each three of them may be an entry of its map."""
MAX_UNPACKED_BYTES = 256 * 2**20
"""Bytes of the objects of one file."""
MAX_NUMBER_BYTES = 10
NUMBER_BYTES = 8


@dataclass(frozen=True)
class DataFile:
    """A Parquet file of a table: its rows and bytes, and the values of columns that only its partition has.

    `never_null` are the ids of columns without a null, `bounds` the least and greatest values of columns by their ids.
    """

    path: str
    row_count: int
    size: int
    constants: tuple[tuple[int, Any], ...]
    never_null: frozenset[int]
    bounds: Mapping[int, tuple[bytes, bytes]]


def read_data_files(metadata: TableMetadata, snapshot: Snapshot, files: TableFiles) -> Iterator[DataFile]:
    """The data files of a snapshot. Raises Unreadable where they cannot be read alone, or are too many."""
    specs, left, count = metadata.specs(), MAX_TOTAL_BYTES, 0
    for manifest in _manifests(snapshot.manifest_list, files):
        left -= manifest.manifest_length
        if left < 0:
            raise Unreadable(f"the manifests of the table have more than {MAX_TOTAL_BYTES:,} bytes; rewrite them")
        with refuse_damage(manifest.manifest_path):
            partition = enumerate(specs[manifest.partition_spec_id].fields)
            identities = [
                (field.source_id, at) for at, field in partition if isinstance(field.transform, IdentityTransform)
            ]
        for entry in _live_entries(manifest, files):
            count += 1
            if count > MAX_DATA_FILES:
                raise Unreadable(f"the table has more than {MAX_DATA_FILES:,} data files; compact it")
            yield _data_file(entry.data_file, identities, files)


def _manifests(path: str, files: TableFiles) -> list[ManifestFile]:
    """The manifests of a list that list data files. Raises Unreadable where there are deletes.

    A manifest of which all files are said to be deleted is read as well: the numbers have no checksum.
    """
    schema, types = MANIFEST_LIST_FILE_SCHEMAS[DEFAULT_READ_VERSION], {-1: ManifestFile, 508: PartitionFieldSummary}
    objects = read_objects(files.read(path), schema, types, {517: ManifestContent})
    manifests = _at_most(MAX_MANIFESTS, objects, path, "manifests")
    for manifest in manifests:
        if manifest.content != ManifestContent.DATA and _live_entries(manifest, files):
            raise Unreadable(
                "the table has delete files, which are not applied; rewrite its data files (rewrite_data_files, then "
                "rewrite_position_delete_files), or write it copy-on-write"
            )
        if manifest.key_metadata is not None:
            raise Unreadable("the table is encrypted; copy its rows into one that is not")
    return [manifest for manifest in manifests if manifest.content == ManifestContent.DATA]


def _live_entries(manifest: ManifestFile, files: TableFiles) -> list[ManifestEntry]:
    """The entries of a manifest whose files are not deleted. Raises Unreadable."""
    path = manifest.manifest_path
    data, schema = files.read(path), MANIFEST_ENTRY_SCHEMAS[DEFAULT_READ_VERSION]
    _require_count(len(data), manifest.manifest_length, path)
    enums = {0: ManifestEntryStatus, 101: FileFormat, 134: DataFileContent}
    objects = read_objects(data, schema, {-1: ManifestEntry, 2: ListedFile}, enums)
    entries = _at_most(10 * MAX_DATA_FILES, objects, path, "entries")
    live = [entry for entry in entries if entry.status != ManifestEntryStatus.DELETED]
    if manifest.added_files_count is not None and manifest.existing_files_count is not None:
        _require_count(len(live), manifest.added_files_count + manifest.existing_files_count, path)
    return live


def _at_most(most: int, objects: Iterator[Any], path: str, word: str) -> list[Any]:
    """All objects of a file. Raises Unreadable where there are more, or where it is damaged."""
    with refuse_damage(path):
        found = list(islice(objects, most + 1))
    if len(found) > most:
        raise Unreadable(f'"{path}" has more than {most:,} {word}; rewrite the manifests of the table')
    return found


def _require_count(count: int, expected: int, written: str) -> None:
    if count != expected:
        raise Unreadable(f'"{written}" is not whole: {count:,} where the table says {expected:,}; copy the table again')


def _data_file(file: ListedFile, identities: list[tuple[int, int]], files: TableFiles) -> DataFile:
    """A file that a manifest lists; `identities` are columns by whose values it is partitioned, and their places."""
    written = file.file_path
    if file.file_format != FileFormat.PARQUET:
        raise Unreadable(f'the data file "{written}" is {file.file_format}; write the table as Parquet')
    if file.content != DataFileContent.DATA:
        raise Unreadable(f'the table has the delete file "{written}", which is not applied; rewrite its data files')
    if file.key_metadata is not None:
        raise Unreadable(f'the data file "{written}" is encrypted; copy the rows into a table that is not')
    path = files.resolve(written)
    size = os.path.getsize(path)
    if size != file.file_size_in_bytes:
        raise Unreadable(
            f'the data file "{written}" has {size:,} bytes, where the table says {file.file_size_in_bytes:,}; '
            "copy the table again"
        )
    constants = tuple((column, file.partition[place]) for column, place in identities)
    never_null = frozenset(id for id, nulls in (file.null_value_counts or {}).items() if nulls == 0)
    lower, upper = file.lower_bounds or {}, file.upper_bounds or {}
    bounds = {id: (least, upper[id]) for id, least in lower.items() if id in upper and len(least) <= NUMBER_BYTES}
    return DataFile(path, file.record_count, size, constants, never_null, bounds)


def read_objects(
    data: bytes, schema: Schema, types: Mapping[int, Callable[..., Any]], enums: Mapping[int, Callable[..., Any]]
) -> Iterator[Any]:
    """The objects of an Avro file as `schema` has them. Raises DamagedMetadata, and whatever pyiceberg raises."""
    if not data.startswith(MAGIC):
        raise DamagedMetadata("it does not begin as an Avro file does")
    start, decoder, left = BoundedDecoder(data[:MAX_HEADER_BYTES]), BoundedDecoder(data), MAX_UNPACKED_BYTES
    header = construct_reader(META_SCHEMA, {-1: AvroFileHeader}).read(start)
    decoder.skip(start.tell())
    written = header.get_schema()
    _takes_bytes(written.as_struct())
    reader = resolve_reader(written, schema, types, enums)
    while decoder.tell() < len(data):
        count = decoder.read_int()
        packed = decoder.read(decoder.read_int())
        if count <= 0 or decoder.read(SYNC_SIZE) != header.sync:
            raise DamagedMetadata("a block of it is not whole")
        unpacked = _unpack(header.meta.get(AVRO_CODEC_KEY, "null"), packed, left)
        left -= len(unpacked)
        block = BoundedDecoder(unpacked)
        for _ in range(count):
            yield reader.read(block)
        if block.tell() != len(unpacked):
            raise DamagedMetadata("a block of it has more objects than it says")


class BoundedDecoder(BinaryDecoder):  # type: ignore[misc]
    """Decodes bytes and nothing behind them. Raises DamagedMetadata."""

    def __init__(self, data: bytes) -> None:
        self._data, self._position = data, 0

    def tell(self) -> int:
        """Where the next value begins."""
        return self._position

    def read(self, n: int) -> bytes:
        """The next bytes."""
        start, end = self._position, self._position + n
        if not start <= end <= len(self._data):
            raise DamagedMetadata("a value of it is not whole")
        self._position = end
        return self._data[start:end]

    def skip(self, n: int) -> None:
        """Pass over bytes."""
        self.read(n)

    def read_int(self) -> int:
        """The next number, of variable length."""
        value = shift = 0
        for byte in self._data[self._position : self._position + MAX_NUMBER_BYTES]:
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                self._position += shift // 7
                return (value >> 1) ^ -(value & 1)
        raise DamagedMetadata("it ends early")

    def read_bytes(self) -> bytes:
        """The next text, behind its length."""
        return self.read(self.read_int())


def _unpack(codec: str, data: bytes, most: int) -> bytes:
    """The bytes of a block, of which no more than a bound are unpacked. Raises DamagedMetadata."""
    unpacked = data
    if codec == "deflate":
        unpacked = zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, most + 1)
    elif codec == "bzip2":
        unpacked = bz2.BZ2Decompressor().decompress(data, most + 1)
    elif codec == "zstandard":
        from zstandard import ZstdDecompressor

        unpacked = ZstdDecompressor().stream_reader(data).read(most + 1)
    elif codec == "snappy":
        half = BoundedDecoder(data).read_int()  # the size, which is read as if it had a sign
        unpacked = KNOWN_CODECS[codec].decompress(data) if max(2 * half, -2 * half - 1) <= most else bytes(most + 1)
    elif codec != "null":
        raise DamagedMetadata(f"it is packed by {codec!r}, which is no way of Avro")
    if len(unpacked) > most:
        raise DamagedMetadata(f"it unpacks to more than {MAX_UNPACKED_BYTES // 2**20} MiB")
    return unpacked


def _takes_bytes(type: IcebergType) -> bool:
    """Whether each value of a type takes at least one byte.

    Raises DamagedMetadata where the items of a list or map in it do not: a few bytes can say any number of them.
    """
    match type:
        case StructType():
            fields = [_takes_bytes(field.field_type) or not field.required for field in type.fields]
            return any(fields)
        case ListType():
            items = _takes_bytes(type.element_type) or not type.element_required
        case MapType():
            _takes_bytes(type.value_type)
            items = _takes_bytes(type.key_type)
        case FixedType():
            return len(type) > 0
        case _:
            return not isinstance(type, UnknownType)
    if not items:
        raise DamagedMetadata("it has lists of items without bytes")
    return True
