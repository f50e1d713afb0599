"""What a client may send of the state: values of the declared types, in the forms that JSON and YAML have for them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from trialrun.runtime.channel_config.session.type_values import EPOCH, Path, Unfit, default, unknown, words, written
from trialrun.values.cel.activation import DEEPEST
from trialrun.values.cel.suggest import nearest
from trialrun.values.cel.type_schema import Schema
from trialrun.values.cel.type_syntax import Type

INTEGER = re.compile(r"-?[0-9]{1,20}")
LONGEST = 315_576_000_000
"""The seconds of the longest duration that protocol buffers and the engine have, 10,000 years."""
_LOWEST, _HIGHEST = -(2**63), 2**63


def taken(value: Any, type_: Type, schema: Schema, path: Path) -> Any:
    """A value that the client sends, as the type there has it. Raises Unfit.

    Numbers stand for texts as they are written, texts for times and durations.
    """
    if len(path) > DEEPEST:
        raise Unfit(f"{written(path[:4])} nests deeper than {DEEPEST} levels; flatten it")
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
            raise Unfit(unknown(f"{written(path)} has no field", str(name), fields))
        held = taken(each, fields[name], schema, (*path, name))
        if held is not None or fields[name].name == "dyn":
            given[name] = held
    return {**default(type_, schema), **given}


def _map(value: Any, type_: Type, schema: Schema, path: Path) -> dict[Any, Any]:
    key_type, inner = type_.parameters
    found = {}
    for key, each in _of(value, Mapping, type_, path).items():
        plain = _scalar(_key(key, key_type), key_type)
        if plain is None:
            raise Unfit(f"a key of {written(path)} is {words(key_type)}, not {_shown(key)}")
        found[plain] = taken(each, inner, schema, (*path, str(key)))
    return found


def _key(key: Any, type_: Type) -> Any:
    """A key as its type has it: JSON writes every one as a text."""
    if type_.name == "string" or not isinstance(key, str):
        return key
    if type_.name == "bool":
        return {"true": True, "false": False}.get(key)
    return int(key) if INTEGER.fullmatch(key) else None


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
    return EPOCH + timedelta(seconds=moment.seconds, microseconds=moment.nanos // 1000)


def _read_duration(text: str) -> timedelta | None:
    number = text.removesuffix("s")
    if number == text or not number.removeprefix("-").replace(".", "", 1).isdecimal() or len(number) > 12:
        return None
    seconds = float(number)
    return timedelta(seconds=seconds) if abs(seconds) <= LONGEST else None


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
