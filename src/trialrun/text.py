"""A text and the places in it: code points, lines, and columns in the units that other programs count in."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, count
from operator import add
from typing import Final, NamedTuple

from trialrun.terraform import Siblings

MAX_BYTES: Final = 16 * 2**20
"""The size of a file of documents; one that is larger is refused."""

LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Span(NamedTuple):
    """The characters from `start` to `end` of a text: offsets in code points from 0, the end exclusive."""

    start: int
    end: int

    def covers(self, other: Span) -> bool:
        """Whether all characters of another range are in it."""
        return self.start <= other.start and other.end <= self.end


class Position(NamedTuple):
    """A line and a column, both from 1; the column counts code points unless said otherwise."""

    line: int
    column: int


class Edit(NamedTuple):
    """Put `text` in place of the characters of `span`; an empty span inserts, an empty text deletes."""

    span: Span
    text: str


@dataclass(frozen=True)
class Source:
    """The decoded text of one file, without its byte order mark.

    `path` is as a user would write it: relative to the working directory where it can be, with `/`.
    `encoding` and `bom` say how the bytes were written, so that a fix can write them back. `siblings` are the files
    that values of the file may come from.
    """

    path: str
    text: str
    encoding: str = "utf-8"
    bom: bool = field(default=False)
    siblings: Siblings = field(default=(), repr=False)

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of the first character of every line; a line ends at LF, CRLF or CR, as in YAML 1.2."""
        if "\r" not in self.text:  # as in most files; a sum of lengths takes a third of the time of a search
            return [0, *map(add, accumulate(map(len, self.text.split("\n")[:-1])), count(1))]
        return [0, *(match.end() for match in LINE_BREAK.finditer(self.text))]

    @property
    def raw(self) -> str:
        """The text with its byte order mark, where the file has one."""
        return "\ufeff" + self.text if self.bom else self.text

    def position(self, offset: int) -> Position:
        """The line and column, in code points, of an offset."""
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """The offset of a line and a column in code points."""
        return self.line_starts[position.line - 1] + position.column - 1

    def line(self, number: int) -> str:
        """The text of a line, from 1, without its line break."""
        start, end = self._line_range(number)
        return self.text[start:end]

    def _line_range(self, number: int) -> tuple[int, int]:
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return start, end

    def column(self, position: Position) -> int:
        """The column, from 1, in code points; at most the end of the line."""
        start, end = self._line_range(position.line)
        return min(position.column, end - start + 1)

    def utf16_column(self, position: Position) -> int:
        """The column, from 1, in UTF-16 code units; at most the end of the line."""
        return self._column(position, _utf16_units)

    def utf8_column(self, position: Position) -> int:
        """The column, from 1, in bytes of UTF-8; at most the end of the line."""
        return self._column(position, _utf8_bytes)

    def _column(self, position: Position, units: Callable[[str], int]) -> int:
        start, end = self._line_range(position.line)
        offset = min(start + position.column - 1, end)
        if offset - start < _STEP:
            return 1 + units(self.text[start:offset])
        counts = self._unit_index.get((position.line, units))
        if counts is None:
            steps = (
                units(self.text[offset_in_line : min(offset_in_line + _STEP, end)])
                for offset_in_line in range(start, end, _STEP)
            )
            counts = self._unit_index[position.line, units] = [0, *accumulate(steps)]
        step = (offset - start) // _STEP
        return 1 + counts[step] + units(self.text[start + step * _STEP : offset])

    @cached_property
    def _unit_index(self) -> dict[tuple[int, Callable[[str], int]], list[int]]:
        """How many units there are before every so many characters of a long line; many places are in one."""
        return {}


_STEP = 1024


def _utf16_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _utf8_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
