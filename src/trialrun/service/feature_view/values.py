"""Keys and values of entities as requests and responses have them, and as the store keeps them.

A key is one text, or the parts of a composite key in the order of the columns.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from pydantic import model_validator

from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.entity_id import InvalidEntityId, entity_id_from_parts
from trialrun.runtime.feature_view.store.interface import EntityId, Value
from trialrun.service.error import invalid_argument
from trialrun.service.message import EPOCH, Base64, Double, Int64, Message, Timestamp, to_json_number
from trialrun.values.timestamp import format_timestamp


class CompositeKey(Message):
    """The values of the entity id columns, in their order."""

    parts: list[str]


MAX_KEY = 64 * 1024
"""Characters of a key; those of the public service are 4 KB at most."""


class DataKey(Message):
    """The key of an entity: exactly one member is set; `key` is the same as a composite key of one part."""

    key: str | None = None
    compositeKey: CompositeKey | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> DataKey:
        if (self.key is None) == (self.compositeKey is None):
            raise ValueError("a data key has either key or compositeKey, not both")
        if len(self.key or "") > MAX_KEY:
            raise ValueError(f"the key has more than {MAX_KEY:,} characters; shorten it")
        return self

    @property
    def parts(self) -> tuple[str, ...]:
        """The values of the entity id columns, as texts."""
        return (self.key or "",) if self.compositeKey is None else tuple(self.compositeKey.parts)


def to_entity_id(key: DataKey, columns: tuple[Column, ...], *, field: str) -> EntityId:
    """The entity id that a key means for some columns. Raises INVALID_ARGUMENT."""
    try:
        return entity_id_from_parts(key.parts, columns)
    except InvalidEntityId as error:
        raise invalid_argument(field, "invalid-entity-id", str(error)) from error


def to_data_key(id_: EntityId) -> DataKey:
    """The key of an entity id."""
    parts = [str(part) for part in id_]
    return DataKey(key=parts[0]) if len(parts) == 1 else DataKey(compositeKey=CompositeKey(parts=parts))


def entity_id_text(id_: EntityId) -> str:
    """An entity id as one text: of several columns a JSON list."""
    return str(id_[0]) if len(id_) == 1 else json.dumps(list(id_), ensure_ascii=False)


def parse_data_key(text: str, columns: tuple[Column, ...]) -> DataKey:
    """The key that `entity_id_text` wrote."""
    if len(columns) == 1:
        return DataKey(key=text)
    try:
        parts: Any = json.loads(text)
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, list) or any(type(part) not in (str, int) for part in parts):
        names = ", ".join(column.name for column in columns)
        message = f'"{text}" is not an entity id of the columns {names}; write a JSON list of their values'
        raise invalid_argument("query.entityId", "invalid-entity-id", message)
    return DataKey(compositeKey=CompositeKey(parts=[str(part) for part in parts]))


def format_keys(keys: Iterable[DataKey]) -> str:
    """Keys for a message: `"7"` or `["acme", "7"]`."""
    texts = [json.dumps(key.key if key.compositeKey is None else list(key.parts), ensure_ascii=False) for key in keys]
    return ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")


MICROSECOND = timedelta(microseconds=1)


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
        if len(self.model_fields_set) > 1 and len(members := self.members) > 1:
            raise ValueError(f"a value has exactly one member, not {', '.join(members)}")
        return self

    @property
    def members(self) -> list[str]:
        """The members that are set."""
        return [name for name in MEMBERS if getattr(self, name) is not None]


MEMBER_PREFIXES: dict[Type, str] = {
    "BOOL": "bool",
    "DOUBLE": "double",
    "INT64": "int64",
    "STRING": "string",
    "BYTES": "bytes",
    "TIMESTAMP": "timestamp",
}
MEMBERS = {
    f"{word}{'Array' if repeated else ''}Value": (type_, repeated)
    for repeated in (False, True)
    for type_, word in MEMBER_PREFIXES.items()
}
"""The members of a value, each with its type, and whether it is a list."""


class MismatchedValue(ValueError):
    """A value that a column does not take; the message says which it takes."""


def member_name(column: Column, *, plain: bool = False) -> str:
    """The member that values of a column are in: `int64Value`, `stringArrayValue`."""
    type_ = plain_type(column) if plain else column.type
    return f"{MEMBER_PREFIXES[type_]}{'Array' if column.repeated else ''}Value"


def plain_type(column: Column) -> Type:
    """The type of a column's values where there are neither times nor lists of bytes."""
    if column.type == "BYTES" and column.repeated:
        return "STRING"
    return "INT64" if column.type == "TIMESTAMP" else column.type


def column_type(value: FeatureValue) -> tuple[Type, bool] | None:
    """The type that the member of a value says, and whether it is a list; None for null."""
    return MEMBERS.get(next(iter(value.members), ""))


def to_feature_value(value: Value, column: Column, at: datetime | None, *, plain: bool = False) -> FeatureValue | None:
    """The value of a column as responses have it, None for null."""
    if value is None:
        return None
    value = to_plain_value(value) if plain else value
    inner = {"values": [*cast("Sequence[Any]", value)]} if column.repeated else value
    metadata = {} if at is None else {"metadata": Metadata(generateTime=at)}
    return FeatureValue.model_validate({member_name(column, plain=plain): inner, **metadata})


def to_stored_value(value: FeatureValue, column: Column, *, plain: bool = False) -> Value:
    """The value as the store keeps it. Raises MismatchedValue."""
    members, member = value.members, member_name(column, plain=plain)
    if members != [member]:
        given = f"not {members[0]}" if members else "and null cannot be written"
        raise MismatchedValue(f'"{column.name}" is {column.type_text}: it takes {member}, {given}')
    given = getattr(value, member)
    stored = cast("Value", tuple(given.values) if column.repeated else given)
    return _from_plain_value(stored, column) if plain and plain_type(column) != column.type else stored


def to_plain_value(value: Value) -> Value:
    """A value without times and lists of bytes: whole numbers of microseconds, and texts in base64."""
    match value:
        case datetime():
            return (value - EPOCH) // MICROSECOND
        case tuple() | list():
            texts = (b64encode(item).decode("ascii") if isinstance(item, bytes) else item for item in value)
            return cast("Value", tuple(to_plain_value(item) for item in texts))
    return value


def _from_plain_value(value: Value, column: Column) -> Value:
    """The value of a column that a plain one stands for. Raises MismatchedValue."""

    def from_plain(item: Any) -> Any:
        return b64decode(item, validate=True) if isinstance(item, str) else EPOCH + item * MICROSECOND

    try:
        return cast("Value", tuple(map(from_plain, value)) if isinstance(value, tuple) else from_plain(value))
    except OverflowError as error:
        raise MismatchedValue(f'"{column.name}" takes microseconds since 1970, up to the year 9999') from error
    except ValueError as error:
        raise MismatchedValue(f'"{column.name}" takes bytes, which are written in base64') from error


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
