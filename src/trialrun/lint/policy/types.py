"""CEL types of the models for policies, and the values of unset fields.

As in protocol buffers, an unset field reads as its default: the one in the specification, otherwise empty text, 0,
false, an empty list or map, the `…_UNSPECIFIED` value of an enum, or a message with all fields unset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from trialrun.lint.policy.policy import NAME, TYPES
from trialrun.model import feature_view, proto_json
from trialrun.model.kinds import KINDS, model_of
from trialrun.model.node import UNSPECIFIED, Node, PartialMapping, TruncatedList, messages_in
from trialrun.values.cel import Schema, build_schema
from trialrun.values.cel.policy_functions import LIBRARY

DOCUMENT: Mapping[str, str] = {"path": "string", "kind": "string", "name": "string"}
"""The variables about the document of a message."""
KIND_OF_CALL = re.compile(r"""\bdocuments\(\s*["'](\w+)["']""")
"""A call of `documents` with the name of a kind."""
VARIABLES = ("self", "root", "document")
PARTIAL_TYPES = (TruncatedList, PartialMapping)
"""Lists and maps from which some entries were refused: nothing is known about the whole."""

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
    return MappingProxyType({model.__name__: model for model in messages_in(model_of(kind))})


@cache
def policy_schema(on: str, kinds: tuple[str, ...] = (), parameters: tuple[tuple[str, str], ...] = ()) -> Schema:
    """The types and variables of a policy on a message.

    `kinds` are those of other documents that it reads, `parameters` the names and types of its parameters.
    """
    kind = kinds_by_message()[on]
    types = {name: _field_texts(model) for each in (kind, *kinds) for name, model in messages(each).items()}
    types["Document"] = dict(DOCUMENT)
    variables = {"self": on, "root": kind, "document": "Document", "now": "timestamp"}
    variables |= {documents_variable(each): f"list({each})" for each in kinds}
    if parameters:
        types["Parameters"] = dict(parameters)
        variables["parameters"] = "Parameters"
    return build_schema(types, variables, library=LIBRARY)


def lenient_schema(on: str, parameters: Mapping[str, object], text: str) -> Schema:
    """The types and variables of a policy that may have errors: with its valid parameters, and the documents that an
    expression reads.
    """
    kinds = dict.fromkeys(kind for kind in KIND_OF_CALL.findall(text) if kind in KINDS)
    types = {name: content.get("type") for name, content in parameters.items() if isinstance(content, Mapping)}
    valid = tuple(
        (name, type_)
        for name, type_ in types.items()
        if isinstance(type_, str) and type_ in TYPES and NAME.fullmatch(name)
    )
    return policy_schema(on, tuple(kinds), valid)


def documents_variable(kind: str) -> str:
    """The variable with all documents of a kind, which is as long as the call that it stands for."""
    return f"documents__{kind}__"


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


def is_refused(node: Node, name: str, value: Any) -> bool:
    """Whether the model refused the value of a field, or a part of it."""
    return isinstance(value, PARTIAL_TYPES) or (value is None and name in node.__pydantic_fields_set__)
