"""The discovery document of the server: every operation of the table, as discovery clients read it.

Messages are schemas by their models, with the names of a dialect.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import PlainSerializer

from trialrun.model.node import Node, field_spec
from trialrun.model.proto_json import FieldType, field_type, item_type
from trialrun.server.dialect import JSON_FIELDS, Dialect, Model, message_in
from trialrun.server.json_body import Json
from trialrun.server.operations import RPCS, ListOperationsRequest
from trialrun.service.rpc import Rpc

STANDARD_METHODS = {"POST": "create", "PATCH": "patch", "DELETE": "delete"}
SEGMENT = "[^/]+"
SYSTEM_PARAMETERS: Json = {
    **{
        name: {"type": "string", "location": "query", "description": description}
        for name, description in (
            ("alt", "The format of the response: json."),
            ("fields", "The fields of the response to answer, such as nextPageToken,featureViews(name,labels)."),
            ("key", "A key of the public service, which means nothing here."),
            ("quotaUser", "A user of the public service, who means nothing here."),
        )
    },
    "prettyPrint": {"type": "boolean", "location": "query", "description": "Indent the response."},
}
QUERY_BESIDE_BODY: Mapping[str, Json] = {
    "getIamPolicy": {"options.requestedPolicyVersion": {"type": "integer", "format": "int32", "location": "query"}},
    "testIamPermissions": {"permissions": {"type": "string", "repeated": True, "location": "query"}},
}
"""What clients of the public service send in the query, by custom verb; a body may have it, too."""
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
TEXT: Json = {"type": "string"}
OBJECT: Json = {"type": "object", "additionalProperties": ANY}
FIXED_SCHEMAS: Mapping[str, Json] = {
    OPERATION: {
        "id": OPERATION,
        "type": "object",
        "description": "A long-running operation.",
        "properties": {"name": TEXT, "metadata": OBJECT, "done": {"type": "boolean"}, "response": OBJECT},
    },
    "ListOperationsResponse": {
        "id": "ListOperationsResponse",
        "type": "object",
        "properties": {"operations": {"type": "array", "items": {"$ref": OPERATION}}, "nextPageToken": TEXT},
    },
    EMPTY: {"id": EMPTY, "type": "object", "description": "Nothing.", "properties": {}},
}


def discovery_document(version: str, dialect: Dialect, root_url: str) -> Json:
    """The document of a version of the API, with the names of a dialect; clients send requests below `root_url`."""
    resources: Json = {}
    for rpc in RPCS:
        methods = _resource(resources, _collections(rpc)).setdefault("methods", {})
        methods[_method_name(rpc)] = _method(rpc, version, dialect)
    for rpc in RPCS:
        if rpc.operation:
            resource = _resource(resources, [*_collections(rpc), "operations"])
            resource["methods"] = dict(_operation_methods(rpc, version))
    models: dict[str, Model] = {}
    for rpc in RPCS:
        for model in (_body(rpc), rpc.response):
            _collect(model, models, dialect)
    schemas = {name: _message_schema(model, dialect) for name, model in models.items()}
    return {
        "kind": "discovery#restDescription",
        "discoveryVersion": "v1",
        "id": f"trialrun:{version}",
        "name": "trialrun",
        "version": version,
        "title": "trialrun",
        "description": "The operations on FeatureViews and ChannelConfigs that this server carries out.",
        "protocol": "rest",
        "rootUrl": root_url,
        "servicePath": "",
        "baseUrl": root_url,
        "batchPath": "batch",
        "parameters": SYSTEM_PARAMETERS,
        "schemas": dict(sorted({**schemas, **FIXED_SCHEMAS}.items())),
        "resources": resources,
    }


def _collections(rpc: Rpc) -> list[str]:
    """The collections that a path leads through: projects, locations, and so on."""
    return [segment for segment in rpc.template.shape[:-1] if segment != "*"]


def _resource(resources: Json, path: list[str]) -> Json:
    first, *rest = path
    resource: Json = resources.setdefault(first, {})
    return _resource(resource.setdefault("resources", {}), rest) if rest else resource


def _method_name(rpc: Rpc) -> str:
    standard = {"GET": "list" if rpc.template.field == "parent" else "get", **STANDARD_METHODS}
    return rpc.template.custom_verb or standard[rpc.verb]


def _method(rpc: Rpc, version: str, dialect: Dialect) -> Json:
    """A method: its path, its parameters, and the messages that it takes and gives."""
    parameter = rpc.template.field.rpartition(".")[2]
    body = _body(rpc)
    response = OPERATION if rpc.operation else rpc.response.__name__ if rpc.response.model_fields else EMPTY
    collection, flat_path = "", []
    for segment in rpc.template.shape[:-1]:
        flat_path.append(f"{{{collection}Id}}" if segment == "*" else segment)
        collection = segment
    verb = rpc.template.custom_verb
    query: Json = {**QUERY_BESIDE_BODY.get(verb, {})}
    used = {rpc.template.field.partition(".")[0], rpc.body}
    for name in dialect.fields(rpc.request) if rpc.body != "*" else ():
        if name not in used:
            schema = _field_schema(rpc.request, name)
            repeated = {**schema.get("items", {}), "repeated": True} if schema.get("type") == "array" else schema
            query[name] = {**repeated, "location": "query"}
    method: Json = {
        "id": f"trialrun.{'.'.join(_collections(rpc))}.{_method_name(rpc)}",
        "description": rpc.summary or (rpc.request.__doc__ or "").partition(": ")[2].strip(),
        "httpMethod": rpc.verb,
        "path": f"{version}/{{+{parameter}}}{rpc.template.after_field}",
        "flatPath": f"{version}/{'/'.join(flat_path)}" + (f":{verb}" if verb else ""),
        "parameterOrder": [parameter],
        "parameters": {parameter: _path_parameter(rpc.template.pattern), **query},
        "response": {"$ref": response},
    }
    return {**method, "request": {"$ref": body.__name__}} if body else method


def _path_parameter(pattern: str) -> Json:
    return {
        "type": "string",
        "location": "path",
        "required": True,
        "pattern": f"^{pattern.replace('*', SEGMENT)}$",
        "description": f"A resource name: {pattern}.",
    }


def _body(rpc: Rpc) -> Model | None:
    """The message that a body is; of a stream, each message of the list."""
    return rpc.request if rpc.body == "*" else JSON_FIELDS.get(rpc.body)


def _operation_methods(rpc: Rpc, version: str) -> Iterator[tuple[str, Json]]:
    resource = "/".join(rpc.template.shape[:-1])
    parent = resource if resource.endswith("*") else f"{resource}/*"
    operation = f"{parent}/operations/*"
    fields = [name for name in ListOperationsRequest.model_fields if name != "name"]
    listing = {name: {**_field_schema(ListOperationsRequest, name), "location": "query"} for name in fields}
    for name, verb, pattern, after, response in (
        ("get", "GET", operation, "", OPERATION),
        ("list", "GET", parent, "/operations", "ListOperationsResponse"),
        ("wait", "POST", operation, ":wait", OPERATION),
        ("delete", "DELETE", operation, "", EMPTY),
    ):
        method = {
            "id": f"trialrun.{'.'.join(_collections(rpc))}.operations.{name}",
            "httpMethod": verb,
            "path": f"{version}/{{+name}}{after}",
            "parameterOrder": ["name"],
            "parameters": {"name": _path_parameter(pattern), **(listing if name == "list" else {})},
            "response": {"$ref": response},
        }
        yield name, method


def _collect(model: Model | None, found: dict[str, Model], dialect: Dialect) -> None:
    if model is not None and model.__name__ not in found:
        found[model.__name__] = model
        for name in dialect.fields(model):
            _collect(message_in(model, name), found, dialect)


def _message_schema(model: Model, dialect: Dialect) -> Json:
    properties = {}
    for name in dialect.fields(model):
        description = model.model_fields[name].description
        described = {"description": description} if description else {}
        properties[dialect.name_of(model, name)] = {**_field_schema(model, name), **described}
    description = (model.__doc__ or "").strip().split("\n\n", maxsplit=1)[0]
    return {
        "id": model.__name__,
        "type": "object",
        "description": " ".join(description.split()),
        "properties": properties,
    }


def _field_schema(model: Model, name: str) -> Json:
    """The schema of a field; that of a message is named."""
    if issubclass(model, Node):
        read_only = {"readOnly": True} if field_spec(model, name).mode == "output only" else {}
        return {**_node_schema(field_type(model, name)), **read_only}
    field, inner = model.model_fields[name], message_in(model, name)
    if inner is not None and name in JSON_FIELDS:
        return {"$ref": inner.__name__}
    return _annotation_schema(field.annotation, field.metadata)


def _node_schema(type_: FieldType) -> Json:
    if type_.is_list:
        return {"type": "array", "items": _node_schema(item_type(type_))}
    if type_.model is not None:
        return {"$ref": type_.model.__name__}
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
    return {"$ref": annotation.__name__} if hasattr(annotation, "model_fields") else ANY
