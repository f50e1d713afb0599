"""The application that an HTTP server runs."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from trialrun.server.bindings.binding import Services
from trialrun.server.dialect.interface import Dialect
from trialrun.server.http.api import ApiEndpoint
from trialrun.server.long_running import LongRunningOperations

METHODS = ["GET", "POST", "PATCH", "DELETE"]


def build_app(
    services: Services, operations: LongRunningOperations, dialect: Dialect, control: Sequence[Route] = ()
) -> Starlette:
    """The application over the services of a workspace; `control` are the routes of the server itself."""
    endpoint = ApiEndpoint(services, operations, dialect)
    return Starlette(
        routes=[
            Route("/healthz", _health),
            *control,
            Route("/{version:str}/{path:path}", endpoint.respond, methods=METHODS),
        ]
    )


async def _health(request: Request) -> Response:
    return PlainTextResponse("ok\n")
