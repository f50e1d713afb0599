"""Refusals by HTTP: the status codes, and the JSON that clients make their exceptions of."""

from __future__ import annotations

from typing import Any

from trialrun.server.http.json_response import JsonResponse
from trialrun.service.error import ServiceError, Status, detail_json

HTTP_STATUSES = {
    Status.OK: 200,
    Status.CANCELLED: 499,
    Status.UNKNOWN: 500,
    Status.INVALID_ARGUMENT: 400,
    Status.DEADLINE_EXCEEDED: 504,
    Status.NOT_FOUND: 404,
    Status.ALREADY_EXISTS: 409,
    Status.PERMISSION_DENIED: 403,
    Status.RESOURCE_EXHAUSTED: 429,
    Status.FAILED_PRECONDITION: 400,
    Status.ABORTED: 409,
    Status.OUT_OF_RANGE: 400,
    Status.UNIMPLEMENTED: 501,
    Status.INTERNAL: 500,
    Status.UNAVAILABLE: 503,
    Status.UNAUTHENTICATED: 401,
}


def error_response(error: ServiceError, status_code: int | None = None) -> JsonResponse:
    """The response to a request that is refused, with the status code of its status unless another one is given."""
    code = status_code or HTTP_STATUSES[error.status]
    response = JsonResponse({"error": error_json(error, code)}, status_code=code)
    if code == HTTP_STATUSES[Status.UNAUTHENTICATED]:
        response.headers["www-authenticate"] = "Bearer"
    return response


def error_json(error: ServiceError, code: int) -> dict[str, Any]:
    """What is wrong, for programs."""
    details = [detail_json(detail) for detail in error.details]
    return {"code": code, "message": error.message, "status": error.status.name, "details": details}


__all__ = ["HTTP_STATUSES", "detail_json", "error_json", "error_response"]
