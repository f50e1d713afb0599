"""The values of columns: which fit, and how they stand in SQLite, as they are where it has them, and packed where not.

SQLite has 64-bit integers, doubles, text with any character and bytes, all of which come back exactly. It has no NaN,
which it reads as null; no booleans, moments and lists, which stand as numbers, microseconds and packed bytes.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import cast

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    InvalidWrite,
    RowLayout,
    Scalar,
    StoreError,
    Value,
)
from trialrun.values.timestamp import format_timestamp

Stored = int | float | str | bytes | None
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MIN_MICROSECONDS, MAX_MICROSECONDS = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The moments that a datetime can be, in microseconds since 1970."""
NAN = b"NaN"
ARRAY_CODES = {"BOOL": "b", "INT64": "q", "DOUBLE": "d", "TIMESTAMP": "q"}
"""The types whose lists are packed, and how the array module calls what they are packed as."""
PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {
    "BOOL": bool,
    "INT64": int,
    "DOUBLE": (int, float),
    "STRING": str,
    "BYTES": bytes,
    "TIMESTAMP": datetime,
}


def to_microseconds(moment: datetime) -> int:
    """A moment as microseconds since 1970 in UTC; one without an offset is in UTC."""
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - EPOCH) // MICROSECOND


def from_microseconds(microseconds: int) -> datetime:
    """The moment, in UTC, that is so many microseconds after 1970."""
    return EPOCH + timedelta(microseconds=microseconds)


def encode(column: Column, value: object) -> Stored:
    """A value of a column as it stands in SQLite."""
    if value is None:
        return None
    if column.repeated:
        return _encode_list(column, cast("Sequence[object]", value))
    if column.type == "TIMESTAMP":
        return _to_valid_microseconds(value)
    if column.type == "DOUBLE" and value != value:
        return NAN
    return cast("Stored", value)


def decoder(column: Column) -> Callable[[Stored], Value] | None:
    """What makes a value, which is not null, of what stands in SQLite; None where it is that already."""
    if column.repeated:
        return _list_decoder(column)
    if column.type == "BOOL":
        return bool
    if column.type == "TIMESTAMP":
        return cast("Callable[[Stored], Value]", from_microseconds)
    return _decode_double if column.type == "DOUBLE" else None


def row_encoder(layout: RowLayout) -> Callable[[Sequence[Sequence[object]]], Iterable[Sequence[object]]]:
    """What makes rows that SQLite takes of the rows of a load; rows that it takes as they are cost next to nothing."""
    first = layout.feature_start
    columns = [
        (place, column) for place, column in enumerate(layout.features, start=first) if _may_need_encoding(column)
    ]

    def pack(rows: Sequence[Sequence[object]]) -> Iterable[Sequence[object]]:
        needed = [(place, column) for place, column in columns if _needs_encoding(column, map(itemgetter(place), rows))]
        return (_encode_row(row, needed) for row in rows) if needed else rows

    return pack


def _encode_row(row: Sequence[object], needed: Sequence[tuple[int, Column]]) -> Sequence[object]:
    changed = list(row)
    for place, column in needed:
        try:
            changed[place] = encode(column, changed[place])
        except (TypeError, ValueError, OverflowError) as fault:
            raise StoreError(f'"{column.name}" of entity {row[0]}: {fault}') from fault
    return changed


def _may_need_encoding(column: Column) -> bool:
    return column.repeated or column.type in ("DOUBLE", "TIMESTAMP")


def _needs_encoding(column: Column, values: Iterable[object]) -> bool:
    """Whether one of many values does; without a step of Python for each of them."""
    if column.repeated:
        return True
    present_values = filter(None, values)
    if column.type == "DOUBLE":
        total = sum(cast("Iterable[float]", present_values))
        return total != total
    numbers = list(present_values)
    return bool(numbers) and ({*map(type, numbers)} != {int} or _is_out_of_range(cast("list[int]", numbers)))


def _is_out_of_range(numbers: Sequence[int]) -> bool:
    return min(numbers) < MIN_MICROSECONDS or max(numbers) > MAX_MICROSECONDS


def _to_valid_microseconds(value: object) -> int:
    number = to_microseconds(value) if isinstance(value, datetime) else cast("int", value)
    if not MIN_MICROSECONDS <= number <= MAX_MICROSECONDS:
        raise ValueError(f"the timestamp {number} µs after 1970 is not in the years 1 to 9999")
    return number


def _encode_list(column: Column, values: Sequence[object]) -> Stored:
    if column.type == "TIMESTAMP":
        values = [None if value is None else _to_valid_microseconds(value) for value in values]
    code = ARRAY_CODES.get(column.type)
    if code and None not in values:
        return _to_little_endian(array(code, cast("Sequence[float]", values))).tobytes()
    if column.type == "BYTES":
        values = [None if value is None else cast("bytes", value).decode("latin-1") for value in values]
    if column.type == "DOUBLE":
        values = [None if value is None else float(cast("float", value)) for value in values]
    return json.dumps([*values], ensure_ascii=False, separators=(",", ":"))


def _list_decoder(column: Column) -> Callable[[Stored], Value]:
    decode_item = ITEM_DECODERS.get(column.type)
    code = ARRAY_CODES.get(column.type, "b")

    def unpacked(stored: Stored) -> Value:
        values = _decode_numbers(code, stored) if isinstance(stored, bytes) else json.loads(cast("str", stored))
        if None in values:  # stores of before have such lists, which no response can have
            return None
        return [decode_item(value) for value in values] if decode_item else values

    return unpacked


def _decode_numbers(code: str, stored: bytes) -> list[float]:
    numbers: array[float] = array(code, stored)
    return _to_little_endian(numbers).tolist()


def _to_little_endian(numbers: array[float]) -> array[float]:
    """Least significant byte first in the file, whatever the machine."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _decode_double(stored: Stored) -> Value:
    return float("nan") if isinstance(stored, bytes) else stored


def _decode_bytes(text: str) -> bytes:
    return text.encode("latin-1")


ITEM_DECODERS: dict[str, Callable[..., Scalar]] = {"BOOL": bool, "TIMESTAMP": from_microseconds, "BYTES": _decode_bytes}
"""What makes a value of what stands in a packed list, where it is not that already."""


def check_write(layout: RowLayout, write: DirectWrite, *, now: datetime) -> tuple[int, Stored]:
    """The place of the feature that is written, and the value as it is stored. Raises InvalidWrite."""
    if len(write.id) != len(layout.keys):
        count = "1 part" if len(layout.keys) == 1 else f"{len(layout.keys)} parts"
        columns = ", ".join(column.name for column in layout.keys)
        raise InvalidWrite(f"an entity id of the view has {count}, not {len(write.id)}: {columns}")
    for column, part in zip(layout.keys, write.id, strict=True):
        if not _has_column_type(column, part):
            raise InvalidWrite(
                f'the entity id column "{column.name}" must be {column.type_text}, not {_format_value(part)}'
            )
    if to_microseconds(write.at) > to_microseconds(now):
        raise InvalidWrite(
            f"{format_timestamp(write.at)} is in the future; write the value later, or with an earlier time"
        )
    names = [column.name for column in layout.features]
    if write.feature not in names:
        raise InvalidWrite(f'there is no feature "{write.feature}"; the view has {", ".join(names)}')
    place = names.index(write.feature)
    column = layout.features[place]
    if write.value is None:
        raise InvalidWrite(f'a direct write cannot delete the value of "{column.name}"; write another value')
    if not _has_column_type(column, write.value):
        raise InvalidWrite(f'a value of "{column.name}" must be {column.type_text}, not {_format_value(write.value)}')
    is_number = column.type == "DOUBLE" and not column.repeated
    return place, encode(column, float(cast("float", write.value)) if is_number else write.value)


def serialize_layout(layout: RowLayout) -> str:
    """A layout as JSON."""
    keys, features = (
        [[column.name, column.type, column.repeated, column.source_type, column.required] for column in columns]
        for columns in (layout.keys, layout.features)
    )
    return json.dumps([keys, features, layout.timestamp_indexes])


def parse_layout(text: str) -> RowLayout:
    """The layout that a JSON text has."""
    keys, features, timestamp_indexes = json.loads(text)
    return RowLayout(
        tuple(Column(*column) for column in keys),
        tuple(Column(*column) for column in features),
        tuple(timestamp_indexes),
    )


def _has_column_type(column: Column, value: object) -> bool:
    if not column.repeated:
        return _has_scalar_type(column, value)
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str | bytes)
        and all(_has_scalar_type(column, item) for item in value)
    )


def _has_scalar_type(column: Column, value: object) -> bool:
    if (isinstance(value, bool) and column.type != "BOOL") or not isinstance(value, PYTHON_TYPES.get(column.type, ())):
        return False
    if isinstance(value, str):
        return not any("\ud800" <= sign <= "\udfff" for sign in value)
    return column.type != "INT64" or -(2**63) <= value < 2**63  # type: ignore[operator]


def _format_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
