"""The endpoint of all operations: which one a request means, and its response."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from trialrun.server.bindings import BINDINGS
from trialrun.server.bindings.binding import Binding, Json, Services, StreamBinding
from trialrun.server.bindings.path_template import shape_of, split_path
from trialrun.server.dialect.interface import Dialect
from trialrun.server.fault import HEADER
from trialrun.server.fault_list import CALL_FAULT
from trialrun.server.http.error_response import HTTP_STATUSES, error_json, error_response
from trialrun.server.http.json_response import JsonResponse
from trialrun.server.http.middleware import record_of
from trialrun.server.http.request_json import request_json, stream_requests
from trialrun.server.long_running import LongRunningOperations
from trialrun.server.run_operation import OperationLog, run_long_running, run_operation, run_stream
from trialrun.service.caller import OWNER
from trialrun.service.error import ServiceError, Status, service_error

DEFAULT_VERSION = "v1"
POLLING_PREFIX = "ui"
"""Generated clients poll operations below this prefix."""
VERSIONS = (DEFAULT_VERSION, "v1beta1", POLLING_PREFIX)


class ApiEndpoint:
    """Answers requests for operations of one server."""

    def __init__(self, services: Services, operations: LongRunningOperations, dialect: Dialect) -> None:
        self._services = services
        self._operations = operations
        self._dialect = dialect
        self._bindings = {(binding.verb, binding.template.shape): binding for binding in BINDINGS}

    async def respond(self, request: Request) -> Response:
        """The response to a request."""
        version = request.path_params["version"]
        record = record_of(request.scope)
        CALL_FAULT.set(request.headers.get(HEADER, ""))
        try:
            _require_version(version)
            segments, verb = _segments(request)
            if "operations" in segments[:-1] or segments[-1] == "operations":
                record.operation = "Operations"
                return JsonResponse(self._long_running(request.method, segments, verb))
            binding = self._bindings.get((request.method, shape_of(segments, verb)))
            if binding is None:
                raise self._no_operation(request)
            record.operation = binding.method
            path = dict(binding.template.values(segments))
            if isinstance(binding, StreamBinding):
                return await self._stream(binding, path, await request.body())
            return await self._single(binding, path, request, version)
        except ServiceError as error:
            record.reason, record.message = error.reason, error.message
            return error_response(error)

    async def _single(self, binding: Binding, path: dict[str, str], request: Request, version: str) -> Response:
        asked = request_json(binding, path, request.query_params.multi_items(), await request.body())
        if not binding.operation_type:
            return JsonResponse(await run_operation(binding, asked, self._services, OWNER, self._dialect))
        log = OperationLog(self._operations, DEFAULT_VERSION if version == POLLING_PREFIX else version)
        return JsonResponse(await run_long_running(binding, asked, self._services, OWNER, self._dialect, log=log))

    async def _stream(self, binding: StreamBinding, path: dict[str, str], body: bytes) -> Response:
        requests = stream_requests(binding, path, body)

        async def sent() -> AsyncIterator[Json]:
            for request in requests:
                yield request

        responses: list[Json] = []
        try:
            async for response in run_stream(binding, sent(), self._services, OWNER, self._dialect):
                responses.append(response)
        except ServiceError as error:
            if not responses:
                raise
            responses.append({"error": error_json(error, HTTP_STATUSES[error.status])})
        return JsonResponse(responses)

    def _long_running(self, method: str, segments: tuple[str, ...], verb: str) -> Json:
        path = "/".join(segments)
        match method, segments[-1] == "operations", verb:
            case "GET", True, "":
                return {"operations": self._operations.list_under(path.removesuffix("/operations"))}
            case ("GET", False, "") | ("POST", False, "wait"):
                return self._operations.get(path)
            case ("DELETE", False, ""):
                self._operations.delete(path)
                return {}
            case ("POST", False, "cancel"):
                self._operations.get(path)
                return {}
        raise service_error(Status.NOT_FOUND, "unknown-operation", f"operations have no {method} of {path}")

    def _no_operation(self, request: Request) -> ServiceError:
        return service_error(
            Status.NOT_FOUND, "unknown-method", f"there is no operation {request.method} {request.url.path}"
        )


def _require_version(version: str) -> None:
    """Refuse a version of the API that there is not. Raises NOT_FOUND."""
    if version not in VERSIONS:
        message = f'there is no version "{version}" of the API; use {VERSIONS[0]} or {VERSIONS[1]}'
        raise service_error(Status.NOT_FOUND, "unknown-version", message)


def _segments(request: Request) -> tuple[tuple[str, ...], str]:
    """The segments of a path after the version, decoded one by one: an encoded slash does not end one."""
    raw = request.scope.get("raw_path") or request.url.path.encode()
    _, _, after_version = raw.decode("latin-1").partition("?")[0].removeprefix("/").partition("/")
    segments, verb = split_path(after_version)
    decoded = tuple(unquote(segment, errors="replace") for segment in segments)
    if any("/" in segment or segment in ("", ".", "..") for segment in decoded):
        raise service_error(Status.NOT_FOUND, "unknown-method", "the path has an empty segment, or one with a slash")
    return decoded, verb


__all__ = ["ApiEndpoint"]
