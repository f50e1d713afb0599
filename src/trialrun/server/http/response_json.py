"""Responses in JSON: what is answered, which part of it a client asks for, and refusals with their status codes.

A part is asked for as `fields=nextPageToken,featureViews(name,syncConfig/cron)`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticSerializationError, to_json
from starlette.responses import Response

from trialrun.server.field_names import FieldNames, Model, message_in
from trialrun.server.http.request_json import camel_case
from trialrun.service.error import ServiceError, Status, detail_json, invalid_argument
from trialrun.values.suggest import did_you_mean

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
FIELDS = "fields"
TOKEN = re.compile(r"[,/()]|[^,/()\s]+")
EVERY = "*"
MAX_DEPTH = 50
Selection = dict[str, Any]
"""Selected fields by name, each with what is selected inside of it; an empty selection is everything."""


class JsonResponse(Response):
    """A response in JSON in UTF-8, whatever a client has put into it."""

    media_type = "application/json"

    def __init__(self, content: Any, status_code: int = 200, *, indent: int | None = None) -> None:
        try:
            body = to_json(content, inf_nan_mode="strings", indent=indent)
        except PydanticSerializationError:  # half of a surrogate pair, which UTF-8 does not have, is escaped
            body = json.dumps(content, ensure_ascii=True, indent=indent).encode("ascii")
        super().__init__(body, status_code)


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


def parse_fields(text: str) -> Selection:
    """What a text such as `a,b(c,d),e/f` selects. Raises INVALID_ARGUMENT."""
    tokens = TOKEN.findall(text)[::-1]
    selection: Selection = {}
    if tokens:
        _read_list(tokens, selection, 0)
    if tokens:
        raise _invalid(f'"{tokens[-1]}" is not expected there')
    return selection


def select(value: Any, selection: Selection) -> Any:
    """The part of a value that is selected; of a list, that part of each item."""
    if not selection:
        return value
    if isinstance(value, list):
        return [select(item, selection) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: select(item, inner) for name, item in value.items() if (inner := _inside(selection, name)) is not None
    }


def require_known(selection: Selection, model: Model, names: FieldNames) -> Selection:
    """The selection by the names of responses. Raises INVALID_ARGUMENT for a field that a message does not have."""
    if not selection:
        return selection
    fields = {names.name_of(model, field): field for field in names.fields(model)}
    known: Selection = {}
    for written, inner in selection.items():
        name = written if written in fields or written == EVERY else camel_case(written)
        if name != EVERY and name not in fields:
            raise _invalid(f'{model.__name__} has no field "{written}"{did_you_mean(written, fields)}')
        message = message_in(model, fields[name]) if name in fields else None
        known[name] = require_known(inner, message, names) if message else inner
    return known


def _inside(selection: Mapping[str, Selection], name: str) -> Selection | None:
    """What is selected inside of a field, None where the field is not."""
    found = [selection[key] for key in (EVERY, name) if key in selection]
    if not found:
        return None
    return {} if {} in found else {key: value for inner in found for key, value in inner.items()}


def _read_list(tokens: list[str], selection: Selection, depth: int) -> None:
    _read_path(tokens, selection, depth)
    while tokens and tokens[-1] == ",":
        tokens.pop()
        _read_path(tokens, selection, depth)


def _read_path(tokens: list[str], selection: Selection, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise _invalid(f"it is nested more than {MAX_DEPTH} deep")
    inner = selection.setdefault(_name(tokens), {})
    match tokens.pop() if tokens and tokens[-1] in "/(" else "":
        case "/":
            _read_path(tokens, inner, depth + 1)
        case "(":
            _read_list(tokens, inner, depth + 1)
            if not tokens or tokens.pop() != ")":
                raise _invalid('a ")" is missing')
        case _:
            inner[EVERY] = {}


def _name(tokens: list[str]) -> str:
    if not tokens or tokens[-1] in ",/()":
        raise _invalid("the name of a field is missing; write fields such as name,labels/team,syncConfig(cron)")
    return tokens.pop()


def _invalid(message: str) -> ServiceError:
    return invalid_argument(FIELDS, "invalid-fields", message)
