"""workspace/diagnostic: diagnostics of files that are not open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from trialrun.lsp.ipc.messages import InternalError, ServerCancelled
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor
from trialrun.lsp.server import types
from trialrun.lsp.server.publish_diagnostics import DiagnosticPublisher, DiagnosticReport, Items, Push, result_id

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.lsp.server.text_documents import TextDocuments
    from trialrun.lsp.server.workspace_folders import WorkspaceFolders

QUIET_PERIOD = 1.0
"""Seconds without changes before the diagnostics of a whole workspace are collected."""
Convert = Callable[[AnalysisSupervisor, str, Iterable["Diagnostic"]], Items]


class WorkspaceDiagnostics:
    """Collects the diagnostics of the workspaces in quiet periods, as long as somebody wants them.

    Either the client requests them, and its request waits until they change, or they are pushed. Files without
    diagnostics are omitted. `enabled` is the option of the user; None means that the client decides by requesting them.
    """

    def __init__(
        self,
        documents: TextDocuments,
        folders: WorkspaceFolders,
        publisher: DiagnosticPublisher,
        *,
        push: Push,
        convert: Convert,
    ) -> None:
        self.enabled: bool | None = None
        self._documents = documents
        self._folders = folders
        self._publisher = publisher
        self._push = push
        self._convert = convert
        self._reports: dict[str, DiagnosticReport] = {}
        self._pushed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._collecting: asyncio.Task[None] | None = None
        self._is_collected = False
        self._is_requested = False
        self._has_responded = False
        self._changed = asyncio.Event()

    @property
    def is_pushed(self) -> bool:
        """Whether the user wants them pushed, and the client does not request them."""
        return self.enabled is True and not self._publisher.is_pulled

    @property
    def is_wanted(self) -> bool:
        """Whether the client has requested them, or the user wants them pushed."""
        return self.is_pushed or self._is_requested

    def schedule(self) -> None:
        """Something has changed: collect after a quiet period."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(QUIET_PERIOD, self._start)

    async def pull(self, previous: Mapping[str, str]) -> list[types.WorkspaceDocumentDiagnosticReport]:
        """Wait for reports that differ from the client's previous result ids."""
        self._is_requested = True
        if not self._is_collected:
            self.schedule()
        while not self._is_collected:
            await self._changed.wait()
        while not (reports := self._new_reports(previous)) and self._has_responded:
            await self._changed.wait()
        self._has_responded = True
        return reports

    def wake(self) -> None:
        """The options changed: waiting requests check again."""
        if self.is_wanted:
            self.schedule()
        if self.enabled is not True:
            self._retract(set(self._pushed))
        self._notify()

    def forget(self, file: str) -> None:
        """A file was opened: its diagnostics are those of the document."""
        self._pushed.discard(self._documents.uris.uri(file))

    def _start(self) -> None:
        if self._collecting is None or self._collecting.done():
            self._collecting = asyncio.ensure_future(self._collect())
        else:
            self.schedule()

    async def _collect(self) -> None:
        reports: dict[str, DiagnosticReport] = {}
        for supervisor in self._folders.all():
            for path, diagnostics in (await self._request(supervisor)).items():
                file = supervisor.absolute_path(path)
                if diagnostics and self._folders.of(file) is supervisor:
                    items = self._convert(supervisor, file, diagnostics)
                    reports[file] = DiagnosticReport(0, items, result_id(items))
                    await asyncio.sleep(0)  # let messages of the client be handled in between
        self._reports, self._is_collected = reports, True
        self._notify()
        if self.is_pushed:
            self._push_all()

    async def _request(self, supervisor: AnalysisSupervisor) -> Mapping[str, tuple[Diagnostic, ...]]:
        """The diagnostics of a workspace; none if its process restarts, which triggers another collection."""
        try:
            diagnostics: Mapping[str, tuple[Diagnostic, ...]] = await asyncio.wrap_future(
                supervisor.request("workspace_diagnostics", supervisor.absolute_path(""))
            )
        except (InternalError, ServerCancelled):
            return {}
        return diagnostics

    def _new_reports(self, previous: Mapping[str, str]) -> list[types.WorkspaceDocumentDiagnosticReport]:
        reports = {} if self.enabled is False else self._reports
        documents = self._documents
        by_uri = {documents.uri(file): report for file, report in reports.items() if documents.of(file) is None}
        return [
            types.WorkspaceDocumentDiagnosticReport(
                uri=uri,
                items=by_uri[uri].items if uri in by_uri else (),
                result_id=by_uri[uri].result_id if uri in by_uri else None,
            )
            for uri in dict.fromkeys([*by_uri, *previous])
            if self._is_new(uri, by_uri.get(uri), previous.get(uri))
        ]

    def _is_new(self, uri: str, report: DiagnosticReport | None, previous: str | None) -> bool:
        """Whether the client has other diagnostics of a file; those of open documents are requested separately."""
        if self._documents.at(uri) is not None:
            return False
        return (report.result_id if report else None) != previous

    def _push_all(self) -> None:
        documents = self._documents
        items_by_uri: dict[str, Items] = {
            documents.uri(file): report.items for file, report in self._reports.items() if documents.of(file) is None
        }
        self._retract({uri for uri in self._pushed - items_by_uri.keys() if documents.at(uri) is None})
        for uri, items in items_by_uri.items():
            self._push(types.PublishDiagnosticsParams(uri, items))
        self._pushed = set(items_by_uri)

    def _retract(self, uris: set[str]) -> None:
        for uri in sorted(uris):
            self._push(types.PublishDiagnosticsParams(uri, ()))
        self._pushed -= uris

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
