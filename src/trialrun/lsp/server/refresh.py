"""What the client shows beside a text and has to ask for again, when another file or the clock changed it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from trialrun.lsp.ipc.messages import Fault, Gone
from trialrun.lsp.ipc.supervisor import Worker
from trialrun.lsp.server.text_documents import OpenFile, OpenFiles

Ask = Callable[[OpenFile], Worker]
Given = tuple[int, tuple[Any, ...], Any]
"""The revision of the text that a question was about, its further arguments, and the answer."""
QUIET = 0.5
"""Seconds in which nothing more is done in an office, before answers are compared."""
MINUTE = 60.0


class Refreshing:
    """Answers that were given are asked for again in quiet moments; where one differs, the client is told.

    `refreshes` are, by the name of a question, the deeds that tell the client.
    """

    def __init__(self, files: OpenFiles, worker_of: Callable[[str], Worker]) -> None:
        self.refreshes: Mapping[str, Callable[[], None]] = {}
        self._files = files
        self._worker_of = worker_of
        self._given: dict[tuple[str, str], Given] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._comparing: asyncio.Task[None] | None = None

    def note(self, name: str, opened: OpenFile, arguments: tuple[Any, ...], answer: Any) -> None:
        """A question about an open file got an answer."""
        if name in self.refreshes:
            self._given[name, opened.file] = opened.revision, arguments, answer
            if self._timer is None:
                self._in(MINUTE)

    def forget(self, file: str) -> None:
        """A file is open no more."""
        for name in self.refreshes:
            self._given.pop((name, file), None)

    def look(self) -> None:
        """Something has changed: compare soon, unless more happens."""
        if self._given:
            self._in(QUIET)

    def tell_all(self) -> None:
        """Let the client ask for everything again."""
        for refresh in self.refreshes.values():
            refresh()

    def _in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._begin)

    def _begin(self) -> None:
        if self._comparing is not None:
            self._comparing.cancel()
        self._comparing = asyncio.ensure_future(self._compare())
        self._in(MINUTE)

    async def _compare(self) -> None:
        """Ask one after the other, so that what a person asks for meanwhile waits for one of them at most."""
        changed: set[str] = set()
        for (name, file), (revision, arguments, answer) in [*self._given.items()]:
            opened = self._files.of(file)
            if name in changed or opened is None or opened.revision != revision:
                continue
            try:
                again = await asyncio.wrap_future(self._worker_of(file).ask(name, file, *arguments))
            except (Fault, Gone):
                continue
            if again != answer:
                changed.add(name)
                self.refreshes[name]()
