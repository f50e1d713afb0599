"""Many calls in one request, as discovery clients send a batch: each is answered as if it had come alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote, urlsplit

from trialrun.server.http.server import MAX_HEAD
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
ANSWER_BOUNDARY = b"batch_trialrun"
ANSWER_TYPE = {"content-type": f"multipart/mixed; boundary={ANSWER_BOUNDARY.decode()}"}

Scope = MutableMapping[str, Any]
Answer = Callable[[Scope, bytes], Awaitable[tuple[int, bytes]]]
"""Answers a call with a body: the status code and the body of the response."""


async def answer_batch(scope: Scope, body: bytes, answer: Answer) -> bytes:
    """The body of the response to a batch, of `ANSWER_TYPE`. Raises INVALID_ARGUMENT."""
    parts = await asyncio.to_thread(_parts, dict(scope["headers"])[b"content-type"], body)
    answers: list[bytes] = []
    size = 0
    for call_id, call, content in [_call(part, scope) for part in parts]:
        if size > MAX_ANSWERS:
            code, response = 429, b'{"error": {"code": 429, "message": "too many answers at once; send fewer calls"}}'
        else:
            code, response = await answer(call, content)
        phrase = HTTPStatus(code).phrase if code in HTTPStatus._value2member_map_ else ""
        head = f"HTTP/1.1 {code} {phrase}\r\nContent-Type: application/json\r\nContent-Length: {len(response)}"
        identity = b"Content-ID: " + re.sub(rb"^<?", b"<response-", call_id, count=1)
        part = [b"--" + ANSWER_BOUNDARY, b"Content-Type: application/http", identity, b"", head.encode(), b"", response]
        answers.append(b"\r\n".join(part))
        size += len(response)
    return b"\r\n".join([*answers, b"--" + ANSWER_BOUNDARY + b"--", b""])


def _parts(content_type: bytes, body: bytes) -> list[bytes]:
    found = BOUNDARY.search(content_type)
    if found is None:
        raise _invalid("its Content-Type has no boundary")
    _before, *parts = (b"\n" + body.replace(b"\r\n", b"\n")).split(b"\n--" + (found[1] or found[2]), MAX_CALLS + 1)
    if not parts or not parts.pop().startswith(b"--"):
        raise _invalid(f"it does not end with its boundary, or has more than {MAX_CALLS} calls; send fewer at once")
    return parts


def _call(part: bytes, scope: Scope) -> tuple[bytes, Scope, bytes]:
    """The id of a call, the call as if it had come alone, and its body."""
    about, _, request = part.strip(b"\n").partition(b"\n\n")
    head, _, content = request.lstrip(b"\n").partition(b"\n\n")
    if len(about) + len(head) > MAX_HEAD:
        raise _invalid(f"the headers of a call are larger than {MAX_HEAD // 1024} kB")
    line, *lines = head.split(b"\n")
    words = line.decode("latin-1").split()
    if len(words) not in (2, 3):
        raise _invalid("a part of it is not a request such as GET /v1/… HTTP/1.1")
    target = urlsplit(words[1]) if "://" in words[1] else urlsplit(f"//batch{words[1]}")
    if not target.path.startswith("/") or target.path.startswith(BATCH_PATH):
        raise _invalid(f'"{words[1]}" is not the path of a call')
    own = [(name, value) for name, value in _headers(lines) if name not in OUTER_HEADERS]
    names = OWN_HEADERS.union(name for name, _ in own)
    headers = [(name, value) for name, value in scope["headers"] if name not in names]
    length = [(b"content-length", b"%d" % len(content))] if content else []
    call = {**scope, "method": words[0], "path": unquote(target.path), "raw_path": target.path.encode("latin-1")}
    call |= {"query_string": target.query.encode("latin-1"), "headers": [*headers, *own, *length]}
    return dict(_headers(about.split(b"\n"))).get(b"content-id", b"<>"), call, content


def _headers(lines: list[bytes]) -> list[tuple[bytes, bytes]]:
    named = [line.partition(b":") for line in lines if b":" in line]
    return [(name.strip().lower(), value.strip()) for name, _, value in named]


def _invalid(message: str) -> ServiceError:
    return service_error(Status.INVALID_ARGUMENT, "invalid-batch", f"the body is not a batch of calls: {message}")
