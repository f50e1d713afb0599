"""What surrounds every request by HTTP: guards before it, a line of the log and the numbers after it."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.responses import Response

from trialrun.server.http.batch import ANSWER_TYPE, BATCH_PATH, answer_batch
from trialrun.server.http.guards import (
    FORM_TYPE,
    HTTP_CODES,
    MAX_BODY,
    MAX_CONTROL_BODY,
    BodyReader,
    ClientDisconnected,
    Guards,
    Header,
    Receive,
    require_type,
    too_large,
)
from trialrun.server.http.response_json import error_response
from trialrun.server.http.server import MAX_HEAD
from trialrun.server.monitoring import Monitoring, RequestRecord
from trialrun.service.error import ServiceError, Status, service_error

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
RECORD = "trialrun.record"
PROTOCOL = "http"
CLIENT_GONE = 499
OWN_PATHS = "/trialrun/"
"""What the paths of requests about the server itself begin with."""
LARGE = 1024 * 1024


def record_of(scope: Scope) -> RequestRecord:
    """What the log will say of a request; a record of its own for one that is not logged."""
    record: RequestRecord | None = scope.get(RECORD)
    return record or RequestRecord(scope["method"], scope["path"])


class GuardedApp:
    """An application whose requests are guarded, logged and counted."""

    def __init__(self, app: App, guards: Guards, monitoring: Monitoring, bodies: BodyReader) -> None:
        self._app = app
        self._guards = guards
        self._monitoring = monitoring
        self._bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        record = scope[RECORD] = RequestRecord(scope["method"], scope["path"])

        async def send_and_record(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                record.status = message["status"]
            await send(message)

        with self._monitoring.watch(PROTOCOL, record):
            try:
                await self._answer(record, scope, receive, send_and_record)
            except ClientDisconnected:
                record.status = CLIENT_GONE
            except Exception as error:
                self._monitoring.log.write_internal_error(error)
                if record.status:  # the response has begun
                    raise ClientDisconnected from error
                record.reason = "internal-error"
                message = "the server failed; its log says where, please report it"
                answer = error_response(service_error(Status.INTERNAL, record.reason, message))
                await answer(scope, receive, send_and_record)
            finally:
                if record.size > LARGE:  # an error refers to frames that refer to the body, until garbage is collected
                    asyncio.get_running_loop().call_soon(gc.collect)

    async def _answer(self, record: RequestRecord, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self._guarded_body(scope, receive)
            record.method = scope["method"]
            record.size = len(body)
            if scope["path"] == BATCH_PATH and body:
                answers = Response(await answer_batch(scope, body, self._answer_call), headers=ANSWER_TYPE)
                await answers(scope, receive, send)
                return
        except ServiceError as error:
            record.reason, record.message = error.reason, error.message
            response = error_response(error, HTTP_CODES.get(error.reason))
            if error.reason == "slow-body" or any(name == b"expect" for name, _ in scope["headers"]):
                response.headers["connection"] = "close"  # the rest of a body is not taken for a request
            await response(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

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
        named = dict(headers)  # the headers about bodies are there once
        length = named.get(b"content-length") or (b"chunked" if b"transfer-encoding" in named else b"")
        if length in (b"", b"0"):
            return b""
        body_type = require_type(headers, scope["path"], is_query=sent == "POST" and scope["method"] == "GET")
        if length != b"chunked":
            self._bodies.require_size(length)
        body = await self._bodies.decode(await self._bodies.read(receive), named.get(b"content-encoding", b""))
        most = MAX_CONTROL_BODY if scope["path"].startswith(OWN_PATHS) else MAX_BODY
        if body_type == FORM_TYPE:
            most = MAX_HEAD
        if len(body) > most:
            raise too_large(most)
        if body_type != FORM_TYPE:
            return body
        scope["query_string"] = b"&".join(query for query in (scope["query_string"], body.strip()) if query)
        return b""


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
