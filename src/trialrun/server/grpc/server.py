"""The gRPC server: it answers as soon as it is entered, and ends at once when it is left."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc.aio

from trialrun.errors import UsageError
from trialrun.server.grpc.handler import GrpcHandler, GrpcServices

MAX_REQUEST = 32 * 1024 * 1024
"""Bytes of a request; of more, calls end with RESOURCE_EXHAUSTED."""
GRACE = 0.5
"""Seconds that calls may take to their end when the server ends; after them they are cut off."""
OPTIONS = (("grpc.max_receive_message_length", MAX_REQUEST), ("grpc.so_reuseport", 0))


@asynccontextmanager
async def run_grpc_server(services: GrpcServices, host: str, port: int) -> AsyncIterator[int]:
    """Answer calls at a port, 0 for a free one, until the block is left; the port. Raises UsageError."""
    server = grpc.aio.server(handlers=[GrpcHandler(services)], options=OPTIONS)
    try:
        bound = server.add_insecure_port(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    except RuntimeError as error:
        raise UsageError(
            f"--grpc-port: the server cannot listen at port {port} of {host}; choose another, or 0 for a free one"
        ) from error
    await server.start()
    try:
        yield bound
    finally:
        await server.stop(GRACE)
