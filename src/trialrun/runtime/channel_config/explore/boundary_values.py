"""Boundary values of session state: values allowed by the types, around the literals of conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from trialrun.values.cel.type_schema import Schema, Type

OTHER = "other"
"""A text that no condition compares with."""
CENT = 0.01
LOWEST, HIGHEST = -(2**63), 2**63 - 1


def type_at(path: Sequence[str], schema: Schema) -> Type | None:
    """The type of what a path leads to, or None if the schema does not have it."""
    value_type = schema.roots.get(path[0]) if path else None
    for step in path[1:]:
        if value_type is None:
            return None
        if value_type.name in schema.fields:
            value_type = schema.fields[value_type.name].get(step)
        else:
            value_type = value_type.parameters[-1] if value_type.name in ("list", "map") else None
    return value_type


def values_to_try(type_: Type | None, literals: Sequence[Any]) -> tuple[Any, ...]:
    """The values to try, the simplest first: of numbers those below, at and above each literal as well."""
    name = "dyn" if type_ is None else type_.name
    return tuple(_distinct(_values(name, type_, literals)))


def _values(name: str, type_: Type | None, literals: Sequence[Any]) -> Iterator[Any]:
    match name:
        case "bool":
            yield from (False, True)
        case "enum" if type_:
            yield from type_.members
        case "int" | "uint":
            least = 0 if name == "uint" else LOWEST
            around = (number for value in literals for number in _around(value, 1))
            yield from (number for number in (0, 1, *around) if isinstance(number, int) and least <= number <= HIGHEST)
        case "double":
            yield 0.0
            yield from (float(number) for value in literals for number in _around(value, CENT))
        case "string":
            yield from ("", *(literal for literal in literals if isinstance(literal, str)), OTHER)
        case "timestamp":
            yield from (text for value in literals for text in _times_around(value))
        case "duration":
            yield from ("0s", *(literal for literal in literals if isinstance(literal, str)))
        case "list" if type_ and type_.parameters[0].name == "string":
            yield from ([], *([literal] for literal in literals if isinstance(literal, str)), [OTHER])
        case "dyn":
            yield from _dynamic_values(literals)


def _dynamic_values(literals: Sequence[Any]) -> Iterator[Any]:
    for value in literals:
        if isinstance(value, str | bool):
            yield value
        yield from _around(value, CENT if isinstance(value, float) else 1)
    yield OTHER


def _times_around(value: Any) -> Iterator[str]:
    """A time, the second before it and the one after it, of the years that there are."""
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return
    if time.utcoffset() is not None:
        for seconds in (0, -1, 1):
            with suppress(OverflowError):
                neighbor = (time + timedelta(seconds=seconds)).astimezone(UTC)
                yield f"{neighbor.replace(tzinfo=None).isoformat()}Z"


def _around(value: Any, step: float) -> Iterator[Any]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from (value, round(value - step, 6), round(value + step, 6))


def _distinct(values: Iterator[Any]) -> Iterator[Any]:
    seen_keys = set()
    for value in values:
        if (key := (type(value), repr(value))) not in seen_keys:
            seen_keys.add(key)
            yield value
