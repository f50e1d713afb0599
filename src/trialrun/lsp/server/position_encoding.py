"""Position encodings of the protocol: lines and characters from 0, in the code units that were negotiated."""

from __future__ import annotations

from typing import Literal

from trialrun.diagnostic import Range
from trialrun.lazy_dataclass import dataclass
from trialrun.text import Position, Source

Encoding = Literal["utf-8", "utf-16", "utf-32"]
BOM = "\ufeff"
ProtocolPosition = dict[str, int]
"""`line` and `character`, both from 0."""


def source_of(raw: str, path: str) -> Source:
    """The text that a client sent, without its byte order mark, which the client may count."""
    return Source(path, raw.removeprefix(BOM), bom=raw.startswith(BOM))


def units(text: str, encoding: Encoding) -> int:
    """The length of a text in code units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class PositionMapper:
    """Maps positions of a text to the encoding and back; positions beyond the text are clamped."""

    source: Source
    encoding: Encoding

    def to_protocol(self, position: Position) -> ProtocolPosition:
        """A position in the encoding, from one in code points."""
        if position.line > len(self.source.line_starts):
            line, character = self._end()
            return {"line": line, "character": character}
        bom = units(BOM * self._bom_length(position.line), self.encoding)
        return {"line": position.line - 1, "character": bom + self._column(position) - 1}

    def range_to_protocol(self, range_: Range) -> dict[str, ProtocolPosition]:
        """The `start` and the `end` of a range in the encoding."""
        return {"start": self.to_protocol(range_.start), "end": self.to_protocol(range_.end)}

    def position(self, position: ProtocolPosition) -> Position:
        """A position in code points, from one in the encoding; inside of a character, the position before it."""
        line, character = position["line"], position["character"]
        if line >= len(self.source.line_starts):
            line, character = self._end()
        count = _character_count(self._client_line(line + 1), character, self.encoding)
        return Position(line + 1, max(count - self._bom_length(line + 1), 0) + 1)

    def offset(self, position: ProtocolPosition) -> int:
        """The offset of a position, in code points."""
        return self.source.offset(self.position(position))

    def replace(self, start: ProtocolPosition, end: ProtocolPosition, text: str) -> Source:
        """The text after an edit of the client; a reversed range is accepted."""
        raw = self.source.raw
        first, last = sorted((self._raw_offset(start), self._raw_offset(end)))
        return source_of(raw[:first] + text + raw[last:], self.source.path)

    def _raw_offset(self, position: ProtocolPosition) -> int:
        """The offset in the text with its byte order mark; an edit at the very start comes before it."""
        offset = self.offset(position)
        if not self.source.bom:
            return offset
        return offset + 1 if position["line"] or position["character"] else 0

    def _column(self, position: Position) -> int:
        if self.encoding == "utf-16":
            return self.source.utf16_column(position)
        return self.source.utf8_column(position) if self.encoding == "utf-8" else self.source.column(position)

    def _bom_length(self, line: int) -> int:
        return int(self.source.bom and line == 1)

    def _client_line(self, number: int) -> str:
        """A line as the client has it: the first one with the byte order mark."""
        return BOM * self._bom_length(number) + self.source.line(number)

    def _end(self) -> tuple[int, int]:
        """The line and the character of the end."""
        count = len(self.source.line_starts)
        return count - 1, units(self._client_line(count), self.encoding)


def _character_count(line: str, limit: int, encoding: Encoding) -> int:
    """How many whole characters of a line lie in the first so many units."""
    if encoding == "utf-32" or line.isascii():
        return min(limit, len(line))
    count = 0
    for index, character in enumerate(line):
        count += units(character, encoding)
        if count > limit:
            return index
    return len(line)
