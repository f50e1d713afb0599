"""Requests that wait for a response."""

from __future__ import annotations

import threading
from concurrent.futures import Future, InvalidStateError
from typing import Any

from trialrun.lsp.ipc.messages import ServerCancelled


class PendingRequests:
    """Futures of requests by id; a cancelled one ignores its response."""

    def __init__(self) -> None:
        self._futures: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()

    def create(self, request_id: int) -> Future[Any]:
        """The future of a new request."""
        create: Future[Any] = Future()
        with self._lock:
            self._futures[request_id] = create
        create.add_done_callback(lambda _: self._pop(request_id))
        return create

    def resolve(self, request_id: int, value: object) -> None:
        """Set the result of a request."""
        create = self._pop(request_id)
        try:
            if create is not None:
                create.set_result(value)
        except InvalidStateError:
            return

    def reject(self, request_id: int, error: Exception) -> None:
        """Set the error of a request."""
        create = self._pop(request_id)
        try:
            if create is not None:
                create.set_exception(error)
        except InvalidStateError:
            return

    @property
    def is_waiting(self) -> bool:
        """Whether a request has no response yet."""
        return bool(self._futures)

    def fail_all(self) -> None:
        """Fail every request so far."""
        with self._lock:
            request_ids = list(self._futures)
        for request_id in request_ids:
            self.reject(request_id, ServerCancelled("the office ended before it could answer; ask again"))

    def _pop(self, request_id: int) -> Future[Any] | None:
        with self._lock:
            return self._futures.pop(request_id, None)
