"""The endpoint of all operations: which one a request means, and its response."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from trialrun.server.access import caller_of
from trialrun.server.faults import CALL_FAULT, HEADER
from trialrun.server.field_names import message_in
from trialrun.server.http.middleware import record_of
from trialrun.server.http.request_json import query_json, request_json, stream_requests, system_parameters
from trialrun.server.http.response_json import (
    FIELDS,
    HTTP_STATUSES,
    JsonResponse,
    Selection,
    error_json,
    error_response,
    parse_fields,
    require_known,
    select,
)
from trialrun.server.json_body import LARGE_BODY, off_loop
from trialrun.server.operations import ListOperationsRequest, Operations
from trialrun.server.services import RPCS
from trialrun.service.error import ServiceError, Status, service_error
from trialrun.service.iam import Caller
from trialrun.service.rpc import Json, Rpc, StreamRpc, shape_of, split_path

DEFAULT_VERSION = "v1"
POLLING_PREFIX = "ui"
"""Generated clients poll operations below this prefix."""
VERSIONS = (DEFAULT_VERSION, "v1beta1", POLLING_PREFIX)


class ApiEndpoint:
    """Answers requests for operations of one server."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self._services, self._dialect = operations.services, operations.dialect
        self._rpcs = {(rpc.verb, rpc.template.shape): rpc for rpc in RPCS}

    async def respond(self, request: Request) -> Response:
        """The response to a request."""
        version = request.path_params["version"]
        record = record_of(request.scope)
        CALL_FAULT.set(request.headers.get(HEADER, ""))
        try:
            _require_version(version)
            segments, verb = _segments(request)
            parameters = system_parameters(request.query_params.multi_items())
            fields = parse_fields(parameters.get(FIELDS, ""))
            caller = caller_of(self._services.members, request.headers.items())
            indent = 2 if parameters.get("prettyPrint") == "true" else None
            if "operations" in segments[:-1] or segments[-1] == "operations":
                record.operation = "Operations"
                return JsonResponse(select(self._long_running(request, segments, verb, caller), fields), indent=indent)
            rpc = self._rpcs.get((request.method, shape_of(segments, verb)))
            if rpc is None:
                raise self._no_operation(request)
            record.operation = rpc.method
            path = dict(rpc.template.values(segments))
            fields = self._known_fields(rpc, fields)
            if isinstance(rpc, StreamRpc):
                answer: Any = await self._stream(rpc, path, await request.body(), caller)
            else:
                answer = await self._single(rpc, path, request, caller)
            return JsonResponse(select(answer, fields), indent=indent)
        except ServiceError as error:
            record.reason, record.message = error.reason, error.message
            return error_response(error)

    def _known_fields(self, rpc: Rpc, fields: Selection) -> Selection:
        """The fields of a response that are asked for; those of a long-running operation may be any."""
        if rpc.operation_type:
            return fields
        model = rpc.response
        if rpc.response_field:
            model = message_in(model, rpc.response_field) or model
        return require_known(fields, model, self._dialect.names)

    async def _single(self, rpc: Rpc, path: dict[str, str], request: Request, caller: Caller) -> Json:
        version = request.path_params["version"]
        query, body = request.query_params.multi_items(), await request.body()
        asked = await off_loop(request_json, rpc, path, query, body, is_large=len(body) > LARGE_BODY)
        version = DEFAULT_VERSION if version == POLLING_PREFIX else version
        return await self._operations.run(rpc, asked, caller, version)

    async def _stream(self, rpc: StreamRpc, path: dict[str, str], body: bytes, caller: Caller) -> list[Json]:
        requests = await off_loop(stream_requests, rpc, path, body, is_large=len(body) > LARGE_BODY)

        async def sent() -> AsyncIterator[Json]:
            for request in requests:
                yield request

        responses: list[Json] = []
        try:
            async for response in self._operations.run_stream(rpc, sent(), caller):
                responses.append(response)
        except ServiceError as error:
            if not responses:
                raise
            responses.append({"error": error_json(error, HTTP_STATUSES[error.status])})
        return responses

    def _long_running(self, request: Request, segments: tuple[str, ...], verb: str, caller: Caller) -> Json:
        path, method = "/".join(segments), request.method
        self._services.require_operations(path, caller)
        match method, segments[-1] == "operations", verb:
            case "GET", True, "":
                asked = query_json(request.query_params.multi_items(), ListOperationsRequest)
                return self._operations.long_running.list_page({**asked, "name": path.removesuffix("/operations")})
            case ("GET", False, "") | ("POST", False, "wait"):
                return self._operations.long_running.get(path)
            case ("DELETE", False, ""):
                self._operations.long_running.delete(path)
                return {}
            case ("POST", False, "cancel"):
                self._operations.long_running.get(path)
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
