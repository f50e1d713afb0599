"""Between HTTP and JSON objects: requests of a path, a query and a body, and the responses to them.

A client may ask for a part of a response, as `fields=nextPageToken,featureViews(name,syncConfig/cron)`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args, get_origin

from pydantic_core import PydanticSerializationError, to_json
from starlette.responses import Response

from trialrun.server.dialect import Dialect, Model, message_in
from trialrun.server.json_body import Json, object_json, parse_json
from trialrun.service.error import ServiceError, Status, detail_json, invalid_argument
from trialrun.service.message import Message
from trialrun.service.rpc import Rpc
from trialrun.values.suggest import camel_case, did_you_mean

SYSTEM_PARAMETERS = frozenset(
    {"alt", "access_token", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser", "userProject"}
    | {"uploadType", "upload_protocol", ".xgafv"}
)
"""Parameters that every method of the public services takes, also with a `$` before."""
JSON_FORMS = frozenset({"", "json", "json;enum-encoding=int"})
"""Values of `alt` that are answered in JSON; the names of enums are in it whichever is asked for."""
BOOLEANS = {"true": True, "false": False}
MAX_REQUESTS = 10_000
"""Requests of a stream that come at once, each of which has a response."""
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
TOKEN = re.compile(r"[,/()]|[^,/()\s]+")
EVERY = "*"
MAX_DEPTH = 50
Selection = dict[str, Any]
"""Selected fields by name, each with what is selected inside of it; an empty selection is everything."""


def request_json(rpc: Rpc, path: Mapping[str, str], query: Iterable[tuple[str, str]], body: bytes) -> Json:
    """The request of an operation. Raises INVALID_ARGUMENT."""
    request = query_json(query, rpc.request)
    content = object_json(body) if rpc.body or body.strip() else {}
    if rpc.body:
        request.update(content if rpc.body == "*" else {rpc.body: content})
    return _with_path_values(request, path)


def stream_requests(path: Mapping[str, str], body: bytes) -> list[Json]:
    """The requests of a stream, which by HTTP is a JSON list. Raises INVALID_ARGUMENT."""
    content = parse_json(body)
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list) or not all(isinstance(request, dict) for request in content):
        raise invalid_argument("body", "wrong-type", "a stream of requests is a JSON list of objects")
    if len(content) > MAX_REQUESTS:
        message = f"there are {len(content):,} requests; send at most {MAX_REQUESTS:,} at once"
        raise invalid_argument("body", "too-many-requests", message)
    return [_with_path_values(request, path) for request in content]


def _with_path_values(request: Json, values: Mapping[str, str]) -> Json:
    """The request with the values that its path has: `featureView.name` is a field of the resource in it."""
    for name, value in values.items():
        outer, _, inner = name.partition(".")
        if not inner:
            request[outer] = value
        elif isinstance(inside := request.setdefault(outer, {}), dict):
            inside[inner] = value
    return request


def query_json(query: Iterable[tuple[str, str]], request: type[Message]) -> Json:
    """The fields of a request that are in the query, by the types that they have in it. Raises INVALID_ARGUMENT for one
    that is there twice and is no list."""
    values: Json = {}
    for sent, text in query:
        if sent.removeprefix("$") in SYSTEM_PARAMETERS:
            continue
        name = camel_case(sent)
        field = request.model_fields.get(name)
        annotation = field.annotation if field else None
        types = get_args(annotation) or (annotation,)
        if get_origin(annotation) is list:
            values.setdefault(name, []).append(text)
        elif "." in name:
            outer, _, inner = name.partition(".")
            if (field := request.model_fields.get(outer)) and str in (field.annotation, *get_args(field.annotation)):
                raise invalid_argument(sent, "unknown-field", f"{outer} is a text with nothing in it; send {outer}=…")
            inside = values.setdefault(outer, {})
            if isinstance(inside, dict):
                inside[inner] = int(text) if text.isdecimal() and len(text) < 10 else text
        elif name in values:
            raise invalid_argument(name, "repeated-parameter", "the query has it more than once; send it once")
        elif bool in types:
            if text not in BOOLEANS:
                raise invalid_argument(name, "wrong-type", f'"{text}" is not a boolean; write true or false')
            values[name] = BOOLEANS[text]
        else:
            values[name] = int(text) if int in types and re.fullmatch(r"-?[0-9]{1,18}", text) else text
    return values


def system_parameters(query: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The system parameters of a query, without a `$`. Raises INVALID_ARGUMENT for what cannot be answered so."""
    asked = {name.removeprefix("$"): value for name, value in query if name.removeprefix("$") in SYSTEM_PARAMETERS}
    if asked.get("alt", "") not in JSON_FORMS:
        raise invalid_argument("alt", "unsupported-parameter", f'"{asked["alt"]}" is not answered; ask for json')
    if asked.get("callback"):
        raise invalid_argument("callback", "unsupported-parameter", "scripts are not answered; leave it out")
    return asked


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


def error_json(error: ServiceError, code: int) -> Json:
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


def _read_list(tokens: list[str], selection: Selection, depth: int) -> None:
    _read_path(tokens, selection, depth)
    while tokens and tokens[-1] == ",":
        tokens.pop()
        _read_path(tokens, selection, depth)


def _read_path(tokens: list[str], selection: Selection, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise _invalid(f"it is nested more than {MAX_DEPTH} deep")
    if not tokens or tokens[-1] in ",/()":
        raise _invalid("the name of a field is missing; write fields such as name,labels/team,syncConfig(cron)")
    inner = selection.setdefault(tokens.pop(), {})
    match tokens.pop() if tokens and tokens[-1] in "/(" else "":
        case "/":
            _read_path(tokens, inner, depth + 1)
        case "(":
            _read_list(tokens, inner, depth + 1)
            if not tokens or tokens.pop() != ")":
                raise _invalid('a ")" is missing')
        case _:
            inner[EVERY] = {}


def _invalid(message: str) -> ServiceError:
    return invalid_argument("fields", "invalid-fields", message)


def require_known(selection: Selection, model: Model, dialect: Dialect) -> Selection:
    """The selection by the names of responses. Raises INVALID_ARGUMENT for a field that a message does not have."""
    if not selection:
        return selection
    fields = {dialect.name_of(model, field): field for field in dialect.fields(model)}
    known: Selection = {}
    for written, inner in selection.items():
        name = written if written in fields or written == EVERY else camel_case(written)
        if name != EVERY and name not in fields:
            raise _invalid(f'{model.__name__} has no field "{written}"{did_you_mean(written, fields)}')
        message = message_in(model, fields[name]) if name in fields else None
        known[name] = require_known(inner, message, dialect) if message else inner
    return known


def select(value: Any, selection: Selection) -> Any:
    """The part of a value that is selected; of a list, that part of each item."""
    if not selection:
        return value
    if isinstance(value, list):
        return [select(item, selection) for item in value]
    if not isinstance(value, dict):
        return value
    selected: Json = {}
    for name, item in value.items():
        found = [selection[key] for key in (EVERY, name) if key in selection]
        if found:
            selected[name] = select(
                item, {} if {} in found else {key: inner for part in found for key, inner in part.items()}
            )
    return selected
