"""Whether an Avro file is whole. pyiceberg takes one that was cut off for one that ends there, and rows are missing."""

from __future__ import annotations

MAGIC = b"Obj\x01"
SYNC_BYTES = 16
MAX_METADATA_ENTRIES = 1000


class DamagedAvro(Exception):
    """Bytes that are no whole Avro file."""


def object_count(data: bytes) -> int:
    """How many objects an Avro file has. Raises DamagedAvro."""
    if not data.startswith(MAGIC):
        raise DamagedAvro("it does not begin as an Avro file does")
    position = _skip_header(data, len(MAGIC))
    sync, position, objects = data[position : position + SYNC_BYTES], position + SYNC_BYTES, 0
    while position < len(data):
        count, position = _number(data, position)
        size, position = _number(data, position)
        position += size
        if count <= 0 or size < 0 or data[position : position + SYNC_BYTES] != sync:
            raise DamagedAvro("a block of it is not whole")
        objects, position = objects + count, position + SYNC_BYTES
    if position != len(data):
        raise DamagedAvro("its header is not whole")
    return objects


def _skip_header(data: bytes, position: int) -> int:
    """Where the map of the header ends."""
    entries = 0
    while True:
        count, position = _number(data, position)
        if count < 0:  # then the size of the block comes before it
            count, (_, position) = -count, _number(data, position)
        entries += count
        if entries > MAX_METADATA_ENTRIES:
            raise DamagedAvro("its header is too long")
        if count == 0:
            return position
        for _ in range(2 * count):
            size, position = _number(data, position)
            position += size
            if size < 0 or position > len(data):
                raise DamagedAvro("its header is not whole")


def _number(data: bytes, position: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    value = shift = 0
    while True:
        if position >= len(data) or shift > 63:
            raise DamagedAvro("it ends early")
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), position
