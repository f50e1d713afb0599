"""The questions that wait for an answer."""

from __future__ import annotations

import threading
from concurrent.futures import Future, InvalidStateError
from typing import Any

from trialrun.lsp.ipc.messages import Gone


class Asked:
    """The futures of questions by number; a cancelled one takes no answer."""

    def __init__(self) -> None:
        self._futures: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()

    def future(self, number: int) -> Future[Any]:
        """The future of a new question."""
        future: Future[Any] = Future()
        with self._lock:
            self._futures[number] = future
        future.add_done_callback(lambda _: self._taken(number))
        return future

    def answer(self, number: int, value: object) -> None:
        """A question has its answer."""
        future = self._taken(number)
        try:
            if future is not None:
                future.set_result(value)
        except InvalidStateError:
            return

    def refuse(self, number: int, error: Exception) -> None:
        """A question has none."""
        future = self._taken(number)
        try:
            if future is not None:
                future.set_exception(error)
        except InvalidStateError:
            return

    @property
    def is_waiting(self) -> bool:
        """Whether there is a question without an answer."""
        return bool(self._futures)

    def give_up(self) -> None:
        """No question so far will have an answer."""
        with self._lock:
            numbers = list(self._futures)
        for number in numbers:
            self.refuse(number, Gone("the office ended before it could answer; ask again"))

    def _taken(self, number: int) -> Future[Any] | None:
        with self._lock:
            return self._futures.pop(number, None)
