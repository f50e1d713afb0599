"""The routes of a server: operations, what tests control below `/trialrun/v1`, numbers, findings and discovery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ExceptionHandler

from trialrun.report.json import VERSION, diagnostic_object
from trialrun.server.clock import MAX_SPEED, ClockError, Duration, ServerClock, SyncScheduler
from trialrun.server.dialect import Dialect
from trialrun.server.discovery import VERSIONS, discovery_document
from trialrun.server.faults import FaultList, OperationKind, parse_fault
from trialrun.server.http.api import ApiEndpoint
from trialrun.server.http.middleware import record_of
from trialrun.server.http.response_json import JsonResponse, error_response
from trialrun.server.json_body import Json, object_json
from trialrun.server.monitoring import METRICS_TYPE, Monitoring
from trialrun.server.operations import Operations
from trialrun.server.reload import Reloader
from trialrun.server.services import RPCS, Services
from trialrun.service.error import ServiceError, Status, invalid_argument, service_error
from trialrun.service.lint_request import parse_request
from trialrun.service.message import Message, Timestamp
from trialrun.service.rpc import StreamRpc
from trialrun.values.timestamp import format_timestamp

METHODS = ["GET", "POST", "PATCH", "DELETE"]
CONTROL = "/trialrun/v1"


def build_app(operations: Operations, routes: Sequence[Route] = ()) -> Starlette:
    """The application of a server that carries out operations; `routes` are those of the server itself."""
    app = Starlette(
        routes=[
            Route("/healthz", _health),
            *routes,
            discovery_route(operations.dialect),
            Route("/{version:str}/{path:path}", ApiEndpoint(operations).respond, methods=METHODS),
        ],
        exception_handlers=EXCEPTION_HANDLERS,
    )
    app.router.redirect_slashes = False
    return app


async def _health(request: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _refuse(request: Request, error: Exception) -> Response:
    """The response to a request that is refused."""
    assert isinstance(error, ServiceError)
    record = record_of(request.scope)
    record.reason, record.message = error.reason, error.message
    return error_response(error)


async def _refuse_unknown(request: Request, error: Exception) -> Response:
    """The response to a request for a path or a method that there is not."""
    allowed = isinstance(error, HTTPException) and (error.headers or {}).get("Allow")
    if allowed:
        message = f"there is no {request.method} of {request.url.path}; the methods are {allowed}"
        return error_response(service_error(Status.UNIMPLEMENTED, "unknown-method", message), 405)
    message = f"there is no operation {request.method} {request.url.path}"
    return error_response(service_error(Status.NOT_FOUND, "unknown-method", message))


EXCEPTION_HANDLERS: Mapping[Any, ExceptionHandler] = {ServiceError: _refuse, HTTPException: _refuse_unknown}


def discovery_route(dialect: Dialect) -> Route:
    """The route of the discovery document, with the names of a dialect and the address that the client asked."""

    async def show_document(request: Request) -> Response:
        version = request.query_params.get("version", VERSIONS[0])
        if version not in VERSIONS:
            message = f'there is no version "{version}"; the versions are {" and ".join(VERSIONS)}'
            return error_response(invalid_argument("version", "unknown-version", message))
        return JsonResponse(discovery_document(version, dialect.names, str(request.base_url)))

    return Route("/$discovery/rest", show_document, methods=["GET"])


def metrics_route(monitoring: Monitoring) -> Route:
    """The route of the numbers of a server."""

    async def show_metrics(request: Request) -> Response:
        return Response(monitoring.metrics(), media_type=METRICS_TYPE)

    return Route("/metrics", show_metrics)


def findings_route(reloader: Reloader) -> Route:
    """The route of all findings, as the JSON report has them; errors keep their documents from being taken over."""

    async def show_findings(request: Request) -> Response:
        diagnostics = [diagnostic_object(diagnostic) for diagnostic in reloader.documents.diagnostics]
        return JsonResponse({"version": VERSION, "diagnostics": diagnostics})

    return Route(f"{CONTROL}/findings", show_findings, methods=["GET"])


def control_routes(services: Services, scheduler: SyncScheduler) -> list[Route]:
    """The routes of the clock and the faults; from now on the values before each sync are kept, for stale reads."""
    services.feature_views.keep_previous_values()
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
    except ClockError as error:
        field = "time" if asked.time is not None else "advance"
        raise invalid_argument(field, "invalid-time", str(error)) from error


def fault_routes(faults: FaultList) -> list[Route]:
    """The routes that set, list and take back the faults of a server."""
    operations: dict[str, OperationKind] = {
        rpc.method: "stream" if isinstance(rpc, StreamRpc) else "call" for rpc in RPCS
    }

    async def show_all(request: Request) -> Response:
        return JsonResponse({"faults": [fault.to_json() for fault in faults]})

    async def add(request: Request) -> Response:
        return JsonResponse(faults.add(parse_fault(object_json(await request.body()), operations)).to_json())

    async def clear(request: Request) -> Response:
        faults.clear()
        return JsonResponse({})

    async def show(request: Request) -> Response:
        return JsonResponse(faults.get(request.path_params["id"]).to_json())

    async def remove(request: Request) -> Response:
        faults.remove(request.path_params["id"])
        return JsonResponse({})

    every, single = f"{CONTROL}/faults", f"{CONTROL}/faults/{{id}}"
    return [
        Route(every, show_all, methods=["GET"]),
        Route(every, add, methods=["POST"]),
        Route(every, clear, methods=["DELETE"]),
        Route(single, show, methods=["GET"]),
        Route(single, remove, methods=["DELETE"]),
    ]
