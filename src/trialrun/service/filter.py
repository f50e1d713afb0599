"""Filters of lists (AIP-160): OR binds tighter than AND, and terms side by side are joined by AND."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.values import timestamp
from trialrun.values.suggest import did_you_mean

MAX_TOKENS = 5_000
TokenKind = Literal["word", "quoted", "operator", "sign", "end"]
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


class FilterError(ValueError):
    """A filter cannot be read, or asks for what there is not; `at` is the character, from 1."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"character {column}: {message}")
        self.at = column


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a quoted text without its quotes, an operator or a sign; `start` counts characters from 0."""

    kind: TokenKind
    text: str
    start: int

    @property
    def column(self) -> int:
        """The character at which it is, from 1."""
        return self.start + 1

    @property
    def description(self) -> str:
        """What a message calls it."""
        return "the end" if self.kind == "end" else f'"{self.text}"'

    def is_word(self, word: str) -> bool:
        """Whether it is this word, without quotes."""
        return self.kind == "word" and self.text == word


def tokenize(text: str) -> Iterator[Token]:
    """The tokens of a filter; the last one is its end. Raises FilterError."""
    at = 0
    for _ in range(MAX_TOKENS):
        match = TOKEN.match(text, at)
        if match is None:
            raise _syntax_error(text, at)
        sort = match.lastgroup or "end"
        start, at = match.span(sort)
        yield _make_token(sort, match[sort], start)
        if sort == "end":
            return
    raise FilterError(f"the filter has more than {MAX_TOKENS:,} words and signs; ask for less at once", at + 1)


def _make_token(sort: str, text: str, start: int) -> Token:
    match sort:
        case "quoted":
            return Token("quoted", re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL), start)
        case "operator":
            return Token("operator", text, start)
        case "sign":
            return Token("sign", text, start)
        case "end":
            return Token("end", "", start)
    return Token("word", text, start)


def _syntax_error(text: str, at: int) -> FilterError:
    start = at + len(text[at:]) - len(text[at:].lstrip())
    if text[start] in "\"'":
        return FilterError(f"the quotes that open with {text[start]} are not closed", start + 1)
    return FilterError(f'"{text[start]}" is not an operator; write != for unequal, or NOT for negation', start + 1)


MAX_DEPTH = 50
KEYWORDS = ("AND", "OR", "NOT")


@dataclass(frozen=True, slots=True)
class Restriction:
    """A comparison: the words of the field's path, the operator and the value."""

    path: tuple[Token, ...]
    operator: Token
    value: Token


@dataclass(frozen=True, slots=True)
class And:
    """Holds where all of its parts hold."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Holds where one of its parts holds."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Holds where its part does not."""

    part: Expression


Expression = Restriction | And | Or | Not


def parse(text: str) -> Expression:
    """The expression of a filter, which must not be empty. Raises FilterError."""
    return _Parser(list(tokenize(text))).parse()


class _Parser:
    """Reads the tokens of one filter from the left."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._place = 0
        self._depth = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    def _take(self) -> Token:
        taken = self._next
        self._place += 1
        return taken

    def parse(self) -> Expression:
        """The expression up to the end."""
        expression = self._expression()
        if self._next.kind != "end":
            raise FilterError(f"{self._next.description} has no opening parenthesis; remove it", self._next.column)
        return expression

    def _expression(self) -> Expression:
        parts = [self._factor()]
        while not (self._next.kind == "end" or self._is_sign(")")):
            if self._next.is_word("AND"):
                self._take()
            parts.append(self._factor())
        return _combine(And, parts)

    def _factor(self) -> Expression:
        parts = [self._term()]
        while self._next.is_word("OR"):
            self._take()
            parts.append(self._term())
        return _combine(Or, parts)

    def _term(self) -> Expression:
        if self._next.is_word("NOT"):
            self._take()
            return Not(self._simple())
        if self._next.kind == "word" and self._next.text.startswith("-"):
            self._strip_minus()
            return Not(self._simple())
        return self._simple()

    def _strip_minus(self) -> None:
        """Take the minus of a word, which negates, and leave the rest of it."""
        word = self._next
        if word.text == "-":
            self._take()
        else:
            self._tokens[self._place] = replace(word, text=word.text[1:], start=word.start + 1)

    def _simple(self) -> Expression:
        if not self._is_sign("("):
            return self._restriction()
        opening = self._take()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise FilterError(f"more than {MAX_DEPTH} parentheses inside each other", opening.column)
        expression = self._expression()
        if not self._is_sign(")"):
            raise FilterError("this parenthesis is not closed; add )", opening.column)
        self._take()
        self._depth -= 1
        return expression

    def _restriction(self) -> Restriction:
        path = [self._word("a field")]
        while self._is_sign("."):
            self._take()
            path.append(self._word('a name after "."'))
        if self._next.kind != "operator":
            raise FilterError(
                f"{self._next.description} where an operator is expected; compare the field, as in "
                "labels.team = search",
                self._next.column,
            )
        return Restriction(tuple(path), self._take(), self._word("a value"))

    def _word(self, what: str) -> Token:
        word = self._next
        if word.kind not in ("word", "quoted") or (word.kind == "word" and word.text in KEYWORDS):
            raise FilterError(f"{word.description} where {what} is expected", word.column)
        return self._take()

    def _is_sign(self, sign: str) -> bool:
        return self._next.kind == "sign" and self._next.text == sign


def _combine(join: Callable[[tuple[Expression, ...]], Expression], parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else join(tuple(parts))


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


__all__ = ["Fields", "FilterError", "LabelsField", "TextField", "TextListField", "TimeField", "compile_filter"]
