"""How far the linting of a workspace is, where the client shows such things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server

FEWEST = 50
"""Files that are left when it is worth while to show something: fewer are linted in no time."""


@dataclass
class Bar:
    """What the client shows: `most` is how many files were left at first."""

    token: str
    most: int
    has_begun: bool = False
    is_over: bool = False


class Progress:
    """A bar for each office that has much to do."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._shown: dict[int, Bar] = {}
        self._tokens = 0

    def take(self, number: int, left: int) -> None:
        """The office of a number has so many files left."""
        shown = self._shown.get(number)
        if shown is None and left >= FEWEST:
            self._create(number, left)
        elif shown is not None and left == 0:
            self._end(self._shown.pop(number))
        elif shown is not None and shown.has_begun:
            shown.most = max(shown.most, left)
            done = shown.most - left
            told = types.WorkDoneProgressReport(
                message=f"{done} of {shown.most} files", percentage=100 * done // shown.most
            )
            self._server.work_done_progress.report(shown.token, told)

    def _create(self, number: int, left: int) -> None:
        self._tokens += 1
        shown = self._shown[number] = Bar(f"trialrun-{self._tokens}", left)
        asked = types.WorkDoneProgressCreateParams(shown.token)
        self._server.window_work_done_progress_create(asked, lambda answer: self._begin(shown))

    def _begin(self, shown: Bar) -> None:
        """The client is ready to show it, which it may be when all is over."""
        if not shown.is_over:
            shown.has_begun = True
            told = types.WorkDoneProgressBegin("trialrun", cancellable=False, percentage=0, message="linting")
            self._server.work_done_progress.begin(shown.token, told)

    def _end(self, shown: Bar) -> None:
        shown.is_over = True
        if shown.has_begun:
            self._server.work_done_progress.end(shown.token, types.WorkDoneProgressEnd())
