"""Feature values as requests and responses have them, and as the store keeps them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from pydantic import model_validator

from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.store.interface import Value
from trialrun.service.message import Base64, Double, Int64, Message, Timestamp, format_timestamp, to_json_number


class BoolArray(Message):
    """Booleans."""

    values: list[bool]


class DoubleArray(Message):
    """Numbers."""

    values: list[Double]


class Int64Array(Message):
    """Whole numbers."""

    values: list[Int64]


class StringArray(Message):
    """Texts."""

    values: list[str]


class BytesArray(Message):
    """Bytes."""

    values: list[Base64]


class TimestampArray(Message):
    """Moments."""

    values: list[Timestamp]


class Metadata(Message):
    """From when a value is."""

    generateTime: Timestamp | None = None


class FeatureValue(Message):
    """The value of a feature: at most one member is set, and none for null."""

    boolValue: bool | None = None
    doubleValue: Double | None = None
    int64Value: Int64 | None = None
    stringValue: str | None = None
    bytesValue: Base64 | None = None
    timestampValue: Timestamp | None = None
    boolArrayValue: BoolArray | None = None
    doubleArrayValue: DoubleArray | None = None
    int64ArrayValue: Int64Array | None = None
    stringArrayValue: StringArray | None = None
    bytesArrayValue: BytesArray | None = None
    timestampArrayValue: TimestampArray | None = None
    metadata: Metadata | None = None

    @model_validator(mode="after")
    def _at_most_one(self) -> FeatureValue:
        if len(members := self.members) > 1:
            raise ValueError(f"a value has exactly one member, not {', '.join(members)}")
        return self

    @property
    def members(self) -> list[str]:
        """The members that are set."""
        return [name for name in MEMBERS if getattr(self, name) is not None]


MEMBERS = tuple(name for name in FeatureValue.model_fields if name != "metadata")
MEMBER_PREFIXES: dict[Type, str] = {
    "BOOL": "bool",
    "DOUBLE": "double",
    "INT64": "int64",
    "STRING": "string",
    "BYTES": "bytes",
    "TIMESTAMP": "timestamp",
}
_TYPES = [(type_, word, repeated) for type_, word in MEMBER_PREFIXES.items() for repeated in (False, True)]


class MismatchedValue(ValueError):
    """A value that a column does not take; the message says which it takes."""


def member_name(column: Column) -> str:
    """The member that values of a column are in: `int64Value`, `stringArrayValue`."""
    return f"{MEMBER_PREFIXES[column.type]}{'Array' if column.repeated else ''}Value"


def column_type(value: FeatureValue) -> tuple[Type, bool] | None:
    """The type that the member of a value says, and whether it is a list; None for null."""
    types = {f"{word}{'Array' if repeated else ''}Value": (type_, repeated) for type_, word, repeated in _TYPES}
    return types.get(next(iter(value.members), ""))


def to_feature_value(value: Value, column: Column, at: datetime | None) -> FeatureValue | None:
    """The value of a column as responses have it, None for null."""
    if value is None:
        return None
    inner = {"values": [*cast("Sequence[Any]", value)]} if column.repeated else value
    metadata = None if at is None else Metadata(generateTime=at)
    return FeatureValue.model_validate({member_name(column): inner, "metadata": metadata})


def to_stored_value(value: FeatureValue, column: Column) -> Value:
    """The value as the store keeps it. Raises MismatchedValue."""
    members, member = value.members, member_name(column)
    if members != [member]:
        given = f"not {members[0]}" if members else "and null cannot be written"
        raise MismatchedValue(f'"{column.name}" is {column.type_text}: it takes {member}, {given}')
    stored = getattr(value, member)
    return cast("Value", tuple(stored.values) if column.repeated else stored)


def to_json_value(value: Value) -> Any:
    """A value as one JSON value: bytes in base64, times in Z form, NaN and the infinities as words."""
    match value:
        case float():
            return to_json_number(value)
        case bytes():
            return b64encode(value).decode("ascii")
        case datetime():
            return format_timestamp(value)
        case None | bool() | int() | str():
            return value
    return [to_json_value(item) for item in value]
