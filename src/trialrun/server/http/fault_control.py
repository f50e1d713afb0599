"""The faults of a server, below `/trialrun/v1/faults`: set, listed and taken back."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trialrun.server.bindings import BINDINGS
from trialrun.server.bindings.binding import StreamBinding
from trialrun.server.fault import OperationKind, parse_fault
from trialrun.server.fault_list import FaultList
from trialrun.server.http.control import PREFIX, refusing
from trialrun.server.http.json_response import JsonResponse
from trialrun.server.json_body import object_json

OPERATIONS: dict[str, OperationKind] = {
    binding.method: "stream" if isinstance(binding, StreamBinding) else "call" for binding in BINDINGS
}


class FaultsEndpoint:
    """Sets, lists and takes back the faults of a server."""

    def __init__(self, faults: FaultList) -> None:
        self._faults = faults

    def routes(self) -> list[Route]:
        """The routes of the faults."""
        every, single = f"{PREFIX}/faults", f"{PREFIX}/faults/{{id}}"
        return [
            Route(every, refusing(self._list), methods=["GET"]),
            Route(every, refusing(self._add), methods=["POST"]),
            Route(every, refusing(self._clear), methods=["DELETE"]),
            Route(single, refusing(self._get), methods=["GET"]),
            Route(single, refusing(self._remove), methods=["DELETE"]),
        ]

    async def _list(self, request: Request) -> Response:
        return JsonResponse({"faults": [fault.to_json() for fault in self._faults]})

    async def _add(self, request: Request) -> Response:
        fault = parse_fault(object_json(await request.body()), OPERATIONS)
        return JsonResponse(self._faults.add(fault).to_json())

    async def _get(self, request: Request) -> Response:
        return JsonResponse(self._faults.get(request.path_params["id"]).to_json())

    async def _clear(self, request: Request) -> Response:
        self._faults.clear()
        return JsonResponse({})

    async def _remove(self, request: Request) -> Response:
        self._faults.remove(request.path_params["id"])
        return JsonResponse({})
