"""workspace/*/refresh: asks the client to request inlay hints and code lenses again when they changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from trialrun.lsp.ipc.messages import InternalError, ServerCancelled
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor
from trialrun.lsp.server.text_documents import TextDocument, TextDocuments

PastResult = tuple[int, tuple[Any, ...], Any]
"""The revision of the document of a request, its arguments, and its result."""
QUIET_PERIOD = 0.5
"""Seconds in which an analysis process is idle, before results are compared."""
INTERVAL = 60.0
"""Seconds between comparisons, as results change with the time."""


class Refresher:
    """Repeats past requests in quiet periods; if a result differs, the client is asked to refresh.

    `refreshes` are the callbacks that ask the client, by feature.
    """

    def __init__(self, documents: TextDocuments, supervisor_of: Callable[[str], AnalysisSupervisor]) -> None:
        self.refreshes: Mapping[str, Callable[[], None]] = {}
        self._documents = documents
        self._supervisor_of = supervisor_of
        self._results: dict[tuple[str, str], PastResult] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._comparing: asyncio.Task[None] | None = None

    def record(self, feature: str, document: TextDocument, arguments: tuple[Any, ...], result: Any) -> None:
        """Record the result of a request."""
        if feature in self.refreshes:
            self._results[feature, document.file] = document.revision, arguments, result
            if self._timer is None:
                self._schedule_in(INTERVAL)

    def forget(self, file: str) -> None:
        """A document was closed."""
        for feature in self.refreshes:
            self._results.pop((feature, file), None)

    def schedule(self) -> None:
        """Something has changed: compare after a quiet period."""
        if self._results:
            self._schedule_in(QUIET_PERIOD)

    def refresh_all(self) -> None:
        """Ask the client to refresh everything."""
        for refresh in self.refreshes.values():
            refresh()

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
            try:
                repeated = await asyncio.wrap_future(self._supervisor_of(file).request(feature, file, *arguments))
            except (InternalError, ServerCancelled):
                continue
            if repeated != result:
                changed.add(feature)
                self.refreshes[feature]()
