"""The documents that the client has open, and the positions in them as it counts: lines and characters from 0."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from trialrun.diagnostic import Range
from trialrun.guarded_path import read_file
from trialrun.lsp.uris import draft, file_of_uri, moved
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
class TextDocument:
    """A text, with positions in the encoding of the client and back; positions beyond the text are clamped.

    `uri` and `version` are those that the client has for it, None for a file that it has not opened. `revision` is the
    number of the message that brought the text, so that no two have the same: clients restart their versions when a
    file is reopened, and some miscount.
    """

    source: Source
    encoding: Encoding
    uri: str = ""
    version: int | None = None
    revision: int = 0

    @property
    def file(self) -> str:
        """The absolute path."""
        return self.source.path

    @property
    def data(self) -> bytes:
        """The text as bytes of a file."""
        return self.source.raw.encode("utf-8", "surrogatepass")

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


def apply_changes(document: TextDocument, changes: Sequence[Mapping[str, Any]]) -> str:
    """The text after the changes of a client, in turn; one without a range is the whole text."""
    for change in changes:
        if "range" in change:
            source = document.replace(change["range"]["start"], change["range"]["end"], change["text"])
        else:
            source = source_of(change["text"], document.file)
        document = TextDocument(source, document.encoding)
    return document.source.raw


class TextDocuments:
    """The open documents by absolute path, and which file a URI names.

    Folders that are links are followed, so that the system and we speak of one path.
    """

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self._links: dict[str, str] = {}
        self.revision = 0
        """The number of the message that is handled."""
        self._open: dict[str, TextDocument] = {}
        self._file_of_uri: dict[str, str] = {}

    def __iter__(self) -> Iterator[TextDocument]:
        return iter([*self._open.values()])

    def set_text(self, uri: str, version: int, text: str, language: str = "") -> TextDocument | None:
        """Set the text of a document; None if the URI is neither that of a file nor untitled."""
        file = self._file_of_uri.get(uri) or self.file(uri, language)
        if file is None:
            return None
        self._file_of_uri[uri] = file
        opened = TextDocument(source_of(text, file), self.encoding, uri, version, self.revision)
        self._open[file] = opened
        return opened

    def at(self, uri: str) -> TextDocument | None:
        """The open document of a URI, in any spelling."""
        file = self._file_of_uri.get(uri) or self.file(uri)
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

    def folder(self, uri: str) -> str | None:
        """The folder that the client has open, without links on the way to it; None for none on this machine."""
        written = file_of_uri(uri)
        if written is None:
            return None
        folder = os.path.realpath(written)
        if folder != written:
            self._links[written] = folder
        return folder

    def file(self, uri: str, language: str = "") -> str | None:
        """The absolute path of a URI, a made-up one for a text that was never saved; None for anything else."""
        if uri.startswith("untitled:"):
            return draft(uri, language)
        written = file_of_uri(uri)
        return None if written is None else moved(written, self._links)

    def uri(self, file: str) -> str:
        """The URI of an absolute path, in the spelling of the client if it is open or below an open folder."""
        if file in self._open:
            return self._open[file].uri
        return Path(moved(file, {folder: written for written, folder in self._links.items()})).as_uri()

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
        return TextDocument(source, self.encoding, self.uri(file))
