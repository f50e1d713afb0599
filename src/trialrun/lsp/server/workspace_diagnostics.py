"""Findings of files that the client does not have open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.ipc.messages import Fault, Gone
from trialrun.lsp.ipc.supervisor import Worker
from trialrun.lsp.server.publish_diagnostics import Items, Known, result_of

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.lsp.server.language_server import Server

QUIET = 1.0
"""Seconds in which nothing more is done, before a workspace is looked over as a whole."""
Found = Mapping[str, tuple["Diagnostic", ...]]


class Elsewhere:
    """Looks the workspaces over in quiet moments, as long as somebody wants to know.

    Either a client asks, and its question waits until there are news for it, or all is pushed. Files without findings
    are left out.
    """

    def __init__(self, server: Server, push: Callable[[types.PublishDiagnosticsParams], None]) -> None:
        self._server = server
        self._push = push
        self._known: dict[str, Known] = {}
        self._pushed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._looking: asyncio.Task[None] | None = None
        self._is_known = False
        self._has_asked = False
        self._has_answered = False
        self._news = asyncio.Event()

    @property
    def is_pushed(self) -> bool:
        """Whether the user wants it pushed, and the client does not ask."""
        return self._server.wishes.workspace_findings is True and not self._server.publishing.is_asked

    @property
    def is_wanted(self) -> bool:
        """Whether somebody has asked, or wants it pushed."""
        return self.is_pushed or self._has_asked

    def look(self) -> None:
        """Something has changed: look soon, unless more happens."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(QUIET, self._begin)

    async def asked(self, previous: Mapping[str, str]) -> list[types.WorkspaceDocumentDiagnosticReport]:
        """Reports of what is not as the client has it by the results of before, once there are any."""
        self._has_asked = True
        if not self._is_known:
            self.look()
        while not self._is_known:
            await self._news.wait()
        while not (reports := self._reports(previous)) and self._has_answered:
            await self._news.wait()
        self._has_answered = True
        return reports

    def wake(self) -> None:
        """The user wants something else: what waits looks again."""
        if self.is_wanted:
            self.look()
        if self._server.wishes.workspace_findings is not True:
            self._retract(set(self._pushed))
        self._tell()

    def forget(self, file: str) -> None:
        """A file was opened: its findings are told as those of a text."""
        uri = self._server.files.addresses.uri(file)
        self._pushed.discard(uri)

    def _begin(self) -> None:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())
        else:
            self.look()

    async def _look(self) -> None:
        known: dict[str, Known] = {}
        for worker in self._server.folders.all():
            for path, found in (await self._found(worker)).items():
                file = worker.file_of(path)
                if found and self._server.folders.of(file) is worker:
                    items = self._server.converted(worker, file, found)
                    known[file] = Known(0, items, result_of(items))
                    await asyncio.sleep(0)  # whatever the client says meanwhile is heard
        self._known, self._is_known = known, True
        self._tell()
        if self.is_pushed:
            self._push_all()

    async def _found(self, worker: Worker) -> Found:
        """What there is in a workspace; nothing where its office has to begin anew, which it tells when it is done."""
        try:
            found: Found = await asyncio.wrap_future(worker.ask("workspace_findings", worker.file_of("")))
        except (Fault, Gone):
            return {}
        return found

    def _reports(self, previous: Mapping[str, str]) -> list[types.WorkspaceDocumentDiagnosticReport]:
        files = self._server.files
        known = {} if self._server.wishes.workspace_findings is False else self._known
        now = {files.uri(file): of_file for file, of_file in known.items() if files.of(file) is None}
        return [
            types.WorkspaceFullDocumentDiagnosticReport(
                uri=uri, items=now[uri].items if uri in now else (), result_id=now[uri].result if uri in now else None
            )
            for uri in dict.fromkeys([*now, *previous])
            if self._is_news(uri, now.get(uri), previous.get(uri))
        ]

    def _is_news(self, uri: str, known: Known | None, previous: str | None) -> bool:
        """Whether the client has other findings; those of an open text are told when it asks about that."""
        if self._server.files.at(uri) is not None:
            return False
        return (known.result if known else None) != previous

    def _push_all(self) -> None:
        files = self._server.files
        now: dict[str, Items] = {
            files.uri(file): known.items for file, known in self._known.items() if files.of(file) is None
        }
        self._retract({uri for uri in self._pushed - now.keys() if files.at(uri) is None})
        for uri, items in now.items():
            self._push(types.PublishDiagnosticsParams(uri, items))
        self._pushed = set(now)

    def _retract(self, uris: set[str]) -> None:
        for uri in sorted(uris):
            self._push(types.PublishDiagnosticsParams(uri, ()))
        self._pushed -= uris

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
