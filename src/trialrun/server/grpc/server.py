"""The server by gRPC: every operation of the table that has a method, for both versions of the API.

It answers as soon as it is entered, and ends at once when it is left. A call is bytes in and bytes out, and every
refusal has a status and its reason.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any

import grpc
import grpc.aio
from grpc_status import rpc_status

from trialrun.errors import UsageError
from trialrun.model.feature_view import FeatureView
from trialrun.server.access import caller_of, require_token
from trialrun.server.addresses import open_listeners
from trialrun.server.dialect import VendorDialect
from trialrun.server.faults import CALL_FAULT, HEADER
from trialrun.server.grpc.messages import (
    AIPLATFORM,
    VERSIONS,
    RpcMethod,
    message_class,
    parse_message,
    service_methods,
    to_message,
)
from trialrun.server.json_body import LARGE_BODY, Json, off_loop
from trialrun.server.monitoring import Monitoring, RequestRecord
from trialrun.server.operations import LongRunningOperations, Operations
from trialrun.server.services import RPCS
from trialrun.service.error import (
    BadRequest,
    Detail,
    ErrorInfo,
    FieldViolation,
    ResourceInfo,
    ServiceError,
    Status,
    detail_json,
    service_error,
)
from trialrun.service.iam import Caller
from trialrun.service.rpc import Api, Rpc, StreamRpc


def long_running_calls(operations: LongRunningOperations) -> Mapping[str, Callable[[Json], Awaitable[Json]]]:
    """What answers each method; all operations are finished, so there is nothing to wait for or to cancel."""

    async def get(request: Json) -> Json:
        return _in_words_of_vendor(operations.get(_name(request)))

    async def list_operations(request: Json) -> Json:
        page = operations.list_page(request)
        return {**page, "operations": [_in_words_of_vendor(operation) for operation in page["operations"]]}

    async def delete(request: Json) -> Json:
        operations.delete(_name(request))
        return {}

    async def cancel(request: Json) -> Json:
        operations.get(_name(request))
        return {}

    return {
        "GetOperation": get,
        "WaitOperation": get,
        "ListOperations": list_operations,
        "DeleteOperation": delete,
        "CancelOperation": cancel,
    }


def _name(request: Json) -> str:
    return str(request.get("name", ""))


def _in_words_of_vendor(operation: Json) -> Json:
    """An operation with a view in the vendor's words, whatever the words of the request were that began it."""
    response = operation.get("response", {})
    return (
        {**operation, "response": VendorDialect.names.write(response, FeatureView)} if "name" in response else operation
    )


PROTOCOL = "grpc"
LONG_RUNNING = "google.longrunning.Operations"
IAM = "google.iam.v1.IAMPolicy"
"""The service that has the methods for policies, whatever they are about."""
MAX_REQUEST = 32 * 1024 * 1024
"""Bytes of a request; of more, calls end with RESOURCE_EXHAUSTED."""
PORT_OPTION = "--grpc-port"
GRACE = 0.25
"""Seconds that calls may take to their end when the server ends; after them they are cut off."""
OPTIONS = (("grpc.max_receive_message_length", MAX_REQUEST), ("grpc.so_reuseport", 0))
MAX_MESSAGE = 1_000
"""Bytes of a message in a trailer, where it stands twice."""
MAX_DETAILS = 3_000
"""Bytes of all details in a trailer: clients refuse trailers of more than 8 KB."""
MAX_TEXT = 500
"""Bytes of a name or a description where the details are longer than that."""
Context = Any
"""A grpc.aio.ServicerContext, which has no types."""
RpcMethodHandler = Any
"""A grpc.RpcMethodHandler, which has no types."""


@asynccontextmanager
async def run_grpc_server(
    operations: Operations, token: str | None, monitoring: Monitoring, host: str, port: int
) -> AsyncIterator[int]:
    """Answer calls at a port, 0 for a free one, until the block is left; the port. Raises UsageError."""
    with open_listeners(host, port, port_option=PORT_OPTION) as listeners:  # which says why where it cannot be
        addresses = [listener.getsockname()[:2] for listener in listeners]
    server = grpc.aio.server(handlers=[GrpcHandler(operations, token, monitoring)], options=OPTIONS)
    for address, bound in addresses:
        try:
            server.add_insecure_port(f"[{address}]:{bound}" if ":" in address else f"{address}:{bound}")
        except RuntimeError as error:  # another program was faster
            message = f"{PORT_OPTION}: the server cannot listen at port {bound} of {address}; choose another"
            raise UsageError(message) from error
    await server.start()
    try:
        yield addresses[0][1]
    finally:
        await server.stop(GRACE)


class GrpcHandler:
    """Finds what answers a call: a grpc.GenericRpcHandler.

    Calls need the token, if there is one, and are counted and logged.
    """

    def __init__(self, operations: Operations, token: str | None, monitoring: Monitoring) -> None:
        self._operations, self._token, self._monitoring = operations, token, monitoring
        self._handlers = dict(self._all_handlers())

    def service(self, handler_call_details: Any) -> RpcMethodHandler:
        """What answers a call, by its path."""
        path = handler_call_details.method
        return self._handlers.get(path) or grpc.stream_stream_rpc_method_handler(self._unknown(path))

    def _all_handlers(self) -> Iterator[tuple[str, RpcMethodHandler]]:
        rpcs = {rpc.method: rpc for rpc in RPCS if rpc.api is not Api.CHANNEL_CONFIG}
        apis = (Api.FEATURE_STORE_ADMIN, Api.FEATURE_STORE_SERVING)
        services = [*(f"{AIPLATFORM}.{version}.{api.value}" for version in VERSIONS for api in apis), IAM]
        for method in (method for service in services for method in service_methods(service)):
            rpc = rpcs.get(method.name)
            if isinstance(rpc, StreamRpc):
                yield method.path, grpc.stream_stream_rpc_method_handler(self._stream(method, rpc))
            elif rpc is not None:
                yield method.path, grpc.unary_unary_rpc_method_handler(self._operation(method, rpc))
        calls = long_running_calls(self._operations.long_running)
        for method in service_methods(LONG_RUNNING):
            yield method.path, grpc.unary_unary_rpc_method_handler(self._about_operations(method, calls[method.name]))

    def _operation(self, method: RpcMethod, rpc: Rpc) -> Callable[[bytes, Context], Awaitable[bytes]]:
        """A call with one request and one response that is an operation of the table."""

        async def run(request: Json, caller: Caller) -> Json:
            return await self._operations.run(rpc, request, caller, method.version)

        return self._unary(method, run)

    def _about_operations(
        self, method: RpcMethod, answer: Callable[[Json], Awaitable[Json]]
    ) -> Callable[[bytes, Context], Awaitable[bytes]]:
        """A call about long-running operations."""

        async def run(request: Json, caller: Caller) -> Json:
            self._operations.services.require_operations(str(request.get("name", "")), caller)
            return await answer(request)

        return self._unary(method, run)

    def _unary(
        self, method: RpcMethod, run: Callable[[Json, Caller], Awaitable[Json]]
    ) -> Callable[[bytes, Context], Awaitable[bytes]]:
        async def answer(data: bytes, context: Context) -> bytes:
            async with self._recorded(method.path, context, method.name):
                caller = self._authenticated(context)
                response = await run(await _request(data, method), caller)
                serialized: bytes = to_message(response, method.response).SerializeToString()
                return serialized
            raise AssertionError("a refused call does not get here")

        return answer

    def _stream(self, method: RpcMethod, rpc: StreamRpc) -> Callable[[AsyncIterator[bytes], Context], Awaitable[None]]:
        """A call with streams of requests and responses, which have the order of the requests.

        A request is read when what the one before it asks for is sent, so nothing piles up for a client that does not
        read.
        """

        async def answer(sent: AsyncIterator[bytes], context: Context) -> None:
            async with self._recorded(method.path, context, method.name):
                caller = self._authenticated(context)
                with self._monitoring.open_stream(method.name):
                    requests = (await _request(data, method) async for data in sent)
                    responses = self._operations.run_stream(rpc, requests, caller)
                    async with aclosing(requests), aclosing(responses):
                        async for response in responses:
                            await context.write(to_message(response, method.response).SerializeToString())

        return answer

    def _unknown(self, path: str) -> Callable[[AsyncIterator[bytes], Context], Awaitable[None]]:
        """A call of a method that there is not, whatever its messages are."""

        async def answer(sent: AsyncIterator[bytes], context: Context) -> None:
            async with self._recorded(path, context):
                self._authenticated(context)
                raise service_error(Status.UNIMPLEMENTED, "unknown-method", f"there is no method {path}")

        return answer

    @asynccontextmanager
    async def _recorded(self, path: str, context: Context, operation: str = "") -> AsyncIterator[None]:
        """A call that is counted and logged, and ends with the status of whatever is raised in it."""
        record = RequestRecord("gRPC", path, operation, Status.CANCELLED.name)
        with self._monitoring.watch(PROTOCOL, record):
            try:
                yield
                record.status = Status.OK.name
            except Exception as error:  # noqa: BLE001 - an internal error of one call is reported, the others continue
                if not isinstance(error, ServiceError):
                    self._monitoring.log.write_internal_error(error)
                    message = "the server failed; its log says where, please report it"
                    error = service_error(Status.INTERNAL, "internal-error", message)
                record.status, record.reason, record.message = error.status.name, error.reason, error.message
                await context.abort_with_status(rpc_status.to_status(status_message(error)))

    def _authenticated(self, context: Context) -> Caller:
        """Who calls, with the fault that the call brings in its metadata.

        Raises PERMISSION_DENIED without the token of the server, and UNAUTHENTICATED.
        """
        metadata = [(name, value) for name, value in context.invocation_metadata() or () if isinstance(value, str)]
        require_token(self._token, metadata)
        CALL_FAULT.set(next((value for name, value in metadata if name == HEADER), ""))
        return caller_of(self._operations.services.members, metadata)


async def _request(data: bytes, method: RpcMethod) -> Json:
    """A request as JSON. Raises INVALID_ARGUMENT."""
    return await off_loop(parse_message, data, method.request, is_large=len(data) > LARGE_BODY)


def status_message(error: ServiceError) -> Any:
    """The error as a google.rpc.Status that fits into a trailer: with all of each detail, or as much as has room."""
    status = message_class("google.rpc.Status")(code=error.code, message=_shortened(error.message, MAX_MESSAGE))
    left = MAX_DETAILS
    for detail in error.details:
        for part in _by_size(detail):
            message = to_message(detail_json(part), message_class(f"google.rpc.{detail.type}"))
            if message.ByteSize() <= left:
                status.details.add().Pack(message)
                left -= message.ByteSize()
                break
    return status


def _by_size(detail: Detail) -> list[Detail]:
    """The detail, then ever smaller parts of it; the reason is in each."""
    match detail:
        case ErrorInfo():
            return [detail, detail.model_copy(update={"metadata": {}})]
        case ResourceInfo():
            return [detail, detail.model_copy(update={"resourceName": _shortened(detail.resourceName, MAX_TEXT)})]
    count = len(detail.fieldViolations)
    counts = [count] + [size for size in (64, 32, 16, 8, 4, 2, 1) if size < count]
    parts = [BadRequest(fieldViolations=detail.fieldViolations[:size]) for size in counts]
    first = detail.fieldViolations[0]
    field, description = _shortened(first.field, MAX_TEXT), _shortened(first.description, MAX_TEXT)
    return [
        *parts,
        BadRequest(fieldViolations=[FieldViolation(field=field, description=description, reason=first.reason)]),
    ]


def _shortened(text: str, size: int) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= size else data[: size - 3].decode("utf-8", "ignore") + "…"
