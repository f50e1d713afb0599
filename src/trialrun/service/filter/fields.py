"""What a filter may compare, and what comparing means for each sort of field."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.service.filter.syntax import And, Expression, Not, Or, Restriction, parse
from trialrun.service.filter.tokens import FilterError, Token
from trialrun.values import timestamp
from trialrun.values.suggest import did_you_mean

Predicate = Callable[[Any], bool]
COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class TimeField:
    """A time in RFC 3339; all comparisons are taken."""

    read: Callable[[Any], str | None]


@dataclass(frozen=True)
class TextField:
    """A text: `=`, `!=` and `:`, with `*` for any characters."""

    read: Callable[[Any], str | None]


@dataclass(frozen=True)
class LabelsField:
    """A map of texts: `labels.key = value`, `labels.key:*` and `labels:key`."""

    read: Callable[[Any], Mapping[str, str] | None]


@dataclass(frozen=True)
class TextListField:
    """A list of texts: `tags:drive-thru`, `tags:*`, with `*` for any characters."""

    read: Callable[[Any], Sequence[str] | None]


Fields = Mapping[str, TimeField | TextField | LabelsField | TextListField]


def compile_filter(text: str, fields: Fields) -> Predicate:
    """Whether a resource is listed by a filter; an empty one lists all.

    `fields` are found by their camelCase names, also when a filter spells them in snake_case. Raises FilterError.
    """
    if not text.strip():
        return lambda _: True
    return _compile(parse(text), fields)


def _compile(expression: Expression, fields: Fields) -> Predicate:
    match expression:
        case And(parts):
            every = [_compile(part, fields) for part in parts]
            return lambda resource: all(holds(resource) for holds in every)
        case Or(parts):
            some = [_compile(part, fields) for part in parts]
            return lambda resource: any(holds(resource) for holds in some)
        case Not(part):
            negated = _compile(part, fields)
            return lambda resource: not negated(resource)
        case Restriction():
            return _restriction(expression, fields)


def _restriction(restriction: Restriction, fields: Fields) -> Predicate:
    name, *inside = restriction.path
    field = fields.get(_camel_case(name.text))
    if field is None:
        field_list = ", ".join(fields)
        near = did_you_mean(_camel_case(name.text), fields) or f"; there are {field_list}"
        raise FilterError(f'there is no field "{name.text}" to filter by{near}', name.column)
    match field:
        case LabelsField(read):
            return _labels(restriction, read, inside)
        case _ if inside:
            raise FilterError(f'"{name.text}" has no fields in it', inside[0].column)
        case TimeField(read):
            return _time(restriction, read)
        case TextListField(read):
            return _texts(restriction, read)
        case TextField(read):
            return _text(restriction, read)


def _camel_case(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)


def _time(restriction: Restriction, read: Callable[[Any], str | None]) -> Predicate:
    compare = COMPARE.get(restriction.operator.text)
    if compare is None:
        raise _unsupported_operator(restriction, "= != < <= > >=")
    try:
        bound = timestamp.parse(restriction.value.text)
    except ValueError as error:
        raise FilterError(str(error), restriction.value.column) from error

    def holds(resource: Any) -> bool:
        text = read(resource)
        return text is not None and bool(compare(timestamp.parse(text), bound))

    return holds


def _text(restriction: Restriction, read: Callable[[Any], str | None]) -> Predicate:
    is_unequal, parts = _text_pattern(restriction)

    def holds(resource: Any) -> bool:
        text = read(resource)
        return text is not None and _matches_wildcard(text, parts) != is_unequal

    return holds


def _texts(restriction: Restriction, read: Callable[[Any], Sequence[str] | None]) -> Predicate:
    if restriction.operator.text != ":":
        raise _unsupported_operator(restriction, ":, as in tags:drive-thru")
    _, parts = _text_pattern(restriction)
    return lambda resource: any(_matches_wildcard(text, parts) for text in read(resource) or ())


def _labels(
    restriction: Restriction, read: Callable[[Any], Mapping[str, str] | None], inside: list[Token]
) -> Predicate:
    if len(inside) > 1:
        raise FilterError('a label has no fields in it; put quotes around a key with "."', inside[1].column)
    if inside:
        key = inside[0].text
        of_key = _text(restriction, lambda labels: labels.get(key))
        return lambda resource: of_key(read(resource) or {})
    if restriction.operator.text != ":":
        raise _unsupported_operator(restriction, ":, as in labels:team, or name a key, as in labels.team = search")
    _, parts = _text_pattern(restriction)
    return lambda resource: any(_matches_wildcard(key, parts) for key in read(resource) or {})


def _text_pattern(restriction: Restriction) -> tuple[bool, list[str]]:
    """Whether the text is to be another one, and the parts between the `*` of what it is compared with."""
    if restriction.operator.text not in ("=", "!=", ":"):
        raise _unsupported_operator(restriction, "= != :")
    return restriction.operator.text == "!=", restriction.value.text.split("*")


def _matches_wildcard(text: str, parts: list[str]) -> bool:
    """Whether a text has the parts in their order, the first at its start and the last at its end."""
    first, *middle = parts
    if not middle:
        return text == first
    *between, last = middle
    if not text.startswith(first):
        return False
    at = len(first)
    for part in between:
        position = text.find(part, at)
        if position < 0:
            return False
        at = position + len(part)
    return text.endswith(last) and len(text) - len(last) >= at


def _unsupported_operator(restriction: Restriction, operators: str) -> FilterError:
    path = ".".join(word.text for word in restriction.path)
    return FilterError(
        f'"{path}" is not compared by {restriction.operator.text}; use one of {operators}', restriction.operator.column
    )
