"""The methods of the server by gRPC: every operation of the table that has one, for both versions of the API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import grpc

from trialrun.server.bindings import BINDINGS
from trialrun.server.bindings.binding import Api, Binding, Json, StreamBinding
from trialrun.server.grpc.calls import GrpcServices, stream_call, unary_call, unknown_call
from trialrun.server.grpc.message_types import AIPLATFORM, VERSIONS, RpcMethod, service_methods
from trialrun.server.grpc.operations import long_running_calls
from trialrun.server.run_operation import OperationLog, run_long_running, run_operation
from trialrun.service.caller import Caller

OPERATIONS = "google.longrunning.Operations"
IAM = "google.iam.v1.IAMPolicy"
"""The service that has the methods for policies, whatever they are about."""
RpcMethodHandler = Any
"""A grpc.RpcMethodHandler, which has no types."""


class GrpcHandler:
    """Finds what answers a call: a grpc.GenericRpcHandler."""

    def __init__(self, server: GrpcServices) -> None:
        self._server = server
        self._handlers = {method.path: handler for method, handler in _handlers(server)}

    def service(self, handler_call_details: Any) -> RpcMethodHandler:
        """What answers a call, by its path."""
        path = handler_call_details.method
        return self._handlers.get(path) or grpc.stream_stream_rpc_method_handler(unknown_call(self._server, path))


def _handlers(server: GrpcServices) -> Iterator[tuple[RpcMethod, RpcMethodHandler]]:
    bindings = {binding.method: binding for binding in BINDINGS if binding.api is not Api.CHANNEL_CONFIG}
    for method in _served_methods():
        binding = bindings.get(method.name)
        if isinstance(binding, StreamBinding):
            yield method, grpc.stream_stream_rpc_method_handler(stream_call(server, method, binding))
        elif binding is not None:
            yield (
                method,
                grpc.unary_unary_rpc_method_handler(unary_call(server, method, _operation(server, method, binding))),
            )
    calls = long_running_calls(server.operations)
    for method in service_methods(OPERATIONS):
        answer = partial(_about_operations, server, calls[method.name])
        yield method, grpc.unary_unary_rpc_method_handler(unary_call(server, method, answer))


async def _about_operations(
    server: GrpcServices, run: Callable[[Json], Awaitable[Json]], request: Json, caller: Caller
) -> Json:
    server.services.require_operations(str(request.get("name", "")), caller)
    return await run(request)


def _served_methods() -> Iterator[RpcMethod]:
    for version in VERSIONS:
        for api in (Api.FEATURE_STORE_ADMIN, Api.FEATURE_STORE_SERVING):
            yield from service_methods(f"{AIPLATFORM}.{version}.{api.value}")
    yield from service_methods(IAM)


def _operation(server: GrpcServices, method: RpcMethod, binding: Binding) -> Callable[[Json, Caller], Awaitable[Json]]:
    """An operation of the table as a call."""

    async def call(request: Json, caller: Caller) -> Json:
        if not binding.operation_type:
            return await run_operation(binding, request, server.services, caller, server.dialect)
        log = OperationLog(server.operations, method.version)
        return await run_long_running(binding, request, server.services, caller, server.dialect, log=log)

    return call
