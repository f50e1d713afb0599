"""The discovery document of the server: every operation of the table, as discovery clients read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trialrun.server.bindings import BINDINGS
from trialrun.server.bindings.binding import Binding, StreamBinding
from trialrun.server.dialect.field_names import FieldNames
from trialrun.server.dialect.messages import RESOURCES, Model
from trialrun.server.discovery.schemas import EMPTY, OPERATION, field_schema, message_schemas, schema_id
from trialrun.server.long_running import ListOperationsRequest

Json = dict[str, Any]
VERSIONS = ("v1", "v1beta1")
"""The versions of the API, which have the same operations here."""
STANDARD_METHODS = {"POST": "create", "PATCH": "patch", "DELETE": "delete"}
SEGMENT = "[^/]+"
SYSTEM_PARAMETERS: Json = {
    name: {"type": "string", "location": "query", "description": description}
    for name, description in (
        ("alt", "The format of the response: json."),
        ("fields", "The fields of the response to answer, such as nextPageToken,featureViews(name,labels)."),
        ("key", "A key of the public service, which means nothing here."),
        ("quotaUser", "A user of the public service, who means nothing here."),
    )
}
LIST_PARAMETERS: Json = {
    name: {**field_schema(ListOperationsRequest, name), "location": "query"}
    for name in ListOperationsRequest.model_fields
    if name != "name"
}
SYSTEM_PARAMETERS["prettyPrint"] = {"type": "boolean", "location": "query", "description": "Indent the response."}


def discovery_document(version: str, names: FieldNames, root_url: str) -> Json:
    """The document of a version of the API, with the names of a dialect; clients send requests below `root_url`."""
    resources: Json = {}
    for binding in BINDINGS:
        *outer, own = _collections(binding)
        methods = _resource(resources, [*outer, own]).setdefault("methods", {})
        methods[_method_name(binding)] = _method(binding, version, names)
    _add_operations(resources, version)
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
        "schemas": message_schemas(_models(), names),
        "resources": resources,
    }


def _models() -> Iterator[Model]:
    """The messages that are bodies and responses."""
    for binding in BINDINGS:
        yield from (model for model in (_body(binding), binding.response) if model is not None)


def _collections(binding: Binding | StreamBinding) -> list[str]:
    """The collections that a path leads through: projects, locations, and so on."""
    return [segment for segment in binding.template.shape[:-1] if segment != "*"]


def _resource(resources: Json, path: list[str]) -> Json:
    """The resource of a document at a path, which is there from then on."""
    first, *rest = path
    resource: Json = resources.setdefault(first, {})
    return _resource(resource.setdefault("resources", {}), rest) if rest else resource


def _method_name(binding: Binding | StreamBinding) -> str:
    if binding.template.custom_verb:
        return binding.template.custom_verb
    if binding.verb != "GET":
        return STANDARD_METHODS[binding.verb]
    return "list" if binding.template.field == "parent" else "get"


def _method(binding: Binding | StreamBinding, version: str, names: FieldNames) -> Json:
    """A method: its path, its parameters, and the messages that it takes and gives."""
    parameter = binding.template.field.rpartition(".")[2]
    body = _body(binding)
    method: Json = {
        "id": f"trialrun.{'.'.join(_collections(binding))}.{_method_name(binding)}",
        "description": (binding.request.__doc__ or "").partition(": ")[2].strip(),
        "httpMethod": binding.verb,
        "path": f"{version}/{{+{parameter}}}{binding.template.after_field}",
        "flatPath": f"{version}/{_flat_path(binding)}",
        "parameterOrder": [parameter],
        "parameters": {parameter: _path_parameter(binding.template.pattern), **_query(binding, names)},
        "response": {"$ref": _response_id(binding)},
    }
    return {**method, "request": {"$ref": schema_id(body)}} if body else method


def _flat_path(binding: Binding | StreamBinding) -> str:
    collection, steps = "", []
    for segment in binding.template.shape[:-1]:
        steps.append(f"{{{collection}Id}}" if segment == "*" else segment)
        collection = segment
    verb = binding.template.custom_verb
    return "/".join(steps) + (f":{verb}" if verb else "")


def _path_parameter(pattern: str) -> Json:
    return {
        "type": "string",
        "location": "path",
        "required": True,
        "pattern": f"^{pattern.replace('*', SEGMENT)}$",
        "description": f"A resource name: {pattern}.",
    }


def _query(binding: Binding | StreamBinding, names: FieldNames) -> Json:
    """The fields that are neither in the path nor in the body."""
    if binding.body == "*":
        return {}
    used = {binding.template.field.partition(".")[0], binding.body}
    parameters: Json = {}
    for name in names.fields(binding.request):
        if name not in used:
            schema = field_schema(binding.request, name)
            repeated = {**schema.get("items", {}), "repeated": True} if schema.get("type") == "array" else schema
            parameters[name] = {**repeated, "location": "query"}
    return parameters


def _body(binding: Binding | StreamBinding) -> Model | None:
    """The message that a body is; of a stream, each message of the list."""
    if binding.body == "*":
        return binding.request
    return RESOURCES[binding.body] if binding.body else None


def _response_id(binding: Binding | StreamBinding) -> str:
    if isinstance(binding, Binding) and binding.operation_type:
        return OPERATION
    return schema_id(binding.response) if binding.response.model_fields else EMPTY


def _add_operations(resources: Json, version: str) -> None:
    """The methods on long-running operations, below every collection whose methods begin them."""
    for binding in BINDINGS:
        if isinstance(binding, Binding) and binding.operation_type:
            resource = _resource(resources, [*_collections(binding), "operations"])
            resource["methods"] = dict(_operation_methods(binding, version))


def _operation_methods(binding: Binding, version: str) -> Iterator[tuple[str, Json]]:
    resource = "/".join(binding.template.shape[:-1])
    parent = resource if resource.endswith("*") else f"{resource}/*"
    operation = f"{parent}/operations/*"
    for name, verb, pattern, after, response in (
        ("get", "GET", operation, "", OPERATION),
        ("list", "GET", parent, "/operations", "ListOperationsResponse"),
        ("wait", "POST", operation, ":wait", OPERATION),
        ("delete", "DELETE", operation, "", EMPTY),
    ):
        yield (
            name,
            {
                "id": f"trialrun.{'.'.join(_collections(binding))}.operations.{name}",
                "httpMethod": verb,
                "path": f"{version}/{{+name}}{after}",
                "parameterOrder": ["name"],
                "parameters": {"name": _path_parameter(pattern), **(LIST_PARAMETERS if name == "list" else {})},
                "response": {"$ref": response},
            },
        )
