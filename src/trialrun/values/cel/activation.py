"""Prepares a session state for the engine: a tree of plain values, limited in depth, with the types of the schema.

The Python binding follows references without limit: a list that contains itself, or 100,000 levels, crash the process.
So every state is validated and copied before the engine receives it.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from trialrun.values.cel.type_schema import Schema, Type

MAX_DEPTH = 100
_ANY = Type("dyn")
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MIN_INTEGER, _MAX_INTEGER = -(2**63), 2**64
_KEY_TYPES = (str, int, bool)


class StateError(ValueError):
    """A state that conditions cannot be evaluated on; `path` leads to the invalid value."""

    def __init__(self, path: tuple[object, ...], message: str) -> None:
        super().__init__(f"{_format_path(path)}: {message}")
        self.path, self.message = path, message


def _format_path(path: tuple[object, ...]) -> str:
    return "".join(f"[{each!r}]" if index else str(each) for index, each in enumerate(path)) or "the state"


def prepare_state(state: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """A copy of a state that is safe to evaluate. Raises StateError.

    Integers become doubles or unsigned integers if the schema says so, since YAML and JSON write 10.0 as 10.
    """
    if not isinstance(state, Mapping):
        raise StateError((), f"the variables are a mapping, not {type(state).__name__}; give one value for each name")
    return {
        _check_name(name): _copy(value, schema.roots.get(name, _ANY), schema, (name,), frozenset())
        for name, value in state.items()
    }


def prepare_value(value: Any, type_: Type, schema: Schema, path: tuple[str, ...]) -> Any:
    """A copy of one value of a state; `path` leads to it. Raises StateError."""
    return _copy(value, type_, schema, path, frozenset())


def _check_name(name: object) -> str:
    if not isinstance(name, str):
        raise StateError((), f"the name of a variable is text, not {name!r}; write it in quotes")
    return _check_text(name, ())


def _copy(value: Any, type_: Type, schema: Schema, path: tuple[object, ...], above: frozenset[int]) -> Any:
    match value:
        case None | bool() | bytes():
            return value
        case str():
            return _check_text(str(value), path)
        case int() | float():
            return _convert_number(value, type_, path)
        case Mapping() | list() | tuple():
            _check_depth(value, path, above)
            return _copy_collection(value, type_, schema, path, above | {id(value)})
        case datetime.datetime() | datetime.timedelta():
            return convert_time(value, path)
    advice = "use text, numbers, booleans, times, lists and mappings"
    raise StateError(path, f"a value of type {type(value).__name__} cannot be evaluated; {advice}")


def _check_depth(value: object, path: tuple[object, ...], above: frozenset[int]) -> None:
    if id(value) in above:
        raise StateError(path, "the value holds itself; break the cycle")
    if len(path) > MAX_DEPTH:
        raise StateError(path[:8], f"the value nests deeper than {MAX_DEPTH} levels; flatten it")


def _copy_collection(value: Any, type_: Type, schema: Schema, path: tuple[object, ...], above: frozenset[int]) -> Any:
    if isinstance(value, list | tuple):
        element = type_.parameters[0] if type_.name == "list" else _ANY
        return [_copy(each, element, schema, (*path, index), above) for index, each in enumerate(value)]
    item_type = type_.parameters[1] if type_.name == "map" else _ANY
    fields = schema.fields.get(type_.name, {})
    return dict(_copy_entries(value, fields, item_type, schema, path, above))


def _copy_entries(
    value: Mapping[Any, Any],
    fields: Mapping[str, Type],
    item_type: Type,
    schema: Schema,
    path: tuple[object, ...],
    above: frozenset[int],
) -> Iterator[tuple[Any, Any]]:
    for key, each in value.items():
        if not isinstance(key, _KEY_TYPES):
            raise StateError(path, f"a key is text, an int or a bool, not {key!r}; write it as one")
        _check_text(key, path) if isinstance(key, str) else _convert_number(key, _ANY, path)
        yield (
            key,
            _copy(each, fields.get(key, item_type) if isinstance(key, str) else item_type, schema, (*path, key), above),
        )


def _check_text(value: str, path: tuple[object, ...]) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise StateError(path, "the text holds half of a surrogate pair; remove it") from None
    return value


def _convert_number(value: float, type_: Type, path: tuple[object, ...]) -> Any:
    if isinstance(value, float):
        return float(value)
    if not _MIN_INTEGER <= value < _MAX_INTEGER:
        raise StateError(path, f"{'a' if value > 0 else 'a negative'} number is out of the 64-bit range; use a double")
    if isinstance(value, bool):
        return value
    if type_.name == "uint" and value >= 0:
        return _unsigned_message(int(value))
    return float(value) if type_.name == "double" else int(value)


@lru_cache(maxsize=1024)
def _unsigned_message(value: int) -> object:
    """A number as the protobuf message that the engine converts to uint; a Python int would become an int."""
    from google.protobuf import wrappers_pb2

    return wrappers_pb2.UInt64Value(value=value)


def convert_time(value: datetime.datetime | datetime.timedelta, path: tuple[object, ...] = ()) -> object:
    """A time in a state as the protobuf message that the engine expects."""
    from google.protobuf import duration_pb2, timestamp_pb2

    is_time = isinstance(value, datetime.datetime)
    if isinstance(value, datetime.datetime):
        if value.utcoffset() is None:
            raise StateError(path, "the time has no offset; give it a time zone")
        value = value - _EPOCH
    seconds, micros = value.days * 86400 + value.seconds, value.microseconds
    if is_time:
        return timestamp_pb2.Timestamp(seconds=seconds, nanos=micros * 1000)
    if seconds < 0 and micros:
        # the nanoseconds of a duration have the sign of its seconds
        seconds, micros = seconds + 1, micros - 1_000_000
    return duration_pb2.Duration(seconds=seconds, nanos=micros * 1000)
