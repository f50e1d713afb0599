"""The blocks of an Avro file that is whole. pyiceberg takes one that was cut off for one that ends there."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass

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
