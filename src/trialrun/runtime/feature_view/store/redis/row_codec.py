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
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, repeat
from types import NoneType
from typing import cast

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store import value_codec
from trialrun.runtime.feature_view.store.interface import EntityId, RowLayout, StoreError
from trialrun.runtime.feature_view.store.value_codec import Stored

BUCKETS = 4096
MOMENT_OFFSET = 2**63
NUMBER_FORMATS = {"BOOL": "q", "INT64": "q", "TIMESTAMP": "q", "DOUBLE": "d"}
ROWS_AT_ONCE = 1000
"""Rows that are encoded at once: few enough for the cache of a processor, many enough for steps by column."""
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


def loaded_fields(rows: Sequence[Sequence[object]], keys: Sequence[Column]) -> list[bytes]:
    """The fields of the rows of a load. Raises StoreError for one without an id."""
    if len(keys) == 1 and keys[0].type == "STRING":
        try:
            return [row[0].encode() for row in rows]  # type: ignore[attr-defined]
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

    def encode(self, rows: Sequence[Sequence[object]], read_at: int) -> Iterator[bytes]:
        """The bytes of the rows of a load, which a sync at a moment in microseconds read. May raise StoreError."""
        parts = (rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE))
        return chain.from_iterable(self._encode_part(part, read_at) for part in parts)

    def _encode_part(self, rows: Sequence[Sequence[object]], read_at: int) -> Iterable[bytes]:
        """Rows as bytes; the steps of Python are by column, not by value, wherever columns have no null."""
        columns = [*zip(*rows, strict=True)]
        first = len(self.layout.keys)
        values = columns[first + self.moments :]
        kinds = [{*map(type, column)} for column in values]
        moments = [
            [0 if moment is None else moment + MOMENT_OFFSET for moment in cast("Sequence[int | None]", column)]
            for column in columns[first : first + self.moments]
        ]
        encoded = [self._encode_column(rows, at, column, kinds[at]) for at, column in enumerate(values)]
        texts = [cast("Sequence[bytes]", encoded[at]) for at in self._texts]
        heads = map(
            self._head.pack,
            repeat(read_at + MOMENT_OFFSET),
            *moments,
            self._null_masks([at for at, types in enumerate(kinds) if NoneType in types], values),
            *(encoded[at] for at in self._numbers),
            *(map(len, column) for column in texts),
        )
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
            values[at] = decode_text(self.layout.features[at], row[start : start + length])
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

    def _null_masks(self, with_nulls: Sequence[int], values: Sequence[Sequence[object]]) -> Iterable[bytes]:
        if not with_nulls:
            return repeat(bytes(self._null_size))
        masks = [[(value is None) << at for value in values[at]] for at in with_nulls]
        return [sum(mask).to_bytes(self._null_size, "little") for mask in zip(*masks, strict=True)]

    def _encode_column(
        self, rows: Sequence[Sequence[object]], at: int, values: Sequence[object], kinds: set[type]
    ) -> Sequence[object]:
        """A column as it is packed. Raises StoreError, which names the entity of the value that cannot be."""
        column = self.layout.features[at]
        if not column.repeated and NoneType not in kinds:  # most columns need no step of Python for each value
            if column.type in ("BOOL", "INT64"):
                return values
            if column.type == "DOUBLE" and kinds == {float} and not math.isnan(sum(cast("Sequence[float]", values))):
                return values
            if column.type == "TIMESTAMP" and kinds == {int}:
                moments = cast("Sequence[int]", values)
                if min(moments) >= value_codec.MIN_MICROSECONDS and max(moments) <= value_codec.MAX_MICROSECONDS:
                    return values
        is_text = column.type == "STRING" and not column.repeated and kinds == {str}
        encode = cast("Callable[[object], object]", str.encode) if is_text else _encoder(column)
        try:
            return [*map(encode, values)]
        except (TypeError, ValueError, OverflowError, AttributeError):
            for row, value in zip(rows, values, strict=True):
                try:
                    encode(value)
                except (TypeError, ValueError, OverflowError, AttributeError) as fault:
                    raise StoreError(f'"{column.name}" of entity {row[0]}: {fault}') from fault
            raise


@lru_cache(maxsize=128)
def row_codec(layout: RowLayout) -> RowCodec:
    """The codec of a layout."""
    return RowCodec(layout)


def is_number(column: Column) -> bool:
    """Whether values of a column take eight bytes each."""
    return not column.repeated and column.type in NUMBER_FORMATS


def _encoder(column: Column) -> Callable[[object], object]:
    """What makes a number that can be packed of a value, or bytes; null is 0, or empty."""
    if column.repeated:
        return lambda value: b"" if value is None else _tagged(value_codec.encode(column, value))
    if column.type == "TIMESTAMP":
        return lambda value: 0 if value is None else value_codec.encode(column, value)
    if column.type == "DOUBLE":
        return lambda value: 0 if value is None else math.nan if value != value else value
    if column.type == "BYTES":
        return lambda value: b"" if value is None else bytes(cast("bytes", value))
    if column.type == "STRING":
        return lambda value: b"" if value is None else cast("str", value).encode()
    return lambda value: 0 if value is None else value


def decode_text(column: Column, text: bytes) -> Stored:
    """A text, bytes, or a list as value_codec has it, of its bytes."""
    if not column.repeated:
        return text if column.type == "BYTES" else text.decode()
    return text[1:] if text[:1] == LIST_BYTES else text[1:].decode()


def encode_value(column: Column, stored: Stored) -> bytes:
    """One value of a direct write, which is not null, as value_codec has it."""
    if is_number(column):
        return struct.pack(f">{NUMBER_FORMATS[column.type]}", math.nan if stored == value_codec.NAN else stored)
    if column.repeated:
        return _tagged(stored)
    return stored if isinstance(stored, bytes) else cast("str", stored).encode()


def decode_value(column: Column, value: bytes) -> Stored:
    """The value of a direct write, as value_codec has it."""
    if is_number(column):
        return cast("Stored", struct.unpack(f">{NUMBER_FORMATS[column.type]}", value)[0])
    return decode_text(column, value)


def _tagged(stored: Stored) -> bytes:
    return LIST_BYTES + stored if isinstance(stored, bytes) else LIST_TEXT + cast("str", stored).encode()
