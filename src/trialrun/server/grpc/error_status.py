"""Refusals by gRPC: the status of a call, with the details that clients make their exceptions of."""

from __future__ import annotations

from typing import Any

from trialrun.server.grpc.messages import message_class, to_message
from trialrun.service.error import (
    BadRequest,
    Detail,
    ErrorInfo,
    FieldViolation,
    ResourceInfo,
    ServiceError,
    detail_json,
)

MAX_MESSAGE = 1_000
"""Bytes of a message in a trailer, where it stands twice."""
MAX_DETAILS = 3_000
"""Bytes of all details in a trailer: clients refuse trailers of more than 8 KB."""

MAX_TEXT = 500
"""Bytes of a name or a description where the details are longer than that."""


def status_message(error: ServiceError) -> Any:
    """The error as a google.rpc.Status that fits into a trailer."""
    status = message_class("google.rpc.Status")(code=error.code, message=_shortened(error.message, MAX_MESSAGE))
    left = MAX_DETAILS
    for detail in error.details:
        size = _add_detail(status, detail, left)
        left -= size
    return status


def _add_detail(status: Any, detail: Detail, limit: int) -> int:
    """Add a detail, or as much of it as fits; the size of what was added."""
    for part in _by_size(detail):
        message = to_message(
            {name: value for name, value in detail_json(part).items() if name != "@type"},
            message_class(f"google.rpc.{detail.type}"),
        )
        if message.ByteSize() <= limit:
            status.details.add().Pack(message)
            return int(message.ByteSize())
    return 0


def _by_size(detail: Detail) -> list[Detail]:
    """The detail, then ever smaller parts of it; the reason is in each."""
    match detail:
        case ErrorInfo():
            return [detail, detail.model_copy(update={"metadata": {}})]
        case ResourceInfo():
            return [detail, detail.model_copy(update={"resourceName": _shortened(detail.resourceName, MAX_TEXT)})]
    count = len(detail.fieldViolations)
    counts = [count] + [size for size in (64, 32, 16, 8, 4, 2, 1) if size < count]
    parts = [BadRequest(fieldViolations=detail.fieldViolations[:size]) for size in counts]
    return [*parts, BadRequest(fieldViolations=[_shortened_violation(detail.fieldViolations[0])])]


def _shortened_violation(violation: FieldViolation) -> FieldViolation:
    field, description = (_shortened(text, MAX_TEXT) for text in (violation.field, violation.description))
    return FieldViolation(field=field, description=description, reason=violation.reason)


def _shortened(text: str, size: int) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= size else data[: size - 3].decode("utf-8", "ignore") + "…"
