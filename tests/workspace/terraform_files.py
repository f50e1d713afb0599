"""Views of YAML as resources of Terraform, for tests that compare both."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.parser.terraform.schema import FEATURE_VIEW, VIEW, Argument

NAME = re.compile(r"projects/([^/]+)/locations/([^/]+)/featureOnlineStores/([^/]+)/featureViews/(.*)\Z", re.DOTALL)
NAME_ARGUMENTS = ("project", "region", "feature_online_store", "name")
ROOT_PARTS = {
    "SyncConfig": "syncConfig",
    "WarehouseSource": "warehouseSource",
    "FeatureRegistrySource": "featureRegistrySource",
    "IndexConfig": "indexConfig",
}
"""Messages that are a field of a view."""


class NotInProvider(Exception):
    """A field that the provider of Terraform does not have."""


def literal(value: Any) -> str:
    """A value as an expression of HCL."""
    match value:
        case dict():
            return "{ " + ", ".join(f"{literal(key)} = {literal(item)}" for key, item in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(literal, value)) + "]"
        case str():
            text = json.dumps(value, ensure_ascii=False)
            return re.sub(r"\\b|\\f", " ", text).replace("${", "$${").replace("%{", "%%{")
    return json.dumps(value)


def view_in_terraform(view: Mapping[str, Any], label: str = "view") -> str:
    """A resource with the fields of a view. Raises NotInProvider."""
    content = {name: value for name, value in view.items() if name not in ("kind", "name")}
    lines = [*name_lines(view.get("name")), *block_lines(content, FEATURE_VIEW)]
    return f'resource "{VIEW}" "{label}" {{\n' + "".join(f"  {line}\n" for line in lines) + "}\n"


def name_lines(name: Any) -> Iterator[str]:
    if name is None:
        return
    match = NAME.match(name) if isinstance(name, str) else None
    if match is None:
        raise NotInProvider(name)
    for argument, text in zip(NAME_ARGUMENTS, match.groups(), strict=True):
        yield f"{argument} = {literal(text)}"


def block_lines(content: Mapping[str, Any], arguments: Mapping[str, Argument]) -> Iterator[str]:
    by_field = {argument.field: (name, argument) for name, argument in arguments.items()}
    for field, value in content.items():
        if field not in by_field:
            raise NotInProvider(field)
        name, argument = by_field[field]
        if argument.type not in ("block", "blocks"):
            yield f"{name} = {literal(value)}"
            continue
        for block in value if argument.type == "blocks" and isinstance(value, list) else [value]:
            if not isinstance(block, dict):
                raise NotInProvider(field)
            yield f"{name} {{"
            yield from (f"  {line}" for line in block_lines(block, argument.arguments))
            yield "}"
