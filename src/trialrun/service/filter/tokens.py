"""The words and signs of a filter, each with the character at which it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from trialrun.lazy_dataclass import dataclass

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
