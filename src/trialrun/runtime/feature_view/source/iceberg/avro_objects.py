"""The objects of an Avro file, every byte of which is accounted for.

pyiceberg says how objects are decoded, by the schema of the file and the one that is read. Its own decoder does not
look at the end of the bytes, so that a length in a stranger's file would read memory of this process; it unpacks blocks
without a bound, and believes how many objects they say that they have.
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
from pyiceberg.types import FixedType, IcebergType, ListType, MapType, StructType, UnknownType

from trialrun.runtime.feature_view.source.iceberg.avro_container import DamagedAvro, avro_blocks, read_number

if TYPE_CHECKING:
    from pyiceberg.schema import Schema

MAX_UNPACKED_BYTES = 256 * 2**20
"""Bytes of the objects of one file."""
SNAPPY_CHECKSUM_BYTES = 4
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
