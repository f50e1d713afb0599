"""Completion of fields, values, declared names and conditions, also in invalid documents, and of rules in comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path

from trialrun.lint import registry
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
    is_fuzzy_match,
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
from trialrun.lsp.features.completion.values import values
from trialrun.lsp.results import Completion, Object
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


def completion(workspace: OpenWorkspace, path: str, offset: int) -> Object:
    """The list of completions at an offset, by its first interpretation that yields any; empty if it is unknown."""
    data = workspace.files.bytes_of(path)
    if data is None or path.endswith(".toml") or is_terraform_path(path):  # their own editors and servers do
        return {"isIncomplete": False, "items": ()}
    source = read_source(data, path)
    found = (tuple(_of_cursor(workspace, path, one)) for one in possible_cursors(source, offset))
    items = next(filter(None, found), ())
    if len(items) > MAX_ITEMS:
        typed = {start: source.text[source.offset(start) : offset] for start in {one.range.start for one in items}}
        items = tuple(one for one in items if is_fuzzy_match(typed[one.range.start].strip("'\""), one.label))
    shown = tuple(sorted(items, key=lambda one: one.sort_text)[:MAX_ITEMS]) if len(items) > MAX_ITEMS else items
    return {"isIncomplete": len(items) > MAX_ITEMS, "items": shown}


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
            return field_paragraphs(ModelField(find_message(model)[1], name))
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


NEVER_IGNORED = frozenset(["internal-error", "expired-suppression"])
_IGNORED = re.compile(r"#+[ \t]*trialrun[ \t]*:[ \t]*ignore(?:-file)?[ \t]*\[([^\]#]*)\Z", re.IGNORECASE)
MAX_COMMENT_LENGTH = 1_000
"""Maximum length of a comment that is completed."""
_WORD = re.compile(r"[\w-]*")
_FURTHER = re.compile(r"#+[ \t]*trialrun[ \t]*:[ \t]*ignore(?:-file)?[ \t]*\[[^\]#]*\]((?:[ \t].*)?)\Z", re.IGNORECASE)
_UNTIL = re.compile(r"\suntil=([\d-]*)\Z")
_LAST = re.compile(r"(?<=\s)\w*\Z")
_AFTER = {"until=": "last day on which it applies", "owner=": "who is responsible for it"}
DAYS = (30, 90, 180)
_BEGUN = re.compile(r"#+[ \t]*(trialrun[ \t]*:?[ \t]*[a-z-]*|[a-z]{0,7})\Z", re.IGNORECASE)
_SUMMARY = re.compile(r'\s*r?"""(.+)')
_DIRECTIVES = {
    "trialrun: ignore[$1] ${2:<reason>}": "suppresses rules for this key or item",
    "trialrun: ignore-file[$1] ${2:<reason>}": "suppresses rules in the whole file",
}


def comment_completions(workspace: OpenWorkspace, comment: CommentCursor) -> Iterator[Completion]:
    """The rules that a comment may suppress, without those it names, or the start of such a comment."""
    if len(comment.text) > MAX_COMMENT_LENGTH:
        return
    match = _IGNORED.search(comment.text)
    if match is not None:
        *named, prefix = match[1].split(",")
        there = {name.strip() for name in named + comment.behind.partition("]")[0].split(",")[1:]} | NEVER_IGNORED
        yield from _ids(workspace, comment, prefix.strip(), there)
    elif further := _FURTHER.search(comment.text):
        yield from _further(workspace, comment, further[1])
    elif not comment.behind.strip() and (begun := _BEGUN.search(comment.text)):
        if not "trialrun".startswith(begun[1][:8].lower()):
            return
        place = comment.range(len(begun[1]))
        blank = "" if begun[1] or begun[0].endswith((" ", "\t")) else " "
        for number, (text, detail) in enumerate(_DIRECTIVES.items()):
            if comment.is_above or "file" not in text:
                label = text.replace("$1", "").replace(" ${2:<reason>}", "")
                yield Completion(label, "rule", blank + text, place, str(number), detail, is_snippet=True)


def _further(workspace: OpenWorkspace, comment: CommentCursor, written: str) -> Iterator[Completion]:
    """What may follow the names of rules: `until=` and `owner=`."""
    day = _UNTIL.search(written)
    if day is not None:
        place = comment.range(len(day[1]))
        for days in DAYS:
            text = (workspace.request.now + timedelta(days=days)).date().isoformat()
            yield Completion(text, "value", text, place, text, f"in {days} days")
        return
    word = _LAST.search(written)
    if word is None:
        return
    place = comment.range(len(word[0]))
    for number, (name, detail) in enumerate(_AFTER.items()):
        if name not in written and name.startswith(word[0]):
            yield Completion(name, "field", name, place, str(number), detail)


def _ids(workspace: OpenWorkspace, comment: CommentCursor, prefix: str, there: set[str]) -> Iterator[Completion]:
    behind = _WORD.match(comment.source.text, comment.offset)
    place = comment.range(len(prefix), len(behind[0]) if behind else 0)
    for number, (rule, law) in enumerate(rule_summaries(workspace).items()):
        if rule not in there:
            yield Completion(rule, "rule", rule, place, f"{number:04}", law, ("rule", rule))


def rule_summaries(workspace: OpenWorkspace) -> dict[str, str]:
    """The summaries of all rules and policies, by id."""
    policies = workspace.request.profiles.policies.rules
    return _shipped() | {rule_id: rule.doc.partition("\n")[0] for rule_id, rule in policies.items()}


@cache
def _shipped() -> dict[str, str]:
    """The summaries of the shipped rules, read from the first lines of their files: importing them takes too long."""
    summaries: dict[str, str] = {}
    for rule_id, (_, file) in registry.files().items():
        with Path(file).open(encoding="utf-8") as stream:
            match = _SUMMARY.match(stream.readline())
        summaries[rule_id] = match[1] if match else ""
    return summaries
