"""What a filter may compare, and what comparing means for each sort of field."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trialrun.errors import did_you_mean
from trialrun.lazy_dataclass import dataclass
from trialrun.service.filter.syntax import Every, Expression, Negation, Restriction, Some, parse
from trialrun.service.filter.tokens import FilterError, Token
from trialrun.values import timestamp

Holds = Callable[[Any], bool]
COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Time:
    """A time in RFC 3339; all comparisons are taken."""

    read: Callable[[Any], str | None]


@dataclass(frozen=True)
class Text:
    """A text: `=`, `!=` and `:`, with `*` for any characters."""

    read: Callable[[Any], str | None]


@dataclass(frozen=True)
class Labels:
    """A map of texts: `labels.key = value`, `labels.key:*` and `labels:key`."""

    read: Callable[[Any], Mapping[str, str] | None]


@dataclass(frozen=True)
class Texts:
    """A list of texts: `tags:drive-thru`, `tags:*`, with `*` for any characters."""

    read: Callable[[Any], Sequence[str] | None]


Fields = Mapping[str, Time | Text | Labels | Texts]


def predicate(text: str, fields: Fields) -> Holds:
    """Whether a resource is listed by a filter; an empty one lists all.

    `fields` are found by their camelCase names, also when a filter spells them in snake_case. Raises FilterError.
    """
    if not text.strip():
        return lambda _: True
    return _holds(parse(text), fields)


def _holds(expression: Expression, fields: Fields) -> Holds:
    match expression:
        case Every(parts):
            every = [_holds(part, fields) for part in parts]
            return lambda resource: all(holds(resource) for holds in every)
        case Some(parts):
            some = [_holds(part, fields) for part in parts]
            return lambda resource: any(holds(resource) for holds in some)
        case Negation(part):
            negated = _holds(part, fields)
            return lambda resource: not negated(resource)
        case Restriction():
            return _restriction(expression, fields)


def _restriction(restriction: Restriction, fields: Fields) -> Holds:
    name, *inside = restriction.path
    field = fields.get(_camel(name.text))
    if field is None:
        known = ", ".join(fields)
        near = did_you_mean(_camel(name.text), fields) or f"; there are {known}"
        raise FilterError(f'there is no field "{name.text}" to filter by{near}', name.at)
    match field:
        case Labels(read):
            return _labels(restriction, read, inside)
        case _ if inside:
            raise FilterError(f'"{name.text}" has no fields in it', inside[0].at)
        case Time(read):
            return _time(restriction, read)
        case Texts(read):
            return _texts(restriction, read)
        case Text(read):
            return _text(restriction, read)


def _camel(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)


def _time(restriction: Restriction, read: Callable[[Any], str | None]) -> Holds:
    compare = COMPARE.get(restriction.operator.text)
    if compare is None:
        raise _no_operator(restriction, "= != < <= > >=")
    try:
        wanted = timestamp.parse(restriction.value.text)
    except ValueError as error:
        raise FilterError(str(error), restriction.value.at) from error

    def holds(resource: Any) -> bool:
        text = read(resource)
        return text is not None and bool(compare(timestamp.parse(text), wanted))

    return holds


def _text(restriction: Restriction, read: Callable[[Any], str | None]) -> Holds:
    is_unequal, parts = _wanted(restriction)

    def holds(resource: Any) -> bool:
        text = read(resource)
        return text is not None and _fits(text, parts) != is_unequal

    return holds


def _texts(restriction: Restriction, read: Callable[[Any], Sequence[str] | None]) -> Holds:
    if restriction.operator.text != ":":
        raise _no_operator(restriction, ":, as in tags:drive-thru")
    _, parts = _wanted(restriction)
    return lambda resource: any(_fits(text, parts) for text in read(resource) or ())


def _labels(restriction: Restriction, read: Callable[[Any], Mapping[str, str] | None], inside: list[Token]) -> Holds:
    if len(inside) > 1:
        raise FilterError('a label has no fields in it; put quotes around a key with "."', inside[1].at)
    if inside:
        key = inside[0].text
        of_key = _text(restriction, lambda labels: labels.get(key))
        return lambda resource: of_key(read(resource) or {})
    if restriction.operator.text != ":":
        raise _no_operator(restriction, ":, as in labels:team, or name a key, as in labels.team = search")
    _, parts = _wanted(restriction)
    return lambda resource: any(_fits(key, parts) for key in read(resource) or {})


def _wanted(restriction: Restriction) -> tuple[bool, list[str]]:
    """Whether the text is to be another one, and the parts between the `*` of what it is compared with."""
    if restriction.operator.text not in ("=", "!=", ":"):
        raise _no_operator(restriction, "= != :")
    return restriction.operator.text == "!=", restriction.value.text.split("*")


def _fits(text: str, parts: list[str]) -> bool:
    """Whether a text has the parts in their order, the first at its start and the last at its end."""
    first, *middle = parts
    if not middle:
        return text == first
    *between, last = middle
    if not text.startswith(first):
        return False
    at = len(first)
    for part in between:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return text.endswith(last) and len(text) - len(last) >= at


def _no_operator(restriction: Restriction, known: str) -> FilterError:
    path = ".".join(word.text for word in restriction.path)
    return FilterError(
        f'"{path}" is not compared by {restriction.operator.text}; use one of {known}', restriction.operator.at
    )
