"""The discovery document by HTTP: `/$discovery/rest?version=v1`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trialrun.server.dialect.interface import Dialect
from trialrun.server.discovery.document import VERSIONS, discovery_document
from trialrun.server.http.error_response import error_response
from trialrun.server.http.json_response import JsonResponse
from trialrun.service.error import invalid_argument


def discovery_route(dialect: Dialect) -> Route:
    """The route of the document, with the field names of a dialect and the address that the client asked."""

    async def show_document(request: Request) -> Response:
        version = request.query_params.get("version", VERSIONS[0])
        if version not in VERSIONS:
            message = f'there is no version "{version}"; the versions are {" and ".join(VERSIONS)}'
            return error_response(invalid_argument("version", "unknown-version", message))
        return JsonResponse(discovery_document(version, dialect.names, str(request.base_url)))

    return Route("/$discovery/rest", show_document, methods=["GET"])
