"""Completion in policies: keys, messages, fields and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lint.policy.parse_policy import SEVERITIES
from trialrun.lint.policy.policy_document import KEYS, REQUIRED
from trialrun.lint.policy.types import kinds_by_message, messages, policy_schema
from trialrun.lsp.describe.policy import purpose
from trialrun.lsp.features.completion.cel_items import condition_completions
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.edits import Candidate, key_completions, value_completions
from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.partial_tree import Mapping
from trialrun.lsp.results import Completion
from trialrun.model.proto_json import field_type

if TYPE_CHECKING:
    from trialrun.model.node import Node


def policy_completions(cursor: Cursor, expected_type: ExpectedType) -> Iterator[Completion]:
    """The items at the cursor in a policy."""
    on = expected_type.root.text("on") or ""
    if cursor.is_key and cursor.container is expected_type.root:
        yield from key_completions(cursor, _keys(expected_type.root))
    elif not cursor.steps and cursor.scalar.is_first:
        yield from key_completions(cursor, _keys(Mapping()))
    elif len(cursor.steps) == 1 and not cursor.is_key:
        key = str(cursor.steps[0][1])
        if key in KEYS and KEYS[key].cel_type and on in kinds_by_message():
            yield from condition_completions(cursor, policy_schema(on))
        else:
            yield from value_completions(cursor, _values(cursor, key, on), lead=cursor.lead)


def _keys(root: Mapping) -> Iterator[Candidate]:
    """The missing keys of a policy, required ones first."""
    there = {entry.key.decoded for entry in root.entries}
    for key in (*REQUIRED, *(key for key in KEYS if key not in REQUIRED)):
        if key not in there:
            yield Candidate(key, "field", purpose(key).replace("`", ""))


def _values(cursor: Cursor, key: str, on: str) -> Iterator[Candidate]:
    if key == "on":
        for name, kind in kinds_by_message().items():
            yield Candidate(name, "value", "a kind of document" if name == kind else f"a part of a {kind}")
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
    for name in here.model_fields if here is not None else ():
        of = field_type(here, name) if here is not None else None
        yield Candidate(".".join((*steps, name)), "name", of.singular if of else "")
