"""What a long-running operation tells beside its response: when it ran, and what went wrong without ending it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from trialrun.service.feature_view.messages import RpcStatus
from trialrun.service.lint_request import LintWarning
from trialrun.service.message import Message, Timestamp


class GenericMetadata(Message):
    """What the metadata of all operations have. A first sync that failed is a partial failure: the view is there."""

    createTime: Timestamp
    updateTime: Timestamp
    partialFailures: list[RpcStatus] | None = None


class OperationMetadata(Message):
    """The metadata of an operation; `warnings` are remarks of the linter, which are no failures."""

    genericMetadata: GenericMetadata
    warnings: list[LintWarning] | None = Field(default=None)
    featureViewSync: str | None = None


def operation_metadata(response: BaseModel, now: datetime) -> OperationMetadata:
    """The metadata of an operation that has just ended with a response of the service."""
    status: RpcStatus | None = getattr(response, "syncStatus", None)
    failures = [status] if status is not None and status.code else None
    members: dict[str, Any] = {name: getattr(response, name, None) or None for name in ("warnings", "featureViewSync")}
    generic = GenericMetadata(createTime=now, updateTime=now, partialFailures=failures)
    return OperationMetadata(genericMetadata=generic, **members)
