"""Values of session types: defaults, and coercion of session values to declared types."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from trialrun.values.cel.suggest import suggest_name
from trialrun.values.cel.type_schema import Schema
from trialrun.values.cel.type_syntax import Type, format_type

Path = tuple[str, ...]
_DEFAULTS = {"string": "", "int": 0, "uint": 0, "double": 0.0, "bool": False, "bytes": b"", "duration": timedelta()}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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
    match type_.name:
        case "timestamp":
            return EPOCH
        case "enum":
            return type_.members[0]
        case "list":
            return []
        case "dyn":
            return None
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
    for depth in range(1, len(path)):
        type_ = _field_type(path, depth, type_, schema)
    return type_


def _field_type(path: Path, depth: int, type_: Type, schema: Schema) -> Type:
    if type_.name == "dyn":
        return type_
    if type_.name == "map":
        if type_.parameters[0].name != "string":
            raise UnknownStatePath(f"the keys of {format_path(path[:depth])} are not text; set it as a whole")
        return type_.parameters[1]
    fields = schema.fields.get(type_.name)
    if fields is None:
        advice = "; set it as a whole" if type_.name == "list" else ""
        raise UnknownStatePath(
            f'{format_path(path[:depth])} is {describe_type(type_)}, and has no "{path[depth]}"{advice}'
        )
    if path[depth] not in fields:
        raise UnknownStatePath(unknown_message(f"{format_path(path[:depth])} has no field", path[depth], fields))
    return fields[path[depth]]


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
