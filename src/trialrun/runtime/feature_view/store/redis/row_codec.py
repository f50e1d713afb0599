"""Rows as bytes: what a sync read of an entity, and from when it is.

First the moments, eight bytes each, as unsigned numbers that begin 2^63 microseconds before 1970, 0 for none: that of
the sync that read the row, then those of the row. Then a bit for each feature that is null, the numbers, the lengths of
the texts and lists, and those themselves. Scripts on the server read the moments, and compare what comes after them; so
there is one NaN only.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, repeat
from types import NoneType
from typing import cast

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store import value_codec
from trialrun.runtime.feature_view.store.interface import RowLayout, StoreError
from trialrun.runtime.feature_view.store.value_codec import Stored

MOMENT_OFFSET = 2**63
NUMBER_FORMATS = {"BOOL": "q", "INT64": "q", "TIMESTAMP": "q", "DOUBLE": "d"}
ROWS_AT_ONCE = 1000
"""Rows that are encoded at once: few enough for the cache of a processor, many enough for steps by column."""
LIST_TEXT, LIST_BYTES = b"j", b"p"
"""What a list begins with: JSON follows, or packed numbers."""


class RowCodec:
    """Makes bytes of the rows of a layout, and rows of bytes.

    Values begin at `values_start` in a row, with `numbers_size` bytes for nulls and numbers; doubles stand at
    `double_places` in the values, counted from 1.
    """

    def __init__(self, layout: RowLayout) -> None:
        self.layout = layout
        self.moments = layout.timestamp_count
        self.values_start = 8 * (1 + self.moments)
        self._numbers = [at for at, column in enumerate(layout.features) if is_number(column)]
        self._texts = [at for at, column in enumerate(layout.features) if not is_number(column)]
        self._null_size = -(-len(layout.features) // 8)
        self.numbers_size = self._null_size + 8 * len(self._numbers)
        formats = "".join(NUMBER_FORMATS[layout.features[at].type] for at in self._numbers)
        doubles = [place for place, at in enumerate(self._numbers) if layout.features[at].type == "DOUBLE"]
        self.double_places = tuple(1 + self._null_size + 8 * place for place in doubles)
        self._head = struct.Struct(f">{1 + self.moments}Q{self._null_size}s{formats}{len(self._texts)}I")

    def encode(self, rows: Sequence[Sequence[object]], read_at: int) -> Iterator[bytes]:
        """The bytes of the rows of a load, which a sync at a moment in microseconds read. May raise StoreError."""
        parts = (rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE))
        return chain.from_iterable(self._encode_part(part, read_at) for part in parts)

    def _encode_part(self, rows: Sequence[Sequence[object]], read_at: int) -> Iterable[bytes]:
        columns = [*zip(*rows, strict=True)]
        first = len(self.layout.keys)
        moments = [_moment_numbers(column) for column in columns[first : first + self.moments]]
        values = columns[first + self.moments :]
        kinds = [{*map(type, column)} for column in values]
        nulls = self._null_bytes([at for at, types in enumerate(kinds) if NoneType in types], values)
        numbers = [self._encoded(rows, at, values[at], kinds[at], number_encoder) for at in self._numbers]
        texts = [[*self._encoded(rows, at, values[at], kinds[at], text_encoder)] for at in self._texts]
        lengths = [map(len, cast("list[bytes]", column)) for column in texts]
        try:
            heads = map(self._head.pack, repeat(moment_number(read_at)), *moments, nulls, *numbers, *lengths)
            return [*map(b"".join, zip(heads, *texts, strict=False))] if texts else [*heads]
        except struct.error as fault:
            raise StoreError(f"a value of a loaded row does not fit its column: {fault}") from fault

    def decode(self, row: bytes) -> tuple[int, tuple[int, ...], list[Stored]]:
        """The moment of the sync and those of the row, 0 for none, and the values of a row, as value_codec has them."""
        head = self._head.unpack_from(row)
        number_start = 2 + self.moments
        lengths = head[number_start + len(self._numbers) :]
        values: list[Stored] = [None] * len(self.layout.features)
        for at, number in zip(self._numbers, head[number_start:], strict=False):
            values[at] = number
        start = self._head.size
        for at, length in zip(self._texts, lengths, strict=True):
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

    def _null_bytes(self, with_nulls: Sequence[int], values: Sequence[Sequence[object]]) -> Iterable[bytes]:
        size = self._null_size
        if not with_nulls:
            return repeat(bytes(size))
        masks = [[(value is None) << at for value in values[at]] for at in with_nulls]
        return [sum(mask).to_bytes(size, "little") for mask in zip(*masks, strict=True)]

    def _encoded(
        self,
        rows: Sequence[Sequence[object]],
        at: int,
        values: Sequence[object],
        kinds: set[type],
        encoder: Callable[[Column], Callable[[object], object] | None],
    ) -> Iterable[object]:
        """A column as it is packed. Raises StoreError, which names the entity of the value that cannot be."""
        column = self.layout.features[at]
        if (ready := _encoded_at_once(column, values, kinds)) is not None:
            return ready
        encode = encoder(column)
        if encode is None:
            return [0 if value is None else value for value in values]
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


def moment_number(microseconds: object) -> int:
    """A moment as it stands in a row; 0 for none."""
    return 0 if microseconds is None else cast("int", microseconds) + MOMENT_OFFSET


def _moment_numbers(moments: Sequence[object]) -> list[int]:
    if None in moments:
        return [*map(moment_number, moments)]
    return [moment + MOMENT_OFFSET for moment in cast("Sequence[int]", moments)]


def _encoded_at_once(column: Column, values: Sequence[object], kinds: set[type]) -> Iterable[object] | None:
    """A column as it is packed, without a step of Python for each value; None where that is not possible."""
    if column.repeated or NoneType in kinds:
        return None
    if column.type == "TIMESTAMP":
        numbers = cast("Sequence[int]", values)
        is_sound = kinds == {int} and min(numbers) >= value_codec.MIN_MICROSECONDS
        return values if is_sound and max(numbers) <= value_codec.MAX_MICROSECONDS else None
    if column.type == "DOUBLE":
        return _with_one_nan(cast("Sequence[float]", values), kinds)
    if column.type in NUMBER_FORMATS or (column.type == "BYTES" and kinds == {bytes}):
        return values
    try:
        return [*map(str.encode, cast("Sequence[str]", values))] if kinds == {str} else None
    except UnicodeError:  # of which entity, a slower way says
        return None


def _with_one_nan(values: Sequence[float], kinds: set[type]) -> Sequence[float]:
    """Numbers with all NaN of the same bits, so that scripts can compare them as bytes."""
    if kinds == {float} and (total := sum(values)) == total:
        return values
    return [math.nan if value != value else value for value in values]


def number_encoder(column: Column) -> Callable[[object], object] | None:
    """What makes a number that can be packed of a value; None where all but null are."""
    if column.type == "DOUBLE":
        return lambda value: 0 if value is None else math.nan if value != value else value
    if column.type != "TIMESTAMP":
        return None
    return lambda value: 0 if value is None else value_codec.encode(column, value)


def text_encoder(column: Column) -> Callable[[object], bytes]:
    """What makes bytes of a text, bytes, or a list; null is empty."""
    if column.repeated:
        return lambda value: b"" if value is None else _tagged(value_codec.encode(column, value))
    if column.type == "BYTES":
        return lambda value: b"" if value is None else bytes(cast("bytes", value))
    return lambda value: b"" if value is None else cast("str", value).encode()


def decode_text(column: Column, text: bytes) -> Stored:
    """A text, bytes, or a list as value_codec has it, of its bytes."""
    if not column.repeated:
        return text if column.type == "BYTES" else text.decode()
    return text[1:] if text[:1] == LIST_BYTES else text[1:].decode()


def encode_value(column: Column, stored: Stored) -> bytes:
    """One value of a direct write, which is not null, as value_codec has it."""
    if is_number(column):
        number = float("nan") if stored == value_codec.NAN else stored
        return struct.pack(f">{NUMBER_FORMATS[column.type]}", number)
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
