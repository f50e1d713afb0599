"""The HTTP server: it answers as soon as it is entered, and ends at once when it is left."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Any

import uvicorn

from trialrun.server.http.connection import MAX_CONNECTIONS, Connection, WaitingConnections

GRACE = 0.25
"""Seconds that requests may take to their end when the server ends; after them they are cut off."""
KEEP_ALIVE = 75
"""Seconds that a connection may be idle."""
RESERVED_FILES = 256
"""Files that the server needs besides connections: those of stores, indexes and sources."""


@asynccontextmanager
async def run_http_server(app: Any, listeners: list[socket.socket]) -> AsyncIterator[None]:
    """Answer requests at listening sockets until the block is left."""
    connection: Any = partial(Connection, WaitingConnections(raise_connection_limit()))
    config = uvicorn.Config(
        app,
        http=connection,
        timeout_keep_alive=KEEP_ALIVE,
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
        await server.answers.wait()
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
    """A server of uvicorn that leaves signals alone and does not wait for clients when it ends."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.answers = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals belong to the whole program."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and say so."""
        await super().startup(sockets)
        self.answers.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close idle connections, give requests a moment, then cut them off."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await _wait(self.server_state.tasks)
        for task in self.server_state.tasks:
            task.cancel()
        await _wait(self.server_state.tasks)
        for connection in list(self.server_state.connections):
            transport = getattr(connection, "transport", None)
            if transport is not None:
                transport.abort()


async def _wait(tasks: set[asyncio.Task[None]]) -> None:
    if tasks:
        await asyncio.wait(tasks, timeout=GRACE)
