"""The bodies of requests: read whole before anything happens, within bounds of size, time and memory."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from trialrun.service.error import ServiceError, Status, service_error

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
MAX_BODY = 32 * 1024 * 1024
MAX_CONTROL_BODY = 256 * 1024
"""Bytes of a body for the server itself, its clock, its faults and its page, which are read at once."""
MAX_BUFFERED = 8 * MAX_BODY
"""Bytes of all bodies that are being read at once."""
ENCODINGS = {b"gzip": 31, b"x-gzip": 31, b"deflate": 15}
"""The window bits of zlib by the name of a content coding."""
BODY_TIMEOUT = 30.0
"""Seconds that a body may take to come whole."""


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
        try:
            async with asyncio.timeout(self._seconds):
                return await self._read_whole(receive)
        except TimeoutError:
            raise self._too_slow() from None

    async def _read_whole(self, receive: Receive) -> bytes:
        parts: list[bytes] = []
        size, has_more = 0, True
        try:
            while has_more:
                part, has_more = _content(await receive())
                parts.append(part)
                size += len(part)
                self._buffered += len(part)
                if size > self._most:
                    raise too_large(self._most)
                if self._buffered > self._most_buffered:
                    raise _too_many()
            return b"".join(parts)
        finally:
            self._buffered -= size

    def _too_slow(self) -> ServiceError:
        message = f"the body has not come whole in {self._seconds:g} seconds; send it faster"
        return service_error(Status.DEADLINE_EXCEEDED, "slow-body", message)


def too_large(most: int) -> ServiceError:
    """Why a body of more than so many bytes is refused."""
    message = f"the body is larger than {most // 1024:,} kB; send less at once"
    return service_error(Status.INVALID_ARGUMENT, "body-too-large", message)


def _invalid_encoding(coding: bytes) -> ServiceError:
    message = f"the body is not what its Content-Encoding says; send it whole, as one stream of {coding.decode()}"
    return service_error(Status.INVALID_ARGUMENT, "invalid-encoding", message)


def _too_many() -> ServiceError:
    message = "too many large bodies are being sent at once; wait for answers"
    return service_error(Status.RESOURCE_EXHAUSTED, "too-many-bodies", message)


def _content(message: MutableMapping[str, Any]) -> tuple[bytes, bool]:
    if message["type"] == "http.disconnect":
        raise ClientDisconnected
    return message.get("body", b""), message.get("more_body", False)
