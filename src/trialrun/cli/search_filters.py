"""Filters of a search as a command line has them: `category=burgers,sides`, `daypart!=dinner`, `price<5`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from trialrun.errors import UsageError
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.column import Column
    from trialrun.runtime.feature_view.index.interface import NumericFilter, Operator, StringFilter

QUOTED = r'"(?:[^"\\]|\\.)*"'
FILTER = re.compile(rf"\s*(?P<column>{QUOTED}|[^=!<>\"]+?)\s*(?P<sign>==|!=|<=|>=|=|<|>)(?P<value>.*)", re.DOTALL)
TOKEN = re.compile(rf"\s*(?:(?P<quoted>{QUOTED})|(?P<plain>[^,\"]*))\s*(?:,|$)", re.DOTALL)
NUMBER = re.compile(r"\s*[-+]?\d{1,300}(?P<rest>(\.\d+)?([eE][-+]?\d{1,3})?)\s*", re.ASCII)
OPERATORS: Mapping[str, Operator] = {
    "<": "LESS",
    "<=": "LESS_EQUAL",
    "=": "EQUAL",
    "==": "EQUAL",
    ">=": "GREATER_EQUAL",
    ">": "GREATER",
    "!=": "NOT_EQUAL",
}
SYNTAX_HINT = "write COLUMN=TOKEN,TOKEN or COLUMN!=TOKEN for text, COLUMN<NUMBER (or <=, =, >=, >, !=) for numbers"


def parse_filters(texts: Iterable[str], columns: Iterable[Column]) -> tuple[list[StringFilter], list[NumericFilter]]:
    """The filters that texts mean, by the types of the columns that can be filtered. Raises UsageError."""
    from trialrun.runtime.feature_view.index.interface import StringFilter

    by_name = {column.name: column for column in columns}
    found = [_parse_filter(text, by_name) for text in texts]
    strings = [file for file in found if isinstance(file, StringFilter)]
    return strings, [file for file in found if not isinstance(file, StringFilter)]


def _parse_filter(text: str, columns: Mapping[str, Column]) -> StringFilter | NumericFilter:
    match = FILTER.fullmatch(text)
    if match is None:
        raise _error(text, f"it has no comparison; {SYNTAX_HINT}")
    name, sign, value = _unquote(match["column"]), match["sign"], match["value"]
    if name not in columns:
        known = f"; the filter columns are {', '.join(columns)}" if columns else "; the view has no filter columns"
        raise _error(text, f'"{name}" is not a filter column of the view{did_you_mean(name, columns) or known}')
    if columns[name].type == "STRING":
        return _text_filter(text, name, sign, value)
    return _number_filter(text, columns[name], sign, value)


def _text_filter(text: str, name: str, sign: str, value: str) -> StringFilter:
    from trialrun.runtime.feature_view.index.interface import StringFilter

    if sign not in ("=", "==", "!="):
        raise _error(text, f"{name} is text; compare it with = or !=")
    tokens = tuple(_tokens(text, value))
    return StringFilter(name, deny=tokens) if sign == "!=" else StringFilter(name, allow=tokens)


def _tokens(text: str, value: str) -> Iterator[str]:
    position = 0
    while True:
        match = TOKEN.match(value, position)
        if match is None:
            raise _error(text, 'unmatched quote; write "…" around a token that contains commas or quotes')
        if match["quoted"] is None and not match["plain"].strip():
            raise _error(text, 'empty token; write "" for the empty text')
        yield _unquote(match["quoted"]) if match["quoted"] is not None else match["plain"].strip()
        position = match.end()
        if not match[0].endswith(","):
            return


def _number_filter(text: str, column: Column, sign: str, value: str) -> NumericFilter:
    from trialrun.runtime.feature_view.index.interface import NumericFilter

    if column.type not in ("INT64", "DOUBLE") or column.repeated:
        raise _error(text, f"{column.name} is {column.type_text}, which cannot be filtered; only text and numbers can")
    match = NUMBER.fullmatch(value)
    if match is None:
        raise _error(text, f'{column.name} is {column.type_text} and "{value.strip()}" is not a number')
    number = float(value) if match["rest"] else int(value)
    return NumericFilter(column.name, OPERATORS[sign], number)


def _unquote(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise UsageError(f'--filter: {text} is quoted wrongly; inside quotes, write \\" and \\\\') from error


def _error(text: str, problem: str) -> UsageError:
    return UsageError(f"--filter {text}: {problem}")
