"""Completion of fields, values, declared names and conditions, also in invalid documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trialrun.lint.policy import is_policy
from trialrun.lsp.describe.condition import function_docs
from trialrun.lsp.describe.field import ModelField, enum_description, field_paragraphs
from trialrun.lsp.describe.rules import rule_page
from trialrun.lsp.describe.schedule import zone_paragraphs
from trialrun.lsp.describe.value import language_paragraphs
from trialrun.lsp.features.completion.conditions import policy_completions
from trialrun.lsp.features.completion.cursor import (
    CommentCursor,
    Cursor,
    key_completions,
    line_below,
    possible_cursors,
    trailing_comma,
)
from trialrun.lsp.features.completion.expected_type import ExpectedType, accepts, expected_type
from trialrun.lsp.features.completion.fields import (
    document_snippet,
    field_completions,
    inline_snippet,
    number_tab_stops,
)
from trialrun.lsp.features.completion.names import map_key_names
from trialrun.lsp.features.completion.partial_parser import PartialMapping, PartialSequence
from trialrun.lsp.features.completion.rules import comment_completions
from trialrun.lsp.features.completion.values import values
from trialrun.lsp.results import Completion, Completions
from trialrun.model.kinds import KINDS, find_message, model_of
from trialrun.model.node import Resource
from trialrun.model.proto_json import FieldType, item_type
from trialrun.parser import read_source
from trialrun.terraform import is_terraform_path
from trialrun.values.cel.policy_functions import LIBRARY as POLICIES
from trialrun.working_folder import absolute_path
from trialrun.workspace.open_workspace import OpenWorkspace

MAX_ITEMS = 200
"""Maximum number of items sent; typing more narrows the list down."""


def completion(workspace: OpenWorkspace, path: str, offset: int) -> Completions:
    """The completion items at an offset, by its first interpretation that yields any; empty if it is unknown."""
    data = workspace.files.bytes_of(path)
    if data is None or path.endswith(".toml") or is_terraform_path(path):  # their own editors and servers do
        return Completions()
    found = (tuple(_of_cursor(workspace, path, one)) for one in possible_cursors(read_source(data, path), offset))
    items = next(filter(None, found), ())
    shown = tuple(sorted(items, key=lambda one: one.sort_text)[:MAX_ITEMS]) if len(items) > MAX_ITEMS else items
    return Completions(shown, is_incomplete=len(items) > MAX_ITEMS)


def _of_cursor(workspace: OpenWorkspace, path: str, cursor: Cursor | CommentCursor) -> Iterator[Completion]:
    if isinstance(cursor, CommentCursor):
        yield from comment_completions(workspace, cursor)
        return
    expected = expected_type(cursor, workspace.request.profiles.kind_by_glob(path))
    if expected is None:
        return
    keys = {entry.key.decoded: "" for entry in expected.root.entries}
    policies = workspace.request.profiles.policies.files
    if expected.kind is None and (is_policy(keys) or absolute_path(path) in policies):
        yield from policy_completions(cursor, expected)
    else:
        yield from _completions_at(workspace, path, cursor, expected)


def _completions_at(
    workspace: OpenWorkspace, path: str, cursor: Cursor, expected_type: ExpectedType
) -> Iterator[Completion]:
    """The items at the cursor, by the expected type."""
    if cursor.has_rest and (_is_root(cursor) or cursor.container is expected_type.root):
        return
    if cursor.is_key:
        yield from _keys_at(workspace, cursor, expected_type)
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


def _keys_at(workspace: OpenWorkspace, cursor: Cursor, expected_type: ExpectedType) -> Iterator[Completion]:
    container, shape = cursor.container, expected_type.shape
    if not isinstance(container, PartialMapping) or shape.is_list:
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
    """The first field of an empty message, on a line of its own if necessary; in brackets, the whole message."""
    assert of.model is not None
    is_plain = cursor.scalar.style == "plain"
    if cursor.is_in_brackets or cursor.is_json:
        if is_plain and not cursor.word:
            snippet = number_tab_stops(inline_snippet(of, "json" if cursor.is_json else "flow"))
            text = cursor.lead + snippet + trailing_comma(cursor)
            label = "[…]" if of.is_list else "{…}"
            yield Completion(label, "snippet", text, cursor.range(), "0", of.singular, is_snippet=True)
    elif cursor.scalar.is_first:
        dash = "- " if _needs_dash(cursor, of) else ""
        yield from field_completions(cursor, of.model, PartialMapping(), lead=dash)
    elif is_plain:
        lead = line_below(cursor, "- " if of.is_list else "")
        yield from field_completions(cursor, of.model, PartialMapping(), lead=lead)


def _aliases(cursor: Cursor, of: FieldType) -> Iterator[Completion]:
    """The anchors above whose values fit, replacing the whole alias."""
    for number, (name, node) in enumerate(reversed(list(cursor.anchors.items()))):
        if accepts(of, node) or (cursor.scalar.needs_dash and accepts(item_type(of), node)):
            yield Completion(f"*{name}", "name", f"*{name}", cursor.range(), f"{number:03}", "an anchor above")


def _is_root(cursor: Cursor) -> bool:
    """Whether it is in an empty document, or in an empty item of a list of resources."""
    return not cursor.steps or (len(cursor.steps) == 1 and isinstance(cursor.container, PartialSequence))


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


def _skeletons(cursor: Cursor, expected_type: ExpectedType) -> Iterator[Completion]:
    """Whole documents, for an empty document."""
    if cursor.is_json or cursor.is_in_brackets or cursor.line or cursor.has_colon:
        return
    has_value = cursor.entry is not None and cursor.entry.value is not None
    if len(expected_type.root.entries) > 1 or not (cursor.word.isalpha() or not cursor.word) or has_value:
        return
    for number, kind in enumerate(KINDS):
        text = number_tab_stops(document_snippet(kind, model_of(kind)))
        detail = "a new document with its required fields"
        yield Completion(kind, "snippet", text, cursor.range(), f"5{number}", detail, ("kind", kind), is_snippet=True)


def completion_resolve(workspace: OpenWorkspace, path: str, about: tuple[str, ...]) -> str | None:
    """What is known of a completion by its `about`, in Markdown; None if nothing is."""
    return "\n\n".join(filter(None, _documentation(workspace, path, about))) or None


def _documentation(workspace: OpenWorkspace, path: str, about: tuple[str, ...]) -> Iterable[str | None]:
    match about:
        case ("field", model, name):
            return field_paragraphs(ModelField(find_message(model)[1], name, ()))
        case ("rule", rule):
            return [rule_page(workspace, path, rule)]
        case ("zone", name):
            return zone_paragraphs(name, workspace.request.now)
        case ("language", tag):
            return language_paragraphs(tag)
        case ("enum", title, value):
            return [enum_description(title, value)]
        case ("function", name):
            return function_docs(name, POLICIES)
        case ("kind", kind):
            return [model_of(kind).__doc__]
    return ()
