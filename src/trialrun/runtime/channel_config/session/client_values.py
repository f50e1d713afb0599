"""Values that a client sends or that a session knows, in the declared types of the session state.

They are no pydantic models of the SessionSchema: its types are those of CEL (uint, maps with keys of any scalar, values
of any type), what a client sends is refused with the path and a suggestion in our words, and a model of each schema
would be made only to be taken apart again, for the engine takes plain values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from trialrun.values.cel.builtins import suggest_name
from trialrun.values.cel.evaluate import MAX_DEPTH
from trialrun.values.cel.type_schema import Schema, Type, format_type
from trialrun.values.timestamp import FIRST_INSTANT, parse

Path = tuple[str, ...]
_DEFAULTS: dict[str, Any] = {
    "string": "",
    "int": 0,
    "uint": 0,
    "double": 0.0,
    "bool": False,
    "bytes": b"",
    "duration": timedelta(),
}
_DEFAULTS |= {"timestamp": FIRST_INSTANT, "dyn": None}
_TYPE_WORDS = {
    "string": "text",
    "int": "a 64-bit integer",
    "uint": "a 64-bit integer of 0 or more",
    "double": "a number",
    "bool": "true or false",
    "bytes": "bytes",
    "timestamp": "a time such as 2027-01-31T12:00:00Z",
    "duration": "a duration such as 90s",
    "list": "a list",
}


class TypeMismatch(ValueError):
    """A path that the types do not have, or a value that is not of the type there; the message says what to do."""


class UnknownStatePath(TypeMismatch):
    """A path that the types do not have."""


def default_value(type_: Type, schema: Schema, within: frozenset[str] = frozenset()) -> Any:
    """The value of what nobody has set; a message has all its fields that are not optional.

    `within` are the messages around it: one that holds itself ends there.
    """
    if type_.name in _DEFAULTS:
        return _DEFAULTS[type_.name]
    if type_.name in ("enum", "list"):
        return type_.members[0] if type_.name == "enum" else []
    fields = schema.fields.get(type_.name, {})
    inner = within | {type_.name}
    return {
        name: default_value(field_type, schema, inner)
        for name, field_type in fields.items()
        if not field_type.optional and field_type.name not in inner
    }


def fits_type(value: Any, type_: Type, schema: Schema) -> bool:
    """Whether a value that the session knows can stand where a type is declared."""
    name = type_.name
    if name == "dyn":
        return True
    match value:
        case str():
            return name in ("string", "enum")
        case float():
            return name == "double"
        case int():
            return name in ("int", "uint", "double")
        case datetime():
            return name == "timestamp"
        case list():
            return name == "list"
    return name in schema.fields or (name == "map" and type_.parameters[0].name == "string")


def coerce_value(value: Any, type_: Type, schema: Schema) -> Any:
    """A value that the session knows, and that fits, in the shape of its type: what is not declared is left out."""
    if type_.name == "list":
        inner = type_.parameters[0]
        return [coerce_value(item, inner, schema) for item in value if fits_type(item, inner, schema)]
    if type_.name == "map":
        inner = type_.parameters[1]
        return {key: coerce_value(item, inner, schema) for key, item in value.items() if fits_type(item, inner, schema)}
    fields = schema.fields.get(type_.name)
    if fields is None:
        return value
    fields_present = {
        name: coerce_value(value[name], field_type, schema)
        for name, field_type in fields.items()
        if name in value and fits_type(value[name], field_type, schema)
    }
    return {**default_value(type_, schema), **fields_present}


def type_at(path: Path, schema: Schema) -> Type:
    """The type of what a path leads to, as in `session.metadata.club`. Raises TypeMismatch."""
    if not path or path[0] not in schema.roots:
        raise UnknownStatePath(unknown_message("there is no variable", path[0] if path else "", schema.roots))
    type_ = schema.roots[path[0]]
    for depth, name in enumerate(path[1:], start=1):
        above, fields = format_path(path[:depth]), schema.fields.get(type_.name)
        if type_.name == "map":
            if type_.parameters[0].name != "string":
                raise UnknownStatePath(f"the keys of {above} are not text; set it as a whole")
            type_ = type_.parameters[1]
        elif fields is not None:
            if name not in fields:
                raise UnknownStatePath(unknown_message(f"{above} has no field", name, fields))
            type_ = fields[name]
        elif type_.name != "dyn":
            advice = "; set it as a whole" if type_.name == "list" else ""
            raise UnknownStatePath(f'{above} is {describe_type(type_)}, and has no "{name}"{advice}')
    return type_


def unknown_message(intro: str, name: str, names: Mapping[str, object]) -> str:
    near = suggest_name(name, names)
    return f'{intro} "{name}"; ' + (f'did you mean "{near}"?' if near else f"there is {', '.join(names) or 'none'}")


def describe_type(type_: Type) -> str:
    """What a value of a type is, in words."""
    if type_.name == "enum":
        return f"one of {', '.join(type_.members)}"
    return _TYPE_WORDS.get(type_.name, f"a mapping, {format_type(type_)}")


def format_path(path: Path) -> str:
    """A path as a condition writes it."""
    return ".".join(path)


INTEGER = re.compile(r"-?[0-9]{1,20}")
MAX_DURATION_SECONDS = 315_576_000_000
"""The seconds of the longest duration that protocol buffers and the engine have, 10,000 years."""
_LOWEST, _HIGHEST = -(2**63), 2**63


def parse_client_value(value: Any, type_: Type, schema: Schema, path: Path) -> Any:
    """A value that the client sends, as the type there has it. Raises TypeMismatch.

    Numbers stand for texts as they are written, texts for times and durations.
    """
    if len(path) > MAX_DEPTH:
        raise TypeMismatch(f"{format_path(path[:4])} nests deeper than {MAX_DEPTH} levels; flatten it")
    if value is None and (type_.optional or type_.name == "dyn"):
        return None
    match type_.name:
        case name if name in schema.fields and isinstance(value, Mapping):
            return _parse_message(value, type_, schema, path)
        case "dyn":
            return value
        case "list" if isinstance(value, (list, tuple)):
            inner = type_.parameters[0]
            return [parse_client_value(item, inner, schema, (*path, str(index))) for index, item in enumerate(value)]
        case "map" if isinstance(value, Mapping):
            return _parse_map(value, type_, schema, path)
    scalar = None if type_.name in schema.fields else _parse_scalar(value, type_)
    if scalar is None:
        near = suggest_name(value, type_.members) if isinstance(value, str) and type_.members else None
        hint = f'; did you mean "{near}"?' if near else ""
        raise TypeMismatch(f"{format_path(path)} must be {describe_type(type_)}, not {_display(value)}{hint}")
    return scalar


def _parse_message(value: Mapping[str, Any], type_: Type, schema: Schema, path: Path) -> dict[str, Any]:
    fields = schema.fields[type_.name]
    fields_set: dict[str, Any] = {}
    for name, field_value in value.items():
        if name not in fields:
            raise TypeMismatch(unknown_message(f"{format_path(path)} has no field", str(name), fields))
        parsed = parse_client_value(field_value, fields[name], schema, (*path, name))
        if parsed is not None or fields[name].name == "dyn":
            fields_set[name] = parsed
    return {**default_value(type_, schema), **fields_set}


def _parse_map(value: Mapping[Any, Any], type_: Type, schema: Schema, path: Path) -> dict[Any, Any]:
    key_type, inner = type_.parameters
    parsed = {}
    for key, item in value.items():
        typed: Any = key
        if isinstance(key, str) and key_type.name != "string":  # JSON writes every key as a text
            is_flag = key_type.name == "bool"
            typed = {"true": True, "false": False}.get(key) if is_flag else int(key) if INTEGER.fullmatch(key) else None
        parsed_key = _parse_scalar(typed, key_type)
        if parsed_key is None:
            raise TypeMismatch(f"a key of {format_path(path)} must be {describe_type(key_type)}, not {_display(key)}")
        parsed[parsed_key] = parse_client_value(item, inner, schema, (*path, str(key)))
    return parsed


def _parse_scalar(value: Any, type_: Type) -> Any:
    """The value as a scalar type has it; None if it is not of the type."""
    try:
        match type_.name, value:
            case "bool", bool():
                return value
            case _, bool():
                return None
            case (("int" | "uint"), (int() | float())) if value == value // 1:
                lowest, highest = (0, 2 * _HIGHEST) if type_.name == "uint" else (_LOWEST, _HIGHEST)
                return int(value) if lowest <= value < highest else None
            case "double", (int() | float()):
                return float(value)
            case "string", (str() | int()):
                return str(value).encode().decode()
            case "enum", str():
                return value if value in type_.members else None
            case "bytes", (bytes() | str()):
                return value.encode("utf-8", "replace") if isinstance(value, str) else value
            case "timestamp", str():
                return parse(value).to_datetime()
            case "timestamp", datetime():
                return value if value.utcoffset() is not None else None
            case "duration", str():
                return _parse_duration(value)
            case "duration", timedelta():
                return value
    except (OverflowError, ValueError):
        pass  # a number that no float is, half of a surrogate pair, or no time
    return None


def _parse_duration(text: str) -> timedelta | None:
    number = text.removesuffix("s")
    if number == text or not number.removeprefix("-").replace(".", "", 1).isdecimal() or len(number) > 12:
        return None
    seconds = float(number)
    return timedelta(seconds=seconds) if abs(seconds) <= MAX_DURATION_SECONDS else None


def _display(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value[:60]}"'
        case int() | float():
            return str(value)[:60] if abs(value) < 10**60 else "such a large number"
        case Mapping():
            return "a mapping"
        case Sequence():
            return "a list"
    return f"a value of type {type(value).__name__}"
