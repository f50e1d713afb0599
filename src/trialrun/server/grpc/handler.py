"""The methods of the server by gRPC: every operation of the table that has one, for both versions of the API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import grpc

from trialrun.lazy_dataclass import dataclass
from trialrun.server.bindings import BINDINGS
from trialrun.server.bindings.binding import Api, Binding, Json, Services, StreamBinding
from trialrun.server.dialect.interface import Dialect
from trialrun.server.grpc.error_status import abort
from trialrun.server.grpc.message_json import message_json, parse_message, to_message
from trialrun.server.grpc.message_types import AIPLATFORM, VERSIONS, RpcMethod, service_methods
from trialrun.server.grpc.operations import long_running_calls
from trialrun.server.long_running import LongRunningOperations
from trialrun.server.run_operation import run_operation, run_stream
from trialrun.service.caller import OWNER
from trialrun.service.error import ServiceError, Status, service_error

OPERATIONS = "google.longrunning.Operations"
IAM = "google.iam.v1.IAMPolicy"
"""The service that has the methods for policies, whatever they are about."""
Context = Any
"""A grpc.aio.ServicerContext, which has no types."""
RpcMethodHandler = Any
UnaryCall = Callable[[Json], Awaitable[Json]]


@dataclass(frozen=True)
class GrpcServices:
    """What calls by gRPC are about, and the words that they are in."""

    services: Services
    operations: LongRunningOperations
    dialect: Dialect


class GrpcHandler:
    """Finds what answers a call: a grpc.GenericRpcHandler."""

    def __init__(self, server: GrpcServices) -> None:
        self._handlers = {method.path: handler for method, handler in _handlers(server)}

    def service(self, handler_call_details: Any) -> RpcMethodHandler:
        """What answers a call, by its path."""
        path = handler_call_details.method
        return self._handlers.get(path) or grpc.stream_stream_rpc_method_handler(_refuse(path))


def _handlers(server: GrpcServices) -> Iterator[tuple[RpcMethod, RpcMethodHandler]]:
    bindings = {binding.method: binding for binding in BINDINGS if binding.api is not Api.CHANNEL_CONFIG}
    for method in _served_methods():
        binding = bindings.get(method.name)
        if isinstance(binding, StreamBinding):
            yield method, grpc.stream_stream_rpc_method_handler(_stream(server, method, binding))
        elif binding is not None:
            yield method, grpc.unary_unary_rpc_method_handler(_unary(method, _operation(server, method, binding)))
    calls = long_running_calls(server.operations)
    for method in service_methods(OPERATIONS):
        yield method, grpc.unary_unary_rpc_method_handler(_unary(method, calls[method.name]))


def _served_methods() -> Iterator[RpcMethod]:
    for version in VERSIONS:
        for api in (Api.FEATURE_STORE_ADMIN, Api.FEATURE_STORE_SERVING):
            yield from service_methods(f"{AIPLATFORM}.{version}.{api.value}")
    yield from service_methods(IAM)


def _operation(server: GrpcServices, method: RpcMethod, binding: Binding) -> UnaryCall:
    """An operation of the table as a call."""

    async def call(request: Json) -> Json:
        answer = await run_operation(binding, request, server.services, OWNER, server.dialect)
        if not binding.operation_type:
            return answer
        resource = str(answer.get("name") or request[binding.template.field])
        return server.operations.finish(resource, method.version, binding.operation_type, answer)

    return call


def _unary(method: RpcMethod, call: UnaryCall) -> Callable[[bytes, Context], Awaitable[bytes]]:
    async def answer(data: bytes, context: Context) -> bytes:
        try:
            response = await call(message_json(parse_message(data, method.request)))
            return _serialized(response, method)
        except ServiceError as error:
            await abort(context, error)

    return answer


def _stream(
    server: GrpcServices, method: RpcMethod, binding: StreamBinding
) -> Callable[[AsyncIterator[bytes], Context], AsyncIterator[bytes]]:
    """A stream as a call; a request is read when the one before it is answered, so a slow client waits for itself."""

    async def answer(sent: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        requests = _requests(sent, method)
        try:
            async for response in run_stream(binding, requests, server.services, OWNER, server.dialect):
                yield _serialized(response, method)
        except ServiceError as error:
            await abort(context, error)

    return answer


async def _requests(sent: AsyncIterator[bytes], method: RpcMethod) -> AsyncIterator[Json]:
    async for data in sent:
        yield message_json(parse_message(data, method.request))


def _serialized(response: Json, method: RpcMethod) -> bytes:
    data: bytes = to_message(response, method.response).SerializeToString()
    return data


def _refuse(path: str) -> Callable[[AsyncIterator[bytes], Context], AsyncIterator[bytes]]:
    """A call of a method that there is not, whatever its messages are."""

    async def answer(sent: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        await abort(context, service_error(Status.UNIMPLEMENTED, "unknown-method", f"there is no method {path}"))
        yield b""

    return answer
