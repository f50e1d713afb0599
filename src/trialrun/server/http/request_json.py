"""Requests by HTTP as one JSON object: what is in the path, in the query and in the body."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, get_args, get_origin

from trialrun.server.bindings.binding import Binding, Json, StreamBinding, put_path_values
from trialrun.service.error import Status, invalid_argument, service_error
from trialrun.service.message import Message

SYSTEM_PARAMETERS = frozenset(
    {"alt", "access_token", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser", "userProject"}
    | {"uploadType", "upload_protocol"}
)
"""Parameters that every method of the public services takes; those that begin with `$` belong to them."""
BOOLEANS = {"true": True, "false": False}
SNAKE = re.compile(r"_([a-z0-9])")


def request_json(binding: Binding, path: dict[str, str], query: Iterable[tuple[str, str]], body: bytes) -> Json:
    """The request of an operation. Raises INVALID_ARGUMENT."""
    request = query_json(query, binding.request)
    if binding.body:
        content = object_json(body)
        request = {**request, **content} if binding.body == "*" else {**request, binding.body: content}
    elif body.strip():
        object_json(body)
    return put_path_values(request, path)


def stream_requests(binding: StreamBinding, path: dict[str, str], body: bytes) -> list[Json]:
    """The requests of a stream, which by HTTP is a JSON list. Raises INVALID_ARGUMENT."""
    content = parse_json(body)
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list) or not all(isinstance(request, dict) for request in content):
        raise invalid_argument("body", "wrong-type", "a stream of requests is a JSON list of objects")
    return [put_path_values(dict(request), path) for request in content]


def object_json(body: bytes) -> Json:
    """The JSON object that a body is; an empty body is an empty object. Raises INVALID_ARGUMENT."""
    content = parse_json(body) if body.strip() else {}
    if not isinstance(content, dict):
        raise invalid_argument("body", "wrong-type", "the body is not a JSON object")
    return content


def parse_json(body: bytes) -> Any:
    """The JSON value of a body. Raises INVALID_ARGUMENT."""
    try:
        return json.loads(body, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise _invalid_json("it is nested too deeply") from error
    except ValueError as error:  # of the parser, of an encoding, and of a number of too many digits
        raise _invalid_json(str(error)) from error


def _invalid_json(reason: str) -> Exception:
    return service_error(Status.INVALID_ARGUMENT, "invalid-json", f"the body is not valid JSON: {reason}")


def _unique_keys(pairs: list[tuple[str, Any]]) -> Json:
    value = dict(pairs)
    if len(value) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f'the key "{twice}" is there twice')
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f'{name} is written as the text "{name}"')


def query_json(query: Iterable[tuple[str, str]], request: type[Message]) -> Json:
    """The fields of a request that are in the query, by the types that they have in it."""
    values: Json = {}
    for name, text in query:
        if name in SYSTEM_PARAMETERS or name.startswith("$"):
            continue
        _put_parameter(values, camel_case(name), text, request)
    return values


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
