"""Random messages of gRPC, as JSON."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

DEPTH = 5
TEXTS = ("aGk=", "", "é")


def filled(
    descriptor: Descriptor, choose: random.Random, texts: Sequence[str] = TEXTS, depth: int = 0
) -> dict[str, Any]:
    """Random JSON for a message, at most one member of each union."""
    chosen = {field.json_name: field for field in descriptor.fields if choose.random() < 0.7}
    unions = {field.containing_oneof.name: name for name, field in chosen.items() if field.containing_oneof}
    is_kept = {name for name, field in chosen.items() if not field.containing_oneof} | set(unions.values())
    values = {name: random_value(field, choose, texts, depth) for name, field in chosen.items() if name in is_kept}
    return {name: value for name, value in values.items() if value is not None}


def random_value(field: FieldDescriptor, choose: random.Random, texts: Sequence[str], depth: int) -> Any:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return {"team": "a", "é": ""}
    if field.is_repeated:
        items = [single_value(field, choose, texts, depth) for _ in range(choose.randint(0, 3))]
        return [item for item in items if item is not None]
    return single_value(field, choose, texts, depth)


def single_value(field: FieldDescriptor, choose: random.Random, texts: Sequence[str], depth: int) -> Any:
    if field.message_type is not None:
        name = field.message_type.full_name
        if name == "google.protobuf.Any":
            return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "r", "metadata": {"a": "b"}}
        if name == "google.protobuf.Timestamp":
            return choose.choice(["2026-03-01T08:00:00Z", "1969-12-31T23:59:59.999999Z", "0001-01-01T00:00:00Z"])
        if name == "google.protobuf.Struct":
            return {"a": 1.5, "b": None, "c": ["x", {"d": True}], "e": {}}
        return filled(field.message_type, choose, texts, depth + 1) if depth < DEPTH else None
    if field.enum_type is not None:
        return choose.choice(field.enum_type.values).name
    if field.type == FieldDescriptor.TYPE_BYTES:
        return choose.choice(["aGk=", ""])
    choices: dict[int, Sequence[Any]] = {
        FieldDescriptor.CPPTYPE_INT32: [0, 1, -(2**31)],
        FieldDescriptor.CPPTYPE_INT64: ["0", "7", str(2**63 - 1)],
        FieldDescriptor.CPPTYPE_DOUBLE: [0.0, 1.5, 0.1, "NaN", "-Infinity"],
        FieldDescriptor.CPPTYPE_FLOAT: [0.0, 1.5, 1024.0],
        FieldDescriptor.CPPTYPE_BOOL: [True, False],
        FieldDescriptor.CPPTYPE_STRING: texts,
    }
    return choose.choice(choices[field.cpp_type])
