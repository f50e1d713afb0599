"""What surrounds every request by HTTP: guards before it, a line of the log and the numbers after it.

A browser sends requests of any page to this machine, and a page can let its own name lead here (DNS rebinding). So the
`Host` of a request must be a name of this machine, an `Origin` must be this server, and a body must be JSON, which a
page cannot send elsewhere without being asked first. Nor can it send the header that makes another method of a POST.
Bodies are read whole before anything happens, within bounds of size, time and memory.
"""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import re
import zlib
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote, urlsplit

from starlette.responses import Response

from trialrun.server.access import require_token
from trialrun.server.http.server import IS_WHOLE, MAX_HEAD
from trialrun.server.http.transcoding import error_response
from trialrun.server.monitoring import Monitoring, RequestRecord
from trialrun.service.error import ServiceError, Status, service_error

BATCH_PATH = "/batch"
BATCH_TYPE = b"multipart/mixed"
MAX_CALLS = 1000
"""So many calls the clients put into one batch at most."""
MAX_ANSWERS = 32 * 1024 * 1024
"""Bytes of the answers to a batch; the calls after them are not carried out."""
BOUNDARY = re.compile(rb'boundary=(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))')
OWN_HEADERS = frozenset((b"content-type", b"content-length", b"content-encoding", b"transfer-encoding", b"expect"))
OWN_HEADERS |= {b"x-http-method-override"}
"""Headers of a batch that say nothing of its calls."""
OUTER_HEADERS = frozenset({b"host", b"origin", b"sec-fetch-site", b"content-length", b"transfer-encoding"})
"""Headers of a batch that its calls have too, whatever they say themselves."""
TOO_MANY_ANSWERS = 429, b'{"error": {"code": 429, "message": "too many answers at once; send fewer calls"}}'
ANSWER_BOUNDARY = b"batch_trialrun"
ANSWER_TYPE = {"content-type": f"multipart/mixed; boundary={ANSWER_BOUNDARY.decode()}"}
Header = tuple[bytes, bytes]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
RECORD = "trialrun.record"
PROTOCOL = "http"
CLIENT_GONE = 499
OWN_PATHS = "/trialrun/"
"""What the paths of requests about the server itself begin with."""
MAX_HEADERS = 200
JSON_TYPE = b"application/json"
FORM_TYPE = b"application/x-www-form-urlencoded"
METHODS = ("GET", "POST", "PATCH", "DELETE")
OPEN = frozenset({("GET", "/"), ("GET", "/healthz"), ("HEAD", "/healthz")})
"""What needs no token: the page has nothing of the workspace, as its script asks for that with the token."""
OVERRIDE = b"x-http-method-override"
SINGLE = (b"host", b"origin", b"content-type", b"content-length", b"content-encoding", b"sec-fetch-site", OVERRIDE)
"""Headers that a request has once."""
HOST = re.compile(
    r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?))(?::([0-9]{1,5}))?", re.ASCII
)
HTTP_CODES = {
    "content-type": 415,
    "content-encoding": 415,
    "body-too-large": 413,
    "slow-body": 408,
    "method": 405,
    "too-many-headers": 431,
}
"""The status codes of refusals that HTTP has one of its own for, by reason."""
MAX_BODY = 32 * 1024 * 1024
MAX_CONTROL_BODY = 256 * 1024
"""Bytes of a body for the server itself, its clock, its faults and its page, which are read at once."""
MAX_BUFFERED = 8 * MAX_BODY
"""Bytes of all bodies that are being read at once."""
LARGE = 1024 * 1024
ENCODINGS = {b"gzip": 31, b"x-gzip": 31, b"deflate": 15}
"""The window bits of zlib by the name of a content coding."""
BODY_TIMEOUT = 30.0
"""Seconds that a body may take to come whole."""


def record_of(scope: Scope) -> RequestRecord:
    """What the log will say of a request; a record of its own for one that is not logged."""
    return scope.get(RECORD) or RequestRecord(scope["method"], scope["path"])


@dataclass(frozen=True)
class Guards:
    """What a server demands of every request.

    `hosts` are the names that a request may be for besides those of loopback; None where it may be for any, since the
    server can be reached by names that it does not know.
    """

    token: str | None = None
    hosts: frozenset[str] | None = frozenset()

    def check(self, method: str, path: str, headers: Sequence[Header]) -> str:
        """The method that a request means, by its method, path and headers, whose names are in small letters.

        Raises ServiceError for a request that is not carried out.
        """
        values = _single_headers(headers)
        self._check_host(values.get(b"host", b"").decode("latin-1"))
        _check_origin(values)
        if self.token is not None and (method, path) not in OPEN:
            require_token(self.token, ((name.decode(), value.decode("latin-1")) for name, value in headers))
        if method == "POST" and OVERRIDE in values:
            method = values[OVERRIDE].decode("latin-1").strip().upper()
        if method not in METHODS and method != "HEAD":
            message = f"there is no operation by {method}; the methods are {', '.join(METHODS)}"
            raise service_error(Status.UNIMPLEMENTED, "method", message)
        return method

    def _check_host(self, host: str) -> None:
        if not host:
            raise service_error(Status.INVALID_ARGUMENT, "missing-host", "the request has no Host header")
        found = HOST.fullmatch(host)
        if found is None or int(found[3] or 0) > 65535:
            shown = ascii(host[:100])[1:-1]
            message = f'the Host header "{shown}" is not a name or an address with a port; send such as 127.0.0.1:8080'
            raise service_error(Status.INVALID_ARGUMENT, "invalid-host", message)
        name = (found[1] or found[2]).lower()
        if self.hosts is not None and name not in self.hosts and not _is_loopback_name(name):
            message = f'"{name}" is not a name of this server; use 127.0.0.1 or localhost'
            raise service_error(Status.PERMISSION_DENIED, "unknown-host", message)


def _is_loopback_name(name: str) -> bool:
    """Whether a name leads to this machine wherever it is asked for."""
    try:
        return name == "localhost" or name.endswith(".localhost") or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _single_headers(headers: Sequence[Header]) -> dict[bytes, bytes]:
    if len(headers) > MAX_HEADERS:
        message = f"the request has {len(headers)} headers; send at most {MAX_HEADERS}"
        raise service_error(Status.INVALID_ARGUMENT, "too-many-headers", message)
    values: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in SINGLE:
            if name in values:
                message = f"the request has the header {name.decode()} twice"
                raise service_error(Status.INVALID_ARGUMENT, "repeated-header", message)
            values[name] = value
    return values


def _check_origin(values: Mapping[bytes, bytes]) -> None:
    origin, foreign = values.get(b"origin"), ""
    if origin is not None and origin != b"http://" + values[b"host"]:
        foreign = f'origin, "{origin.decode("latin-1")}",'
    elif values.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
        foreign = "site"
    if foreign:
        message = f"requests of web pages of another {foreign} are not carried out; call from a program"
        raise service_error(Status.PERMISSION_DENIED, "foreign-origin", message)


class ClientDisconnected(Exception):
    """The client has gone before its request was whole; there is nobody to answer."""


class BodyReader:
    """Reads the bodies of a server's requests, and bounds what they take together."""

    def __init__(
        self, *, most: int = MAX_BODY, most_buffered: int = MAX_BUFFERED, seconds: float = BODY_TIMEOUT
    ) -> None:
        self._most, self._most_buffered, self._seconds = most, most_buffered, seconds
        self._buffered = 0

    async def read(self, scope: Scope, receive: Receive, *, is_query: bool) -> bytes:
        """The body of a request, without its Content-Encoding; with `is_query`, a form is added to the query instead.

        Raises INVALID_ARGUMENT, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED and ClientDisconnected.
        """
        headers, path = dict(scope["headers"]), scope["path"]  # the headers about bodies are there once
        length = headers.get(b"content-length") or (b"chunked" if b"transfer-encoding" in headers else b"")
        if length in (b"", b"0"):
            return b""
        content_type = headers.get(b"content-type", b"")
        sent, wanted = content_type.partition(b";")[0].strip().lower(), BATCH_TYPE if path == BATCH_PATH else JSON_TYPE
        is_form = is_query and sent == FORM_TYPE
        if sent != wanted and not is_form:
            shown = content_type.decode("latin-1") or "nothing"
            message = f"the Content-Type of the body is {shown}; send {wanted.decode()}"
            raise service_error(Status.INVALID_ARGUMENT, "content-type", message)
        if length != b"chunked" and (len(length) > 18 or int(length) > self._most):
            raise _too_large(self._most)
        body, coding = await self._receive(scope, receive), headers.get(b"content-encoding", b"")
        if coding.strip().lower() not in (b"", b"identity"):
            body = await asyncio.to_thread(self._inflate, body, coding)
        most = MAX_HEAD if is_form else MAX_CONTROL_BODY if path.startswith(OWN_PATHS) else MAX_BODY
        if len(body) > most:
            raise _too_large(most)
        if is_form:
            scope["query_string"] = b"&".join(query for query in (scope["query_string"], body.strip()) if query)
        return b"" if is_form else body

    async def _receive(self, scope: Scope, receive: Receive) -> bytes:
        parts: list[bytes] = []
        size, has_more = 0, True
        try:
            async with nullcontext() if IS_WHOLE in scope else asyncio.timeout(self._seconds):
                while has_more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnected
                    part, has_more = message.get("body", b""), message.get("more_body", False)
                    parts.append(part)
                    size += len(part)
                    self._buffered += len(part)
                    if size > self._most:
                        raise _too_large(self._most)
                    if self._buffered > self._most_buffered:
                        text = "too many large bodies are being sent at once; wait for answers"
                        raise service_error(Status.RESOURCE_EXHAUSTED, "too-many-bodies", text)
        except TimeoutError:
            text = f"the body has not come whole in {self._seconds:g} seconds; send it faster"
            raise service_error(Status.DEADLINE_EXCEEDED, "slow-body", text) from None
        finally:
            self._buffered -= size
        return b"".join(parts)

    def _inflate(self, body: bytes, encoding: bytes) -> bytes:
        coding = encoding.strip().lower()
        if coding not in ENCODINGS:
            message = f"the Content-Encoding of the body is {encoding.decode('latin-1')}; send gzip, deflate or none"
            raise service_error(Status.INVALID_ARGUMENT, "content-encoding", message)
        decoder = zlib.decompressobj(ENCODINGS[coding])
        cause: Exception | None = None
        try:
            try:
                inflated = decoder.decompress(body, self._most + 1)
            except zlib.error:
                if coding != b"deflate":
                    raise
                decoder = zlib.decompressobj(-zlib.MAX_WBITS)  # as some clients understand the name
                inflated = decoder.decompress(body, self._most + 1)
            if len(inflated) > self._most:
                raise _too_large(self._most)
        except zlib.error as error:
            cause = error
        if cause or not decoder.eof or decoder.unused_data:
            message = (
                f"the body is not what its Content-Encoding says; send it whole, as one stream of {coding.decode()}"
            )
            raise service_error(Status.INVALID_ARGUMENT, "invalid-encoding", message) from cause
        return inflated


def _too_large(most: int) -> ServiceError:
    message = f"the body is larger than {most // 1024:,} kB; send less at once"
    return service_error(Status.INVALID_ARGUMENT, "body-too-large", message)


class GuardedApp:
    """An application whose requests are guarded, logged and counted."""

    def __init__(self, app: App, guards: Guards, monitoring: Monitoring, bodies: BodyReader) -> None:
        self._app, self._guards, self._monitoring, self._bodies = app, guards, monitoring, bodies

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
            sent, method = scope["method"], self._guards.check(scope["method"], scope["path"], scope["headers"])
            scope["method"] = method
            # a GET that is too long for a URL comes as a POST whose body is the query
            body = await self._bodies.read(scope, receive, is_query=(sent, method) == ("POST", "GET"))
            record.method, record.size = method, len(body)
            if scope["path"] == BATCH_PATH and body:
                answers = Response(await self._answer_batch(scope, body), headers=ANSWER_TYPE)
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

    async def _answer_batch(self, scope: Scope, body: bytes) -> bytes:
        parts = await asyncio.to_thread(_batch_parts, dict(scope["headers"])[b"content-type"], body)
        answers: list[bytes] = []
        size = 0
        for call_id, call, content in [_batch_call(part, scope) for part in parts]:
            code, response = TOO_MANY_ANSWERS if size > MAX_ANSWERS else await self._answer_call(call, content)
            phrase = HTTPStatus(code).phrase if code in HTTPStatus._value2member_map_ else ""
            head = f"HTTP/1.1 {code} {phrase}\r\nContent-Type: application/json\r\nContent-Length: {len(response)}"
            identity = b"Content-ID: " + re.sub(rb"^<?", b"<response-", call_id, count=1)
            answer = [identity, b"", head.encode(), b"", response]
            answers.append(b"\r\n".join([b"--" + ANSWER_BOUNDARY, b"Content-Type: application/http", *answer]))
            size += len(response)
        return b"\r\n".join([*answers, b"--" + ANSWER_BOUNDARY + b"--", b""])

    async def _answer_call(self, call: Scope, body: bytes) -> tuple[int, bytes]:
        sent: list[MutableMapping[str, Any]] = []

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await self(call, _replay(body), send)
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def _replay(body: bytes, receive: Receive | None = None) -> Receive:
    """Gives an application the body that was read, and then what the connection says, or the body again."""
    is_given = False

    async def replayed() -> MutableMapping[str, Any]:
        nonlocal is_given
        if is_given and receive is not None:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def _batch_parts(content_type: bytes, body: bytes) -> list[bytes]:
    found = BOUNDARY.search(content_type)
    if found is None:
        raise _invalid_batch("its Content-Type has no boundary")
    _before, *parts = (b"\n" + body.replace(b"\r\n", b"\n")).split(b"\n--" + (found[1] or found[2]), MAX_CALLS + 1)
    if not parts or not parts.pop().startswith(b"--"):
        raise _invalid_batch(
            f"it does not end with its boundary, or has more than {MAX_CALLS} calls; send fewer at once"
        )
    return parts


def _batch_call(part: bytes, scope: Scope) -> tuple[bytes, Scope, bytes]:
    about, _, request = part.strip(b"\n").partition(b"\n\n")
    head, _, content = request.lstrip(b"\n").partition(b"\n\n")
    if len(about) + len(head) > MAX_HEAD:
        raise _invalid_batch(f"the headers of a call are larger than {MAX_HEAD // 1024} kB")
    line, *lines = head.split(b"\n")
    words = line.decode("latin-1").split()
    if len(words) not in (2, 3):
        raise _invalid_batch("a part of it is not a request such as GET /v1/… HTTP/1.1")
    target = urlsplit(words[1]) if "://" in words[1] else urlsplit(f"//batch{words[1]}")
    if not target.path.startswith("/") or target.path.startswith(BATCH_PATH):
        raise _invalid_batch(f'"{words[1]}" is not the path of a call')
    own = [(name, value) for name, value in _batch_headers(lines) if name not in OUTER_HEADERS]
    names = OWN_HEADERS.union(name for name, _ in own)
    headers = [(name, value) for name, value in scope["headers"] if name not in names]
    length = [(b"content-length", b"%d" % len(content))] if content else []
    call = {**scope, "method": words[0], "path": unquote(target.path), "raw_path": target.path.encode("latin-1")}
    call |= {"query_string": target.query.encode("latin-1"), "headers": [*headers, *own, *length]}
    return dict(_batch_headers(about.split(b"\n"))).get(b"content-id", b"<>"), call, content


def _batch_headers(lines: list[bytes]) -> list[tuple[bytes, bytes]]:
    named = [line.partition(b":") for line in lines if b":" in line]
    return [(name.strip().lower(), value.strip()) for name, _, value in named]


def _invalid_batch(message: str) -> ServiceError:
    return service_error(Status.INVALID_ARGUMENT, "invalid-batch", f"the body is not a batch of calls: {message}")
