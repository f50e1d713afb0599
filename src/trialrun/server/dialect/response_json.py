"""Responses as JSON, in the words of the services."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from trialrun.model.node import Node
from trialrun.service.resource_json import to_json

Json = dict[str, Any]
Response = BaseModel | Node
"""What a service answers: a message of its own, or a resource."""


def response_json(response: Response) -> Json:
    """A response as JSON: a resource with all that is set, a message with all that is not null."""
    if isinstance(response, Node):
        return to_json(response)
    message: Json = response.model_dump(mode="json", exclude_none=True)
    return message
