"""State of the session with one client, which the handlers of requests and notifications take."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from trialrun.diagnostic import Diagnostic
from trialrun.lsp.analysis.folder_analysis import FolderAnalysis, MessageSeverity
from trialrun.lsp.analysis.options import Options
from trialrun.lsp.analysis.scheduling import BackgroundTask
from trialrun.lsp.server.client import Ability, ClientOptions
from trialrun.lsp.server.diagnostics import (
    DiagnosticPublisher,
    Items,
    RuleDocsFiles,
    WorkspaceDiagnostics,
    protocol_diagnostic,
)
from trialrun.lsp.server.json_rpc import Connection, Json
from trialrun.lsp.server.text_documents import TextDocument, TextDocuments
from trialrun.lsp.server.workspace_folders import WorkspaceFolders

MESSAGE_TYPES: Final = {"error": 1, "warning": 2, "note": 3}


class Session:
    """One client: its capabilities, options, open documents and folders; `client` sends to it.

    `completed_uri` is the document of the latest list of completions, `request_id` that of the request in hand.
    """

    def __init__(self, client: Connection, options: Options) -> None:
        self.client = client
        self.folders = WorkspaceFolders(options, self)
        self.cache_allowed = options.cache
        self.options = ClientOptions()
        self.invalid_options: frozenset[str] = frozenset()
        self.capabilities = frozenset[Ability]()
        self.documents = TextDocuments()
        self.completed_uri: str | None = None
        self.request_id: Json = None
        self.rule_docs = RuleDocsFiles()
        self.progress = WorkDoneProgress(client)
        self.publisher = DiagnosticPublisher(self.documents, client)
        self.workspace_diagnostics = WorkspaceDiagnostics(
            self.documents, self.folders, self.publisher, self.convert_diagnostics
        )
        self.refresher = Refresher(self.documents, self.folders.of, client)
        self.is_restarted = False
        self._shown: set[str] = set()

    @property
    def background(self) -> tuple[BackgroundTask, ...]:
        """What is done in small steps when nothing else is left."""
        return self.rule_docs.writing, self.workspace_diagnostics.collecting, self.refresher.comparing

    # ---- for the analyses

    def publish(self, analysis: FolderAnalysis, file: str, revision: int, found: Sequence[Diagnostic]) -> None:
        """Publish the diagnostics of a document if it has not changed since."""
        document = self.documents.of(file)
        if document is not None and document.revision == revision:
            self.publisher.publish(document, self.convert_diagnostics(analysis, file, found))

    def show_message(self, severity: MessageSeverity | None, message: str) -> None:
        """Show the user a message, the same one only once until its problem is fixed."""
        if severity is None:
            self._shown.discard(message)
        elif message not in self._shown:
            self._shown.add(message)
            self.client.notify("window/showMessage", {"type": MESSAGE_TYPES[severity], "message": message})

    def report_progress(self, analysis: FolderAnalysis, remaining_files: int) -> None:
        """Show how many files are left; at the end, what depends on all of them is compared."""
        if "shows_progress" in self.capabilities:
            self.progress.report(analysis, remaining_files)
        if remaining_files == 0:
            self.refresher.schedule()
            if self.workspace_diagnostics.is_wanted:
                self.workspace_diagnostics.schedule()

    def report_work(self, folder: str, file: str | None, revision: int | None, rule: str | None) -> None:
        """Tell the guard what is worked on."""
        document = None if file is None or revision is None else self.documents.of(file)
        work = None
        if file is not None or rule is not None:
            uri = document.uri if document else None
            work = {"folder": folder, "file": file, "uri": uri, "revision": revision, "rule": rule}
        self.client.report_work(work)

    def is_waiting(self) -> bool:
        """Whether a message waits."""
        return not self.client.is_empty

    def has_newer_text(self, file: str) -> bool:
        """Whether a newer text of a document waits, or its close."""
        document = self.documents.of(file)
        return document is not None and self.client.has_newer_text(document.uri)

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the request in hand any more."""
        return self.request_id is not None and not self.client.is_unanswered(self.request_id)

    # ----

    def documents_of(self, analysis: FolderAnalysis, *, creates: bool = False) -> Callable[[str], TextDocument | None]:
        """The documents of an answer by the paths that its analysis shows, each read once; None for one that is gone.

        Where the answer creates files, an empty one.
        """
        return cache(lambda path: self.documents.read(analysis.absolute_path(path), creates=creates))

    def convert_diagnostics(self, analysis: FolderAnalysis, file: str, diagnostics: Iterable[Diagnostic]) -> Items:
        """Diagnostics of a file as the protocol has them; none if the file is gone."""
        document, document_of = self.documents.read(file), self.documents_of(analysis)
        if document is None:
            return ()

        def link(rule: str) -> str | None:
            return self.rule_docs.link(analysis, file, rule) if "links" in self.capabilities else None

        return tuple(protocol_diagnostic(item, document, document_of, link(item.rule)) for item in diagnostics)


MIN_FILES = 50
"""Remaining files from which progress is shown: fewer are linted in no time."""


@dataclass
class ProgressBar:
    """What the client shows; `total` is the largest number of remaining files."""

    token: str
    total: int
    has_begun: bool = False


class WorkDoneProgress:
    """$/progress: how far the linting of a workspace is; a bar for each analysis that has much to lint."""

    def __init__(self, client: Connection) -> None:
        self._client = client
        self._bars: dict[FolderAnalysis, ProgressBar] = {}
        self._tokens = 0

    def report(self, analysis: FolderAnalysis, remaining_files: int) -> None:
        """An analysis has so many files left."""
        bar = self._bars.get(analysis)
        if bar is None and remaining_files >= MIN_FILES:
            self._create(analysis, remaining_files)
        elif bar is not None and remaining_files == 0:
            del self._bars[analysis]
            if bar.has_begun:
                self._tell(bar, "end")
        elif bar is not None and bar.has_begun:
            bar.total = max(bar.total, remaining_files)
            done = bar.total - remaining_files
            self._tell(bar, "report", message=f"{done} of {bar.total} files", percentage=100 * done // bar.total)

    def _create(self, analysis: FolderAnalysis, total: int) -> None:
        self._tokens += 1
        bar = self._bars[analysis] = ProgressBar(f"trialrun-{os.getpid()}-{self._tokens}", total)

        def begin(_: Json) -> None:
            """The client has created the bar, possibly after the work is done."""
            if self._bars.get(analysis) is bar:
                bar.has_begun = True
                self._tell(bar, "begin", title="trialrun", cancellable=False, message="linting", percentage=0)

        self._client.request("window/workDoneProgress/create", {"token": bar.token}, begin)

    def _tell(self, bar: ProgressBar, kind: str, **fields: Any) -> None:
        self._client.notify("$/progress", {"token": bar.token, "value": {"kind": kind, **fields}})


PastResult = tuple[int, tuple[Any, ...], Any]
"""The revision of the document of a request, its arguments, and its result."""
QUIET_PERIOD = 0.5
"""Seconds in which nothing is done, before results are compared."""
INTERVAL = 60.0
"""Seconds between comparisons, as results change with the time."""
PROOF_INTERVAL = 1.0
"""Seconds between comparisons while something is being proved that a lens will say."""
REFRESHES: Final = {"inlay_hint": "workspace/inlayHint/refresh", "code_lens": "workspace/codeLens/refresh"}
"""The requests by which the client is asked to request something again."""


class Refresher:
    """Repeats past requests for inlay hints and code lenses in quiet periods; if a result differs, asks for a refresh.

    `features` are those that the client can be asked to refresh.
    """

    def __init__(
        self, documents: TextDocuments, analysis_of: Callable[[str], FolderAnalysis], client: Connection
    ) -> None:
        self.features: tuple[str, ...] = ()
        self._documents = documents
        self._analysis_of = analysis_of
        self._client = client
        self._results: dict[tuple[str, str], PastResult] = {}
        self.comparing = BackgroundTask(self._compare)

    def record(self, feature: str, document: TextDocument, arguments: tuple[Any, ...], result: Any) -> None:
        """Record the result of a request."""
        if feature in self.features:
            self._results[feature, document.file] = document.revision, arguments, result
            if self.comparing.is_idle or self._interval < INTERVAL:
                self.comparing.schedule(self._interval)

    @property
    def _interval(self) -> float:
        if not any(feature == "code_lens" for feature, _ in self._results):
            return INTERVAL
        from trialrun.lsp.describe.proofs import is_proving  # heavy, and imported by the lenses

        return PROOF_INTERVAL if is_proving() else INTERVAL

    def forget(self, file: str) -> None:
        """A document was closed."""
        for feature in self.features:
            self._results.pop((feature, file), None)

    def schedule(self) -> None:
        """Something has changed: compare after a quiet period."""
        if self._results:
            self.comparing.schedule(QUIET_PERIOD)

    def refresh(self, features: Iterable[str]) -> None:
        """Ask the client to refresh."""
        for feature in features:
            self._client.request(REFRESHES[feature])

    def _compare(self) -> Iterator[None]:
        """Repeat the requests one by one, so that a request of the user waits for at most one of them."""
        changed: set[str] = set()
        interval = self._interval  # of before, since what ends meanwhile is seen in the next comparison
        for (feature, file), (revision, arguments, result) in [*self._results.items()]:
            document = self._documents.of(file)
            if feature in changed or document is None or document.revision != revision:
                continue
            repeated = self._analysis_of(file).result(feature, file, *arguments)
            if repeated is not None and repeated != result:
                changed.add(feature)
                self.refresh([feature])
            yield
        self.comparing.schedule(interval)
