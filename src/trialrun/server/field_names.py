"""Names of fields as clients write them, in camelCase or in snake_case, and as the services have them.

Only fields of messages have other names: keys of maps, such as labels, are what clients made them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from trialrun.model.channel_config import ChannelConfig
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import Node
from trialrun.server.json_body import Json
from trialrun.service.error import MAX_VIOLATIONS, field_path, invalid_argument
from trialrun.values.suggest import snake_case

Model = type[BaseModel] | type[Node]
Steps = tuple[str | int, ...]
PATH_STEP = re.compile(r"\.?([^.\[\]]+)|\[([0-9]+)\]")
MASK_HEAD = re.compile(r"\s*(`?)([^`.]+)\1")
RESOURCES: Mapping[str, Model] = {
    "featureView": FeatureView,
    "channelConfig": ChannelConfig,
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


class FieldNames:
    """The names of one family of clients.

    `renamed` are the fields that have other names there, by message, and `own` those that only this service has, each
    with what clients write instead: they neither send nor get them.
    """

    def __init__(
        self,
        renamed: Mapping[Model, Mapping[str, str]] | None = None,
        own: Mapping[Model, Mapping[str, str]] | None = None,
    ) -> None:
        self._renamed = renamed or {}
        self._own = own or {}
        self._fields = cache(self._fields_of)

    def name_of(self, model: Model, field: str) -> str:
        """The name that clients know a field by."""
        return self._renamed.get(model, {}).get(field, field)

    def fields(self, model: Model) -> list[str]:
        """The fields of a message that clients know, by their names here."""
        own = self._own.get(model, {})
        return [name for name in model.model_fields if name not in own]

    def read(self, value: Any, model: Model, steps: Steps = ()) -> Any:
        """A message with the fields of the services; null is unset, and unknown fields are left to be refused.

        Raises INVALID_ARGUMENT for a field in two spellings, and for the name that others have for a field.
        """
        if isinstance(value, list):
            return [self.read(item, model, (*steps, at)) for at, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        fields = self._fields(model)
        message: Json = {}
        spellings: dict[str, str] = {}
        unknown = 0
        for key, item in value.items():
            field = fields.get(key)
            if field is None:
                self._require_not_foreign(key, model, steps)
                unknown += 1
                if unknown > MAX_VIOLATIONS:
                    raise invalid_argument(
                        field_path((*steps, key)), "unknown-field", f"unknown field, after {unknown - 1} others"
                    )
                message[key] = item
                continue
            if field in spellings:
                twice = f'"{key}" is another spelling of "{spellings[field]}"; remove one of the two'
                raise invalid_argument(field_path((*steps, key)), "duplicate-key", twice)
            spellings[field] = key
            if item is not None:
                inner = message_in(model, field)
                message[field] = self.read(item, inner, (*steps, key)) if inner else item
        return message

    def write(self, value: Any, model: Model) -> Any:
        """A message with the names that clients know, without the fields that they do not."""
        if isinstance(value, list):
            return [self.write(item, model) for item in value]
        if not isinstance(value, dict):
            return value
        own, renamed = self._own.get(model, {}), self._renamed.get(model, {})
        message: Json = {}
        for field, item in value.items():
            if field not in own:
                inner = message_in(model, field)
                message[renamed.get(field, field)] = self.write(item, inner) if inner else item
        return message

    def read_mask(self, mask: Any, model: Model, field: str) -> Any:
        """A field mask with the fields of the services. Raises INVALID_ARGUMENT."""
        if not isinstance(mask, str) or model not in self._renamed:
            return mask
        return ",".join(self._read_mask_path(path, model, field) for path in mask.split(","))

    def write_path(self, path: str, model: Model) -> str:
        """The path of a field with the names that clients know."""
        inner: Model | None = model

        def write_step(step: re.Match[str]) -> str:
            nonlocal inner
            if inner is None or step[1] is None:
                return step[0]
            name = self.name_of(inner, step[1])
            inner = message_in(inner, step[1])
            return step[0].removesuffix(step[1]) + name

        return PATH_STEP.sub(write_step, path)

    def _fields_of(self, model: Model) -> Mapping[str, str]:
        """The fields of a message by each spelling that clients may use."""
        names = {self.name_of(model, field): field for field in self.fields(model)}
        return {snake_case(name): field for name, field in names.items()} | names

    def _read_mask_path(self, path: str, model: Model, field: str) -> str:
        head = MASK_HEAD.match(path)
        if head is None:
            return path
        name = self._fields(model).get(head[2])
        if name is not None:
            return name + path[head.end() :]
        if other := self._foreign_name(head[2], model):
            message = f'"{path.strip()}": {model.__name__} has no field "{head[2]}"; did you mean "{other}"?'
            raise invalid_argument(field, "invalid-field-mask", message)
        return path

    def _require_not_foreign(self, key: str, model: Model, steps: Steps) -> None:
        """Refuse the name that a field has elsewhere, which the services would take."""
        other = self._foreign_name(key, model)
        if other is not None:
            hint = f'; did you mean "{other}"?' if other else ""
            raise invalid_argument(field_path((*steps, key)), "unknown-field", f"unknown field{hint}")

    def _foreign_name(self, key: str, model: Model) -> str | None:
        """The name that clients know a field by, where this is a spelling of the name that they do not know."""
        names = {**self._renamed.get(model, {}), **self._own.get(model, {})}
        return next((name for field, name in names.items() if key in (field, snake_case(field))), None)


__all__ = ["FieldNames"]
