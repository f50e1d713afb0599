"""The gRPC server: it answers as soon as it is entered, and ends at once when it is left."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc.aio

from trialrun.errors import UsageError
from trialrun.server.grpc.calls import GrpcServices
from trialrun.server.grpc.handler import GrpcHandler
from trialrun.server.listen import open_listener, resolve_host

MAX_REQUEST = 32 * 1024 * 1024
"""Bytes of a request; of more, calls end with RESOURCE_EXHAUSTED."""
PORT_OPTION = "--grpc-port"
GRACE = 0.5
"""Seconds that calls may take to their end when the server ends; after them they are cut off."""
OPTIONS = (("grpc.max_receive_message_length", MAX_REQUEST), ("grpc.so_reuseport", 0))


@asynccontextmanager
async def run_grpc_server(services: GrpcServices, host: str, port: int) -> AsyncIterator[int]:
    """Answer calls at a port, 0 for a free one, until the block is left; the port. Raises UsageError."""
    open_listener(host, port, port_option=PORT_OPTION).close()  # which says why where it cannot be
    server = grpc.aio.server(handlers=[GrpcHandler(services)], options=OPTIONS)
    bound = _listen(server, host, port)
    await server.start()
    try:
        yield bound
    finally:
        await server.stop(GRACE)


def _listen(server: Any, host: str, port: int) -> int:
    _, address = resolve_host(host)
    numeric = f"[{address[0]}]" if ":" in address[0] else address[0]
    try:
        return int(server.add_insecure_port(f"{numeric}:{port}"))
    except RuntimeError as error:  # another program was faster
        raise UsageError(f"{PORT_OPTION}: the server cannot listen at port {port} of {host}; choose another") from error
