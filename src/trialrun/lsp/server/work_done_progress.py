"""$/progress: how far the linting of a workspace is, if the client shows progress."""

from __future__ import annotations

import asyncio
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.server import types
from trialrun.lsp.server.json_rpc import Connection

MIN_FILES = 50
"""Remaining files from which progress is shown: fewer are linted in no time."""


@dataclass
class ProgressBar:
    """What the client shows; `total` is the largest number of remaining files."""

    token: str
    total: int
    has_begun: bool = False
    is_over: bool = False


class WorkDoneProgress:
    """A progress bar for each analysis process that has much to lint."""

    def __init__(self, client: Connection) -> None:
        self._client = client
        self._bars: dict[int, ProgressBar] = {}
        self._tokens = 0

    def report(self, number: int, remaining_files: int) -> None:
        """The analysis process of a number has so many files left."""
        bar = self._bars.get(number)
        if bar is None and remaining_files >= MIN_FILES:
            self._create(number, remaining_files)
        elif bar is not None and remaining_files == 0:
            self._end(self._bars.pop(number))
        elif bar is not None and bar.has_begun:
            bar.total = max(bar.total, remaining_files)
            done = bar.total - remaining_files
            report = types.WorkDoneProgressReport(
                message=f"{done} of {bar.total} files", percentage=100 * done // bar.total
            )
            self._tell(bar, report)

    def _create(self, number: int, total: int) -> None:
        self._tokens += 1
        bar = self._bars[number] = ProgressBar(f"trialrun-{self._tokens}", total)
        created = self._client.request("window/workDoneProgress/create", {"token": bar.token})
        created.add_done_callback(lambda done: self._begin(bar, done))

    def _begin(self, bar: ProgressBar, created: asyncio.Future[Any]) -> None:
        """The client has created the bar, possibly after the work is done."""
        if not bar.is_over and not created.cancelled() and created.exception() is None:
            bar.has_begun = True
            begin = types.WorkDoneProgressBegin("trialrun", cancellable=False, percentage=0, message="linting")
            self._tell(bar, begin)

    def _end(self, bar: ProgressBar) -> None:
        bar.is_over = True
        if bar.has_begun:
            self._tell(bar, types.WorkDoneProgressEnd())

    def _tell(self, bar: ProgressBar, value: object) -> None:
        self._client.notify("$/progress", {"token": bar.token, "value": value})
