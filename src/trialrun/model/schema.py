"""The models as JSON Schema (2020-12), in the canonical form, for editors and for people who install nothing else."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from trialrun.model.kinds import model_of
from trialrun.model.node import INT64_TEXT, Node, facts, fields_of_mode, parts, value_type

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of document.

    It has what the models have: descriptions, types, lengths, ranges, enums, required and deprecated fields, and that
    at most, or exactly, one member of a union is set. The rules say more, and say it better.
    """
    model = model_of(kind)
    model.model_rebuild()
    schema = model.model_json_schema(schema_generator=GenerateJsonSchema, mode="validation")
    definitions = schema.pop("$defs", {})
    known = _reachable(model)
    _complete(schema, model)
    for name, definition in definitions.items():
        if name in known:
            _complete(definition, known[name])
    return {"$schema": DIALECT, "title": kind, **schema, "$defs": definitions}


def _reachable(model: type[Node]) -> dict[str, type[Node]]:
    found: dict[str, type[Node]] = {}
    pending = [model]
    while pending:
        one = pending.pop()
        if one.__name__ not in found:
            found[one.__name__] = one
            pending.extend(inner for _, _, inner in parts(one))
    return found


def _complete(schema: dict[str, Any], model: type[Node]) -> None:
    """Add what pydantic does not know of: required fields, unions, fields that the specification leaves open."""
    properties = schema.setdefault("properties", {})
    for name, entry in properties.items():
        entry.pop("title", None)
        entry.pop("default", None)
        if description := model.model_fields[name].description:
            entry["description"] = description
        if enum := _enum(model, name):
            entry.pop("const", None)
            entry["enum"] = list(enum)
            entry["type"] = "string"
        _canonical_int64(entry)
    required = sorted(fields_of_mode(model, "required"), key=list(properties).index)
    schema["required"] = required
    if not required:
        del schema["required"]
    if model.further_fields != "refused":
        schema["additionalProperties"] = True
    _unions(schema, model)


def _enum(model: type[Node], name: str) -> tuple[str, ...]:
    """All values of an enum field; a required one may not be unspecified."""
    from typing import Literal, get_args, get_origin

    kind = value_type(model, name)
    if get_origin(kind) is not Literal:
        return ()
    values = get_args(kind)
    return values[1:] if facts(model, name).mode == "required" and values[0].endswith("_UNSPECIFIED") else values


def _canonical_int64(entry: dict[str, Any]) -> None:
    if entry.get("pattern") == INT64_TEXT:
        entry.update({"format": "int64", "pattern": "^[1-9][0-9]{0,18}$"})


def _unions(schema: dict[str, Any], model: type[Node]) -> None:
    """A union as `not` pairs: each says of two members that they do not stand together."""
    clauses: list[dict[str, Any]] = []
    for union, members in model.unions.items():
        pairs = [(one, other) for index, one in enumerate(members) for other in members[index + 1 :]]
        clauses += [{"not": {"required": [one, other]}, "$comment": f"union {union}"} for one, other in pairs]
        if union in model.required_unions:
            clauses.append({"anyOf": [{"required": [member]} for member in members], "$comment": f"union {union}"})
    if clauses:
        schema["allOf"] = clauses
