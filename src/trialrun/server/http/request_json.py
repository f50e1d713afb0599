"""Requests by HTTP as one JSON object: what is in the path, in the query and in the body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args, get_origin

from trialrun.server.json_body import Json, object_json, parse_json
from trialrun.service.error import invalid_argument
from trialrun.service.message import Message
from trialrun.service.rpc import Rpc, StreamRpc

SYSTEM_PARAMETERS = frozenset(
    {"alt", "access_token", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser", "userProject"}
    | {"uploadType", "upload_protocol", ".xgafv"}
)
"""Parameters that every method of the public services takes, also with a `$` before."""
JSON_FORMS = frozenset({"", "json", "json;enum-encoding=int"})
"""Values of `alt` that are answered in JSON; the names of enums are in it whichever is asked for."""
MAX_REQUESTS = 10_000
"""Requests of a stream that come at once, each of which has a response."""
BOOLEANS = {"true": True, "false": False}
SNAKE = re.compile(r"_([a-z0-9])")


def request_json(rpc: Rpc, path: dict[str, str], query: Iterable[tuple[str, str]], body: bytes) -> Json:
    """The request of an operation. Raises INVALID_ARGUMENT."""
    request = query_json(query, rpc.request)
    if rpc.body:
        content = object_json(body)
        request = {**request, **content} if rpc.body == "*" else {**request, rpc.body: content}
    elif body.strip():
        object_json(body)
    return put_path_values(request, path)


def stream_requests(rpc: StreamRpc, path: dict[str, str], body: bytes) -> list[Json]:
    """The requests of a stream, which by HTTP is a JSON list. Raises INVALID_ARGUMENT."""
    content = parse_json(body)
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list) or not all(isinstance(request, dict) for request in content):
        raise invalid_argument("body", "wrong-type", "a stream of requests is a JSON list of objects")
    if len(content) > MAX_REQUESTS:
        message = f"there are {len(content):,} requests; send at most {MAX_REQUESTS:,} at once"
        raise invalid_argument("body", "too-many-requests", message)
    return [put_path_values(dict(request), path) for request in content]


def query_json(query: Iterable[tuple[str, str]], request: type[Message]) -> Json:
    """The fields of a request that are in the query, by the types that they have in it."""
    values: Json = {}
    for name, text in query:
        if name.removeprefix("$") in SYSTEM_PARAMETERS:
            continue
        _put_parameter(values, camel_case(name), text, request)
    return values


def system_parameters(query: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The system parameters of a query, without a `$`. Raises INVALID_ARGUMENT for what cannot be answered so."""
    asked = {name.removeprefix("$"): value for name, value in query if name.removeprefix("$") in SYSTEM_PARAMETERS}
    if asked.get("alt", "") not in JSON_FORMS:
        raise invalid_argument("alt", "unsupported-parameter", f'"{asked["alt"]}" is not answered; ask for json')
    if asked.get("callback"):
        raise invalid_argument("callback", "unsupported-parameter", "scripts are not answered; leave it out")
    return asked


def camel_case(name: str) -> str:
    """A field name as JSON has it; clients may write `feature_view_id` too."""
    return SNAKE.sub(lambda match: match[1].upper(), name)


def _put_parameter(values: Json, name: str, text: str, request: type[Message]) -> None:
    field = request.model_fields.get(name)
    annotation = field.annotation if field else None
    if get_origin(annotation) is list:
        values.setdefault(name, []).append(text)
    elif "." in name:
        outer, _, inner = name.partition(".")
        inside = values.setdefault(outer, {})
        if isinstance(inside, dict):
            inside[inner] = int(text) if text.isdecimal() and len(text) < 10 else text
    else:
        values[name] = _typed(text, annotation)


def _typed(text: str, annotation: Any) -> Any:
    types = get_args(annotation) or (annotation,)
    if bool in types:
        return BOOLEANS.get(text, text)
    if int in types and re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    return text


def put_path_values(request: Json, values: Mapping[str, str]) -> Json:
    """The request with the values that its path has: `featureView.name` is a field of the resource in it."""
    for name, value in values.items():
        outer, _, inner = name.partition(".")
        if not inner:
            request[outer] = value
        elif isinstance(inside := request.setdefault(outer, {}), dict):
            inside[inner] = value
    return request
