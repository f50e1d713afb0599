"""Whether a field accepts an existing value: a key is only offered where its value is valid."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from trialrun.lsp.features.completion.partial_tree import MARK, Mapping, Node, PartialEntry, Scalar, Sequence, resolved
from trialrun.model import proto_json
from trialrun.model.node import Node as Model
from trialrun.model.proto_json import ANYTHING, FieldType, item_type
from trialrun.parser.scalars import parse_plain_scalar
from trialrun.values.suggest import equivalent_name

MAX_ITEMS = 20
"""Maximum number of list items or mapping fields that are checked."""


def accepts(shape: FieldType, value: Node | None) -> bool:
    """Whether a field accepts an existing value; every field accepts a missing one."""
    value = resolved(value)
    if value is None or shape is ANYTHING:
        return True
    if isinstance(value, Sequence):
        return shape.entity_id or (
            shape.is_list and all(accepts(item_type(shape), item) for item in value.items[:MAX_ITEMS])
        )
    if shape.is_list:
        return False
    return _takes_scalar(shape, value) if isinstance(value, Scalar) else _takes_mapping(shape, value)


def _takes_mapping(shape: FieldType, value: Mapping) -> bool:
    if shape.model is None:
        values = shape.values
        return values is not None and all(accepts(values, entry.value) for entry in value.entries[:MAX_ITEMS])
    if not has_fields(
        shape.model, [entry.key.text for entry in value.entries[:MAX_ITEMS] if MARK not in entry.key.text]
    ):
        return False
    named = ((_name(shape.model, entry.key.text), entry.value) for entry in value.entries[:MAX_ITEMS])
    return all(name is None or accepts(proto_json.field_type(shape.model, name), inner) for name, inner in named)


def has_fields(model: type[Model], keys: list[str]) -> bool:
    """Whether a message has fields with all these names."""
    return model.further_fields != "refused" or all(key == "<<" or _name(model, key) is not None for key in keys)


def accepts_entry(model: type[Model], entry: PartialEntry) -> bool:
    """Whether a message has the field of an entry, and it accepts the value."""
    name = _name(model, entry.key.text)
    return name is not None and accepts(proto_json.field_type(model, name), entry.value)


@lru_cache(maxsize=4096)
def _name(model: type[Model], key: str) -> str | None:
    return equivalent_name(key, model.model_fields)


def _takes_scalar(shape: FieldType, value: Scalar) -> bool:
    if shape.model is not None or shape.values is not None:
        return not value.text.replace(MARK, "")
    decoded = _read(value)
    return decoded is None or not proto_json.parse_scalar(decoded, shape, (), required=False)[1]


def _read(value: Scalar) -> Any:
    text = value.text.replace(MARK, "")
    return parse_plain_scalar(text).value if value.style == "plain" else text
