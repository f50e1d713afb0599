"""Findings on their way to the client: pushed, or kept for a client that asks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from lsprotocol import types

from trialrun.lsp.convert import diagnostic_of
from trialrun.lsp.message import Findings
from trialrun.lsp.open_files import OpenFile, OpenFiles
from trialrun.record import dataclass

Push = Callable[[types.PublishDiagnosticsParams], None]


@dataclass(frozen=True, slots=True)
class Known:
    """The findings of a version of a text, in the words of the protocol."""

    version: int
    items: tuple[types.Diagnostic, ...]


class Publishing:
    """Findings are pushed until the client asks for some; from then on it is only told when it should ask again."""

    def __init__(self, files: OpenFiles, *, push: Push, refresh: Callable[[], None]) -> None:
        self._files = files
        self._push = push
        self._refresh = refresh
        self._is_asked = False
        self._known: dict[str, Known] = {}
        self._pushed: set[str] = set()
        self._given: dict[str, Known] = {}
        self._news = asyncio.Event()

    def take(self, findings: Findings) -> None:
        """Take findings in; those of a text that has changed since are passed over, as others follow."""
        opened = self._files.of(findings.file)
        if opened is None or opened.version != findings.version:
            return
        known = Known(opened.version, self._converted(opened, findings))
        self._known[opened.file] = known
        self._tell_waiting()
        if not self._is_asked:
            self._pushed.add(opened.uri)
            self._push(types.PublishDiagnosticsParams(opened.uri, known.items, opened.version))
        elif (given := self._given.get(opened.file)) and given.version == known.version and given != known:
            self._refresh()

    def forget(self, closed: OpenFile) -> None:
        """A file is open no more: the client shows none of its findings."""
        self._known.pop(closed.file, None)
        self._given.pop(closed.file, None)
        self._tell_waiting()
        self._retract(closed.uri)

    async def asked(self, uri: str) -> Sequence[types.Diagnostic]:
        """The findings of the text as it is now, once there are any; none of a file that is not open."""
        if not self._is_asked:
            self._is_asked = True
            for pushed in sorted(self._pushed):
                self._retract(pushed)
        while (opened := self._files.at(uri)) is not None:
            known = self._known.get(opened.file)
            if known is not None and known.version == opened.version:
                self._given[opened.file] = known
                return known.items
            await self._news.wait()
        return ()

    def _converted(self, opened: OpenFile, findings: Findings) -> tuple[types.Diagnostic, ...]:
        files = self._files
        return tuple(diagnostic_of(one, opened.counted, files.counted, files.uri) for one in findings.diagnostics)

    def _retract(self, uri: str) -> None:
        if uri in self._pushed:
            self._pushed.discard(uri)
            self._push(types.PublishDiagnosticsParams(uri, ()))

    def _tell_waiting(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
