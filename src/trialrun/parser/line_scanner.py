"""The lines of a broken document, taken apart without a parser."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Final

from trialrun.lazy_dataclass import dataclass
from trialrun.text import LINE_BREAK

_lead = re.compile(r"[ \t]*(?:(?:---|-|\?)[ \t]+)*+").match
_quoted_key = re.compile(r"""(?:"(?:[^"\\]++|\\.)*+"|'(?:[^']++|'')*+')(?=[ \t]*:(?:[ \t]|\Z))""").match
_colon = re.compile(r":(?=[ \t]|\Z)").search
_comment = re.compile(r"(?<=[ \t])#|\A#").search
_quote = re.compile("[\"']").finditer
_NO_PLAIN_KEY: Final = frozenset("\"'#[]{},&*!|>%@`")
_LONGEST_KEY: Final = 1024
FARTHEST: Final = 1000
"""How many lines away a cause is looked for."""


@dataclass(slots=True)
class Entry:
    """A line taken apart: where its key and its value stand."""

    line: int
    start: int
    end: int
    indent: int
    key: str | None
    key_start: int
    value: str
    value_start: int

    @property
    def value_end(self) -> int:
        return self.value_start + len(self.value)


class Lines:
    """The lines of a document, as written; which were told or blanked, and at which offsets a repair begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in LINE_BREAK.finditer(text))]
        self.told: set[int] = set()
        self.blanked: set[int] = set()
        self.repaired: set[int] = set()
        self._entries: dict[int, Entry] = {}
        self._with_quotes: list[int] | None = None

    def with_quotes(self, first: int, end: int) -> list[int]:
        """The lines from one to before another that have a quote in them."""
        if self._with_quotes is None:
            self._with_quotes = sorted({self.number(match.start()) for match in _quote(self.text)})
        known = self._with_quotes
        return known[bisect_left(known, first) : bisect_left(known, end)]

    def number(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def entry(self, line: int) -> Entry:
        """A line taken apart, once: each repair looks at the lines above it again."""
        known = self._entries.get(line)
        if known is None:
            known = self._entries[line] = self._taken_apart(line)
        return known

    def _taken_apart(self, line: int) -> Entry:
        start = self.starts[line]
        following = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        content = self.text[start:following].rstrip("\r\n")
        lead = _lead(content)
        key_start = lead.end() if lead else 0
        key, value_start = _key_of(content, key_start)
        comment = _comment(content, value_start)
        value = content[value_start : comment.start() if comment else len(content)].rstrip(" \t")
        at = start + value_start
        return Entry(line, start, start + len(content), key_start, key, start + key_start, value, at)

    def content_before(self, line: int) -> int | None:
        """The nearest line above that is neither blank nor a comment nor blanked."""
        for number in range(line - 1, max(-1, line - FARTHEST), -1):
            entry = self.entry(number)
            if number not in self.blanked and (entry.key or entry.value):
                return number
        return None

    def content_after(self, line: int) -> Entry | None:
        """The nearest line below that is neither blank nor a comment."""
        entries = (self.entry(number) for number in range(line + 1, min(line + FARTHEST, len(self.starts))))
        return next((entry for entry in entries if entry.key or entry.value), None)

    def width(self, line: int) -> int:
        """How many blanks indent a line."""
        entry = self.entry(line)
        content = self.text[entry.start : entry.end]
        return len(content) - len(content.lstrip(" "))

    def columns(self, line: int) -> set[int]:
        """Where the lines above begin that are not closed by one further out, their dashes and what follows them."""
        found: set[int] = set()
        least = len(self.text)
        for number in range(line - 1, max(-1, line - FARTHEST), -1):
            entry = self.entry(number)
            if least and number not in self.blanked and (entry.key or entry.value):
                width = self.width(number)
                found.update(range(width, entry.indent + 1) if width < least else ())
                least = min(least, width)
        return found


def _key_of(content: str, start: int) -> tuple[str | None, int]:
    """The key of a line and where its value starts; a key is at most 1,024 characters long in YAML."""
    quoted = _quoted_key(content, start)
    end = quoted.end() if quoted else start
    colon = _colon(content, end, end + _LONGEST_KEY)
    if colon is None or (quoted is None and content[start : start + 1] in _NO_PLAIN_KEY):
        return None, start
    value_start = colon.end()
    while content[value_start : value_start + 1] in (" ", "\t"):
        value_start += 1
    return content[start : colon.start()].rstrip(" \t"), value_start
