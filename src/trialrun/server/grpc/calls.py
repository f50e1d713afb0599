"""Calls by gRPC: bytes in, bytes out, and every refusal with a status and its reason."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from time import perf_counter
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.server.bindings.binding import Json, Services, StreamBinding
from trialrun.server.dialect.interface import Dialect
from trialrun.server.fault import HEADER
from trialrun.server.fault_list import CALL_FAULT
from trialrun.server.grpc.error_status import abort, internal_error
from trialrun.server.grpc.message_json import count_fields, message_json, parse_message, to_message
from trialrun.server.grpc.message_types import RpcMethod
from trialrun.server.json_body import LARGE_BODY, MAX_VALUES, off_loop, too_many_values
from trialrun.server.long_running import LongRunningOperations
from trialrun.server.monitoring import Monitoring
from trialrun.server.request_log import RequestRecord
from trialrun.server.run_operation import run_stream
from trialrun.server.token import caller_of, require_token
from trialrun.service.caller import Caller
from trialrun.service.error import ServiceError, Status, service_error

PROTOCOL = "grpc"
Context = Any
"""A grpc.aio.ServicerContext, which has no types."""
UnaryCall = Callable[[bytes, Context], Awaitable[bytes]]
StreamCall = Callable[[AsyncIterator[bytes], Context], Awaitable[None]]


@dataclass(frozen=True)
class GrpcServices:
    """What calls by gRPC are about, the words that they are in, and the token that they need, if there is one.

    Calls are counted and logged where there is `monitoring`.
    """

    services: Services
    operations: LongRunningOperations
    dialect: Dialect
    token: str | None = None
    monitoring: Monitoring | None = None


def unary_call(server: GrpcServices, method: RpcMethod, run: Callable[[Json, Caller], Awaitable[Json]]) -> UnaryCall:
    """A call with one request and one response."""

    async def answer(data: bytes, context: Context) -> bytes:
        async with _recorded(server, method.path, context):
            caller = _authenticated(server, context)
            _take_fault(context)
            return _serialized(await run(await _request(data, method), caller), method)
        raise AssertionError("a refused call does not get here")

    return answer


def stream_call(server: GrpcServices, method: RpcMethod, binding: StreamBinding) -> StreamCall:
    """A call with streams of requests and responses, which have the order of the requests.

    A request is read when what the one before it asks for is sent, so nothing piles up for a client that does not read.
    """

    async def answer(sent: AsyncIterator[bytes], context: Context) -> None:
        async with _recorded(server, method.path, context):
            caller = _authenticated(server, context)
            _take_fault(context)
            with _open_stream(server, method.name):
                await exchange(sent, context, caller)

    async def exchange(sent: AsyncIterator[bytes], context: Context, caller: Caller) -> None:
        async with aclosing(_requests(sent, method)) as requests:
            responses = run_stream(binding, requests, server.services, caller, server.dialect)
            async with aclosing(responses):
                async for response in responses:
                    await context.write(_serialized(response, method))

    return answer


def unknown_call(server: GrpcServices, path: str) -> StreamCall:
    """A call of a method that there is not, whatever its messages are."""

    async def answer(sent: AsyncIterator[bytes], context: Context) -> None:
        async with _recorded(server, path, context, is_known=False):
            _authenticated(server, context)
            raise service_error(Status.UNIMPLEMENTED, "unknown-method", f"there is no method {path}")

    return answer


@asynccontextmanager
async def _recorded(server: GrpcServices, path: str, context: Context, *, is_known: bool = True) -> AsyncIterator[None]:
    """A call that is counted and logged, and ends with the status of whatever is raised in it."""
    record = RequestRecord("gRPC", path, path.rpartition("/")[2] if is_known else "", Status.CANCELLED.name)
    began = perf_counter()
    if server.monitoring:
        server.monitoring.metrics.begin_request(PROTOCOL)
    try:
        yield
        record.status = Status.OK.name
    except Exception as error:  # noqa: BLE001 - an internal error of one call is reported, the others continue
        refusal = _refusal(server, error)
        record.status, record.reason, record.message = refusal.status.name, refusal.reason, refusal.message
        await abort(context, refusal)
    finally:
        record.seconds = perf_counter() - began
        if server.monitoring:
            server.monitoring.metrics.end_request(PROTOCOL, record.operation, str(record.status), record.seconds)
            server.monitoring.log.write(record)


def _refusal(server: GrpcServices, error: Exception) -> ServiceError:
    if isinstance(error, ServiceError):
        return error
    if server.monitoring:
        server.monitoring.log.write_internal_error(error)
    return internal_error()


@contextmanager
def _open_stream(server: GrpcServices, operation: str) -> Iterator[None]:
    if server.monitoring is None:
        yield
        return
    server.monitoring.metrics.open_stream(operation)
    try:
        yield
    finally:
        server.monitoring.metrics.close_stream(operation)


def _authenticated(server: GrpcServices, context: Context) -> Caller:
    """Who calls. Raises PERMISSION_DENIED without the token of the server, and UNAUTHENTICATED."""
    metadata = [(name, value) for name, value in context.invocation_metadata() or () if isinstance(value, str)]
    require_token(server.token, metadata)
    return caller_of(server.services.members, metadata)


def _take_fault(context: Context) -> None:
    """Have the fault that a call brings in its metadata happen to it."""
    metadata = context.invocation_metadata() or ()
    CALL_FAULT.set(next((value for name, value in metadata if name == HEADER and isinstance(value, str)), ""))


async def _requests(sent: AsyncIterator[bytes], method: RpcMethod) -> AsyncGenerator[Json]:
    async for data in sent:
        yield await _request(data, method)


async def _request(data: bytes, method: RpcMethod) -> Json:
    """A request as JSON. Raises INVALID_ARGUMENT."""
    return await off_loop(_parsed, data, method, is_large=len(data) > LARGE_BODY)


def _parsed(data: bytes, method: RpcMethod) -> Json:
    if len(data) > MAX_VALUES and count_fields(memoryview(data), method.request.DESCRIPTOR, MAX_VALUES) > MAX_VALUES:
        raise too_many_values()
    return message_json(parse_message(data, method.request))


def _serialized(response: Json, method: RpcMethod) -> bytes:
    data: bytes = to_message(response, method.response).SerializeToString()
    return data
