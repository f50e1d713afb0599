"""What is refused before anything happens: requests of web pages, for other servers, without the token, too large.

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
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from typing import Any

from starlette.responses import Response

from trialrun.lazy_dataclass import dataclass
from trialrun.server.access import require_token
from trialrun.server.http.batch import ANSWER_TYPE, BATCH_PATH, BATCH_TYPE, answer_batch
from trialrun.server.http.server import MAX_HEAD
from trialrun.server.http.transcoding import error_response
from trialrun.server.monitoring import Monitoring, RequestRecord
from trialrun.service.error import ServiceError, Status, service_error

Header = tuple[bytes, bytes]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
MAX_HEADERS = 200
JSON_TYPE = b"application/json"
FORM_TYPE = b"application/x-www-form-urlencoded"
METHODS = ("GET", "POST", "PATCH", "DELETE")
READING = ("GET", "HEAD")
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
ENCODINGS = {b"gzip": 31, b"x-gzip": 31, b"deflate": 15}
"""The window bits of zlib by the name of a content coding."""
BODY_TIMEOUT = 30.0
"""Seconds that a body may take to come whole."""


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
        self._check_host(values)
        _check_origin(values)
        if self.token is not None and (method, path) not in OPEN:
            require_token(self.token, ((name.decode(), value.decode("latin-1")) for name, value in headers))
        if method == "POST" and OVERRIDE in values:
            method = values[OVERRIDE].decode("latin-1").strip().upper()
        if method not in METHODS and method not in READING:
            message = f"there is no operation by {method}; the methods are {', '.join(METHODS)}"
            raise service_error(Status.UNIMPLEMENTED, "method", message)
        return method

    def _check_host(self, values: Mapping[bytes, bytes]) -> None:
        host = values.get(b"host", b"").decode("latin-1")
        if not host:
            raise service_error(Status.INVALID_ARGUMENT, "missing-host", "the request has no Host header")
        name = host_name(host)
        if self.hosts is not None and not is_own_name(name, self.hosts):
            message = f'"{name}" is not a name of this server; use 127.0.0.1 or localhost'
            raise service_error(Status.PERMISSION_DENIED, "unknown-host", message)


def require_type(headers: Iterable[Header], path: str, *, is_query: bool = False) -> bytes:
    """The type of a body: JSON, of a batch its calls, or the query of a GET. Raises INVALID_ARGUMENT for others."""
    content_type = next((value for name, value in headers if name == b"content-type"), b"")
    sent, wanted = content_type.partition(b";")[0].strip().lower(), BATCH_TYPE if path == BATCH_PATH else JSON_TYPE
    if sent == wanted or (is_query and sent == FORM_TYPE):
        return sent
    shown = content_type.decode("latin-1") or "nothing"
    message = f"the Content-Type of the body is {shown}; send {wanted.decode()}"
    raise service_error(Status.INVALID_ARGUMENT, "content-type", message)


def host_name(host: str) -> str:
    """The name or address in a Host header, without its port. Raises INVALID_ARGUMENT for what is not NAME[:PORT]."""
    found = HOST.fullmatch(host)
    if found is None or int(found[3] or 0) > 65535:
        shown = ascii(host[:100])[1:-1]
        message = f'the Host header "{shown}" is not a name or an address with a port; send such as 127.0.0.1:8080'
        raise service_error(Status.INVALID_ARGUMENT, "invalid-host", message)
    return (found[1] or found[2]).lower()


def is_own_name(name: str, hosts: frozenset[str]) -> bool:
    """Whether a name leads to this machine wherever it is asked for."""
    if name in ("localhost", *hosts) or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
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
    origin = values.get(b"origin")
    if origin is not None and origin != b"http://" + values[b"host"]:
        shown = origin.decode("latin-1")
        raise _foreign_page(f'requests of web pages of another origin, "{shown}", are not carried out')
    if values.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
        raise _foreign_page("requests of web pages of another site are not carried out")


def _foreign_page(message: str) -> ServiceError:
    return service_error(Status.PERMISSION_DENIED, "foreign-origin", f"{message}; call from a program")


class ClientDisconnected(Exception):
    """The client has gone before its request was whole; there is nobody to answer."""


class BodyReader:
    """Reads the bodies of a server's requests, and bounds what they take together."""

    def __init__(
        self, *, most: int = MAX_BODY, most_buffered: int = MAX_BUFFERED, seconds: float = BODY_TIMEOUT
    ) -> None:
        self._most = most
        self._most_buffered = most_buffered
        self._seconds = seconds
        self._buffered = 0

    def require_size(self, announced: bytes) -> None:
        """Refuse a body that is announced as too large, before a byte of it is read."""
        if len(announced) > 18 or int(announced) > self._most:
            raise too_large(self._most)

    async def decode(self, body: bytes, encoding: bytes) -> bytes:
        """A body without its Content-Encoding, of the size that bodies may have. Raises INVALID_ARGUMENT."""
        coding = encoding.strip().lower()
        if coding in (b"", b"identity"):
            return body
        if coding not in ENCODINGS:
            message = f"the Content-Encoding of the body is {encoding.decode('latin-1')}; send gzip, deflate or none"
            raise service_error(Status.INVALID_ARGUMENT, "content-encoding", message)
        return await asyncio.to_thread(self._inflate, body, coding)

    def _inflate(self, body: bytes, coding: bytes) -> bytes:
        decoder = zlib.decompressobj(ENCODINGS[coding])
        try:
            try:
                inflated = decoder.decompress(body, self._most + 1)
            except zlib.error:
                if coding != b"deflate":
                    raise
                decoder = zlib.decompressobj(-zlib.MAX_WBITS)  # as some clients understand the name
                inflated = decoder.decompress(body, self._most + 1)
        except zlib.error as error:
            raise _invalid_encoding(coding) from error
        if len(inflated) > self._most:
            raise too_large(self._most)
        if not decoder.eof or decoder.unused_data:
            raise _invalid_encoding(coding)
        return inflated

    async def read(self, receive: Receive) -> bytes:
        """The body of a request. Raises INVALID_ARGUMENT, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ClientDisconnected."""
        parts: list[bytes] = []
        size, has_more = 0, True
        try:
            async with asyncio.timeout(self._seconds):
                while has_more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnected
                    part, has_more = message.get("body", b""), message.get("more_body", False)
                    parts.append(part)
                    size += len(part)
                    self._buffered += len(part)
                    if size > self._most:
                        raise too_large(self._most)
                    if self._buffered > self._most_buffered:
                        text = "too many large bodies are being sent at once; wait for answers"
                        raise service_error(Status.RESOURCE_EXHAUSTED, "too-many-bodies", text)
        except TimeoutError:
            text = f"the body has not come whole in {self._seconds:g} seconds; send it faster"
            raise service_error(Status.DEADLINE_EXCEEDED, "slow-body", text) from None
        finally:
            self._buffered -= size
        return b"".join(parts)


def too_large(most: int) -> ServiceError:
    """Why a body of more than so many bytes is refused."""
    message = f"the body is larger than {most // 1024:,} kB; send less at once"
    return service_error(Status.INVALID_ARGUMENT, "body-too-large", message)


def _invalid_encoding(coding: bytes) -> ServiceError:
    message = f"the body is not what its Content-Encoding says; send it whole, as one stream of {coding.decode()}"
    return service_error(Status.INVALID_ARGUMENT, "invalid-encoding", message)


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
