"""One JSON Schema for both kinds, so that validators that take a single schema can read a mixed folder."""

from __future__ import annotations

import json
from typing import Any

PLACES = {"FeatureView": "/featureOnlineStores/", "ChannelConfig": "/channelConfigs/"}


def combined(schemas: dict[str, Any]) -> dict[str, Any]:
    """The schemas by kind in one: the resource name tells which holds; a list holds resources of either kind."""
    definitions: dict[str, Any] = {}
    for kind, schema in schemas.items():
        own = json.loads(json.dumps(schema).replace('"#/$defs/', f'"#/$defs/{kind}.'))
        definitions |= {f"{kind}.{name}": part for name, part in own.pop("$defs", {}).items()}
        definitions[kind] = {key: part for key, part in own.items() if key not in ("$schema", "$id")}
    resource: dict[str, Any] = {"allOf": [_choice(kind) for kind in schemas]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": definitions | {"resource": resource},
        "if": {"type": "array"},
        "then": {"items": {"$ref": "#/$defs/resource"}},
        "else": {"$ref": "#/$defs/resource"},
    }


def _choice(kind: str) -> dict[str, Any]:
    named = {"properties": {"name": {"pattern": PLACES[kind]}}, "required": ["name"]}
    return {"if": named, "then": {"$ref": f"#/$defs/{kind}"}}
