"""The documents that the client has open."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count

from trialrun.guarded_path import read_file
from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.server.position_encoding import Encoding, PositionMapper, source_of
from trialrun.lsp.uris import UriMapper
from trialrun.parser import read_source
from trialrun.text import MAX_BYTES


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A document with the URI and the version that the client has for it.

    No two texts have the same `revision`: clients restart their versions when a file is reopened, and some miscount.
    """

    uri: str
    file: str
    version: int
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
        self._revisions = count(1)
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
        opened = TextDocument(
            uri, file, version, next(self._revisions), PositionMapper(source_of(text, file), self.encoding)
        )
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

    def mapper(self, file: str) -> PositionMapper | None:
        """The position mapper of a file, open or on disk; None if it cannot be read."""
        if file in self._open:
            return self._open[file].mapper
        try:
            data = read_file(file, MAX_BYTES, named_in=os.path.dirname(file))
            return PositionMapper(read_source(data, file), self.encoding)
        except (OSError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class DisplayPaths:
    """Resolves the displayed paths in results of an analysis process."""

    documents: TextDocuments
    absolute_path: Callable[[str], str]

    def uri(self, path: str) -> str:
        """The URI of a path."""
        return self.documents.uri(self.absolute_path(path))

    def version(self, path: str) -> int | None:
        """The version of a path; None if it is not open."""
        opened = self.documents.of(self.absolute_path(path))
        return opened.version if opened else None

    def mapper(self, path: str) -> PositionMapper | None:
        """The position mapper of a path; None if it cannot be read."""
        return self.documents.mapper(self.absolute_path(path))
