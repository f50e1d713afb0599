"""State of the session with one client, which the handlers of requests and notifications take."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from trialrun.diagnostic import Diagnostic
from trialrun.lsp.ipc.messages import ClearMessage, Diagnostics, ForClient, Progress, ShowMessage
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor
from trialrun.lsp.server import kinds, types
from trialrun.lsp.server.capabilities import client_capabilities
from trialrun.lsp.server.client_options import ClientOptions
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.publish_diagnostics import DiagnosticPublisher, Items
from trialrun.lsp.server.refresh import Refresher
from trialrun.lsp.server.rule_docs_files import RuleDocsFiles
from trialrun.lsp.server.text_documents import DisplayPaths, TextDocuments
from trialrun.lsp.server.to_proto import diagnostic_of
from trialrun.lsp.server.work_done_progress import WorkDoneProgress
from trialrun.lsp.server.workspace_diagnostics import WorkspaceDiagnostics
from trialrun.lsp.server.workspace_folders import WorkspaceFolders
from trialrun.lsp.uris import UriMapper

MESSAGE_TYPES = {
    "error": kinds.MessageType.Error,
    "warning": kinds.MessageType.Warning,
    "note": kinds.MessageType.Info,
}


class Session:
    """One client: its capabilities, options, open documents and folders; `client` sends to it."""

    def __init__(self, client: Connection, folders: WorkspaceFolders) -> None:
        self.client = client
        self.folders = folders
        self.cache_allowed = folders.options.cache
        self.options = ClientOptions()
        self.invalid_options: frozenset[str] = frozenset()
        self.capabilities = client_capabilities({})
        self.documents = TextDocuments(UriMapper())
        self.rule_docs = RuleDocsFiles()
        self.progress = WorkDoneProgress(client)
        self.publisher = DiagnosticPublisher(self.documents, push=self._push, refresh=self._refresh)
        self.workspace_diagnostics = WorkspaceDiagnostics(
            self.documents, folders, self.publisher, push=self._push, convert=self.convert_diagnostics
        )
        self.refresher = Refresher(self.documents, folders.of)
        self.is_shut_down = False
        self._shown: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def receive(self, number: int, message: ForClient) -> None:
        """Handle a message from the analysis process of a number, in the thread of the event loop."""
        supervisor = self.folders.numbered(number)
        match message:
            case _ if supervisor is None:
                return
            case ShowMessage():
                self.show_message(message)
            case ClearMessage(text):
                self.clear_message(text)
            case Progress(remaining_files):
                self._report_progress(number, remaining_files)
            case Diagnostics(file, revision, diagnostics):
                document = self.documents.of(file)
                if document is not None and document.revision == revision:
                    self.publisher.publish(document, self.convert_diagnostics(supervisor, file, diagnostics))

    def _report_progress(self, number: int, remaining_files: int) -> None:
        if self.capabilities.shows_progress:
            self.progress.report(number, remaining_files)
        if remaining_files == 0:
            self.refresher.schedule()
            if self.workspace_diagnostics.is_wanted:
                self.workspace_diagnostics.schedule()

    def show_message(self, message: ShowMessage) -> None:
        """Show the user a message, the same one only once until it is cleared."""
        if message.message not in self._shown:
            self._shown.add(message.message)
            shown = types.ShowMessageParams(MESSAGE_TYPES[message.severity], message.message)
            self.client.notify("window/showMessage", shown)

    def clear_message(self, message: str) -> None:
        """The problem of a message is fixed: if it comes back, the message is shown again."""
        self._shown.discard(message)

    def run_in_background(self, task: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine that nobody waits for."""
        running = asyncio.ensure_future(task)
        self._tasks.add(running)
        running.add_done_callback(self._tasks.discard)

    def convert_diagnostics(
        self, supervisor: AnalysisSupervisor, file: str, diagnostics: Iterable[Diagnostic]
    ) -> Items:
        """Diagnostics of a file in the types of the protocol; none if the file is gone."""
        mapper = self.documents.mapper(file)
        if mapper is None:
            return ()
        paths = DisplayPaths(self.documents, supervisor.absolute_path)
        return tuple(
            diagnostic_of(diagnostic, mapper, paths, self._rule_link(supervisor, file, diagnostic.rule))
            for diagnostic in diagnostics
        )

    def _rule_link(self, supervisor: AnalysisSupervisor, file: str, rule: str) -> str | None:
        return self.rule_docs.link(supervisor, file, rule) if self.capabilities.links else None

    def _push(self, params: types.PublishDiagnosticsParams) -> None:
        self.client.notify("textDocument/publishDiagnostics", params)

    def _refresh(self) -> None:
        self.client.request("workspace/diagnostic/refresh")
