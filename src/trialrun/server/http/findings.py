"""The findings of the files that are served, below `/trialrun/v1/findings`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trialrun.report.json import VERSION, diagnostic_object
from trialrun.server.http.control import PREFIX
from trialrun.server.http.json_response import JsonResponse
from trialrun.server.reload import Reloader


def findings_route(reloader: Reloader) -> Route:
    """The route of all findings, as the JSON report has them; errors keep their documents from being taken over."""

    async def respond(request: Request) -> Response:
        documents = reloader.documents
        diagnostics = [diagnostic_object(diagnostic) for diagnostic in documents.diagnostics]
        return JsonResponse({"version": VERSION, "diagnostics": diagnostics})

    return Route(f"{PREFIX}/findings", respond, methods=["GET"])
