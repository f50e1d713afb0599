"""textDocument/publishDiagnostics: pushes diagnostics, or keeps them for a client that requests them."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.server import types
from trialrun.lsp.server.text_documents import TextDocument, TextDocuments

Push = Callable[[types.PublishDiagnosticsParams], None]
Items = tuple[types.Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class DiagnosticReport:
    """The diagnostics of a revision of a document; equal ones have an equal `result_id`."""

    revision: int
    items: Items
    result_id: str


class DiagnosticPublisher:
    """Pushes diagnostics until the client requests some; from then on it is only told when to request them again."""

    def __init__(self, documents: TextDocuments, *, push: Push, refresh: Callable[[], None]) -> None:
        self._documents = documents
        self._push = push
        self._refresh = refresh
        self.is_pulled = False
        self._reports: dict[str, DiagnosticReport] = {}
        self._pushed: set[str] = set()
        self._returned: dict[str, DiagnosticReport] = {}
        self._changed = asyncio.Event()

    def publish(self, document: TextDocument, items: Items) -> None:
        """Publish the diagnostics of a document as it is now."""
        report = DiagnosticReport(document.revision, items, result_id(items))
        self._reports[document.file] = report
        self._notify()
        if not self.is_pulled:
            self._pushed.add(document.uri)
            self._push(types.PublishDiagnosticsParams(document.uri, items, document.version))
            return
        returned = self._returned.get(document.file)
        if returned and returned.revision == report.revision and returned != report:
            self._refresh()

    def forget(self, closed: TextDocument) -> None:
        """A document was closed: the client shows no diagnostics of it."""
        self._reports.pop(closed.file, None)
        self._returned.pop(closed.file, None)
        self._notify()
        self._retract(closed.uri)

    async def pull(self, uri: str) -> DiagnosticReport | None:
        """Wait for the diagnostics of a document as it is now; None if it is not open."""
        self.stop_pushing()
        while (document := self._documents.at(uri)) is not None:
            report = self._reports.get(document.file)
            if report is not None and report.revision == document.revision:
                self._returned[document.file] = report
                return report
            await self._changed.wait()
        return None

    def stop_pushing(self) -> None:
        """The client requests diagnostics: stop pushing, and retract what was pushed."""
        if not self.is_pulled:
            self.is_pulled = True
            for pushed in sorted(self._pushed):
                self._retract(pushed)

    def _retract(self, uri: str) -> None:
        if uri in self._pushed:
            self._pushed.discard(uri)
            self._push(types.PublishDiagnosticsParams(uri, ()))

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def result_id(items: Sequence[types.Diagnostic]) -> str:
    """An id of diagnostics, by which a client says that it has them already."""
    return hashlib.sha256(repr(items).encode("utf-8", "surrogatepass")).hexdigest()[:16]
