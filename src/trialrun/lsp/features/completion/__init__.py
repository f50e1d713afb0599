"""Completion of fields, values, declared names and conditions, also in invalid documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from trialrun.lint.policy import is_policy
from trialrun.lsp.describe.condition import function_docs
from trialrun.lsp.describe.field import ModelField, enum_description, field_paragraphs
from trialrun.lsp.describe.schedule import zone_paragraphs
from trialrun.lsp.describe.value import language_paragraphs
from trialrun.lsp.features.completion.cursor import CommentCursor, Cursor, possible_cursors
from trialrun.lsp.features.completion.edits import key_completions, line_below, trailing_comma
from trialrun.lsp.features.completion.expected_type import ExpectedType, accepts, expected_type
from trialrun.lsp.features.completion.fields import (
    Style,
    document_snippet,
    field_completions,
    inline_snippet,
    number_tab_stops,
)
from trialrun.lsp.features.completion.names import map_key_names
from trialrun.lsp.features.completion.partial_parser import PartialMapping, PartialSequence
from trialrun.lsp.features.completion.policies import policy_completions
from trialrun.lsp.features.completion.rules import comment_completions
from trialrun.lsp.features.completion.values import values
from trialrun.lsp.results import Completion, Completions
from trialrun.lsp.rule_docs import rule_page
from trialrun.model.kinds import KINDS, find_message, model_of
from trialrun.model.node import Resource
from trialrun.model.proto_json import FieldType, item_type
from trialrun.parser import read_source
from trialrun.text import Source
from trialrun.values.cel.policy_functions import LIBRARY as POLICIES
from trialrun.working_folder import absolute_path
from trialrun.workspace.open_workspace import OpenWorkspace

MAX_ITEMS = 200
"""Maximum number of items sent; typing more narrows the list down."""


def completion(workspace: OpenWorkspace, path: str, offset: int) -> Completions:
    """The completion items at an offset; empty if the position is unknown."""
    items = tuple(_items(workspace, path, offset))
    shown = tuple(sorted(items, key=lambda one: one.sort_text)[:MAX_ITEMS]) if len(items) > MAX_ITEMS else items
    return Completions(shown, is_incomplete=len(items) > MAX_ITEMS)


def _items(workspace: OpenWorkspace, path: str, offset: int) -> Iterator[Completion]:
    data = workspace.files.bytes_of(path)
    if data is None:
        return
    if not path.endswith(".toml"):  # TOML editors complete settings by their JSON Schema
        yield from _in_resource(workspace, path, read_source(data, path), offset)


def _in_resource(workspace: OpenWorkspace, path: str, source: Source, offset: int) -> Iterator[Completion]:
    """The items for the first interpretation of the position that yields any."""
    for cursor in possible_cursors(source, offset):
        completions = list(_of_cursor(workspace, path, cursor))
        if completions:
            yield from completions
            return


def _of_cursor(workspace: OpenWorkspace, path: str, cursor: Cursor | CommentCursor) -> Iterator[Completion]:
    if isinstance(cursor, CommentCursor):
        yield from comment_completions(workspace, cursor)
        return
    expected = expected_type(cursor, workspace.request.profiles.kind_by_glob(path))
    if expected is not None and expected.kind is None and _is_policy(workspace, path, expected):
        yield from policy_completions(cursor, expected)
    elif expected is not None:
        yield from _completions_at(workspace, path, cursor, expected)


def _is_policy(workspace: OpenWorkspace, path: str, found: ExpectedType) -> bool:
    """Whether a document is a policy, by its path or its keys."""
    keys = {entry.key.decoded: "" for entry in found.root.entries}
    return is_policy(keys) or absolute_path(path) in workspace.request.profiles.policies.files


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
    """The first field of an empty message, on a line of its own if necessary."""
    assert of.model is not None
    if cursor.is_in_brackets or cursor.is_json:
        yield from _brackets(cursor, of)
    elif cursor.scalar.is_first:
        dash = "- " if _needs_dash(cursor, of) else ""
        yield from field_completions(cursor, of.model, PartialMapping(), lead=dash)
    elif cursor.scalar.style == "plain":
        yield from field_completions(
            cursor, of.model, PartialMapping(), lead=line_below(cursor, "- " if of.is_list else "")
        )


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


def _has_value(cursor: Cursor) -> bool:
    return cursor.entry is not None and cursor.entry.value is not None


def _skeletons(cursor: Cursor, expected_type: ExpectedType) -> Iterator[Completion]:
    """Whole documents, for an empty document."""
    if cursor.is_json or cursor.is_in_brackets or cursor.line or cursor.has_colon:
        return
    if len(expected_type.root.entries) > 1 or not (cursor.word.isalpha() or not cursor.word) or _has_value(cursor):
        return
    for number, kind in enumerate(KINDS):
        text = number_tab_stops(document_snippet(kind, model_of(kind)))
        detail = "a new document with its required fields"
        yield Completion(kind, "snippet", text, cursor.range(), f"5{number}", detail, ("kind", kind), is_snippet=True)


def completion_resolve(workspace: OpenWorkspace, path: str, about: tuple[str, ...]) -> str | None:
    """What is known of a completion by its `about`, in Markdown; None if nothing is."""
    sort, *words = about
    known = _DOCUMENTATION.get(sort)
    return "\n\n".join(known(workspace, path, *words)) or None if known else None


def _explain_field(workspace: OpenWorkspace, path: str, model: str, name: str) -> Iterator[str]:
    yield from field_paragraphs(ModelField(find_message(model)[1], name, ()))


def _explain_rule(workspace: OpenWorkspace, path: str, rule: str) -> Iterator[str]:
    page = rule_page(workspace, path, rule)
    if page:
        yield page


def _explain_zone(workspace: OpenWorkspace, path: str, name: str) -> Iterator[str]:
    yield from zone_paragraphs(name, workspace.request.now)


def _explain_language(workspace: OpenWorkspace, path: str, tag: str) -> Iterator[str]:
    yield from language_paragraphs(tag)


def _explain_enum(workspace: OpenWorkspace, path: str, title: str, value: str) -> Iterator[str]:
    words = enum_description(title, value)
    if words:
        yield words


def _explain_function(workspace: OpenWorkspace, path: str, name: str) -> Iterator[str]:
    yield from function_docs(name, POLICIES)


def _explain_kind(workspace: OpenWorkspace, path: str, kind: str) -> Iterator[str]:
    yield from filter(None, [model_of(kind).__doc__])


_DOCUMENTATION: Mapping[str, Callable[..., Iterator[str]]] = {
    "field": _explain_field,
    "rule": _explain_rule,
    "zone": _explain_zone,
    "language": _explain_language,
    "enum": _explain_enum,
    "function": _explain_function,
    "kind": _explain_kind,
}
"""By sort, what tells of a completion."""
