"""The files that the client has open, as it has them, and the addresses of files."""

from __future__ import annotations

import os
from collections.abc import Callable

from pygls.uris import from_fs_path, to_fs_path

from trialrun.lsp.places import Counted, Encoding, text_of
from trialrun.record import dataclass
from trialrun.tree import source


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A text of the client at a version; `uri` is the address as the client writes it."""

    uri: str
    file: str
    version: int
    counted: Counted

    @property
    def data(self) -> bytes:
        """The text as a file would have it."""
        return self.counted.source.written.encode("utf-8", "surrogatepass")


class OpenFiles:
    """What is open, by absolute path; `file_of` gives that of a path as findings show it."""

    def __init__(self, file_of: Callable[[str], str]) -> None:
        self.encoding: Encoding = "utf-16"
        self._file_of = file_of
        self._open: dict[str, OpenFile] = {}

    def put(self, uri: str, version: int, text: str) -> OpenFile | None:
        """Take a whole text; None for an address that is not that of a file."""
        file = file_at(uri)
        if file is None:
            return None
        opened = OpenFile(uri, file, version, Counted(text_of(text, file), self.encoding))
        self._open[file] = opened
        return opened

    def at(self, uri: str) -> OpenFile | None:
        """The open file of an address."""
        file = file_at(uri)
        return None if file is None else self._open.get(file)

    def of(self, file: str) -> OpenFile | None:
        """The open file of an absolute path."""
        return self._open.get(file)

    def close(self, uri: str) -> OpenFile | None:
        """Forget a file."""
        file = file_at(uri)
        return None if file is None else self._open.pop(file, None)

    def uri(self, path: str) -> str:
        """The address of a path that findings show: as the client writes it, where it has the file open."""
        file = self._file_of(path)
        opened = self._open.get(file)
        return opened.uri if opened else str(from_fs_path(file))

    def version(self, path: str) -> int | None:
        """The version of a path that findings show, None where the client does not have it open."""
        opened = self._open.get(self._file_of(path))
        return opened.version if opened else None

    def counted(self, path: str) -> Counted | None:
        """The text of a path that findings show, of the client or on disk; None where there is none any more."""
        file = self._file_of(path)
        if file in self._open:
            return self._open[file].counted
        try:
            with open(file, "rb") as stream:
                return Counted(source(stream.read(), path), self.encoding)
        except OSError:
            return None


def file_at(uri: str) -> str | None:
    """The absolute path of an address; None where it is not that of a file, as of a text that was never saved."""
    file = to_fs_path(uri)
    return os.path.normpath(file) if file else None
