"""Messages as the schemas of a discovery document: by the models, with the names of a dialect."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import PlainSerializer

from trialrun.model.node import Node, field_spec
from trialrun.model.proto_json import FieldType, field_type, item_type
from trialrun.server.dialect.field_names import FieldNames
from trialrun.server.dialect.messages import Model, message_in

Json = dict[str, Any]
ANY: Json = {"type": "any"}
INT64: Json = {"type": "string", "format": "int64"}
SCALARS: Mapping[Any, Json] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "format": "int32"},
    float: {"type": "number", "format": "double"},
    bytes: {"type": "string", "format": "byte"},
    datetime: {"type": "string", "format": "google-datetime"},
}
OPERATION = "Operation"
EMPTY = "Empty"
FIXED_SCHEMAS: Mapping[str, Json] = {
    OPERATION: {
        "id": OPERATION,
        "type": "object",
        "description": "A long-running operation.",
        "properties": {
            "name": {"type": "string"},
            "metadata": {"type": "object", "additionalProperties": ANY},
            "done": {"type": "boolean"},
            "response": {"type": "object", "additionalProperties": ANY},
        },
    },
    "ListOperationsResponse": {
        "id": "ListOperationsResponse",
        "type": "object",
        "properties": {
            "operations": {"type": "array", "items": {"$ref": OPERATION}},
            "nextPageToken": {"type": "string"},
        },
    },
    EMPTY: {"id": EMPTY, "type": "object", "description": "Nothing.", "properties": {}},
}


def message_schemas(models: Iterator[Model], names: FieldNames) -> Mapping[str, Json]:
    """The schemas of messages and of all that is inside of them, by their ids, in the order of these."""
    found: dict[str, Model] = {}
    for model in models:
        _collect(model, found, names)
    schemas = {schema_id(model): _message_schema(model, names) for model in found.values()}
    return dict(sorted({**schemas, **FIXED_SCHEMAS}.items()))


def schema_id(model: Model) -> str:
    """The id of the schema of a message."""
    return model.__name__


def field_schema(model: Model, name: str) -> Json:
    """The schema of a field; that of a message is named."""
    inner = message_in(model, name)
    if issubclass(model, Node):
        schema = _node_schema(field_type(model, name))
        return {**schema, **({"readOnly": True} if field_spec(model, name).mode == "output only" else {})}
    field = model.model_fields[name]
    if inner is not None and get_origin(field.annotation) is dict:
        return {"$ref": schema_id(inner)}
    return _annotation_schema(field.annotation, field.metadata)


def _collect(model: Model, found: dict[str, Model], names: FieldNames) -> None:
    if schema_id(model) in found:
        return
    found[schema_id(model)] = model
    for name in names.fields(model):
        inner = message_in(model, name)
        if inner is not None:
            _collect(inner, found, names)


def _message_schema(model: Model, names: FieldNames) -> Json:
    properties = {names.name_of(model, name): _described(model, name) for name in names.fields(model)}
    description = (model.__doc__ or "").strip().split("\n\n", maxsplit=1)[0]
    return {
        "id": schema_id(model),
        "type": "object",
        "description": " ".join(description.split()),
        "properties": properties,
    }


def _described(model: Model, name: str) -> Json:
    description = model.model_fields[name].description
    return {**field_schema(model, name), **({"description": description} if description else {})}


def _node_schema(type_: FieldType) -> Json:
    """The schema of what a field of a resource takes."""
    if type_.is_list:
        return {"type": "array", "items": _node_schema(item_type(type_))}
    if type_.model is not None:
        return {"$ref": schema_id(type_.model)}
    if type_.values is not None:
        return {"type": "object", "additionalProperties": _node_schema(type_.values)}
    if type_.enum:
        return {"type": "string", "enum": [*type_.enum]}
    if type_.int64:
        return INT64
    return SCALARS.get(type_.scalar, ANY)


def _annotation_schema(annotation: Any, metadata: list[Any]) -> Json:
    """The schema of a type; `metadata` say in which form JSON has it."""
    if annotation is int and any(isinstance(marker, PlainSerializer) for marker in metadata):
        return INT64
    if annotation in SCALARS:
        return SCALARS[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotation_schema(arguments[0], list(arguments[1:]))
    if origin in (Union, types.UnionType):
        members = [member for member in arguments if member is not type(None)]
        return _annotation_schema(members[0], metadata) if len(members) == 1 else ANY
    if origin is list:
        return {"type": "array", "items": _annotation_schema(arguments[0], [])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _annotation_schema(arguments[1], [])}
    if origin is Literal:
        return {"type": "string", "enum": [*arguments]}
    return {"$ref": schema_id(annotation)} if hasattr(annotation, "model_fields") else ANY
