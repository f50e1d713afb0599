"""The models as JSON Schema (2020-12), in the canonical form, for editors and for people who install nothing else.

There is no `oneOf`: an editor that completes as one types offers nothing sensible below it, and its messages name no
culprit. Unions are pairs that exclude each other, and kinds are distinguished by `if` and `then`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from trialrun.model.kinds import CHANNEL_CONFIG_TYPES, FEATURE_VIEW_FIELDS, KINDS, RESOURCES, model_of
from trialrun.model.node import (
    INT64_TEXT,
    UNSET_IF_EMPTY,
    UNSPECIFIED,
    Node,
    TextFormat,
    field_spec,
    messages_in,
    value_type,
)
from trialrun.model.proto_json import field_type

DIALECT = "https://json-schema.org/draft/2020-12/schema"
POSITIVE_INT64 = "^[1-9][0-9]{0,18}$"
STANDARD_FORMATS: Mapping[TextFormat, str] = {"timestamp": "date-time", "date": "date", "email": "email"}
"""The formats of texts that JSON Schema has too; the others are in the keyword `x-trialrun-format`."""
ERROR_MESSAGE = "errorMessage"
"""A keyword of editors, which show it in place of the message of their own."""
NAME_SEGMENTS = {"FeatureView": "featureViews", "ChannelConfig": "channelConfigs"}

Schema = dict[str, Any]


def json_schema(kind: str) -> Schema:
    """The JSON Schema of a kind of document.

    It has what the models have: descriptions, types, lengths, ranges, enums, formats of names, required, read-only and
    deprecated fields, and that at most, or exactly, one member of a union is set. The rules say more, and say it
    better.
    """
    own, definitions = _schema_and_definitions(kind)
    return {"$schema": DIALECT, "title": kind, **own, "$defs": definitions}


def combined_json_schema() -> Schema:
    """One JSON Schema for files of every kind, for an editor that has one schema for a whole folder.

    What a resource is, is told as in `trialrun.model.kinds`: by its `kind`, else by its `name`, else by its fields. A
    file may hold a list of resources. What is of no kind of ours is valid, as it is for the linter.
    """
    definitions: Schema = {}
    for kind in KINDS:
        own, inner = _schema_and_definitions(kind)
        definitions |= {kind: {"title": kind, **own}, **inner}
    definitions["AnyKind"] = {
        "properties": {"kind": {"description": "The kind of the document.", "anyOf": [{"enum": list(KINDS)}, {}]}},
        "allOf": [{"if": _is_kind(kind), "then": {"$ref": f"#/$defs/{kind}"}} for kind in KINDS],
    }
    either = {
        "if": {"type": "array"},
        "then": {"items": {"$ref": "#/$defs/AnyKind"}},
        "else": {"$ref": "#/$defs/AnyKind"},
    }
    title = "FeatureView, ChannelConfig and their companions"
    return {"$schema": DIALECT, "title": title, **either, "$defs": definitions}


def plain_schema(schema: Any, *, of_names: bool = False) -> Any:
    """A schema with keywords of JSON Schema alone, for validators that refuse others."""
    if isinstance(schema, list):
        return [plain_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: plain_schema(value, of_names=key in ("properties", "$defs") and not of_names)
        for key, value in schema.items()
        if of_names or not (key == ERROR_MESSAGE or key.startswith("x-"))
    }


def _is_kind(kind: str) -> Schema:
    """What tells that a resource is of a kind."""
    kind_matches: Schema = {**_has_field("kind"), "properties": {"kind": {"const": kind}}}
    if kind not in RESOURCES:
        return {"type": "object", **kind_matches, "not": _has_field("apiVersion")}
    by_name = {"not": _has_field("kind"), **_has_name_of(kind)}
    return {"type": "object", "anyOf": [kind_matches, by_name, _has_fields_of(kind)]}


def _has_field(name: str) -> Schema:
    return {"required": [name]}


def _has_values(values: Mapping[str, Schema]) -> Schema:
    return {"required": [*values], "properties": dict(values)}


def _has_name_of(kind: str) -> Schema:
    return {
        **_has_field("name"),
        "properties": {"name": {"type": "string", "pattern": f"(^|/){NAME_SEGMENTS[kind]}/[^/]*$"}},
    }


def _has_fields_of(kind: str) -> Schema:
    """Fields, as the documents spell them, that only this kind has, where nothing else tells; a view's go first."""
    is_decided = [_has_field("kind"), *map(_has_name_of, RESOURCES)]
    view_fields = [_has_field(name) for name in sorted(FEATURE_VIEW_FIELDS) if "_" not in name]
    if kind == "FeatureView":
        return {"not": {"anyOf": is_decided}, "anyOf": view_fields}
    config_type = {**_has_field("type"), "properties": {"type": {"enum": sorted(CHANNEL_CONFIG_TYPES)}}}
    return {"not": {"anyOf": [*is_decided, *view_fields]}, "anyOf": [_has_field("operationsConfig"), config_type]}


def _schema_and_definitions(kind: str) -> tuple[Schema, Schema]:
    """The schema of a kind's own object, and those of the messages in it by their names."""
    model = model_of(kind)
    models = {part.__name__: part for part in messages_in(model)}
    if sys.flags.optimize > 1:
        _restore_docstrings(models.values())
    own = model.model_json_schema(mode="validation")
    definitions = own.pop("$defs", {})
    _complete_message(own, model)
    for name, definition in definitions.items():
        _complete_message(definition, models[name])
    return own, definitions


def _restore_docstrings(models: Iterable[type[Node]]) -> None:
    """Read the descriptions of messages from the source: Python leaves them out of the code under -OO."""
    import ast
    import inspect

    for model in models:
        if model.__doc__ is None:
            definition = ast.parse(inspect.getsource(model)).body[0]
            model.__doc__ = ast.get_docstring(definition) if isinstance(definition, ast.ClassDef) else None


def _complete_message(schema: Schema, model: type[Node]) -> None:
    """Add what pydantic does not know of: unions, and fields that the specification leaves open."""
    for name, property_schema in schema.setdefault("properties", {}).items():
        _complete_field(property_schema, model, name)
    if model.further_fields != "refused":
        schema["additionalProperties"] = True
    if clauses := list(_union_clauses(model)):
        schema["allOf"] = clauses


def _complete_field(property_schema: Schema, model: type[Node], name: str) -> None:
    """Add what pydantic does not know of one field."""
    property_schema.pop("title", None)
    property_schema.pop("default", None)
    property_schema["description"] = model.model_fields[name].description
    if enum := _enum_values(model, name):
        property_schema.pop("const", None)
        property_schema |= {"type": "string", "enum": list(enum)}
    if property_schema.get("pattern") == INT64_TEXT:
        property_schema |= {"format": "int64", "pattern": POSITIVE_INT64}
    spec = field_spec(model, name)
    if spec.name_format:  # an id is any text without a slash
        property_schema["pattern"] = "^" + re.sub(r"\{[^{}]*\}", "[^/]+", spec.name_format) + "$"
    if spec.format is not None and spec.format in STANDARD_FORMATS:
        property_schema.get("items", property_schema)["format"] = STANDARD_FORMATS[spec.format]
    elif spec.format is not None:
        property_schema["x-trialrun-format"] = spec.format
    if spec.names:
        property_schema["x-trialrun-names"] = spec.names
    if spec.declares:
        property_schema["x-trialrun-declares"] = spec.declares


def _enum_values(model: type[Node], name: str) -> tuple[str, ...]:
    """All values of an enum field; a required one may not be unspecified."""
    kind = value_type(model, name)
    if get_origin(kind) is not Literal:
        return ()
    values = get_args(kind)
    if field_spec(model, name).mode != "required":
        return values
    return tuple(value for value in values if not value.endswith(UNSPECIFIED))


def _union_clauses(model: type[Node]) -> Iterator[Schema]:
    """A union as members that leave no room for those after them, so that an editor marks the one that is too much."""
    if model.one_of:
        yield {"anyOf": [_has_values({name: {"minLength": 1}}) for name in model.one_of]}
    for union, members in model.unions.items():
        note = {"$comment": f"union {union}"}
        message = f"only one of {', '.join(members)} is set"
        for index, member in enumerate(members[:-1], 1):
            others = {"properties": dict.fromkeys(members[index:], False), ERROR_MESSAGE: message}
            is_list = union in UNSET_IF_EMPTY and field_type(model, member).is_list
            conflict = _has_values({key: {"minItems": 1} for key in members}) if is_list else _has_field(member)
            yield {"if": conflict, "then": others, **note}
        if union in model.required_unions:
            overrides = [_has_values(values) for values in model.without_union.get(union, ())]
            yield {"anyOf": [*map(_has_field, members), *overrides], **note}
