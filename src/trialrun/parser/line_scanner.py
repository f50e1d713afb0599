"""The lines of a broken document, split into key and value without a parser."""

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
_MAX_KEY_LENGTH: Final = 1024
MAX_LINES_AWAY: Final = 1000
"""The distance, in lines, at which a cause is looked for."""


@dataclass(slots=True)
class ScannedLine:
    """A line, and where its key and its value are."""

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


class LineScanner:
    """The lines of a document; which were reported or blanked, and the offsets at which repairs begin."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in LINE_BREAK.finditer(text))]
        self.reported: set[int] = set()
        self.blanked: set[int] = set()
        self.repaired: set[int] = set()
        self._scanned_lines: dict[int, ScannedLine] = {}
        self._content_widths: dict[int, int] = {}
        self._with_quotes: list[int] | None = None

    def lines_with_quotes(self, first: int, end: int) -> list[int]:
        """The lines from one to before another that have a quote in them."""
        if self._with_quotes is None:
            self._with_quotes = sorted({self.line_number(match.start()) for match in _quote(self.text)})
        lines = self._with_quotes
        return lines[bisect_left(lines, first) : bisect_left(lines, end)]

    def line_number(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def scan_line(self, line: int) -> ScannedLine:
        """Scan a line, once: each repair looks at the lines above it again."""
        scanned = self._scanned_lines.get(line)
        if scanned is None:
            scanned = self._scanned_lines[line] = self._scan(line)
        return scanned

    def _scan(self, line: int) -> ScannedLine:
        start = self.starts[line]
        following = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        content = self.text[start:following].rstrip("\r\n")
        lead = _lead(content)
        key_start = lead.end() if lead else 0
        key, value_start = _split_key(content, key_start)
        comment = _comment(content, value_start)
        value = content[value_start : comment.start() if comment else len(content)].rstrip(" \t")
        at = start + value_start
        return ScannedLine(line, start, start + len(content), key_start, key, start + key_start, value, at)

    def content_before(self, line: int) -> int | None:
        """The nearest line above that is neither empty nor a comment nor blanked."""
        for number in range(line - 1, max(-1, line - MAX_LINES_AWAY), -1):
            entry = self.scan_line(number)
            if number not in self.blanked and (entry.key or entry.value):
                return number
        return None

    def content_after(self, line: int) -> ScannedLine | None:
        """The nearest line below that is neither empty nor a comment."""
        entries = (self.scan_line(number) for number in range(line + 1, min(line + MAX_LINES_AWAY, len(self.starts))))
        return next((entry for entry in entries if entry.key or entry.value), None)

    def indent_width(self, line: int) -> int:
        """By how many spaces a line is indented."""
        entry = self.scan_line(line)
        content = self.text[entry.start : entry.end]
        return len(content) - len(content.lstrip(" "))

    def open_columns(self, line: int) -> set[int]:
        """Where the lines above begin that are not closed by one further out, their dashes and what follows them."""
        columns: set[int] = set()
        least = len(self.text)
        for number in range(line - 1, max(-1, line - MAX_LINES_AWAY), -1):
            if not least:
                break
            width = self._content_width(number)
            if width < least and number not in self.blanked:
                columns.update(range(width, self.scan_line(number).indent + 1))
                least = width
        return columns

    def _content_width(self, line: int) -> int:
        """The indentation of a line, worked out once; that of an empty one or a comment is more than any."""
        width = self._content_widths.get(line)
        if width is None:
            entry = self.scan_line(line)
            width = self.indent_width(line) if entry.key or entry.value else len(self.text) + 1
            self._content_widths[line] = width
        return width


def _split_key(content: str, start: int) -> tuple[str | None, int]:
    """The key of a line and where its value starts; a key is at most 1,024 characters long in YAML."""
    quoted = _quoted_key(content, start)
    end = quoted.end() if quoted else start
    colon = _colon(content, end, end + _MAX_KEY_LENGTH)
    if colon is None or (quoted is None and content[start : start + 1] in _NO_PLAIN_KEY):
        return None, start
    value_start = colon.end()
    while content[value_start : value_start + 1] in (" ", "\t"):
        value_start += 1
    return content[start : colon.start()].rstrip(" \t"), value_start
