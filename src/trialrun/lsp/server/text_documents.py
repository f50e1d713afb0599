"""The documents that the client has open, and the positions in them as it counts: lines and characters from 0."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from trialrun.diagnostic import Range
from trialrun.guarded_path import read_file
from trialrun.lsp.uris import UriMapper
from trialrun.parser import read_source
from trialrun.text import MAX_BYTES, Position, Source

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


def apply_changes(mapper: PositionMapper, changes: Sequence[Mapping[str, Any]]) -> str:
    """The text after the changes of a client, in turn; one without a range is the whole text."""
    for change in changes:
        if "range" in change:
            source = mapper.replace(change["range"]["start"], change["range"]["end"], change["text"])
        else:
            source = source_of(change["text"], mapper.source.path)
        mapper = PositionMapper(source, mapper.encoding)
    return mapper.source.raw


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A document with the URI and the version that the client has for it; None for a file that it has not opened.

    `revision` is the number of the message that brought the text, so that no two have the same: clients restart their
    versions when a file is reopened, and some miscount.
    """

    uri: str
    file: str
    version: int | None
    revision: int
    mapper: PositionMapper

    @property
    def data(self) -> bytes:
        """The text as bytes of a file."""
        return self.mapper.source.raw.encode("utf-8", "surrogatepass")


class TextDocuments:
    """The open documents by absolute path."""

    def __init__(self, uris: UriMapper) -> None:
        self.encoding: Encoding = "utf-16"
        self.uris = uris
        self.revision = 0
        """The number of the message that is handled."""
        self._open: dict[str, TextDocument] = {}
        self._file_of_uri: dict[str, str] = {}

    def __iter__(self) -> Iterator[TextDocument]:
        return iter([*self._open.values()])

    def set_text(self, uri: str, version: int, text: str, language: str = "") -> TextDocument | None:
        """Set the text of a document; None if the URI is neither that of a file nor untitled."""
        file = self._file_of_uri.get(uri) or self.uris.file(uri, language)
        if file is None:
            return None
        self._file_of_uri[uri] = file
        opened = TextDocument(uri, file, version, self.revision, PositionMapper(source_of(text, file), self.encoding))
        self._open[file] = opened
        return opened

    def at(self, uri: str) -> TextDocument | None:
        """The open document of a URI, in any spelling."""
        file = self._file_of_uri.get(uri) or self.uris.file(uri)
        return None if file is None else self._open.get(file)

    def of(self, file: str) -> TextDocument | None:
        """The open document of an absolute path."""
        return self._open.get(file)

    def close(self, uri: str) -> TextDocument | None:
        """Close a document."""
        closed = self.at(uri)
        if closed is not None:
            del self._open[closed.file]
            self._file_of_uri = {
                known_uri: file for known_uri, file in self._file_of_uri.items() if file != closed.file
            }
        return closed

    def uri(self, file: str) -> str:
        """The URI of an absolute path, in the spelling of the client if it is open."""
        opened = self._open.get(file)
        return opened.uri if opened else self.uris.uri(file)

    def read(self, file: str, *, creates: bool = False) -> TextDocument | None:
        """The document of an absolute path, open or on disk; None, or an empty one, if it cannot be read."""
        if file in self._open:
            return self._open[file]
        try:
            source = read_source(read_file(file, MAX_BYTES, named_in=os.path.dirname(file)), file)
        except (OSError, ValueError):
            if not creates:
                return None
            source = Source(file, "")
        return TextDocument(self.uris.uri(file), file, None, 0, PositionMapper(source, self.encoding))
