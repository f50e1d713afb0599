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
    """The error as a google.rpc.Status that fits into a trailer: with all of each detail, or as much as has room."""
    status = message_class("google.rpc.Status")(code=error.code, message=_shortened(error.message, MAX_MESSAGE))
    left = MAX_DETAILS
    for detail in error.details:
        for part in _by_size(detail):
            message = to_message(detail_json(part), message_class(f"google.rpc.{detail.type}"))
            if message.ByteSize() <= left:
                status.details.add().Pack(message)
                left -= message.ByteSize()
                break
    return status


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
    first = detail.fieldViolations[0]
    field, description = _shortened(first.field, MAX_TEXT), _shortened(first.description, MAX_TEXT)
    return [
        *parts,
        BadRequest(fieldViolations=[FieldViolation(field=field, description=description, reason=first.reason)]),
    ]


def _shortened(text: str, size: int) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= size else data[: size - 3].decode("utf-8", "ignore") + "…"
