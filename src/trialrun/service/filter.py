"""Filters of lists (AIP-160): OR binds tighter than AND, and terms side by side are joined by AND."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trialrun.values import timestamp
from trialrun.values.suggest import did_you_mean

MAX_TOKENS = 5_000
MAX_DEPTH = 50
KEYWORDS = ("AND", "OR", "NOT")
OTHER_KEYWORDS = {"and": "AND", "&&": "AND", "or": "OR", "||": "OR", "not": "NOT"}
OTHER_OPERATORS = {"<>": "!=", "=<": "<=", "=>": ">="}
TOKEN = re.compile(
    r"""\s*(?:
    (?P<time>\d{4}-\d\d-\d\d[Tt][0-9:.,+\-Zz]*)
    |(?P<operator><=|>=|!=|=|<|>|:)
    |(?P<sign>[().,])
    |(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<word>[^\s().,:=<>!"']+)
    |(?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
Predicate = Callable[[Any], bool]


class FilterError(ValueError):
    """A filter cannot be read, or asks for what there is not; `at` is the character, from 1."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"character {column}: {message}")
        self.at = column


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a quoted text without its quotes, an operator, a sign or the end, and its character, from 1."""

    kind: str
    text: str
    column: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f'"{self.text}"'


def tokenize(text: str) -> Iterator[Token]:
    """The tokens of a filter; the last one is its end. Raises FilterError."""
    at = 0
    for _ in range(MAX_TOKENS):
        match = TOKEN.match(text, at)
        if match is None:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            message = f'"{text[start]}" is not an operator; write != for unequal, or NOT for negation'
            if text[start] in "\"'":
                message = f"the quotes that open with {text[start]} are not closed"
            raise FilterError(message, start + 1)
        kind = match.lastgroup or "end"
        start, at = match.span(kind)
        if kind == "quoted":
            yield Token(kind, re.sub(r"\\(.)", r"\1", match[kind][1:-1], flags=re.DOTALL), start + 1)
        else:
            yield Token("word" if kind == "time" else kind, match[kind], start + 1)
        if kind == "end":
            return
    raise FilterError(f"the filter has more than {MAX_TOKENS:,} words and signs; ask for less at once", at + 1)


@dataclass(frozen=True, slots=True)
class Restriction:
    """A comparison: the words of the field's path, the operator and the value."""

    path: tuple[Token, ...]
    operator: Token
    value: Token


class _Parser:
    """Reads the tokens of one filter, by some fields, from the left."""

    def __init__(self, tokens: list[Token], fields: Fields) -> None:
        self._tokens, self._fields = tokens, fields
        self._place = 0
        self._depth = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    def _take(self) -> Token:
        taken = self._next
        self._place += 1
        return taken

    def _skip(self, kind: str, text: str) -> bool:
        """Whether the next token is this one, which is then taken."""
        is_next = self._next.kind == kind and self._next.text == text
        if is_next:
            self._place += 1
        return is_next

    def parse(self) -> Predicate:
        """Whether a resource fulfils the expression up to the end."""
        expression = self._expression()
        if self._next.kind != "end":
            raise FilterError(f"{self._next} has no opening parenthesis; remove it", self._next.column)
        return expression

    def _expression(self) -> Predicate:
        parts = [self._factor()]
        while not (self._next.kind == "end" or (self._next.kind == "sign" and self._next.text == ")")):
            self._skip("word", "AND")
            parts.append(self._factor())
        return lambda resource: all(holds(resource) for holds in parts)

    def _factor(self) -> Predicate:
        parts = [self._term()]
        while self._skip("word", "OR"):
            parts.append(self._term())
        return lambda resource: any(holds(resource) for holds in parts)

    def _term(self) -> Predicate:
        word = self._next
        if self._skip("word", "NOT") or self._skip("word", "-"):
            return self._negated()
        if word.kind == "word" and word.text.startswith("-"):
            self._tokens[self._place] = replace(word, text=word.text[1:], column=word.column + 1)
            return self._negated()
        return self._simple()

    def _negated(self) -> Predicate:
        holds = self._simple()
        return lambda resource: not holds(resource)

    def _simple(self) -> Predicate:
        opening = self._next
        if not self._skip("sign", "("):
            return self._restriction()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise FilterError(f"more than {MAX_DEPTH} parentheses inside each other", opening.column)
        expression = self._expression()
        if not self._skip("sign", ")"):
            raise FilterError("this parenthesis is not closed; add )", opening.column)
        self._depth -= 1
        return expression

    def _restriction(self) -> Predicate:
        path = [self._word("a field")]
        while self._skip("sign", "."):
            path.append(self._word('a name after "."'))
        if self._next.kind != "operator":
            if path[0].kind == "word" and (keyword := OTHER_KEYWORDS.get(path[0].text.lower())):
                raise FilterError(f"{path[0]} is not an operator; write {keyword}", path[0].column)
            message = f"{self._next} where an operator is expected; compare the field, as in labels.team = search"
            raise FilterError(message, self._next.column)
        name, *inside = path
        compared = self._take()
        if self._next.kind == "operator":
            text = compared.text + self._next.text
            meant = OTHER_OPERATORS.get(text, compared.text)
            raise FilterError(f'"{text}" is not an operator; write {meant}', compared.column)
        restriction = Restriction(tuple(path), compared, self._word("a value"))
        known_as = re.sub("_([a-z])", lambda match: match[1].upper(), name.text)
        field = self._fields.get(known_as)
        if field is None:
            near = did_you_mean(known_as, self._fields) or f"; there are {', '.join(self._fields)}"
            raise FilterError(f'there is no field "{name.text}" to filter by{near}', name.column)
        if inside and not isinstance(field, LabelsField):
            raise FilterError(f'"{name.text}" has no fields in it', inside[0].column)
        return field.predicate(restriction)

    def _word(self, what: str) -> Token:
        word = self._next
        if word.kind not in ("word", "quoted") or (word.kind == "word" and word.text in KEYWORDS):
            raise FilterError(f"{word} where {what} is expected", word.column)
        return self._take()


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

    def predicate(self, restriction: Restriction) -> Predicate:
        """Whether a resource fulfils a restriction of this field. Raises FilterError."""
        compare = COMPARE.get(restriction.operator.text)
        if compare is None:
            raise _unsupported_operator(restriction, " ".join(COMPARE))
        try:
            bound = timestamp.parse(restriction.value.text)
        except ValueError as error:
            raise FilterError(str(error), restriction.value.column) from error
        return lambda resource: (
            (text := self.read(resource)) is not None and bool(compare(timestamp.parse(text), bound))
        )

    def key(self, resource: Any) -> tuple[int, int]:
        """What a resource is ordered by."""
        time = timestamp.parse(self.read(resource) or "")
        return time.seconds, time.nanos


@dataclass(frozen=True)
class TextField:
    """A text, or one of the values of an enum: `=`, `!=` and `:`, with `*` for any characters."""

    read: Callable[[Any], str | None]
    values: Sequence[str] = ()

    def predicate(self, restriction: Restriction) -> Predicate:
        """Whether a resource fulfils a restriction of this field. Raises FilterError."""
        if restriction.operator.text not in ("=", "!=", ":"):
            raise _unsupported_operator(restriction, "= != :")
        is_unequal, value = restriction.operator.text == "!=", restriction.value
        parts = value.text.split("*")
        if self.values and len(parts) == 1 and value.text not in self.values:
            hint = did_you_mean(value.text, self.values) or f"; there are {', '.join(self.values)}"
            raise FilterError(f'{restriction.path[-1].text} has no value "{value.text}"{hint}', value.column)
        return lambda resource: (
            (text := self.read(resource)) is not None and _matches_wildcard(text, parts) != is_unequal
        )

    def key(self, resource: Any) -> str:
        """What a resource is ordered by."""
        return self.read(resource) or ""


@dataclass(frozen=True)
class LabelsField:
    """A map of texts: `labels.key = value`, `labels.key:*` and `labels:key`."""

    read: Callable[[Any], Mapping[str, str] | None]

    def predicate(self, restriction: Restriction) -> Predicate:
        """Whether a resource fulfils a restriction of this field, or of a key of it. Raises FilterError."""
        inside = restriction.path[1:]
        if len(inside) > 1:
            raise FilterError('a label has no fields in it; put quotes around a key with "."', inside[1].column)
        if inside:
            return TextField(lambda resource: (self.read(resource) or {}).get(inside[0].text)).predicate(restriction)
        if restriction.operator.text != ":":
            raise _unsupported_operator(restriction, ":, as in labels:team, or name a key, as in labels.team = search")
        return _has_one(self.read, restriction)


@dataclass(frozen=True)
class TextListField:
    """A list of texts: `tags:drive-thru`, `tags:*`, with `*` for any characters."""

    read: Callable[[Any], Sequence[str] | None]

    def predicate(self, restriction: Restriction) -> Predicate:
        """Whether a resource fulfils a restriction of this field. Raises FilterError."""
        if restriction.operator.text != ":":
            raise _unsupported_operator(restriction, ":, as in tags:drive-thru")
        return _has_one(self.read, restriction)


Fields = Mapping[str, TimeField | TextField | LabelsField | TextListField]


def compile_filter(text: str, fields: Fields) -> Predicate:
    """Whether a resource is listed by a filter; an empty one lists all.

    `fields` are found by their camelCase names, also when a filter spells them in snake_case. Raises FilterError.
    """
    return _Parser(list(tokenize(text)), fields).parse() if text.strip() else lambda _: True


def _has_one(read: Callable[[Any], Iterable[str] | None], restriction: Restriction) -> Predicate:
    parts = restriction.value.text.split("*")
    return lambda resource: any(_matches_wildcard(text, parts) for text in read(resource) or ())


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
    path, compared = ".".join(word.text for word in restriction.path), restriction.operator
    return FilterError(f'"{path}" is not compared by {compared.text}; use one of {operators}', compared.column)
