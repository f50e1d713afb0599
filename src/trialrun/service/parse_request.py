"""Requests out of JSON, refused in the way of the service where they are none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from trialrun.service.error import MAX_VIOLATIONS, BadRequest, FieldViolation, Status, field_path, service_error
from trialrun.service.message import Message
from trialrun.values.suggest import did_you_mean

Request = TypeVar("Request", bound=Message)
EXTRA_FIELD = "extra_forbidden"


def parse_request(model: type[Request], value: Any) -> Request:
    """The request that a JSON object is. Raises INVALID_ARGUMENT with every field that is wrong."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        violations = [_violation(item, model) for item in errors[:MAX_VIOLATIONS]]
    message = (
        f"{violations[0].field}: {violations[0].description}" if violations[0].field else violations[0].description
    )
    raise service_error(Status.INVALID_ARGUMENT, violations[0].reason, message, BadRequest(fieldViolations=violations))


def _violation(error: Mapping[str, Any], model: type[Message]) -> FieldViolation:
    steps = error["loc"]
    field = field_path(steps)
    if error["type"] == EXTRA_FIELD:
        near = did_you_mean(str(steps[-1]), model.model_fields) if len(steps) == 1 else ""
        return FieldViolation(field=field, description=f"unknown field{near}", reason="unknown-field")
    reason = "missing-field" if error["type"] == "missing" else "wrong-type"
    description = str(error["msg"]).removeprefix("Value error, ")
    return FieldViolation(field=field, description=description[:1].lower() + description[1:], reason=reason)
