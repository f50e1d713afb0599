"""What surrounds every request by HTTP: guards before it, a line of the log and the numbers after it."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.responses import Response

from trialrun.server.http.batch import ANSWER_TYPE, BATCH_PATH, answer_batch
from trialrun.server.http.body import MAX_BODY, MAX_CONTROL_BODY, BodyReader, ClientDisconnected, Receive, too_large
from trialrun.server.http.connection import MAX_HEAD
from trialrun.server.http.error_response import error_response
from trialrun.server.http.guards import FORM_TYPE, HTTP_CODES, Guards, Header, require_type
from trialrun.server.metrics import Metrics
from trialrun.server.request_log import RequestLog, RequestRecord
from trialrun.service.error import ServiceError, Status, service_error

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
RECORD = "trialrun.record"
PROTOCOL = "http"
CLIENT_GONE = 499
CONTROL = "/trialrun/"
LARGE = 1024 * 1024


def record_of(scope: Scope) -> RequestRecord:
    """What the log will say of a request; a record of its own for one that is not logged."""
    record: RequestRecord | None = scope.get(RECORD)
    return record or RequestRecord(scope["method"], scope["path"])


class GuardedApp:
    """An application whose requests are guarded, logged and counted."""

    def __init__(self, app: App, guards: Guards, log: RequestLog, metrics: Metrics, bodies: BodyReader) -> None:
        self._app = app
        self._guards = guards
        self._log = log
        self._metrics = metrics
        self._bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        record = scope[RECORD] = RequestRecord(scope["method"], scope["path"])
        began = time.perf_counter()
        self._metrics.begin_request(PROTOCOL)
        try:
            await self._answer(record, scope, receive, send)
        except ClientDisconnected:
            record.status = CLIENT_GONE
        except Exception as error:  # noqa: BLE001 - an error of ours, which is reported and answered
            self._log.write_internal_error(error)
            await _answer_internal_error(record, scope, receive, send)
        finally:
            if record.size > LARGE:  # an error refers to frames that refer to the body, until garbage is collected
                asyncio.get_running_loop().call_soon(gc.collect)
            record.seconds = time.perf_counter() - began
            self._metrics.end_request(PROTOCOL, record.operation, str(record.status), record.seconds)
            self._log.write(record)

    async def _answer(self, record: RequestRecord, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_and_record(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                record.status = message["status"]
            await send(message)

        try:
            body = await self._guarded_body(scope, receive)
            record.method = scope["method"]
            record.size = len(body)
            if scope["path"] == BATCH_PATH and body:
                answers = Response(await answer_batch(scope, body, self._answer_call), headers=ANSWER_TYPE)
                await answers(scope, receive, send_and_record)
                return
        except ServiceError as error:
            record.reason, record.message = error.reason, error.message
            await _refusal(error, scope)(scope, receive, send_and_record)
            return
        await self._app(scope, _replay(body, receive), send_and_record)

    async def _answer_call(self, call: Scope, body: bytes) -> tuple[int, bytes]:
        """The response to a call of a batch."""
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await self(call, receive, send)
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])

    async def _guarded_body(self, scope: Scope, receive: Receive) -> bytes:
        """The body of a request that may be carried out, and in its scope the method that it means.

        A GET that is too long for a URL comes as a POST whose body is the query. Raises ServiceError.
        """
        headers: list[Header] = scope["headers"]
        sent, scope["method"] = scope["method"], self._guards.check(scope["method"], scope["path"], headers)
        length = encoding = b""
        for name, value in headers:
            if name == b"content-length":
                length = value
            elif name == b"transfer-encoding":
                length = length or b"chunked"
            elif name == b"content-encoding":
                encoding = value
        if length in (b"", b"0"):
            return b""
        body_type = require_type(headers, scope["path"], is_query=sent == "POST" and scope["method"] == "GET")
        if length != b"chunked":
            self._bodies.require_size(length)
        body = await self._bodies.decode(await self._bodies.read(receive), encoding)
        most = (
            MAX_HEAD if body_type == FORM_TYPE else MAX_CONTROL_BODY if scope["path"].startswith(CONTROL) else MAX_BODY
        )
        if len(body) > most:
            raise too_large(most)
        if body_type != FORM_TYPE:
            return body
        scope["query_string"] = b"&".join(query for query in (scope["query_string"], body.strip()) if query)
        return b""


def _refusal(error: ServiceError, scope: Scope) -> App:
    """The response to a refused request; the rest of a body that is not read is not taken for a request."""
    response = error_response(error, HTTP_CODES.get(error.reason))
    if error.reason == "slow-body" or any(name == b"expect" for name, _ in scope["headers"]):
        response.headers["connection"] = "close"
    return response


async def _answer_internal_error(record: RequestRecord, scope: Scope, receive: Receive, send: Send) -> None:
    if record.status:  # the response has begun
        raise ClientDisconnected
    record.status, record.reason = 500, "internal-error"
    message = "the server failed; its log says where, please report it"
    await error_response(service_error(Status.INTERNAL, record.reason, message))(scope, receive, send)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Gives an application the body that was read, and then what the connection says."""
    is_given = False

    async def replayed() -> MutableMapping[str, Any]:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
