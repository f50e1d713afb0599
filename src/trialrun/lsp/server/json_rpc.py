"""JSON-RPC with one client, over a stream each way: messages, requests and their responses in both directions.

The protocol library takes longer to import than linting the first file, and most of that time builds classes that are
never used. So its part is done here, and tests read and write with it.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import traceback
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from itertools import count
from typing import Any, BinaryIO

Json = Any
"""A value of JSON, as the client sent it."""
VERSION = "2.0"
CHUNK = 1 << 16
CONTENT_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,12})[ \t]*\r?\n", re.IGNORECASE)
"""Names of headers are written in any case, as in HTTP."""
HEADER = "Content-Length: {}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n"


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


class Connection:
    """Sends and receives messages. All methods are called in the thread of the event loop.

    `handle` gets the method and the parameters of a request or a notification. It returns the result, or a coroutine of
    it, or raises ResponseError. `on_failure` is called with any other exception, and whether it was of a notification.
    """

    def __init__(self, handle: Callable[[str, Json], Any], on_failure: Callable[[Exception, bool], None]) -> None:
        self._handle = handle
        self._on_failure = on_failure
        self._out: BinaryIO | None = None
        self._tasks: dict[str | int, asyncio.Task[Any]] = {}
        self._sent: dict[str | int, asyncio.Future[Json]] = {}
        self._ids = count(1)
        self._received: asyncio.Queue[bytes | None] = asyncio.Queue()

    async def run(self, read: Callable[[int], bytes], out: BinaryIO) -> None:
        """Handle messages until the client has gone, or `end`. `read` blocks, and returns no bytes at the end."""
        self._out = out
        loop = asyncio.get_running_loop()

        def receive() -> None:
            with suppress(RuntimeError):  # the loop has ended, and the server with it
                for body in messages(read):
                    loop.call_soon_threadsafe(self._received.put_nowait, body)
                loop.call_soon_threadsafe(self._received.put_nowait, None)

        threading.Thread(target=receive, daemon=True).start()
        while (body := await self._received.get()) is not None and self._out is not None:
            self._take(body)
            await asyncio.sleep(0)  # a request begins before the next message, which may change its document

    def end(self) -> None:
        """Send and handle nothing more."""
        self._out = None
        self._received.put_nowait(None)

    def cancel_all(self) -> None:
        """Cancel all requests that wait for their results."""
        for task in [*self._tasks.values()]:
            task.cancel()

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"jsonrpc": VERSION, "method": method, "params": params})

    def request(self, method: str, params: object = None) -> asyncio.Future[Json]:
        """Send a request; its future result, which raises ResponseError, and need not be waited for."""
        request_id = f"trialrun-{next(self._ids)}"
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: None if done.cancelled() else done.exception())
        self._sent[request_id] = future
        named = {} if params is None else {"params": params}
        self._send({"jsonrpc": VERSION, "id": request_id, "method": method, **named})
        return future

    def _send(self, message: dict[str, object]) -> None:
        if self._out is None:
            return
        body = json.dumps(message)
        try:
            self._out.write((HEADER.format(len(body)) + body).encode("ascii"))
            self._out.flush()
        except OSError:  # the client has gone
            self.end()

    def _respond(self, request_id: Json, result: object) -> None:
        self._send({"id": request_id, "jsonrpc": VERSION, "result": result})

    def _refuse(self, request_id: Json, error: ResponseError) -> None:
        self._send({"id": request_id, "jsonrpc": VERSION, "error": error.to_json()})

    def _take(self, body: bytes) -> None:
        """Handle a message; what is none is passed over."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as error:
            self._refuse(None, ResponseError(str(error), PARSE_ERROR))
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != VERSION:
            return
        method, request_id = message.get("method"), message.get("id")
        if "id" not in message:
            self._handle_notification(method, message.get("params"))
        elif not isinstance(request_id, str | int):
            self._refuse(None, ResponseError("the id of a request is a string or a number", INVALID_REQUEST))
        elif "method" in message:
            self._handle_request(request_id, method, message.get("params"))
        else:
            self._handle_response(request_id, message)

    def _handle_notification(self, method: Json, params: Json) -> None:
        if method == "$/cancelRequest":
            self._cancel(params)
            return
        try:
            self._handle(str(method), params)
        except ResponseError:  # nobody waits to hear of it
            return
        except Exception as error:  # noqa: BLE001 - an internal error is reported, and the server goes on
            self._on_failure(error, True)

    def _handle_request(self, request_id: str | int, method: Json, params: Json) -> None:
        try:
            result = self._handle(str(method), params)
        except Exception as error:  # noqa: BLE001 - every request has a response
            self._fail(request_id, error)
            return
        if not isinstance(result, Coroutine):
            self._respond(request_id, result)
            return
        task = self._tasks[request_id] = asyncio.ensure_future(result)
        task.add_done_callback(lambda done: self._finish(request_id, done))

    def _finish(self, request_id: str | int, done: asyncio.Task[Any]) -> None:
        self._tasks.pop(request_id, None)
        if done.cancelled():
            cancelled = f'Request with id "{request_id}" is canceled'
            self._refuse(request_id, ResponseError(cancelled, REQUEST_CANCELLED))
            return
        error = done.exception()
        if error is None:
            self._respond(request_id, done.result())
        elif isinstance(error, Exception):
            self._fail(request_id, error)

    def _fail(self, request_id: str | int, error: Exception) -> None:
        if isinstance(error, ResponseError):
            self._refuse(request_id, error)
            return
        data = {"traceback": traceback.format_tb(error.__traceback__)}
        self._refuse(request_id, ResponseError(error_line(error), data=data))
        self._on_failure(error, False)

    def _handle_response(self, request_id: str | int, message: dict[str, Json]) -> None:
        future = self._sent.pop(request_id, None)
        if future is None or future.done():
            return
        error = message.get("error")
        if isinstance(error, dict):
            code = error.get("code")
            future.set_exception(
                ResponseError(str(error.get("message")), code if isinstance(code, int) else INTERNAL_ERROR)
            )
        else:
            future.set_result(message.get("result"))

    def _cancel(self, params: Json) -> None:
        request_id = params.get("id") if isinstance(params, dict) else None
        task = self._tasks.get(request_id) if isinstance(request_id, str | int) else None
        if task is not None:
            task.cancel()


def error_line(error: Exception) -> str:
    """An exception in one line, as Python prints it."""
    return "".join(traceback.format_exception_only(error)).strip()


def messages(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """The bodies of the messages in a stream; a header that is not understood is passed over."""
    buffer, length = bytearray(), 0
    while True:
        end = buffer.find(b"\n") + 1
        if not end:
            chunk = read(CHUNK)
            if not chunk:
                return
            buffer += chunk
            continue
        line = bytes(buffer[:end])
        del buffer[:end]
        header = CONTENT_LENGTH.fullmatch(line)
        if header and not length:
            length = int(header[1])
        elif length and not line.strip():
            while len(buffer) < length:
                chunk = read(CHUNK)
                if not chunk:
                    return
                buffer += chunk
            yield bytes(buffer[:length])
            del buffer[:length]
            length = 0
