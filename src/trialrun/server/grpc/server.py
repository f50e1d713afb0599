"""The gRPC server: it answers as soon as it is entered, and ends at once when it is left."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc.aio

from trialrun.errors import UsageError
from trialrun.server.grpc.calls import GrpcServices
from trialrun.server.grpc.handler import GrpcHandler
from trialrun.server.listen import open_listeners

MAX_REQUEST = 32 * 1024 * 1024
"""Bytes of a request; of more, calls end with RESOURCE_EXHAUSTED."""
PORT_OPTION = "--grpc-port"
GRACE = 0.25
"""Seconds that calls may take to their end when the server ends; after them they are cut off."""
OPTIONS = (("grpc.max_receive_message_length", MAX_REQUEST), ("grpc.so_reuseport", 0))


@asynccontextmanager
async def run_grpc_server(services: GrpcServices, host: str, port: int) -> AsyncIterator[int]:
    """Answer calls at a port, 0 for a free one, until the block is left; the port. Raises UsageError."""
    with open_listeners(host, port, port_option=PORT_OPTION) as listeners:  # which says why where it cannot be
        addresses = [listener.getsockname()[:2] for listener in listeners]
    server = grpc.aio.server(handlers=[GrpcHandler(services)], options=OPTIONS)
    for address, bound in addresses:
        _listen(server, address, bound)
    await server.start()
    try:
        yield addresses[0][1]
    finally:
        await server.stop(GRACE)


def _listen(server: Any, address: str, port: int) -> None:
    try:
        server.add_insecure_port(f"[{address}]:{port}" if ":" in address else f"{address}:{port}")
    except RuntimeError as error:  # another program was faster
        message = f"{PORT_OPTION}: the server cannot listen at port {port} of {address}; choose another"
        raise UsageError(message) from error
