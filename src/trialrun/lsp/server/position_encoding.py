"""Places of a text as a client counts them: lines and characters from 0, in units of the encoding agreed upon."""

from __future__ import annotations

from typing import Literal

from trialrun.diagnostic import Range
from trialrun.lazy_dataclass import dataclass
from trialrun.text import Position, Source

Encoding = Literal["utf-8", "utf-16", "utf-32"]
BOM = "\ufeff"
Place = tuple[int, int]
"""A line and a character, both from 0."""


def text_of(written: str, path: str) -> Source:
    """The text that a client sent; a byte order mark is no part of it, though the client may count it."""
    return Source(path, written.removeprefix(BOM), bom=written.startswith(BOM))


def units(text: str, encoding: Encoding) -> int:
    """The length of a text in code units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Counted:
    """A text whose places are counted in an encoding. Places beyond it are taken as the nearest inside."""

    source: Source
    encoding: Encoding

    def place(self, position: Position) -> Place:
        """The place of a line and a column of ours, where columns are code points."""
        if position.line > len(self.source.line_starts):
            return self._last()
        bom = units(BOM * self._bom(position.line), self.encoding)
        return position.line - 1, bom + self._column(position) - 1

    def places(self, range_: Range) -> tuple[Place, Place]:
        """The places where a range begins and ends."""
        return self.place(range_.start), self.place(range_.end)

    def position(self, place: Place) -> Position:
        """The line and the column of ours of a place; one inside of a character is taken as the one before it."""
        line, character = place
        if line >= len(self.source.line_starts):
            line, character = self._last()
        passed = _characters(self._line(line + 1), character, self.encoding)
        return Position(line + 1, max(passed - self._bom(line + 1), 0) + 1)

    def offset(self, place: Place) -> int:
        """The offset of a place, in code points."""
        return self.source.offset(self.position(place))

    def replaced(self, start: Place, end: Place, text: str) -> Source:
        """The text after an edit of the client; one whose end comes first is taken the other way round."""
        written = self.source.written
        first, last = sorted((self._written_offset(start), self._written_offset(end)))
        return text_of(written[:first] + text + written[last:], self.source.path)

    def _written_offset(self, place: Place) -> int:
        """Where a place is in the text with its byte order mark, which an edit at the very start stands before."""
        offset = self.offset(place)
        if not self.source.bom:
            return offset
        return 0 if tuple(place) <= (0, 0) else offset + 1

    def _column(self, position: Position) -> int:
        if self.encoding == "utf-16":
            return self.source.utf16_column(position)
        return self.source.utf8_column(position) if self.encoding == "utf-8" else self.source.column(position)

    def _bom(self, line: int) -> int:
        return int(self.source.bom and line == 1)

    def _line(self, number: int) -> str:
        """A line as the client has it: the first one with the byte order mark."""
        return BOM * self._bom(number) + self.source.line(number)

    def _last(self) -> Place:
        count = len(self.source.line_starts)
        return count - 1, units(self._line(count), self.encoding)


def _characters(line: str, limit: int, encoding: Encoding) -> int:
    """How many whole characters of a line lie in the first so many units."""
    if encoding == "utf-32" or line.isascii():
        return min(limit, len(line))
    passed = 0
    for index, character in enumerate(line):
        passed += units(character, encoding)
        if passed > limit:
            return index
    return len(line)
