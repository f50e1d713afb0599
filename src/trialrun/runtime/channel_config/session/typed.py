"""Plain values as the types of a session have them: the default of each, what fits, and what a client may send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from trialrun.values.cel.nearest import nearest
from trialrun.values.cel.schema import Schema
from trialrun.values.cel.type_texts import Type, type_text

Path = tuple[str, ...]
_PLAIN = {"string": "", "int": 0, "uint": 0, "double": 0.0, "bool": False, "bytes": b"", "duration": timedelta()}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LOWEST, _HIGHEST = -(2**63), 2**63
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


def default(type_: Type, schema: Schema, within: frozenset[str] = frozenset()) -> Any:
    """The value of what nobody has set; a message has all its fields that are not optional.

    `within` are the messages around it: one that holds itself ends there.
    """
    if type_.name in _PLAIN:
        return _PLAIN[type_.name]
    match type_.name:
        case "timestamp":
            return _EPOCH
        case "enum":
            return type_.members[0]
        case "list":
            return []
        case "dyn":
            return None
    fields = schema.fields.get(type_.name, {})
    if type_.name in within:
        return {}
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
        raise Unfit(_unknown("there is no variable", path[0] if path else "", schema.roots))
    type_ = schema.roots[path[0]]
    for at in range(1, len(path)):
        type_ = _field(path, at, type_, schema)
    return type_


def _field(path: Path, at: int, type_: Type, schema: Schema) -> Type:
    if type_.name == "dyn":
        return type_
    if type_.name == "map":
        if type_.parameters[0].name != "string":
            raise Unfit(f"the keys of {written(path[:at])} are no texts; set it as a whole")
        return type_.parameters[1]
    fields = schema.fields.get(type_.name)
    if fields is None:
        advice = "; set it as a whole" if type_.name == "list" else ""
        raise Unfit(f'{written(path[:at])} is {words(type_)}, and has no "{path[at]}"{advice}')
    if path[at] not in fields:
        raise Unfit(_unknown(f"{written(path[:at])} has no field", path[at], fields))
    return fields[path[at]]


def _unknown(what: str, name: str, known: Mapping[str, object]) -> str:
    near = nearest(name, known)
    return f'{what} "{name}"; ' + (f'did you mean "{near}"?' if near else f"there is {', '.join(known) or 'none'}")


def taken(value: Any, type_: Type, schema: Schema, path: Path) -> Any:
    """A value that the client sends, as the type there has it. Raises Unfit.

    Numbers stand for texts as they are written, texts for times and durations.
    """
    if value is None and (type_.optional or type_.name == "dyn"):
        return None
    if type_.name in schema.fields:
        return _message(value, type_, schema, path)
    match type_.name:
        case "dyn":
            return value
        case "list":
            inner = type_.parameters[0]
            items = _of(value, (list, tuple), type_, path)
            return [taken(each, inner, schema, (*path, str(at))) for at, each in enumerate(items)]
        case "map":
            return _map(value, type_, schema, path)
    found = _scalar(value, type_)
    if found is None:
        raise Unfit(f"{written(path)} is {words(type_)}, not {_shown(value)}{_near_member(value, type_)}")
    return found


def _message(value: Any, type_: Type, schema: Schema, path: Path) -> dict[str, Any]:
    fields = schema.fields[type_.name]
    given: dict[str, Any] = {}
    for name, each in _of(value, Mapping, type_, path).items():
        if name not in fields:
            raise Unfit(_unknown(f"{written(path)} has no field", str(name), fields))
        held = taken(each, fields[name], schema, (*path, name))
        if held is not None or fields[name].name == "dyn":
            given[name] = held
    return {**default(type_, schema), **given}


def _map(value: Any, type_: Type, schema: Schema, path: Path) -> dict[Any, Any]:
    key_type, inner = type_.parameters
    found = {}
    for key, each in _of(value, Mapping, type_, path).items():
        plain = _scalar(key, key_type)
        if plain is None:
            raise Unfit(f"a key of {written(path)} is {words(key_type)}, not {_shown(key)}")
        found[plain] = taken(each, inner, schema, (*path, str(key)))
    return found


def _of(value: Any, kinds: Any, type_: Type, path: Path) -> Any:
    if not isinstance(value, kinds) or isinstance(value, str):
        raise Unfit(f"{written(path)} is {words(type_)}, not {_shown(value)}")
    return value


def _scalar(value: Any, type_: Type) -> Any:
    """The value as a scalar type has it; None where it is not of the type."""
    match type_.name, value:
        case "bool", bool():
            return value
        case _, bool():
            return None
        case (("int" | "uint"), (int() | float())) if value == value // 1:
            lowest, highest = (0, 2 * _HIGHEST) if type_.name == "uint" else (_LOWEST, _HIGHEST)
            return int(value) if lowest <= value < highest else None
        case "double", (int() | float()):
            return _double(value)
        case "string", (str() | int()):
            return _text(str(value))
        case "enum", str():
            return value if value in type_.members else None
        case "bytes", (bytes() | str()):
            return value.encode("utf-8", "replace") if isinstance(value, str) else value
        case (("timestamp" | "duration"), _):
            return _time(value, type_)
    return None


def _double(value: float) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def _text(value: str) -> str | None:
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _time(value: Any, type_: Type) -> datetime | timedelta | None:
    if isinstance(value, str):
        return _read_time(value) if type_.name == "timestamp" else _read_duration(value)
    if type_.name == "timestamp":
        return value if isinstance(value, datetime) and value.utcoffset() is not None else None
    return value if isinstance(value, timedelta) else None


def _read_time(text: str) -> datetime | None:
    from trialrun.values.timestamp import parse

    try:
        moment = parse(text)
    except ValueError:
        return None
    return _EPOCH + timedelta(seconds=moment.seconds, microseconds=moment.nanos // 1000)


def _read_duration(text: str) -> timedelta | None:
    number = text.removesuffix("s")
    if number == text or not number.removeprefix("-").replace(".", "", 1).isdecimal() or len(number) > 12:
        return None
    return timedelta(seconds=float(number))


def words(type_: Type) -> str:
    """What a value of a type is, in words."""
    if type_.name == "enum":
        return f"one of {', '.join(type_.members)}"
    return _WORDS.get(type_.name, f"a mapping, {type_text(type_)}")


def _near_member(value: Any, type_: Type) -> str:
    near = nearest(value, type_.members) if isinstance(value, str) and type_.members else None
    return f'; did you mean "{near}"?' if near else ""


def _shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value[:60]}"'
        case int() | float():
            return str(value)[:60] if abs(value) < 10**60 else "a number that large"
        case Mapping():
            return "a mapping"
        case Sequence():
            return "a list"
    return f"a value of type {type(value).__name__}"


def written(path: Path) -> str:
    """A path as a condition writes it."""
    return ".".join(path)
