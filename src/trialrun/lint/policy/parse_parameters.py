"""Parses the parameters of a policy: names, types, defaults and descriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.lint.policy.parameters import NAME, TYPES, Parameter, value_problem
from trialrun.lint.policy.policy_document import MIN_SIMILARITY, PolicyDocument
from trialrun.text import Span
from trialrun.values.cel.tokens import RESERVED
from trialrun.values.suggest import did_you_mean

KEY = "parameters"
KEYS: Mapping[str, str] = {
    "type": f"one of {', '.join(TYPES)}.",
    "default": "the value where no setting gives another.",
    "description": "what it is for, for whoever sets it.",
}
"""The keys of a parameter, with what they are."""
MAX_PARAMETERS = 50


def parse_parameters(entry: PolicyDocument) -> tuple[Parameter, ...]:
    """The valid parameters of a policy, in the order of the file."""
    declared = entry.mappings.get(KEY, {})
    if len(declared) > MAX_PARAMETERS:
        _report(entry, (KEY,), f"a policy has at most {MAX_PARAMETERS} parameters; split it up", at_key=True)
        return ()
    return tuple(_parse_parameters(entry, declared))


def _parse_parameters(entry: PolicyDocument, declared: Mapping[str, Any]) -> Iterator[Parameter]:
    for name, content in declared.items():
        path = (KEY, name)
        if not NAME.fullmatch(name) or name in RESERVED:
            _report(entry, path, f'"{name}" is not a name of a parameter; write one such as maxViews', at_key=True)
        elif not isinstance(content, dict):
            _report(entry, path, f'"{name}" must be a mapping with a type and a default', at_key=True)
        elif (parameter := _parse_parameter(entry, name, content)) is not None:
            yield parameter


def _parse_parameter(entry: PolicyDocument, name: str, content: Mapping[str, Any]) -> Parameter | None:
    path = (KEY, name)
    before = len(entry.errors.diagnostics)
    for key in content:
        if key not in KEYS:
            advice = did_you_mean(key, KEYS, min_similarity=MIN_SIMILARITY, otherwise=f"its keys are {', '.join(KEYS)}")
            _report(entry, (*path, key), f'a parameter has no "{key}"{advice}', at_key=True)
    for key in ("type", "default"):
        if key not in content and len(entry.errors.diagnostics) == before:
            _report(entry, path, f'"{name}" has no {key}; add {KEYS[key].rstrip(".")}', at_key=True)
    type_name, default = content.get("type"), content.get("default")
    if "type" in content and not isinstance(type_name, str):
        _report(entry, (*path, "type"), f'"type" must be a string; write one of {", ".join(TYPES)}')
    elif "type" in content and type_name not in TYPES:
        near = did_you_mean(str(type_name), TYPES, otherwise=f"write one of {', '.join(TYPES)}")
        _report(entry, (*path, "type"), f'there is no type "{type_name}" of parameters{near}')
    elif "default" in content and "type" in content and (problem := value_problem(default, str(type_name))):
        _report(entry, (*path, "default"), f"the default {problem}")
    description = content.get("description", "")
    if not isinstance(description, str):
        _report(entry, (*path, "description"), '"description" must be a string; put it in quotes')
    if len(entry.errors.diagnostics) > before:
        return None
    return Parameter(name, str(type_name), default, " ".join(str(description).split()))


def _report(entry: PolicyDocument, path: tuple[str, ...], message: str, *, at_key: bool = False) -> None:
    span = entry.document.key_span(path) if at_key else entry.document.span(path)
    entry.errors.add(entry.source, span or Span(0, 0), message)
