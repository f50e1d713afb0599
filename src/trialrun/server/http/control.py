"""What a test asks of the server itself, below `/trialrun/v1`: its clock."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trialrun.server.clock import MAX_SPEED, ClockError, ServerClock
from trialrun.server.duration import Duration
from trialrun.server.http.error_response import error_response
from trialrun.server.http.json_response import JsonResponse
from trialrun.server.http.middleware import record_of
from trialrun.server.json_body import object_json
from trialrun.server.sync_scheduler import SyncRun, SyncScheduler
from trialrun.service.error import ServiceError, Status, invalid_argument, service_error
from trialrun.service.message import Message, Timestamp
from trialrun.service.parse_request import parse_request
from trialrun.values.timestamp import format_timestamp

PREFIX = "/trialrun/v1"
Endpoint = Callable[[Request], Awaitable[Response]]


class ChangeClockRequest(Message):
    """Where the clock goes, or how much further, and how fast it flows from then on."""

    time: Timestamp | None = None
    advance: Duration | None = None
    speed: Annotated[float, Field(ge=0, le=MAX_SPEED, allow_inf_nan=False)] | None = None


class ClockEndpoint:
    """Shows and moves the clock of a server."""

    def __init__(self, scheduler: SyncScheduler) -> None:
        self._scheduler = scheduler

    def routes(self) -> list[Route]:
        """The routes of the clock."""
        path = f"{PREFIX}/clock"
        return [
            Route(path, refusing(self._show), methods=["GET"]),
            Route(path, refusing(self._change), methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        return JsonResponse(clock_json(self._scheduler.clock))

    async def _change(self, request: Request) -> Response:
        asked = parse_request(ChangeClockRequest, object_json(await request.body()))
        if asked.time is not None and asked.advance is not None:
            raise invalid_argument("advance", "union-conflict", "time is set as well; send one of them")
        if asked.model_fields_set == set():
            raise service_error(Status.INVALID_ARGUMENT, "missing-field", "send one of time, advance and speed")
        run = await self._scheduler.move(
            lambda: change_clock(self._scheduler.clock, asked), is_abandoned=request.is_disconnected
        )
        return JsonResponse({**clock_json(self._scheduler.clock), **run_json(run)})


def change_clock(clock: ServerClock, asked: ChangeClockRequest) -> None:
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


def clock_json(clock: ServerClock) -> dict[str, Any]:
    """A clock as a response has it."""
    return {"now": format_timestamp(clock.now()), "speed": clock.speed}


def run_json(run: SyncRun) -> dict[str, Any]:
    """The syncs that were made, the first of them one by one."""
    syncs = [
        record.model_dump(mode="json", include={"name", "createTime", "finalStatus", "syncSummary"}, exclude_none=True)
        for record in run.first
    ]
    return {"complete": run.is_complete, "syncCount": run.count, "failedCount": run.failed, "syncs": syncs}


def refusing(endpoint: Endpoint) -> Endpoint:
    """An endpoint that answers with what it refuses."""

    async def respond(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ServiceError as error:
            record = record_of(request.scope)
            record.reason, record.message = error.reason, error.message
            return error_response(error)

    return respond
