"""The messages inside of requests and responses, by the models of the services: what is a field, and what a map."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from trialrun.model.channel_config import ChannelConfig
from trialrun.model.companion import Brand, Store
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import Node

Model = type[BaseModel] | type[Node]
RESOURCES: Mapping[str, Model] = {
    "featureView": FeatureView,
    "channelConfig": ChannelConfig,
    "brand": Brand,
    "store": Store,
}
"""The resources that requests bring as JSON objects, which the linter checks, by the fields that they are in."""


@cache
def message_in(model: Model, name: str) -> Model | None:
    """The message that a field holds, alone or in a list; None for a scalar or a map."""
    if name not in model.model_fields:
        return None
    annotation = model.model_fields[name].annotation
    if get_origin(annotation) is dict:
        return RESOURCES.get(name)
    messages = _messages(annotation)
    return messages[0] if len(messages) == 1 else None


def _messages(annotation: Any) -> list[Model]:
    """The messages that a type mentions, except those inside of maps."""
    if isinstance(annotation, type) and issubclass(annotation, (BaseModel, Node)):
        return [annotation]
    if get_origin(annotation) is dict:
        return []
    return [message for part in get_args(annotation) for message in _messages(part)]
