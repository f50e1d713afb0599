"""Calls by gRPC: bytes in, bytes out, and every refusal with a status and its reason."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.server.bindings.binding import Json, Services, StreamBinding
from trialrun.server.dialect.interface import Dialect
from trialrun.server.fault import HEADER
from trialrun.server.fault_list import CALL_FAULT
from trialrun.server.grpc.error_status import abort, internal_error
from trialrun.server.grpc.message_json import message_json, parse_message, to_message
from trialrun.server.grpc.message_types import RpcMethod
from trialrun.server.long_running import LongRunningOperations
from trialrun.server.run_operation import run_stream
from trialrun.server.token import require_token
from trialrun.service.caller import OWNER
from trialrun.service.error import ServiceError, Status, service_error

Context = Any
"""A grpc.aio.ServicerContext, which has no types."""
UnaryCall = Callable[[bytes, Context], Awaitable[bytes]]
StreamCall = Callable[[AsyncIterator[bytes], Context], AsyncIterator[bytes]]


@dataclass(frozen=True)
class GrpcServices:
    """What calls by gRPC are about, the words that they are in, and the token that they need, if there is one."""

    services: Services
    operations: LongRunningOperations
    dialect: Dialect
    token: str | None = None


def unary_call(server: GrpcServices, method: RpcMethod, run: Callable[[Json], Awaitable[Json]]) -> UnaryCall:
    """A call with one request and one response."""

    async def answer(data: bytes, context: Context) -> bytes:
        try:
            _require_token(server, context)
            _take_fault(context)
            return _serialized(await run(message_json(parse_message(data, method.request))), method)
        except Exception as error:  # noqa: BLE001 - an internal error of one call is reported, the others continue
            return await abort(context, _refusal(error))

    return answer


def stream_call(server: GrpcServices, method: RpcMethod, binding: StreamBinding) -> StreamCall:
    """A call with streams of requests and responses, which have the order of the requests.

    A request is read when what the one before it asks for is sent, so nothing piles up for a client that does not read.
    """

    async def answer(sent: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        try:
            _require_token(server, context)
            _take_fault(context)
            responses = run_stream(binding, _requests(sent, method), server.services, OWNER, server.dialect)
            async for response in responses:
                yield _serialized(response, method)
        except Exception as error:  # noqa: BLE001 - as above
            await abort(context, _refusal(error))

    return answer


def unknown_call(server: GrpcServices, path: str) -> StreamCall:
    """A call of a method that there is not, whatever its messages are."""

    async def answer(sent: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        try:
            _require_token(server, context)
            raise service_error(Status.UNIMPLEMENTED, "unknown-method", f"there is no method {path}")
        except ServiceError as error:
            await abort(context, error)
        yield b""  # which makes this a stream, as the caller may expect one

    return answer


def _require_token(server: GrpcServices, context: Context) -> None:
    if server.token is not None:
        metadata = context.invocation_metadata() or ()
        require_token(server.token, ((name, value) for name, value in metadata if isinstance(value, str)))


def _take_fault(context: Context) -> None:
    """Have the fault that a call brings in its metadata happen to it."""
    metadata = context.invocation_metadata() or ()
    CALL_FAULT.set(next((value for name, value in metadata if name == HEADER and isinstance(value, str)), ""))


async def _requests(sent: AsyncIterator[bytes], method: RpcMethod) -> AsyncIterator[Json]:
    async for data in sent:
        yield message_json(parse_message(data, method.request))


def _serialized(response: Json, method: RpcMethod) -> bytes:
    data: bytes = to_message(response, method.response).SerializeToString()
    return data


def _refusal(error: Exception) -> ServiceError:
    return error if isinstance(error, ServiceError) else internal_error(error)
