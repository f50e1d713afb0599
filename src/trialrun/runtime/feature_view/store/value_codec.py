"""The values of columns: which fit, and how they stand in SQLite, as they are where it has them, and packed where not.

SQLite has 64-bit integers, doubles, text with any character and bytes, all of which come back exactly. It has no NaN,
which it reads as null; no booleans, moments and lists, which stand as numbers, microseconds and packed bytes.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import Any

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.column import Column, find_column
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    InvalidEntityId,
    InvalidWrite,
    NeverSynced,
    RowLayout,
    Value,
)
from trialrun.values.timestamp import format_timestamp

Stored = int | float | str | bytes | None
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MIN_MICROSECONDS, MAX_MICROSECONDS = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The moments that a datetime can be, in microseconds since 1970."""
NAN = b"NaN"
NUMBERS = {"BOOL", "INT64", "DOUBLE"}
"""The types whose values equal each other: a feature whose type changes among them has not changed."""
PACKED = {"BOOL": "b", "INT64": "q", "DOUBLE": "d", "TIMESTAMP": "q"}
"""The types whose lists are packed, the least significant byte first, and what `struct` calls their elements."""
PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {
    "BOOL": bool,
    "INT64": int,
    "DOUBLE": (int, float),
    "STRING": str,
    "BYTES": bytes,
    "TIMESTAMP": datetime,
}
DAMAGE = (struct.error, ValueError, TypeError, ArithmeticError, LookupError, RecursionError, AttributeError)
"""What reading a value ends in that is not as it was written."""


@contextmanager
def map_damage(damage: Callable[[], StoreError]) -> Iterator[None]:
    """Tell what reading a value ends in that was not written by us; only what reads may be called in it."""
    try:
        yield
    except (InvalidEntityId, InvalidWrite, NeverSynced):
        raise
    except DAMAGE as fault:
        raise damage() from fault


def to_microseconds(moment: datetime) -> int:
    """A moment as microseconds since 1970 in UTC; one without an offset is in UTC."""
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - EPOCH) // MICROSECOND


def from_microseconds(microseconds: int) -> datetime:
    """The moment, in UTC, that is so many microseconds after 1970."""
    return EPOCH + timedelta(microseconds=microseconds)


def encode(column: Column, value: Any) -> Stored:
    """A value of a column as it stands in SQLite. Raises what a wrong value ends in."""
    if value is None:
        return None
    if not column.repeated:
        is_nan = column.type == "DOUBLE" and value != value
        return _to_valid_microseconds(value) if column.type == "TIMESTAMP" else NAN if is_nan else value
    if column.type == "TIMESTAMP":
        value = [None if item is None else _to_valid_microseconds(item) for item in value]
    if column.type in PACKED and None not in value:
        return struct.pack(f"<{len(value)}{PACKED[column.type]}", *value)
    if column.type == "BYTES":
        value = [None if item is None else item.decode("latin-1") for item in value]
    if column.type == "DOUBLE":
        value = [None if item is None else float(item) for item in value]
    return json.dumps([*value], ensure_ascii=False, separators=(",", ":"))


def decoder(column: Column) -> Callable[[Any], Value] | None:
    """What makes a value, which is not null, of what stands in SQLite; None where it is that already."""
    if column.repeated:
        return _list_decoder(column)
    if column.type == "DOUBLE":
        return lambda stored: float("nan") if isinstance(stored, bytes) else stored
    if column.type == "BOOL":
        return bool
    return from_microseconds if column.type == "TIMESTAMP" else None


def _list_decoder(column: Column) -> Callable[[Any], Value]:
    of_type: dict[str, Callable[[Any], Any]] = {
        "BOOL": bool,
        "TIMESTAMP": from_microseconds,
        "BYTES": partial(str.encode, encoding="latin-1"),
    }
    decode_item, code = of_type.get(column.type), PACKED.get(column.type, "b")
    size = struct.calcsize(code)

    def unpacked(stored: Any) -> Value:
        is_packed = isinstance(stored, bytes)
        values = struct.unpack(f"<{len(stored) // size}{code}", stored) if is_packed else json.loads(stored)
        if None in values:  # stores of before have such lists, which no response can have
            return None
        return [decode_item(value) for value in values] if decode_item else [*values]

    return unpacked


def encode_column(column: Column, values: Sequence[Any], rows: Sequence[Sequence[object]]) -> Sequence[Any]:
    """Values of a column, one of each of some rows, as they stand in SQLite. Raises StoreError.

    They are the same sequence where they stand so already, which takes no step of Python for each of them.
    """
    if not column.repeated:
        present = [*filter(None, values)] if column.type in ("DOUBLE", "TIMESTAMP") else []
        if column.type == "TIMESTAMP":
            is_ready = not present or ({*map(type, present)} == {int} and _is_valid(min(present), max(present)))
        else:
            is_ready = (total := sum(present)) == total
        if is_ready:
            return values
    return encode_each(partial(encode, column), column, values, rows)


def encode_each(
    encode: Callable[[Any], Any], column: Column, values: Sequence[Any], rows: Sequence[Sequence[object]]
) -> Sequence[Any]:
    """What is made of values of a column. Raises StoreError, which names the entity of the one that does not fit."""
    encoded: list[Any] = []
    try:
        encoded.extend(map(encode, values))
    except (TypeError, ValueError, OverflowError, AttributeError, struct.error) as fault:
        raise StoreError(f'"{column.name}" of entity {rows[len(encoded)][0]}: {fault}') from fault
    return encoded


def encode_rows(layout: RowLayout, rows: Sequence[Sequence[object]]) -> Iterable[Sequence[object]]:
    """The rows of a load as SQLite takes them; those that it takes as they are cost next to nothing."""
    changed: dict[int, Sequence[object]] = {}
    for place, column in enumerate(layout.features, layout.feature_start):
        if column.repeated or column.type in ("DOUBLE", "TIMESTAMP"):
            values = [row[place] for row in rows]
            if (encoded := encode_column(column, values, rows)) is not values:
                changed[place] = encoded
    if not changed:
        return rows
    return zip(*(changed.get(place, values) for place, values in enumerate(zip(*rows, strict=True))), strict=True)


def _to_valid_microseconds(value: Any) -> int:
    number: int = to_microseconds(value) if isinstance(value, datetime) else value
    if not _is_valid(number, number):
        raise ValueError(f"the timestamp {number} µs after 1970 is not in the years 1 to 9999")
    return number


def _is_valid(least: int, most: int) -> bool:
    return least >= MIN_MICROSECONDS and most <= MAX_MICROSECONDS


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
    return place, encode(column, float(write.value) if is_number else write.value)  # type: ignore[arg-type]


def serialize_layout(layout: RowLayout) -> str:
    """A layout as JSON."""
    keys, features = (
        [[column.name, column.type, column.repeated, column.source_type, column.required] for column in columns]
        for columns in (layout.keys, layout.features)
    )
    return json.dumps([keys, features, layout.timestamp_indexes])


@lru_cache(maxsize=256)
def parse_layout(text: str) -> RowLayout:
    """The layout that a JSON text has."""
    keys, features, timestamp_indexes = json.loads(text)
    return RowLayout(
        tuple(Column(*column) for column in keys),
        tuple(Column(*column) for column in features),
        tuple(timestamp_indexes),
    )


def find_columns(layout: RowLayout, names: Sequence[str]) -> list[int]:
    """The places of columns among those of the entity id and the features. Raises KeyError."""
    known, places = (*layout.keys, *layout.features), []
    for name in names:
        if (column := find_column(name, known)) is None:
            raise KeyError(name)
        places.append(known.index(column))
    return places


def is_comparable(column: Column, before: Column) -> bool:
    """Whether values of a feature before and after a load are compared; else any value is another one."""
    if column.repeated or before.repeated:
        return (column.type, column.repeated) == (before.type, before.repeated)
    return column.type == before.type or {column.type, before.type} <= NUMBERS


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
