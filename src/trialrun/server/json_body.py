"""The JSON of bodies and headers: strict, and refused with a message."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from trialrun.service.error import Status, invalid_argument, service_error

Json = dict[str, Any]


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
