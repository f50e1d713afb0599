"""The files that the client has open, as it has them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count

from trialrun.guarded_path import read_file
from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.server.position_encoding import Counted, Encoding, text_of
from trialrun.lsp.uris import Addresses
from trialrun.parser import source
from trialrun.parser.limits import MAX_BYTES


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A text of the client. `uri` is the address and `version` the number that the client has for it.

    No two texts have the same `revision`: clients count anew when a file is opened again, and some count wrong.
    """

    uri: str
    file: str
    version: int
    revision: int
    counted: Counted

    @property
    def data(self) -> bytes:
        """The text as a file would have it."""
        return self.counted.source.written.encode("utf-8", "surrogatepass")


class OpenFiles:
    """What is open, by absolute path."""

    def __init__(self, addresses: Addresses) -> None:
        self.encoding: Encoding = "utf-16"
        self.addresses = addresses
        self._revisions = count(1)
        self._open: dict[str, OpenFile] = {}
        self._named: dict[str, str] = {}

    def __iter__(self) -> Iterator[OpenFile]:
        return iter([*self._open.values()])

    def put(self, uri: str, version: int, text: str, language: str = "") -> OpenFile | None:
        """Take a whole text; None for an address that is not that of a file or of a text that becomes one."""
        file = self._named.get(uri) or self.addresses.file(uri, language)
        if file is None:
            return None
        self._named[uri] = file
        opened = OpenFile(uri, file, version, next(self._revisions), Counted(text_of(text, file), self.encoding))
        self._open[file] = opened
        return opened

    def at(self, uri: str) -> OpenFile | None:
        """The open file of an address, however it is written."""
        file = self._named.get(uri) or self.addresses.file(uri)
        return None if file is None else self._open.get(file)

    def of(self, file: str) -> OpenFile | None:
        """The open file of an absolute path."""
        return self._open.get(file)

    def close(self, uri: str) -> OpenFile | None:
        """Forget a file."""
        closed = self.at(uri)
        if closed is not None:
            del self._open[closed.file]
            self._named = {written: file for written, file in self._named.items() if file != closed.file}
        return closed

    def uri(self, file: str) -> str:
        """The address of an absolute path: as the client writes it, where it has the file open."""
        opened = self._open.get(file)
        return opened.uri if opened else self.addresses.uri(file)

    def counted(self, file: str) -> Counted | None:
        """The text of an absolute path, of the client or on disk; None where there is none any more."""
        if file in self._open:
            return self._open[file].counted
        try:
            data = read_file(file, MAX_BYTES, named_in=os.path.dirname(file))
            return Counted(source(data, file), self.encoding)
        except (OSError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class Shown:
    """The files as an office shows them: `file_of` gives the absolute path of a path in its answers."""

    files: OpenFiles
    file_of: Callable[[str], str]

    def uri(self, path: str) -> str:
        """The address of a path."""
        return self.files.uri(self.file_of(path))

    def version(self, path: str) -> int | None:
        """The version of a path, None where the client does not have it open."""
        opened = self.files.of(self.file_of(path))
        return opened.version if opened else None

    def counted(self, path: str) -> Counted | None:
        """The text of a path, None where there is none any more."""
        return self.files.counted(self.file_of(path))
