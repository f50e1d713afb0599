"""Findings on their way to the client: pushed, or kept for a client that asks."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence

from lsprotocol import types

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.server.text_documents import OpenFile, OpenFiles

Push = Callable[[types.PublishDiagnosticsParams], None]
Items = tuple[types.Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """The findings of a revision of a text, in the words of the protocol; equal ones have an equal `result`."""

    revision: int
    items: Items
    result: str


class Publishing:
    """Findings are pushed until the client asks for some; from then on it is only told when it should ask again."""

    def __init__(self, files: OpenFiles, *, push: Push, refresh: Callable[[], None]) -> None:
        self._files = files
        self._push = push
        self._refresh = refresh
        self.is_asked = False
        self._known: dict[str, Known] = {}
        self._pushed: set[str] = set()
        self._given: dict[str, Known] = {}
        self._news = asyncio.Event()

    def take(self, opened: OpenFile, items: Items) -> None:
        """The findings of an open file as it is now."""
        known = Known(opened.revision, items, result_of(items))
        self._known[opened.file] = known
        self._tell_waiting()
        if not self.is_asked:
            self._pushed.add(opened.uri)
            self._push(types.PublishDiagnosticsParams(opened.uri, items, opened.version))
        elif (given := self._given.get(opened.file)) and given.revision == known.revision and given != known:
            self._refresh()

    def forget(self, closed: OpenFile) -> None:
        """A file is open no more: the client shows none of its findings."""
        self._known.pop(closed.file, None)
        self._given.pop(closed.file, None)
        self._tell_waiting()
        self._retract(closed.uri)

    async def asked(self, uri: str) -> Known | None:
        """The findings of an open text as it is now, once there are any; None for a file that is not open."""
        self.fall_silent()
        while (opened := self._files.at(uri)) is not None:
            known = self._known.get(opened.file)
            if known is not None and known.revision == opened.revision:
                self._given[opened.file] = known
                return known
            await self._news.wait()
        return None

    def fall_silent(self) -> None:
        """The client asks: nothing is pushed any more, and what was is taken back."""
        if not self.is_asked:
            self.is_asked = True
            for pushed in sorted(self._pushed):
                self._retract(pushed)

    def _retract(self, uri: str) -> None:
        if uri in self._pushed:
            self._pushed.discard(uri)
            self._push(types.PublishDiagnosticsParams(uri, ()))

    def _tell_waiting(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def result_of(items: Sequence[types.Diagnostic]) -> str:
    """A name for findings, by which a client says that it has them already."""
    return hashlib.sha256(repr(items).encode("utf-8", "surrogatepass")).hexdigest()[:16]
