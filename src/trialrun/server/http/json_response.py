"""Responses in JSON: any value that a service answers can be written, whatever a client has put into it."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import PydanticSerializationError, to_json
from starlette.responses import Response


def json_bytes(value: Any, *, indent: int | None = None) -> bytes:
    """A value as JSON in UTF-8; half of a surrogate pair, which UTF-8 does not have, is escaped."""
    try:
        return to_json(value, inf_nan_mode="strings", indent=indent)
    except PydanticSerializationError:
        return json.dumps(value, ensure_ascii=True, indent=indent).encode("ascii")


class JsonResponse(Response):
    """A response in JSON."""

    media_type = "application/json"

    def __init__(self, content: Any, status_code: int = 200, *, indent: int | None = None) -> None:
        super().__init__(json_bytes(content, indent=indent), status_code)
