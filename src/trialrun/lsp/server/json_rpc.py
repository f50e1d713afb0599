"""JSON-RPC with one client, over a stream each way: messages, requests and their responses in both directions.

The protocol library takes longer to import than linting the first file, and most of that time builds classes that are
never used. So its part is done here, and tests read and write with it.
"""

from __future__ import annotations

import json
import os
import threading
import traceback
from collections import deque
from collections.abc import Callable
from itertools import count
from typing import Any, BinaryIO, Final

from trialrun.lsp.frames import frame, messages

Json = Any
"""A value of JSON, as the client sent it."""
VERSION = "2.0"
GRACE = 1.0
"""Seconds in which the work in hand may end when the client has ended the session or has gone."""
LATER: Final = object()
"""What a handler returns that responds to its request later."""


PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_CANCELLED = -32800
CONTENT_MODIFIED = -32801
REQUEST_FAILED = -32803


class ResponseError(Exception):
    """Why a request has no result."""

    def __init__(self, message: str, code: int = INTERNAL_ERROR, data: Json = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    def to_json(self) -> dict[str, Json]:
        """The error of a response."""
        data = {} if self.data is None else {"data": self.data}
        return {"code": self.code, "message": str(self), **data}


class InvalidParams(ResponseError):
    """The parameters of a request are invalid."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Invalid Params: {reason}", INVALID_PARAMS)


Message = dict[str, Json]
CHANGES = frozenset({"textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"})
"""The notifications after which a document has another text."""


class Connection:
    """Sends messages, and queues those that a thread receives: `get` has the next one.

    The thread answers at once when a request is cancelled, or the client ends the session, and knows of newer texts
    while an older one is worked on.
    """

    def __init__(self, out: BinaryIO) -> None:
        self._out: BinaryIO | None = out
        self._lock = threading.Condition(threading.RLock())
        self._queue: deque[Message] = deque()
        self._has_ended = False
        self._unanswered: set[str | int] = set()
        self._sent: dict[str, Callable[[Json], object] | None] = {}
        self._ids = count(1)
        self._reported: object = None
        self.is_begun = False
        self.is_shut_down = False

    def receive(self, read: Callable[[int], bytes]) -> None:
        """Queue what is read until the client ends the session or has gone; then end the process before long."""
        for number, body in enumerate(messages(read), 1):
            self._take(body, number)
            if self._has_ended:
                break
        with self._lock:
            self._has_ended = True
            self._lock.notify()
            self._lock.wait(GRACE)
        os._exit(1)

    def get(self, timeout: float | None) -> Message | None:
        """The next message, waiting up to a timeout; None if there is none by then."""
        with self._lock:
            self._lock.wait_for(lambda: self._queue or self._has_ended, timeout)
            return self._queue.popleft() if self._queue else None

    @property
    def is_empty(self) -> bool:
        """Whether no message is queued."""
        return not self._queue

    @property
    def has_ended(self) -> bool:
        """Whether no further message will come."""
        return self._has_ended

    def has_newer_text(self, uri: str) -> bool:
        """Whether a message is queued after which a document has another text."""
        has_ended = self._has_ended or self.is_shut_down
        if not self._queue:
            return has_ended
        with self._lock:
            return has_ended or any(
                message.get("method") in CHANGES and _uri(message) == uri for message in self._queue
            )

    def is_unanswered(self, request_id: Json) -> bool:
        """Whether a request waits for its response."""
        return request_id in self._unanswered

    def shut_down(self, request_id: Json) -> None:
        """Respond to the request for it, and refuse all others: nobody waits for their results any more."""
        self.is_shut_down = True
        for other in self._unanswered - {request_id}:
            self._cancel({"id": other})
        self.respond(request_id, None)

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"jsonrpc": VERSION, "method": method, "params": params})

    def report_work(self, work: object) -> None:
        """Tell the guard what is worked on; None for nothing."""
        if work is not None or self._reported is not None:
            self._reported = work
            self.notify("trialrun/work", work)

    def request(self, method: str, params: object = None, then: Callable[[Json], object] | None = None) -> None:
        """Send a request; `then` is called with its result, unless it is refused."""
        request_id = f"trialrun-{os.getpid()}-{next(self._ids)}"
        self._sent[request_id] = then
        named = {} if params is None else {"params": params}
        self._send({"jsonrpc": VERSION, "id": request_id, "method": method, **named})

    def respond(self, request_id: Json, result: object) -> None:
        """Send the result of a request, unless it was cancelled."""
        if self._answers(request_id):
            self._send({"id": request_id, "jsonrpc": VERSION, "result": result})

    def refuse(self, request_id: Json, error: ResponseError) -> None:
        """Send why a request has no result, unless it was cancelled."""
        if request_id is None or self._answers(request_id):
            self._send({"id": request_id, "jsonrpc": VERSION, "error": error.to_json()})

    def handle_response(self, message: Message) -> None:
        """Hand the result of a request of ours over."""
        then = self._sent.pop(message["id"], None)
        if then is not None and not isinstance(message.get("error"), dict):
            then(message.get("result"))

    def _answers(self, request_id: Json) -> bool:
        with self._lock:
            is_unanswered = request_id in self._unanswered
            self._unanswered.discard(request_id)
            return is_unanswered

    def _send(self, message: dict[str, object]) -> None:
        data = frame(json.dumps(message).encode("ascii"))
        with self._lock:
            try:
                if self._out is not None:
                    self._out.write(data)
                    self._out.flush()
            except OSError:  # the client has gone
                self._out, self._has_ended = None, True

    def _take(self, body: bytes, number: int) -> None:
        """Queue a message with its number; what is none is passed over."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as error:
            self.refuse(None, ResponseError(str(error), PARSE_ERROR))
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != VERSION:
            return
        method, request_id = message.get("method"), message.get("id")
        if "id" in message and not isinstance(request_id, str | int):
            self.refuse(None, ResponseError("the id of a request is a string or a number", INVALID_REQUEST))
        elif method == "$/cancelRequest" and "id" not in message:
            self._cancel(message.get("params"))
        else:
            with self._lock:
                if "id" in message and "method" in message:
                    self._unanswered.add(message["id"])
                if method == "shutdown" and self.is_begun and not self.is_shut_down:
                    self.shut_down(request_id)
                    return
                self._queue.append({**message, "number": number})
                self._has_ended |= method == "exit"
                self._lock.notify()

    def _cancel(self, params: Json) -> None:
        request_id = params.get("id") if isinstance(params, dict) else None
        if isinstance(request_id, str | int):
            cancelled = f'Request with id "{request_id}" is canceled'
            self.refuse(request_id, ResponseError(cancelled, REQUEST_CANCELLED))


def _uri(message: Message) -> Json:
    """The document that a message is about."""
    params = message.get("params")
    document = params.get("textDocument") if isinstance(params, dict) else None
    return document.get("uri") if isinstance(document, dict) else None


def error_line(error: Exception) -> str:
    """An exception in one line, as Python prints it."""
    return "".join(traceback.format_exception_only(error)).strip()
