"""The routes of a server: operations, what tests control below `/trialrun/v1`, numbers, findings and discovery."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import parse_qsl, unquote

from pydantic import Field
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, ExceptionHandler, Receive, Scope, Send

from trialrun.report.json import VERSION, diagnostic_object
from trialrun.server.access import caller_of
from trialrun.server.clock import MAX_SPEED, Duration, ServerClock, SyncScheduler
from trialrun.server.dialect import Dialect, message_in
from trialrun.server.discovery import discovery_document
from trialrun.server.faults import CALL_FAULT, HEADER, FaultList, parse_fault
from trialrun.server.http.guards import record_of
from trialrun.server.http.transcoding import (
    HTTP_STATUSES,
    JsonResponse,
    error_json,
    error_response,
    parse_fields,
    query_json,
    request_json,
    require_known,
    select,
    stream_requests,
    system_parameters,
)
from trialrun.server.json_body import LARGE_BODY, Json, object_json, off_loop
from trialrun.server.monitoring import METRICS_TYPE, Monitoring
from trialrun.server.operations import RPCS, VERSIONS, ListOperationsRequest, Operations, Services
from trialrun.server.reload import Reloader
from trialrun.service.error import ServiceError, Status, invalid_argument, service_error
from trialrun.service.iam import Caller
from trialrun.service.lint_request import parse_request
from trialrun.service.message import Message, Timestamp
from trialrun.service.rpc import Rpc, shape_of, split_path
from trialrun.values.timestamp import format_timestamp

Query = list[tuple[str, str]]
METHODS = ["GET", "POST", "PATCH", "DELETE"]
CONTROL = "/trialrun/v1"
POLLING_PREFIX = "ui"
"""Generated clients poll operations below this prefix instead of a version."""
API_PATHS = tuple(f"/{version}/" for version in (*VERSIONS, POLLING_PREFIX))
ABOUT_OPERATIONS = {
    ("GET", True, ""): "ListOperations",
    ("GET", False, ""): "GetOperation",
    ("POST", False, "wait"): "WaitOperation",
    ("DELETE", False, ""): "DeleteOperation",
    ("POST", False, "cancel"): "CancelOperation",
}
"""The methods on long-running operations: by verb, whether the path is that of all of a resource, and custom verb."""


def build_app(operations: Operations, routes: Sequence[Route] = ()) -> ASGIApp:
    """The application of a server that carries out operations; `routes` are those of the server itself."""
    endpoint = ApiEndpoint(operations)

    async def health(request: Request) -> Response:
        return PlainTextResponse("ok\n")

    own = [Route("/healthz", health), *routes, discovery_route(operations.dialect)]
    unknown = Route("/{version:str}/{path:path}", _refuse_version, methods=METHODS)
    others = Starlette(routes=[*own, unknown], exception_handlers=EXCEPTION_HANDLERS)
    others.router.redirect_slashes = False

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await (endpoint if scope["path"].startswith(API_PATHS) else others)(scope, receive, send)

    return app


class ApiEndpoint:
    """The endpoint of all operations of a server: which one a request means, and its response."""

    def __init__(self, operations: Operations) -> None:
        self._operations, self._services = operations, operations.services
        self._rpcs = {(rpc.verb, rpc.template.shape): rpc for rpc in RPCS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        try:
            response = await self._respond(request)
        except ServiceError as error:
            response = await _refuse(request, error)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        record = record_of(request.scope)
        headers = request.headers.items()
        query = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        CALL_FAULT.set(next((value for name, value in headers if name == HEADER), ""))
        segments, verb = _segments(request)
        parameters = system_parameters(query)
        fields = parse_fields(parameters.get("fields", ""))
        caller = caller_of(self._services.members, headers)
        if "operations" in segments[:-1] or segments[-1] == "operations":
            record.operation = "Operations"
            answer: Any = self._about_operations(request, query, segments, verb, caller)
        elif rpc := self._rpcs.get((request.method, shape_of(segments, verb))):
            record.operation = rpc.method
            if not rpc.operation:  # the fields of a long-running operation may be any
                response = message_in(rpc.response, rpc.resource) if rpc.resource else None
                fields = require_known(fields, response or rpc.response, self._operations.dialect)
            answer = await self._answer(rpc, rpc.template.values(segments), query, request, caller)
        else:
            raise _unknown_method(request)
        return JsonResponse(select(answer, fields), indent=2 if parameters.get("prettyPrint") == "true" else None)

    async def _answer(self, rpc: Rpc, path: Mapping[str, str], query: Query, request: Request, caller: Caller) -> Any:
        body = await request.body()
        is_large = len(body) > LARGE_BODY
        if rpc.is_stream:
            requests = await off_loop(stream_requests, path, body, is_large=is_large)
            return await self._stream(rpc, requests, caller)
        version = request.scope["path"].split("/", 2)[1]
        asked = await off_loop(request_json, rpc, path, query, body, is_large=is_large)
        return await self._operations.run(rpc, asked, caller, VERSIONS[0] if version == POLLING_PREFIX else version)

    async def _stream(self, rpc: Rpc, requests: list[Json], caller: Caller) -> list[Json]:
        """The responses to a stream, the last one with the error that has ended it after others."""

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

    def _about_operations(
        self, request: Request, query: Query, segments: tuple[str, ...], verb: str, caller: Caller
    ) -> Json:
        path, is_list = "/".join(segments), segments[-1] == "operations"
        self._services.require_operations(path, caller)
        method = ABOUT_OPERATIONS.get((request.method, is_list, verb))
        if method is None:
            message = f"operations have no {request.method} of {path}"
            raise service_error(Status.NOT_FOUND, "unknown-operation", message)
        asked = query_json(query, ListOperationsRequest) if is_list else {}
        return self._operations.long_running.call(method, {**asked, "name": path.removesuffix("/operations")})


def _segments(request: Request) -> tuple[tuple[str, ...], str]:
    """The segments of a path after the version, decoded one by one: an encoded slash does not end one."""
    raw = request.scope.get("raw_path") or request.url.path.encode()
    _, _, after_version = raw.decode("latin-1").partition("?")[0].removeprefix("/").partition("/")
    segments, verb = split_path(after_version)
    decoded = tuple(unquote(segment, errors="replace") for segment in segments) if "%" in after_version else segments
    if not {"", ".", ".."}.isdisjoint(decoded) or "/" in "".join(decoded):
        raise service_error(Status.NOT_FOUND, "unknown-method", "the path has an empty segment, or one with a slash")
    return decoded, verb


def _unknown_method(request: Request) -> ServiceError:
    is_encoded = b"%3a" in (request.scope.get("raw_path") or b"").lower()
    hint = "; write its colon as it is, not as %3A" if is_encoded else ""
    message = f"there is no operation {request.method} {request.url.path}{hint}"
    return service_error(Status.NOT_FOUND, "unknown-method", message)


async def _refuse_version(request: Request) -> Response:
    message = f'there is no version "{request.path_params["version"]}" of the API; use {" or ".join(VERSIONS)}'
    raise service_error(Status.NOT_FOUND, "unknown-version", message)


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServiceError)
    record = record_of(request.scope)
    record.reason, record.message = error.reason, error.message
    return error_response(error)


async def _refuse_unknown(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and (allowed := (error.headers or {}).get("Allow")):
        message = f"there is no {request.method} of {request.url.path}; the methods are {allowed}"
        return error_response(service_error(Status.UNIMPLEMENTED, "unknown-method", message), 405)
    return error_response(_unknown_method(request))


EXCEPTION_HANDLERS: Mapping[Any, ExceptionHandler] = {ServiceError: _refuse, HTTPException: _refuse_unknown}


def discovery_route(dialect: Dialect) -> Route:
    """The route of the discovery document, with the names of a dialect and the address that the client asked."""

    async def show_document(request: Request) -> Response:
        version = request.query_params.get("version", VERSIONS[0])
        if version not in VERSIONS:
            message = f'there is no version "{version}"; the versions are {" and ".join(VERSIONS)}'
            raise invalid_argument("version", "unknown-version", message)
        return JsonResponse(discovery_document(version, dialect, str(request.base_url)))

    return Route("/$discovery/rest", show_document, methods=["GET"])


def monitoring_routes(monitoring: Monitoring, reloader: Reloader) -> list[Route]:
    """The routes of the numbers of a server, and of all findings as the JSON report has them.

    Findings that are errors keep their documents from being taken over.
    """

    async def show_metrics(request: Request) -> Response:
        return Response(monitoring.metrics(), media_type=METRICS_TYPE)

    async def show_findings(request: Request) -> Response:
        diagnostics = [diagnostic_object(diagnostic) for diagnostic in reloader.documents.diagnostics]
        return JsonResponse({"version": VERSION, "diagnostics": diagnostics})

    return [Route("/metrics", show_metrics), Route(f"{CONTROL}/findings", show_findings, methods=["GET"])]


def control_routes(services: Services, scheduler: SyncScheduler) -> list[Route]:
    """The routes of the clock and the faults; from now on the values before each sync are kept, for stale reads."""
    services.feature_views.storage.keeps_previous = True
    return [*clock_routes(scheduler), *fault_routes(services.faults)]


class ChangeClockRequest(Message):
    """Where the clock goes, or how much further, and how fast it flows from then on."""

    time: Timestamp | None = None
    advance: Duration | None = None
    speed: Annotated[float, Field(ge=0, le=MAX_SPEED, allow_inf_nan=False)] | None = None


def clock_routes(scheduler: SyncScheduler) -> list[Route]:
    """The routes that show and move the clock of a server."""
    clock = scheduler.clock

    def clock_json() -> Json:
        return {"now": format_timestamp(clock.now()), "speed": clock.speed}

    async def show(request: Request) -> Response:
        return JsonResponse(clock_json())

    async def change(request: Request) -> Response:
        asked = parse_request(ChangeClockRequest, object_json(await request.body()))
        if asked.time is not None and asked.advance is not None:
            raise invalid_argument("advance", "union-conflict", "time is set as well; send one of them")
        if asked.model_fields_set == set():
            raise service_error(Status.INVALID_ARGUMENT, "missing-field", "send one of time, advance and speed")
        run = await scheduler.move(lambda: _change_clock(clock, asked), is_abandoned=request.is_disconnected)
        members = {"name", "createTime", "finalStatus", "syncSummary"}
        syncs = [record.model_dump(mode="json", include=members, exclude_none=True) for record in run.first]
        counts = {"complete": run.is_complete, "syncCount": run.count, "failedCount": run.failed}
        return JsonResponse({**clock_json(), **counts, "syncs": syncs})

    path = f"{CONTROL}/clock"
    return [Route(path, show, methods=["GET"]), Route(path, change, methods=["POST"])]


def _change_clock(clock: ServerClock, asked: ChangeClockRequest) -> None:
    """Do with a clock what a request asks for. Raises INVALID_ARGUMENT."""
    try:
        if asked.time is not None:
            clock.move_to(asked.time, speed=asked.speed)
        elif asked.advance is not None:
            clock.advance(asked.advance, speed=asked.speed)
        elif asked.speed is not None:
            clock.change_speed(asked.speed)
    except ValueError as error:
        field = "time" if asked.time is not None else "advance"
        raise invalid_argument(field, "invalid-time", str(error)) from error


def fault_routes(faults: FaultList) -> list[Route]:
    """The routes that set, list and take back the faults of a server."""
    operations = {rpc.method: rpc.is_stream for rpc in RPCS}

    async def show_all(request: Request) -> Response:
        return JsonResponse({"faults": [fault.to_json() for fault in faults.values()]})

    async def add(request: Request) -> Response:
        return JsonResponse(faults.add(parse_fault(object_json(await request.body()), operations)).to_json())

    async def clear(request: Request) -> Response:
        faults.clear()
        return JsonResponse({})

    async def show(request: Request) -> Response:
        return JsonResponse(faults[request.path_params["id"]].to_json())

    async def remove(request: Request) -> Response:
        del faults[faults[request.path_params["id"]].id]
        return JsonResponse({})

    every, single = f"{CONTROL}/faults", f"{CONTROL}/faults/{{id}}"
    return [
        Route(every, show_all, methods=["GET"]),
        Route(every, add, methods=["POST"]),
        Route(every, clear, methods=["DELETE"]),
        Route(single, show, methods=["GET"]),
        Route(single, remove, methods=["DELETE"]),
    ]
