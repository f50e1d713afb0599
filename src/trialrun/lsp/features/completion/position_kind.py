"""Dispatch of completion: a field, a value, an item, a whole document, or an alias."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.compatibility import accepts
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.edits import key_completions, line_below, trailing_comma
from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.fields import field_completions
from trialrun.lsp.features.completion.names import map_key_names
from trialrun.lsp.features.completion.partial_tree import Mapping, Sequence
from trialrun.lsp.features.completion.snippets import Style, inline_snippet, number_tab_stops
from trialrun.lsp.features.completion.values import values
from trialrun.lsp.results import Completion
from trialrun.model.node import Resource
from trialrun.model.proto_json import FieldType, item_type

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace


def completions_at(
    workspace: OpenWorkspace, path: str, cursor: Cursor, expected_type: ExpectedType
) -> Iterator[Completion]:
    """The items at the cursor, by the expected type."""
    if cursor.has_rest and (_is_root(cursor) or cursor.container is expected_type.root):
        return
    if cursor.is_key:
        yield from _keys(workspace, cursor, expected_type)
    elif cursor.word.startswith("*") and cursor.scalar.style == "plain" and "\n" not in cursor.word:
        yield from _aliases(cursor, expected_type.shape)
    elif expected_type.kind is None and _is_root(cursor) and (cursor.scalar.is_first or cursor.is_in_brackets):
        yield from _documents(cursor, expected_type)
    elif expected_type.shape.model is not None and not (expected_type.shape.is_list and cursor.is_in_brackets):
        yield from _messages(cursor, expected_type.shape)
    elif expected_type.shape.values is not None and cursor.scalar.is_first and not cursor.is_in_brackets:
        lead = "- " if _needs_dash(cursor, expected_type.shape) else ""
        yield from key_completions(cursor, map_key_names(workspace, expected_type, set()), lead=lead)
    elif cursor.scalar.is_first or cursor.is_in_brackets or not expected_type.shape.is_list:
        lead = "- " if _needs_dash(cursor, expected_type.shape) else cursor.lead
        yield from values(workspace, path, cursor, expected_type, lead=lead)
    elif not cursor.is_json:
        yield from values(workspace, path, cursor, expected_type, lead=line_below(cursor, "- "))


def _needs_dash(cursor: Cursor, of: FieldType) -> bool:
    return cursor.scalar.needs_dash or (of.is_list and not cursor.is_in_brackets)


def _keys(workspace: OpenWorkspace, cursor: Cursor, expected_type: ExpectedType) -> Iterator[Completion]:
    container, shape = cursor.container, expected_type.shape
    if not isinstance(container, Mapping) or shape.is_list:
        return
    if shape.model is not None:
        yield from field_completions(cursor, shape.model, container)
    elif shape.values is not None:
        there = {entry.key.decoded for entry in container.entries}
        yield from key_completions(cursor, map_key_names(workspace, expected_type, there))
    elif expected_type.kind is None and container is expected_type.root and container.get("apiVersion") is None:
        yield from field_completions(cursor, Resource, container)
        yield from _skeletons(cursor, expected_type)


def _messages(cursor: Cursor, of: FieldType) -> Iterator[Completion]:
    """The first field of an empty message, on a line of its own if necessary."""
    assert of.model is not None
    if cursor.is_in_brackets or cursor.is_json:
        yield from _brackets(cursor, of)
    elif cursor.scalar.is_first:
        dash = "- " if _needs_dash(cursor, of) else ""
        yield from field_completions(cursor, of.model, Mapping(), lead=dash)
    elif cursor.scalar.style == "plain":
        yield from field_completions(cursor, of.model, Mapping(), lead=line_below(cursor, "- " if of.is_list else ""))


def _brackets(cursor: Cursor, of: FieldType) -> Iterator[Completion]:
    """A message in braces, with its required fields."""
    if cursor.word or cursor.scalar.style != "plain":
        return
    style: Style = "json" if cursor.is_json else "flow"
    text = cursor.lead + number_tab_stops(inline_snippet(of, style)) + trailing_comma(cursor)
    yield Completion("[…]" if of.is_list else "{…}", "snippet", text, cursor.range(), "0", of.singular, is_snippet=True)


def _aliases(cursor: Cursor, of: FieldType) -> Iterator[Completion]:
    """The anchors above whose values fit, replacing the whole alias."""
    for number, (name, node) in enumerate(reversed(list(cursor.anchors.items()))):
        if accepts(of, node) or (cursor.scalar.needs_dash and accepts(item_type(of), node)):
            yield Completion(f"*{name}", "name", f"*{name}", cursor.range(), f"{number:03}", "an anchor above")


def _is_root(cursor: Cursor) -> bool:
    """Whether it is in an empty document, or in an empty item of a list of resources."""
    return not cursor.steps or (len(cursor.steps) == 1 and isinstance(cursor.container, Sequence))


def _documents(cursor: Cursor, expected_type: ExpectedType) -> Iterator[Completion]:
    """The first line of a document, and whole documents; in a flow collection with braces."""
    if cursor.is_json or cursor.is_in_brackets:
        if not cursor.word and cursor.scalar.style == "plain":
            text = '{"kind": "$1"}' + trailing_comma(cursor)
            yield Completion("{…}", "snippet", text, cursor.range(), "0", "a document", is_snippet=True)
        return
    yield from field_completions(cursor, Resource, expected_type.root, lead="- " if cursor.scalar.needs_dash else "")
    if not cursor.steps:
        yield from _skeletons(cursor, expected_type)


def _has_value(cursor: Cursor) -> bool:
    return cursor.entry is not None and cursor.entry.value is not None


def _skeletons(cursor: Cursor, expected_type: ExpectedType) -> Iterator[Completion]:
    """Whole documents, for an empty document."""
    from trialrun.lsp.features.completion.snippets import document_snippet
    from trialrun.model.kinds import KINDS, model_of

    if cursor.is_json or cursor.is_in_brackets or cursor.line or cursor.has_colon:
        return
    if len(expected_type.root.entries) > 1 or not (cursor.word.isalpha() or not cursor.word) or _has_value(cursor):
        return
    for number, kind in enumerate(KINDS):
        text = number_tab_stops(document_snippet(kind, model_of(kind)))
        detail = "a new document with its required fields"
        yield Completion(kind, "snippet", text, cursor.range(), f"5{number}", detail, ("kind", kind), is_snippet=True)
