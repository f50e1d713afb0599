"""The application that an HTTP server runs."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from trialrun.server.bindings.binding import Services
from trialrun.server.dialect.interface import Dialect
from trialrun.server.http.api import ApiEndpoint
from trialrun.server.http.discovery_route import discovery_route
from trialrun.server.http.error_response import error_response
from trialrun.server.long_running import LongRunningOperations
from trialrun.server.metrics import CONTENT_TYPE, Metrics
from trialrun.service.error import Status, service_error

METHODS = ["GET", "POST", "PATCH", "DELETE"]


def build_app(
    services: Services, operations: LongRunningOperations, dialect: Dialect, control: Sequence[Route] = ()
) -> Starlette:
    """The application over the services of a workspace; `control` are the routes of the server itself."""
    endpoint = ApiEndpoint(services, operations, dialect)
    app = Starlette(
        routes=[
            Route("/healthz", _health),
            *control,
            discovery_route(dialect),
            Route("/{version:str}/{path:path}", endpoint.respond, methods=METHODS),
        ],
        exception_handlers={HTTPException: _refuse},
    )
    app.router.redirect_slashes = False
    return app


def metrics_route(metrics: Metrics) -> Route:
    """The route of the numbers of a server."""

    async def show_metrics(request: Request) -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    return Route("/metrics", show_metrics)


async def _refuse(request: Request, error: Exception) -> Response:
    """The response to a request for a path or a method that there is not."""
    allowed = isinstance(error, HTTPException) and (error.headers or {}).get("Allow")
    if allowed:
        message = f"there is no {request.method} of {request.url.path}; the methods are {allowed}"
        return error_response(service_error(Status.UNIMPLEMENTED, "unknown-method", message), 405)
    message = f"there is no operation {request.method} {request.url.path}"
    return error_response(service_error(Status.NOT_FOUND, "unknown-method", message))


async def _health(request: Request) -> Response:
    return PlainTextResponse("ok\n")
