"""Plain values as the types of a session have them: the default of each, and what the session knows in their shape."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from trialrun.values.cel.suggest import nearest
from trialrun.values.cel.type_schema import Schema
from trialrun.values.cel.type_syntax import Type, type_text

Path = tuple[str, ...]
_PLAIN = {"string": "", "int": 0, "uint": 0, "double": 0.0, "bool": False, "bytes": b"", "duration": timedelta()}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WORDS = {
    "string": "a text",
    "int": "a whole number of 64 bits",
    "uint": "a whole number from 0 up, of 64 bits",
    "double": "a number",
    "bool": "true or false",
    "bytes": "bytes",
    "timestamp": "a time such as 2027-01-31T12:00:00Z",
    "duration": "a duration such as 90s",
    "list": "a list",
}


class Unfit(ValueError):
    """A path that the types do not have, or a value that is not of the type there; the message says what to do."""


class NoSuchPath(Unfit):
    """A path that the types do not have."""


def default(type_: Type, schema: Schema, within: frozenset[str] = frozenset()) -> Any:
    """The value of what nobody has set; a message has all its fields that are not optional.

    `within` are the messages around it: one that holds itself ends there.
    """
    if type_.name in _PLAIN:
        return _PLAIN[type_.name]
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
        name: default(each, schema, inner)
        for name, each in fields.items()
        if not each.optional and each.name not in inner
    }


def fits(value: Any, type_: Type, schema: Schema) -> bool:
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


def shaped(value: Any, type_: Type, schema: Schema) -> Any:
    """A value that the session knows, and that fits, in the shape of its type: what is not declared is left out."""
    if type_.name == "list":
        inner = type_.parameters[0]
        return [shaped(each, inner, schema) for each in value if fits(each, inner, schema)]
    if type_.name == "map":
        inner = type_.parameters[1]
        return {key: shaped(each, inner, schema) for key, each in value.items() if fits(each, inner, schema)}
    fields = schema.fields.get(type_.name)
    if fields is None:
        return value
    known = {
        name: shaped(value[name], each, schema)
        for name, each in fields.items()
        if name in value and fits(value[name], each, schema)
    }
    return {**default(type_, schema), **known}


def type_at(path: Path, schema: Schema) -> Type:
    """The type of what a path leads to, as in `session.metadata.club`. Raises Unfit."""
    if not path or path[0] not in schema.roots:
        raise NoSuchPath(unknown("there is no variable", path[0] if path else "", schema.roots))
    type_ = schema.roots[path[0]]
    for at in range(1, len(path)):
        type_ = _field(path, at, type_, schema)
    return type_


def _field(path: Path, at: int, type_: Type, schema: Schema) -> Type:
    if type_.name == "dyn":
        return type_
    if type_.name == "map":
        if type_.parameters[0].name != "string":
            raise NoSuchPath(f"the keys of {written(path[:at])} are no texts; set it as a whole")
        return type_.parameters[1]
    fields = schema.fields.get(type_.name)
    if fields is None:
        advice = "; set it as a whole" if type_.name == "list" else ""
        raise NoSuchPath(f'{written(path[:at])} is {words(type_)}, and has no "{path[at]}"{advice}')
    if path[at] not in fields:
        raise NoSuchPath(unknown(f"{written(path[:at])} has no field", path[at], fields))
    return fields[path[at]]


def unknown(what: str, name: str, known: Mapping[str, object]) -> str:
    near = nearest(name, known)
    return f'{what} "{name}"; ' + (f'did you mean "{near}"?' if near else f"there is {', '.join(known) or 'none'}")


def words(type_: Type) -> str:
    """What a value of a type is, in words."""
    if type_.name == "enum":
        return f"one of {', '.join(type_.members)}"
    return _WORDS.get(type_.name, f"a mapping, {type_text(type_)}")


def written(path: Path) -> str:
    """A path as a condition writes it."""
    return ".".join(path)
