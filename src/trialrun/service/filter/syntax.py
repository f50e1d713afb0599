"""The syntax of filters (AIP-160): OR binds tighter than AND, and terms side by side are joined by AND."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from trialrun.lazy_dataclass import dataclass
from trialrun.service.filter.tokens import FilterError, Token, tokenize

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
