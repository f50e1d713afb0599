"""Entities and their rows as bytes: the fields and the values of a hash.

A row begins with moments, eight bytes each, as unsigned numbers that begin 2^63 microseconds before 1970, 0 for none:
that of the sync that read the row, then those of the row. Then come a bit for each feature that is null, the numbers,
the lengths of the texts and lists, and those themselves. Nodes compare what comes after the moments as bytes; so there
is one NaN only.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from itertools import repeat
from types import NoneType
from typing import Any

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import EntityId, RowLayout
from trialrun.runtime.feature_view.store.value_codec import NAN, PACKED, Stored, encode_column, encode_each

BUCKETS = 4096
MOMENT_OFFSET = 2**63
NUMBER_FORMATS = {**PACKED, "BOOL": "q"}
LIST_TEXT, LIST_BYTES = b"j", b"p"
"""What a list begins with: JSON follows, or packed numbers."""
_LENGTH = struct.Struct(">I")


def bucket_of(field: bytes) -> int:
    """The bucket of an entity; `crc32(cast(id AS binary)) % 4096` in Spark SQL, where the id is one text."""
    return zlib.crc32(field) % BUCKETS


def entity_field(id: Sequence[object], keys: Sequence[Column]) -> bytes | None:
    """An entity id as the field of a hash; None where no entity has it, since a part is of another type.

    One part is its text, several are its texts with their lengths. Raises ValueError for what no id can be.
    """
    texts, can_exist = [], True
    for part, column in zip(id, keys, strict=True):
        if isinstance(part, int) and not isinstance(part, bool):
            if not -(2**63) <= part < 2**63:
                raise ValueError(f"{part} has more than 64 bits")
            texts.append(b"%d" % part)
            can_exist = can_exist and column.type == "INT64"
        elif isinstance(part, str):
            texts.append(part.encode())
            can_exist = can_exist and column.type == "STRING"
        else:
            can_exist = False
    if not can_exist:
        return None
    return texts[0] if len(texts) == 1 else b"".join(map(write_text, texts))


def entity_id(field: bytes, keys: Sequence[Column]) -> EntityId:
    """The entity id of a field."""
    texts, at = [field], 0
    if len(keys) > 1:
        texts = []
        for _ in keys:
            text, at = read_text(field, at)
            texts.append(text)
    return tuple(
        int(text) if column.type == "INT64" else text.decode() for text, column in zip(texts, keys, strict=True)
    )


def read_text(data: bytes, at: int) -> tuple[bytes, int]:
    """A text with its length before it, and where it ends. Raises ValueError and struct.error."""
    (length,) = _LENGTH.unpack_from(data, at)
    end = at + _LENGTH.size + length
    if end > len(data):
        raise ValueError("a text has another length than it says")
    return data[at + _LENGTH.size : end], end


def write_text(text: bytes) -> bytes:
    """A text with its length before it."""
    return _LENGTH.pack(len(text)) + text


def loaded_fields(rows: Sequence[Sequence[Any]], keys: Sequence[Column]) -> list[bytes]:
    """The fields of the rows of a load. Raises StoreError for one without an id."""
    if len(keys) == 1 and keys[0].type == "STRING":
        try:
            return [row[0].encode() for row in rows]
        except (AttributeError, UnicodeError):
            pass  # the slower way says of which row
    fields = []
    for row in rows:
        id = row[: len(keys)]
        if None in id:
            raise StoreError("a loaded row has no entity id; remove such rows first")
        try:
            field = entity_field(id, keys)
        except ValueError as fault:
            raise StoreError(f"a loaded row has an entity id that cannot be stored: {fault}") from fault
        if field is None:
            types = ", ".join(column.type_text for column in keys)
            raise StoreError(f"a loaded row has the entity id {', '.join(map(repr, id))}, which is not {types}")
        fields.append(field)
    return fields


class RowCodec:
    """Makes bytes of the rows of a layout, and rows of bytes. Values begin at `values_start` in a row."""

    def __init__(self, layout: RowLayout) -> None:
        self.layout = layout
        self.moments = layout.timestamp_count
        self.values_start = 8 * (1 + self.moments)
        self._numbers = [at for at, column in enumerate(layout.features) if is_number(column)]
        self._texts = [at for at, column in enumerate(layout.features) if not is_number(column)]
        self._null_size = -(-len(layout.features) // 8)
        formats = "".join(NUMBER_FORMATS[layout.features[at].type] for at in self._numbers)
        self._head = struct.Struct(f">{1 + self.moments}Q{self._null_size}s{formats}{len(self._texts)}I")

    def encode(self, rows: Sequence[Sequence[Any]], read_at: int) -> list[bytes]:
        """The bytes of rows of a load, which a sync at a moment in microseconds read. May raise StoreError.

        The steps of Python are by column, not by value, wherever columns have no null: a thousand rows at once are few
        enough for the cache of a processor, and many enough for that.
        """
        first = len(self.layout.keys)
        start = first + self.moments
        columns = [*zip(*rows, strict=True)]
        moments = [
            [0 if moment is None else moment + MOMENT_OFFSET for moment in column] for column in columns[first:start]
        ]
        nulls = [at for at, values in enumerate(columns[start:]) if NoneType in {*map(type, values)}]
        masks: Iterable[bytes] = repeat(bytes(self._null_size))
        if nulls:
            bits = (sum((row[start + at] is None) << at for at in nulls) for row in rows)
            masks = (mask.to_bytes(self._null_size, "little") for mask in bits)
        encoded = [
            _packable(column, columns[start + at], rows, has_null=at in nulls)
            for at, column in enumerate(self.layout.features)
        ]
        texts, numbers = [encoded[at] for at in self._texts], [encoded[at] for at in self._numbers]
        lengths = (map(len, column) for column in texts)
        heads = map(self._head.pack, repeat(read_at + MOMENT_OFFSET), *moments, masks, *numbers, *lengths)
        try:
            return [*map(b"".join, zip(heads, *texts, strict=False))] if texts else [*heads]
        except struct.error as fault:
            raise StoreError(f"a value of a loaded row does not fit its column: {fault}") from fault

    def decode(self, row: bytes) -> tuple[int, tuple[int, ...], list[Stored]]:
        """The moment of the sync and those of the row, 0 for none, and the values of a row, as value_codec has them."""
        head = self._head.unpack_from(row)
        number_start = 2 + self.moments
        values: list[Stored] = [None] * len(self.layout.features)
        for at, number in zip(self._numbers, head[number_start:], strict=False):
            values[at] = number
        start = self._head.size
        for at, length in zip(self._texts, head[number_start + len(self._numbers) :], strict=True):
            values[at] = decode_value(self.layout.features[at], row[start : start + length])
            start += length
        if start != len(row):
            raise ValueError("a row has another length than it says")
        nulls = int.from_bytes(head[1 + self.moments], "little")
        while nulls:
            lowest = nulls & -nulls
            values[lowest.bit_length() - 1] = None
            nulls ^= lowest
        return head[0], head[1 : 1 + self.moments], values

    def moments_of(self, row: bytes) -> tuple[int, ...]:
        """The moment of the sync that read a row, and those of the row, 0 for none."""
        return struct.unpack_from(f">{1 + self.moments}Q", row)


row_codec = lru_cache(maxsize=128)(RowCodec)


def _packable(column: Column, values: Sequence[Any], rows: Sequence[Sequence[Any]], *, has_null: bool) -> Sequence[Any]:
    """A column as it is packed: numbers, or bytes; null is 0, or empty. Raises StoreError."""
    stored = encode_column(column, values, rows)
    if is_number(column):
        is_ready = stored is values and not has_null
        return values if is_ready else [0 if one is None else math.nan if one == NAN else one for one in stored]
    is_text = column.type == "STRING" and not column.repeated and not has_null
    return encode_each(str.encode if is_text else partial(encode_value, column), column, stored, rows)


def is_number(column: Column) -> bool:
    """Whether values of a column take eight bytes each."""
    return not column.repeated and column.type in NUMBER_FORMATS


def encode_value(column: Column, stored: Any) -> bytes:
    """A value, which value_codec has made, as a direct write has it; null is empty."""
    if stored is None:
        return b""
    if is_number(column):
        return struct.pack(f">{NUMBER_FORMATS[column.type]}", math.nan if stored == NAN else stored)
    if column.repeated:
        return LIST_BYTES + stored if isinstance(stored, bytes) else LIST_TEXT + stored.encode()
    return bytes(stored) if column.type == "BYTES" else stored.encode()


def decode_value(column: Column, value: bytes) -> Stored:
    """The value of a direct write, or a text, bytes or a list of a row, as value_codec has it."""
    if column.repeated:
        return value[1:] if value[:1] == LIST_BYTES else value[1:].decode()
    if column.type in NUMBER_FORMATS:
        return struct.unpack(f">{NUMBER_FORMATS[column.type]}", value)[0]  # type: ignore[no-any-return]
    return value if column.type == "BYTES" else value.decode()
