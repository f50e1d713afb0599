"""Completion in policies: keys, messages, fields and conditions."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lint.policy.parse_policy import SCOPES, SEVERITIES
from trialrun.lint.policy.policy import TYPES
from trialrun.lint.policy.policy_document import KEYS, PARAMETER_KEYS, PARAMETERS, REQUIRED
from trialrun.lint.policy.types import kinds_by_message, lenient_schema, messages
from trialrun.lsp.describe.policy import purpose
from trialrun.lsp.features.completion.cel_items import condition_completions
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.edits import Candidate, key_completions, value_completions
from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.partial_parser import PartialMapping, resolved
from trialrun.lsp.results import Completion
from trialrun.model.node import Node
from trialrun.model.proto_json import field_type


def policy_completions(cursor: Cursor, expected_type: ExpectedType) -> Iterator[Completion]:
    """The items at the cursor in a policy."""
    on = expected_type.root.text("on") or ""
    if cursor.is_key and cursor.container is expected_type.root:
        yield from key_completions(cursor, _keys(expected_type.root))
    elif not cursor.steps and cursor.scalar.is_first:
        yield from key_completions(cursor, _keys(PartialMapping()))
    elif len(cursor.steps) == 3 and cursor.steps[0][1] == PARAMETERS:
        if cursor.is_key and isinstance(cursor.container, PartialMapping):
            there = {entry.key.decoded for entry in cursor.container.entries}
            keys = (Candidate(key, "field", words) for key, words in PARAMETER_KEYS.items() if key not in there)
            yield from key_completions(cursor, keys)
        elif not cursor.is_key and cursor.steps[-1][1] == "type":
            types = (Candidate(name, "value", words) for name, words in TYPES.items())
            yield from value_completions(cursor, types, lead=cursor.lead)
    elif len(cursor.steps) == 1 and not cursor.is_key:
        key = str(cursor.steps[0][1])
        if key in KEYS and KEYS[key].cel_type and on in kinds_by_message():
            schema = lenient_schema(on, _parameters(expected_type.root), cursor.word)
            yield from condition_completions(cursor, schema)
        else:
            yield from value_completions(cursor, _values(cursor, key, on), lead=cursor.lead)


def _parameters(root: PartialMapping) -> dict[str, dict[str, str]]:
    """The parameters of a policy with their types."""
    declared = root.get("parameters")
    entries = declared.entries if isinstance(declared, PartialMapping) else ()
    named = ((entry.key.decoded, resolved(entry.value)) for entry in entries)
    return {name: {"type": node.text("type") or ""} for name, node in named if isinstance(node, PartialMapping)}


def _keys(root: PartialMapping) -> Iterator[Candidate]:
    """The missing keys of a policy, required ones first."""
    there = {entry.key.decoded for entry in root.entries}
    for key in (*REQUIRED, *(key for key in KEYS if key not in REQUIRED)):
        if key not in there:
            yield Candidate(key, "field", purpose(key).replace("`", ""))


def _values(cursor: Cursor, key: str, on: str) -> Iterator[Candidate]:
    if key == "on":
        for name, kind in kinds_by_message().items():
            yield Candidate(name, "value", "a kind of document" if name == kind else f"a part of a {kind}")
    elif key == "scope":
        yield from (Candidate(scope, "value") for scope in SCOPES)
    elif key == "severity":
        yield from (Candidate(word, "value") for word in SEVERITIES)
    elif key == "at" and on in kinds_by_message():
        yield from _fields(messages(kinds_by_message()[on])[on], cursor.before)


def _fields(model: type[Node], before: str) -> Iterator[Candidate]:
    """The fields that a finding may point at, given the beginning of the path."""
    *steps, _ = before.split(".")
    here: type[Node] | None = model
    for step in steps:
        here = field_type(here, step).model if here is not None and step in here.model_fields else None
    if here is not None:
        for name in here.model_fields:
            yield Candidate(".".join((*steps, name)), "name", field_type(here, name).singular)
