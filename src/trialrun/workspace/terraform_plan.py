"""The values that a plan of Terraform has for resources of ours, by the folder of their module and their address.

A plan is what `terraform show -json` prints. It belongs to the module in the folder where it lies, or in the working
folder where that has no files of Terraform, and the modules that it calls by a path belong to theirs. What differs
between the calls of a module, what is sensitive and what is known only after apply stays unknown.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import read_file
from trialrun.working_folder import absolute_path, display_path, working_folder
from trialrun.workspace.terraform_module import inputs_in

MAX_BYTES: Final = 256 << 20
MAX_MODULES: Final = 1000
"""Modules that are called by modules, and levels of values."""
TYPES: Final = ("google_vertex_ai_feature", "google_bigquery_table")
PlannedValues = Mapping[str, bytes]
"""For each folder, by its absolute path, the values of its resources by their address, as JSON."""
_UNKNOWN: Final = object()


def read_plan(file: str) -> PlannedValues:
    """The values of a plan that the user names. Raises UsageError."""
    shown, folder = display_path(file), os.path.dirname(absolute_path(file))
    advice = "write one with terraform show -json PLAN"
    try:
        data = read_file(absolute_path(file), MAX_BYTES, named_in=folder)
        plan = json.loads(data) if len(data) <= MAX_BYTES else None
    except OSError as error:
        raise UsageError(f"--terraform-plan: {shown} cannot be read: {os_error_reason(error)}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--terraform-plan: {shown} is not JSON; {advice}") from error
    root = part_at(plan, "planned_values", "root_module")
    if not isinstance(root, dict) or str(part_at(plan, "format_version")).partition(".")[0] != "1":
        raise UsageError(f"--terraform-plan: {shown} is not a plan in JSON of format version 1; {advice}")
    if not any(inputs_in(folder)):
        folder = working_folder()
    found: dict[str, dict[str, Any]] = {}
    for place, module in _modules(folder, root, part_at(plan, "configuration", "root_module")):
        own = found.setdefault(place, {})
        for address, values in _resources(module):
            own[address] = _common(own[address], values) if address in own else values
    known = {place: {one: of for one, of in own.items() if of is not _UNKNOWN} for place, own in found.items()}
    return {place: json.dumps(_plain(own), sort_keys=True).encode() for place, own in known.items() if own}


def _modules(folder: str, planned: Any, configuration: Any) -> Iterator[tuple[str, Any]]:
    """The modules of a plan whose folder is known, with it."""
    waiting = [(folder, "", planned, configuration)]
    for _ in range(MAX_MODULES):
        if not waiting:
            return
        place, outer, module, written = waiting.pop()
        yield place, module
        for child in list_at(module, "child_modules"):
            address = str(part_at(child, "address"))
            call = address.removeprefix(f"{outer}module.").partition("[")[0]
            source = part_at(written, "module_calls", call, "source")
            if isinstance(source, str) and source.startswith(("./", "../")):
                inner = os.path.normpath(os.path.join(place, source))
                waiting.append((inner, f"{address}.", child, part_at(written, "module_calls", call, "module")))


def _resources(module: Any) -> Iterator[tuple[str, Any]]:
    """The addresses in their module, and the values, of the resources of a module that are of ours."""
    for resource in list_at(module, "resources"):
        type_, name, values = (part_at(resource, key) for key in ("type", "name", "values"))
        if not str(type_).startswith(TYPES) or part_at(resource, "mode") != "managed" or not isinstance(values, dict):
            continue
        index = part_at(resource, "index")
        key = "" if index is None else f"[{json.dumps(index, ensure_ascii=False)}]"
        yield f"{type_}.{name}{key}", _without_secrets(values, part_at(resource, "sensitive_values"), 0)


def _without_secrets(value: Any, secret: Any, depth: int) -> Any:
    """A value without what is sensitive in it, at the same places."""
    if secret is True or depth > MAX_MODULES // 10:
        return _UNKNOWN
    if isinstance(value, dict):
        return {key: _without_secrets(item, part_at(secret, key), depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        secrets = secret if isinstance(secret, list) and len(secret) == len(value) else [None] * len(value)
        return [_without_secrets(item, inner, depth + 1) for item, inner in zip(value, secrets, strict=True)]
    return value


def _common(first: Any, other: Any) -> Any:
    """What two values have in common; the rest is unknown."""
    if isinstance(first, dict) and isinstance(other, dict):
        return {key: _common(first[key], other[key]) for key in first.keys() & other.keys()}
    return first if type(first) is type(other) and first == other else _UNKNOWN


def _plain(value: Any) -> Any:
    """A value for JSON, in which null is unknown; a list with an unknown item is unknown itself."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value] if all(item is not _UNKNOWN for item in value) else None
    return None if value is _UNKNOWN else value


def part_at(value: Any, *keys: str) -> Any:
    """The value that keys lead to in mappings; None where they lead nowhere."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def list_at(value: Any, key: str) -> list[Any]:
    """The list of a key; empty where there is none."""
    items = part_at(value, key)
    return items if isinstance(items, list) else []
