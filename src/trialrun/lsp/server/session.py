"""State of the session with one client, which the handlers of requests and notifications take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Final

from trialrun.diagnostic import Diagnostic
from trialrun.lsp.ipc.messages import Diagnostics, ForClient, Progress, ShowMessage
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor
from trialrun.lsp.server.client import Ability, ClientOptions
from trialrun.lsp.server.diagnostics import (
    DiagnosticPublisher,
    Items,
    RuleDocsFiles,
    WorkspaceDiagnostics,
    protocol_diagnostic,
)
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.text_documents import DisplayPaths, TextDocument, TextDocuments
from trialrun.lsp.server.workspace_folders import WorkspaceFolders
from trialrun.lsp.uris import UriMapper

MESSAGE_TYPES: Final = {"error": 1, "warning": 2, "note": 3}


class Session:
    """One client: its capabilities, options, open documents and folders; `client` sends to it.

    `completed_uri` is the document of the latest list of completions.
    """

    def __init__(self, client: Connection, folders: WorkspaceFolders) -> None:
        self.client = client
        self.folders = folders
        self.cache_allowed = folders.options.cache
        self.options = ClientOptions()
        self.invalid_options: frozenset[str] = frozenset()
        self.capabilities = frozenset[Ability]()
        self.documents = TextDocuments(UriMapper())
        self.completed_uri: str | None = None
        self.rule_docs = RuleDocsFiles()
        self.progress = WorkDoneProgress(client)
        self.publisher = DiagnosticPublisher(self.documents, client)
        self.workspace_diagnostics = WorkspaceDiagnostics(
            self.documents, folders, self.publisher, self.convert_diagnostics
        )
        self.refresher = Refresher(self.documents, folders.of, client)
        self.is_shut_down = False
        self._shown: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def receive(self, supervisor: AnalysisSupervisor, message: ForClient) -> None:
        """Handle a message from an analysis process, in the thread of the event loop."""
        match message:
            case _ if supervisor not in self.folders:
                return
            case ShowMessage():
                self.show_message(message)
            case Progress(remaining_files):
                if "shows_progress" in self.capabilities:
                    self.progress.report(supervisor, remaining_files)
                if remaining_files == 0:
                    self.refresher.schedule()
                    if self.workspace_diagnostics.is_wanted:
                        self.workspace_diagnostics.schedule()
            case Diagnostics(file, revision, diagnostics):
                document = self.documents.of(file)
                if document is not None and document.revision == revision:
                    self.publisher.publish(document, self.convert_diagnostics(supervisor, file, diagnostics))

    def show_message(self, message: ShowMessage) -> None:
        """Show the user a message, the same one only once until its problem is fixed."""
        if message.severity is None:
            self._shown.discard(message.message)
        elif message.message not in self._shown:
            self._shown.add(message.message)
            shown = {"type": MESSAGE_TYPES[message.severity], "message": message.message}
            self.client.notify("window/showMessage", shown)

    def run_in_background(self, task: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine that nobody waits for."""
        running = asyncio.ensure_future(task)
        self._tasks.add(running)
        running.add_done_callback(self._tasks.discard)

    def convert_diagnostics(
        self, supervisor: AnalysisSupervisor, file: str, diagnostics: Iterable[Diagnostic]
    ) -> Items:
        """Diagnostics of a file as the protocol has them; none if the file is gone."""
        mapper = self.documents.mapper(file)
        if mapper is None:
            return ()
        paths = DisplayPaths(self.documents, supervisor.absolute_path)

        def link(rule: str) -> str | None:
            return self.rule_docs.link(supervisor, file, rule) if "links" in self.capabilities else None

        return tuple(protocol_diagnostic(item, mapper, paths, link(item.rule)) for item in diagnostics)


MIN_FILES = 50
"""Remaining files from which progress is shown: fewer are linted in no time."""


@dataclass
class ProgressBar:
    """What the client shows; `total` is the largest number of remaining files."""

    token: str
    total: int
    has_begun: bool = False


class WorkDoneProgress:
    """$/progress: how far the linting of a workspace is; a bar for each analysis process that has much to lint."""

    def __init__(self, client: Connection) -> None:
        self._client = client
        self._bars: dict[AnalysisSupervisor, ProgressBar] = {}
        self._tokens = 0

    def report(self, supervisor: AnalysisSupervisor, remaining_files: int) -> None:
        """An analysis process has so many files left."""
        bar = self._bars.get(supervisor)
        if bar is None and remaining_files >= MIN_FILES:
            self._create(supervisor, remaining_files)
        elif bar is not None and remaining_files == 0:
            del self._bars[supervisor]
            if bar.has_begun:
                self._tell(bar, "end")
        elif bar is not None and bar.has_begun:
            bar.total = max(bar.total, remaining_files)
            done = bar.total - remaining_files
            self._tell(bar, "report", message=f"{done} of {bar.total} files", percentage=100 * done // bar.total)

    def _create(self, supervisor: AnalysisSupervisor, total: int) -> None:
        self._tokens += 1
        bar = self._bars[supervisor] = ProgressBar(f"trialrun-{self._tokens}", total)

        def begin(created: asyncio.Future[Any]) -> None:
            """The client has created the bar, possibly after the work is done."""
            if self._bars.get(supervisor) is bar and not created.cancelled() and created.exception() is None:
                bar.has_begun = True
                self._tell(bar, "begin", title="trialrun", cancellable=False, message="linting", percentage=0)

        self._client.request("window/workDoneProgress/create", {"token": bar.token}).add_done_callback(begin)

    def _tell(self, bar: ProgressBar, kind: str, **fields: Any) -> None:
        self._client.notify("$/progress", {"token": bar.token, "value": {"kind": kind, **fields}})


PastResult = tuple[int, tuple[Any, ...], Any]
"""The revision of the document of a request, its arguments, and its result."""
QUIET_PERIOD = 0.5
"""Seconds in which an analysis process is idle, before results are compared."""
INTERVAL = 60.0
"""Seconds between comparisons, as results change with the time."""
REFRESHES: Final = {"inlay_hint": "workspace/inlayHint/refresh", "code_lens": "workspace/codeLens/refresh"}
"""The requests by which the client is asked to request something again."""


class Refresher:
    """Repeats past requests for inlay hints and code lenses in quiet periods; if a result differs, asks for a refresh.

    `features` are those that the client can be asked to refresh.
    """

    def __init__(
        self, documents: TextDocuments, supervisor_of: Callable[[str], AnalysisSupervisor], client: Connection
    ) -> None:
        self.features: tuple[str, ...] = ()
        self._documents = documents
        self._supervisor_of = supervisor_of
        self._client = client
        self._results: dict[tuple[str, str], PastResult] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._comparing: asyncio.Task[None] | None = None

    def record(self, feature: str, document: TextDocument, arguments: tuple[Any, ...], result: Any) -> None:
        """Record the result of a request."""
        if feature in self.features:
            self._results[feature, document.file] = document.revision, arguments, result
            if self._timer is None:
                self._schedule_in(INTERVAL)

    def forget(self, file: str) -> None:
        """A document was closed."""
        for feature in self.features:
            self._results.pop((feature, file), None)

    def schedule(self) -> None:
        """Something has changed: compare after a quiet period."""
        if self._results:
            self._schedule_in(QUIET_PERIOD)

    def refresh(self, features: Iterable[str]) -> None:
        """Ask the client to refresh."""
        for feature in features:
            self._client.request(REFRESHES[feature])

    def _schedule_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._start)

    def _start(self) -> None:
        if self._comparing is not None:
            self._comparing.cancel()
        self._comparing = asyncio.ensure_future(self._compare())
        self._schedule_in(INTERVAL)

    async def _compare(self) -> None:
        """Repeat the requests one by one, so that a request of the user waits for at most one of them."""
        changed: set[str] = set()
        for (feature, file), (revision, arguments, result) in [*self._results.items()]:
            document = self._documents.of(file)
            if feature in changed or document is None or document.revision != revision:
                continue
            repeated = await self._supervisor_of(file).result(feature, file, *arguments)
            if repeated is not None and repeated != result:
                changed.add(feature)
                self.refresh([feature])
