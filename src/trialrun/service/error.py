"""What an operation refuses: a canonical status, a message, and details that a program can read (AIP-193)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from trialrun.service.message import Message

DOMAIN = "trialrun"
MAX_TEXT = 2_000
"""Characters of a message, or of the path of a field."""
MAX_VIOLATIONS = 100
"""Fields that a refusal names."""
TYPE_URL = "type.googleapis.com"


class Status(IntEnum):
    """The canonical statuses, by their codes."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    UNAUTHENTICATED = 16


def shortened(text: str) -> str:
    """A text without its middle: what is refused may quote what a client sent, of any length, and ends with why."""
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT // 2]}…{text[-MAX_TEXT // 2 :]}"


class FieldViolation(Message):
    """What is wrong with one field of a request; `field` leads to it: `featureView.syncConfig.cron`."""

    field: Annotated[str, BeforeValidator(shortened)]
    description: Annotated[str, BeforeValidator(shortened)]
    reason: str = ""


class BadRequest(Message):
    """The fields of a request that are wrong."""

    type: Literal["BadRequest"] = "BadRequest"
    fieldViolations: list[FieldViolation]


class ErrorInfo(Message):
    """Why a request is refused, in one word: the id of a rule of the linter, or one of the service's own."""

    type: Literal["ErrorInfo"] = "ErrorInfo"
    reason: str
    domain: str = DOMAIN
    metadata: dict[str, str] = Field(default_factory=dict)


class ResourceInfo(Message):
    """The resource that is missing, or there already."""

    type: Literal["ResourceInfo"] = "ResourceInfo"
    resourceType: str
    resourceName: str


Detail = BadRequest | ErrorInfo | ResourceInfo


def detail_json(detail: Detail) -> dict[str, Any]:
    """A detail as JSON has a google.protobuf.Any."""
    value = detail.json_object()
    return {"@type": f"{TYPE_URL}/google.rpc.{value.pop('type')}", **value}


def read_detail(value: Any) -> Any:
    """A detail out of the JSON of a google.protobuf.Any; anything else is left as it is."""
    if not isinstance(value, dict) or "@type" not in value:
        return value
    fields = {name: field for name, field in value.items() if name != "@type"}
    return {"type": str(value["@type"]).rpartition(".")[2], **fields}


class ServiceError(Exception):
    """An operation is refused; nothing was changed."""

    def __init__(self, status: Status, message: str, details: Iterable[Detail] = ()) -> None:
        self.status = status
        self.message = shortened(message)
        self.details = tuple(details)
        super().__init__(self.message)

    @property
    def code(self) -> int:
        """The number of the status."""
        return self.status.value

    @property
    def reason(self) -> str:
        """The id of the rule that refuses; empty without one."""
        return next((detail.reason for detail in self.details if isinstance(detail, ErrorInfo)), "")

    @property
    def field_violations(self) -> list[FieldViolation]:
        """The fields that are wrong."""
        requests = (detail for detail in self.details if isinstance(detail, BadRequest))
        return [violation for request in requests for violation in request.fieldViolations]


def field_path(steps: Iterable[str | int]) -> str:
    """Where a field of a request is: `featureView.featureRegistrySource.featureGroups[0]`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def service_error(status: Status, reason: str, message: str, *details: Detail, **metadata: str) -> ServiceError:
    """An error with its reason in one word."""
    return ServiceError(status, message, (ErrorInfo(reason=reason, metadata=metadata), *details))


def invalid_argument(field: str, reason: str, message: str) -> ServiceError:
    """INVALID_ARGUMENT about one field of the request."""
    violation = FieldViolation(field=field, description=message, reason=reason)
    details = BadRequest(fieldViolations=[violation])
    return service_error(Status.INVALID_ARGUMENT, reason, f"{field}: {message}", details)
