"""The server by gRPC: every operation of the table that has a method, for both versions of the API.

It answers as soon as it is entered, and ends at once when it is left. A call is bytes in and bytes out, and every
refusal has a status and its reason.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Any

import grpc
import grpc.aio
from grpc_status import rpc_status

from trialrun.errors import UsageError
from trialrun.model.feature_view import FeatureView
from trialrun.server.access import caller_of, require_token
from trialrun.server.addresses import open_listeners
from trialrun.server.dialect import DIALECTS
from trialrun.server.faults import CALL_FAULT, HEADER
from trialrun.server.grpc.messages import (
    AIPLATFORM,
    RpcMethod,
    message_class,
    parse_message,
    service_methods,
    to_message,
)
from trialrun.server.json_body import LARGE_BODY, Json, off_loop
from trialrun.server.monitoring import Monitoring, RequestRecord
from trialrun.server.operations import RPCS, VERSIONS, Operations
from trialrun.service.error import BadRequest, Detail, ServiceError, Status, detail_json, service_error
from trialrun.service.iam import Caller
from trialrun.service.rpc import Api, Rpc

PROTOCOL = "grpc"
LONG_RUNNING = "google.longrunning.Operations"
IAM = "google.iam.v1.IAMPolicy"
"""The service that has the methods for policies, whatever they are about."""
HEALTH, IS_SERVING = "/grpc.health.v1.Health/Check", b"\x08\x01"
"""What programs ask whether a server answers, and that it does: a HealthCheckResponse with the status SERVING."""
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
StreamCall = Callable[[AsyncIterator[bytes], Context], Awaitable[None]]


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
            if rpc is not None and rpc.is_stream:
                yield method.path, grpc.stream_stream_rpc_method_handler(self._stream(method, rpc))
            elif rpc is not None:
                run = partial(self._operations.run, rpc, version=method.version)
                yield method.path, grpc.unary_unary_rpc_method_handler(self._unary(method, run))
        yield HEALTH, grpc.unary_unary_rpc_method_handler(_health)
        for method in service_methods(LONG_RUNNING):
            run = partial(self._about_operations, method.name)
            yield method.path, grpc.unary_unary_rpc_method_handler(self._unary(method, run))

    async def _about_operations(self, method: str, request: Json, caller: Caller) -> Json:
        """The answer to a call about long-running operations, with views in the vendor's words.

        Their operations may have been begun by requests in other words.
        """
        self._operations.services.require_operations(str(request.get("name", "")), caller)
        answer = self._operations.long_running.call(method, request)

        def in_words_of_vendor(operation: Json) -> Json:
            response = operation.get("response", {})
            words = {"response": DIALECTS["vendor"].write_fields(response, FeatureView)} if "name" in response else {}
            return {**operation, **words}

        listed = {"operations": [in_words_of_vendor(operation) for operation in answer.get("operations", ())]}
        return {**answer, **listed} if "operations" in answer else in_words_of_vendor(answer)

    def _unary(
        self, method: RpcMethod, run: Callable[[Json, Caller], Awaitable[Json]]
    ) -> Callable[[bytes, Context], Awaitable[bytes]]:
        async def answer(data: bytes, context: Context) -> bytes:
            async with self._recorded(method.path, context, method.name) as caller:
                response = await run(await _request(data, method), caller)
                serialized: bytes = to_message(response, method.response).SerializeToString()
                return serialized
            raise AssertionError("a refused call does not get here")

        return answer

    def _stream(self, method: RpcMethod, rpc: Rpc) -> StreamCall:
        """A call with streams of requests and responses, which have the order of the requests.

        A request is read when what the one before it asks for is sent, so nothing piles up for a client that does not
        read.
        """

        async def answer(sent: AsyncIterator[bytes], context: Context) -> None:
            async with self._recorded(method.path, context, method.name) as caller:
                with self._monitoring.open_stream(method.name):
                    requests = (await _request(data, method) async for data in sent)
                    responses = self._operations.run_stream(rpc, requests, caller)
                    async with aclosing(requests), aclosing(responses):
                        async for response in responses:
                            await context.write(to_message(response, method.response).SerializeToString())

        return answer

    def _unknown(self, path: str) -> StreamCall:
        """A call of a method that there is not, whatever its messages are."""

        async def answer(sent: AsyncIterator[bytes], context: Context) -> None:
            async with self._recorded(path, context):
                raise service_error(Status.UNIMPLEMENTED, "unknown-method", f"there is no method {path}")

        return answer

    @asynccontextmanager
    async def _recorded(self, path: str, context: Context, operation: str = "") -> AsyncIterator[Caller]:
        """Who calls, in a call that is counted and logged, and ends with the status of whatever is raised in it.

        The fault that the call brings in its metadata is set. Without the token of the server the call ends with
        PERMISSION_DENIED, and with one that is nobody's with UNAUTHENTICATED.
        """
        record = RequestRecord("gRPC", path, operation, Status.CANCELLED.name)
        with self._monitoring.watch(PROTOCOL, record):
            try:
                sent = context.invocation_metadata() or ()
                metadata = [(name, value) for name, value in sent if isinstance(value, str)]
                require_token(self._token, metadata)
                CALL_FAULT.set(next((value for name, value in metadata if name == HEADER), ""))
                yield caller_of(self._operations.services.members, metadata)
                record.status = Status.OK.name
            except Exception as error:  # noqa: BLE001 - an internal error of one call is reported, the others continue
                if not isinstance(error, ServiceError):
                    self._monitoring.log.write_internal_error(error)
                    message = "the server failed; its log says where, please report it"
                    error = service_error(Status.INTERNAL, "internal-error", message)
                record.status, record.reason, record.message = error.status.name, error.reason, error.message
                await context.abort_with_status(rpc_status.to_status(status_message(error)))


async def _health(data: bytes, context: Context) -> bytes:
    """That the server answers, for any service, without a token, as `/healthz` by HTTP."""
    return IS_SERVING


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
    if detail.type == "ErrorInfo":
        return [detail, detail.model_copy(update={"metadata": {}})]
    if detail.type == "ResourceInfo":
        return [detail, detail.model_copy(update={"resourceName": _shortened(detail.resourceName, MAX_TEXT)})]
    violations = detail.fieldViolations
    counts = [len(violations)] + [size for size in (64, 32, 16, 8, 4, 2, 1) if size < len(violations)]
    first = violations[0]
    texts = {"field": _shortened(first.field, MAX_TEXT), "description": _shortened(first.description, MAX_TEXT)}
    parts = [*(violations[:size] for size in counts), [first.model_copy(update=texts)]]
    return [BadRequest(fieldViolations=part) for part in parts]


def _shortened(text: str, size: int) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= size else data[: size - 3].decode("utf-8", "ignore") + "…"
