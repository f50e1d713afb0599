"""The HTTP server: it answers as soon as it is entered, and ends at once when it is left."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn

GRACE = 0.5
"""Seconds that requests may take to their end when the server ends; after them they are cut off."""


@asynccontextmanager
async def run_http_server(app: Any, listener: socket.socket) -> AsyncIterator[None]:
    """Answer requests at a listening socket until the block is left."""
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", ws="none", server_header=False)
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    server = _Server(config)
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        await server.answers.wait()
        yield
    finally:
        server.should_exit = True
        await serving


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
