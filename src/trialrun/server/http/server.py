"""The HTTP server, on uvicorn: it answers as soon as it is entered, and ends at once when it is left.

Clients cannot hold connections for ever: these are bounded in number, in time and in the size of a request's head. Of
that uvicorn bounds the time of idle connections alone, and where it limits their number, it refuses new ones; here the
one that waits longest makes room.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

GRACE: Any = 0.25
"""Seconds that requests may take to their end when the server ends (uvicorn says int, and takes parts of one)."""
KEEP_ALIVE = 75
"""Seconds that a connection may be idle."""
RESERVED_FILES = 256
"""Files that the server needs besides connections: those of stores, indexes and sources."""
MAX_HEAD = 64 * 1024
"""Bytes of the request line and the headers together."""
MAX_CONNECTIONS = 10_000
TIMEOUTS = {"request": 60.0, "answer": 60.0}
"""Seconds from the first byte of a request to its last, where the guards do not answer before, and seconds that a
client may leave an answer unread."""
IS_WHOLE = "trialrun.is_whole"
"""What the scope of a request has that has come whole."""
HEAD_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: 38\r\nconnection: close\r\n\r\nthe headers are larger than 64 KB; cut"
)


@asynccontextmanager
async def run_http_server(app: Any, listeners: list[socket.socket]) -> AsyncIterator[None]:
    """Answer requests at listening sockets until the block is left."""
    connection: Any = partial(Connection, WaitingConnections(raise_connection_limit()))
    config = uvicorn.Config(
        app,
        http=connection,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        lifespan="off",
        ws="none",
    )
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    server = _Server(config)
    serving = asyncio.ensure_future(server.serve(sockets=listeners))
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0)
        yield
    finally:
        server.should_exit = True
        await serving


def raise_connection_limit() -> int:
    """How many connections the system lets this process have, after it was asked for as many as are ever used."""
    try:
        import resource
    except ImportError:  # on Windows, which has no such limit
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + RESERVED_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(16, min(MAX_CONNECTIONS, soft - RESERVED_FILES))


class _Server(uvicorn.Server):
    """A server of uvicorn that leaves signals to the whole program."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class WaitingConnections(dict["Connection", None]):
    """The connections that wait for their clients, the longest first: they make room when there are too many.

    A connection waits while it is idle, and while a request has not come whole.
    """

    def __init__(self, most: int = MAX_CONNECTIONS) -> None:
        super().__init__()
        self._most = most

    def make_room(self, count: int) -> bool:
        """Whether there is room for one more than so many, if need be by closing the one that waits longest."""
        if count < self._most:
            return True
        longest = next(iter(self), None)
        if longest is None:
            return False
        del self[longest]
        longest.abort()
        return True


class Connection(HttpToolsProtocol):
    """One connection by HTTP/1.1."""

    def __init__(self, waiting: WaitingConnections, **options: Any) -> None:
        super().__init__(**options)
        self._waiting = waiting
        self._head_size = 0
        self._is_partial = self._is_in_body = False
        self._deadlines: dict[str, asyncio.TimerHandle] = {}

    def abort(self) -> None:
        """End the connection now, whatever was not sent yet."""
        if self.transport is not None:
            self.transport.abort()

    def connection_made(self, transport: Any) -> None:
        """Take a connection, unless there is no room for it."""
        super().connection_made(transport)
        if not self._waiting.make_room(len(self.connections) - 1):
            self.abort()
            return
        self._wait()
        self._arm("request")

    def connection_lost(self, exc: Exception | None) -> None:
        self._waiting.pop(self, None)
        for name in TIMEOUTS:
            self._disarm(name)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came; a request that has not come whole has a deadline."""
        super().data_received(data)
        if self.parser is None or self.transport.is_closing():
            return
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self._is_partial or not is_answering:
            self._arm("request")
        if self._is_partial and not self._is_in_body:
            self._head_size += len(data)
            if self._head_size > MAX_HEAD:
                if not is_answering:
                    self.transport.write(HEAD_TOO_LARGE)
                self.transport.close()

    def on_message_begin(self) -> None:
        self._is_partial, self._is_in_body, self._head_size = True, False, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._is_in_body = True
        if b"://" in self.url.partition(b"?")[0] and [name for name, _ in self.headers].count(b"host") == 1:
            authority = self.url.split(b"/", 3)[2]  # which counts, and no longer the Host header (RFC 9112, 3.2.2)
            self.headers[:] = [(name, authority if name == b"host" else value) for name, value in self.headers]
        super().on_headers_complete()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header; those after a body mean nothing here."""
        if not self._is_in_body:
            super().on_header(name, value)

    def on_message_complete(self) -> None:
        self._is_partial = self._is_in_body = False
        scope: Any = self.scope
        scope[IS_WHOLE] = True
        self._disarm("request")
        if not self.cycle.response_complete:
            self._waiting.pop(self, None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._wait()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client does not read; it has a while."""
        super().pause_writing()
        self._arm("answer")

    def resume_writing(self) -> None:
        self._disarm("answer")
        super().resume_writing()

    def _wait(self) -> None:
        self._waiting.pop(self, None)
        self._waiting[self] = None

    def _arm(self, name: str) -> None:
        if name not in self._deadlines:
            self._deadlines[name] = self.loop.call_later(TIMEOUTS[name], self.abort)

    def _disarm(self, name: str) -> None:
        if name in self._deadlines:
            self._deadlines.pop(name).cancel()
