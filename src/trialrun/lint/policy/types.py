"""CEL types of the models for policies, and the values of unset fields.

As in protocol buffers, an unset field reads as its default: the one in the specification, otherwise empty text, 0,
false, an empty list or map, the `…_UNSPECIFIED` value of an enum, or a message with all fields unset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from trialrun.model import feature_view, proto_json
from trialrun.model.kinds import KINDS, model_of
from trialrun.model.node import UNSPECIFIED, Node, message_fields
from trialrun.values.cel import Schema, build_schema

DOCUMENT: Mapping[str, str] = {"path": "string", "kind": "string", "name": "string"}
"""The variables about the document of a message."""
VARIABLES = ("self", "root", "document")

DOCUMENTED_DEFAULTS: Mapping[tuple[str, str], Any] = {
    ("AutomaticResources", "minReplicaCount"): feature_view.DEFAULT_MIN_REPLICAS,
    ("AutomaticResources", "maxReplicaCount"): feature_view.DEFAULT_MAX_REPLICAS,
    ("TreeAHConfig", "leafNodeEmbeddingCount"): feature_view.DEFAULT_LEAF_NODE_EMBEDDING_COUNT,
    ("FeatureGroupTable", "timestampColumn"): "feature_timestamp",
    ("Column", "mode"): "NULLABLE",
}
"""Defaults from the specification that differ from those of the types, by message and field."""
_SCALARS = {str: "string", bool: "bool", int: "int", float: "double"}
_ZEROS: Mapping[type, Any] = {str: "", bool: False, int: 0, float: 0.0}


@cache
def kinds_by_message() -> Mapping[str, str]:
    """The kind of document that each message belongs to."""
    return MappingProxyType({message: kind for kind in KINDS for message in messages(kind)})


@cache
def messages(kind: str) -> Mapping[str, type[Node]]:
    """The messages of a kind of document by name, starting with the document itself."""
    return MappingProxyType({model.__name__: model for model in _reachable(model_of(kind))})


def _reachable(model: type[Node]) -> Iterator[type[Node]]:
    yield model
    for _, _, inner in message_fields(model):
        yield from _reachable(inner)


@cache
def policy_schema(on: str) -> Schema:
    """The types and variables of a policy on a message."""
    kind = kinds_by_message()[on]
    types = {name: _field_texts(model) for name, model in messages(kind).items()}
    return build_schema({**types, "Document": DOCUMENT}, {"self": on, "root": kind, "document": "Document"})


def _field_texts(model: type[Node]) -> dict[str, str]:
    return {name: _type_text(proto_json.field_type(model, name)) for name in model.model_fields}


def _type_text(shape: proto_json.FieldType) -> str:
    if shape.is_list:
        return f"list({_type_text(proto_json.item_type(shape))})"
    if shape.model is not None:
        return shape.model.__name__
    if shape.values is not None:
        return f"map(string, {_type_text(shape.values)})"
    if shape.enum:
        return f"enum({', '.join(shape.enum)})"
    return _SCALARS[shape.scalar] if shape.scalar is not None else "dyn"


def default_value(model: type[Node], name: str) -> Any:
    """The value of an unset field that is not a message."""
    if (model.__name__, name) in DOCUMENTED_DEFAULTS:
        return DOCUMENTED_DEFAULTS[model.__name__, name]
    shape = proto_json.field_type(model, name)
    if shape.is_list:
        return []
    if shape.enum:
        return shape.enum[0] if len(shape.enum) == 1 or shape.enum[0].endswith(UNSPECIFIED) else ""
    return _ZEROS[shape.scalar] if shape.scalar is not None else {}
