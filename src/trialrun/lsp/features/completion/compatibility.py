"""Whether a field can have the value that is there already: a key becomes another only where that takes it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from trialrun.lsp.features.completion.partial_tree import MARK, Entry, Mapping, Node, Scalar, Sequence, resolved
from trialrun.model import proto_json
from trialrun.model.node import Node as Model
from trialrun.model.proto_json import ANYTHING, Shape, item
from trialrun.model.suggest import same
from trialrun.parser.scalars import read_plain

MOST = 20
"""How many items of a list, or fields of a mapping, are looked at."""


def takes(shape: Shape, value: Node | None) -> bool:
    """Whether a field of a shape takes a value as it stands; nothing at all is taken by every field."""
    value = resolved(value)
    if value is None or shape is ANYTHING:
        return True
    if isinstance(value, Sequence):
        return shape.entity_id or (shape.listed and all(takes(item(shape), one) for one in value.items[:MOST]))
    if shape.listed:
        return False
    return _takes_scalar(shape, value) if isinstance(value, Scalar) else _takes_mapping(shape, value)


def _takes_mapping(shape: Shape, value: Mapping) -> bool:
    if shape.model is None:
        values = shape.values
        return values is not None and all(takes(values, entry.value) for entry in value.entries[:MOST])
    if not knows(shape.model, [entry.key.text for entry in value.entries[:MOST] if MARK not in entry.key.text]):
        return False
    named = ((_name(shape.model, entry.key.text), entry.value) for entry in value.entries[:MOST])
    return all(name is None or takes(proto_json.shape(shape.model, name), inner) for name, inner in named)


def knows(model: type[Model], keys: list[str]) -> bool:
    """Whether a message has fields of all these names."""
    return model.further_fields != "refused" or all(key == "<<" or _name(model, key) is not None for key in keys)


def fits(model: type[Model], entry: Entry) -> bool:
    """Whether a message has the field of an entry, and that takes its value."""
    name = _name(model, entry.key.text)
    return name is not None and takes(proto_json.shape(model, name), entry.value)


@lru_cache(maxsize=4096)
def _name(model: type[Model], key: str) -> str | None:
    return same(key, model.model_fields)


def _takes_scalar(shape: Shape, value: Scalar) -> bool:
    if shape.model is not None or shape.values is not None:
        return not value.text.replace(MARK, "")
    meant = _read(value)
    return meant is None or not proto_json.scalar(meant, shape, (), required=False)[1]


def _read(value: Scalar) -> Any:
    text = value.text.replace(MARK, "")
    return read_plain(text).value if value.style == "plain" else text
