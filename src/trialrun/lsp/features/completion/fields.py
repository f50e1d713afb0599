"""Fields that a message may still have: required ones first, union members only if the union is unset."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.lsp.features.completion.compatibility import accepts
from trialrun.lsp.features.completion.cursor import NO_KEY, Cursor
from trialrun.lsp.features.completion.edits import content_column, trailing_comma
from trialrun.lsp.features.completion.partial_tree import MARK, Mapping
from trialrun.lsp.features.completion.snippets import Style, field_snippet, number_tab_stops
from trialrun.lsp.results import Completion
from trialrun.model.node import Node, field_spec
from trialrun.model.proto_json import FieldType, field_type
from trialrun.model.unions import unions
from trialrun.values.suggest import equivalent_name

FIRST, OPTIONAL, DEPRECATED = 0, 1, 2


def field_completions(cursor: Cursor, model: type[Node], mapping: Mapping, *, lead: str = "") -> Iterator[Completion]:
    """The fields that may be added at the cursor; `lead` is the start of an item or line."""
    if NO_KEY.search(cursor.word) or cursor.scalar.style == "block":
        return
    for number, name in enumerate(_free(cursor, model, mapping)):
        fact, of = field_spec(model, name), field_type(model, name)
        rank = DEPRECATED if fact.replaced_by else FIRST if _is_wanted(model, name) else OPTIONAL
        before, text, after = _field_text(cursor, name, of, lead)
        yield Completion(
            name,
            "field",
            number_tab_stops(text) if "\x01" in text else text,
            cursor.range(before, after),
            f"{rank}{number:03}",
            _detail(model, name, of),
            ("field", model.__name__, name),
            is_snippet="\x01" in text,
            is_deprecated=fact.replaced_by is not None,
        )


def _free(cursor: Cursor, model: type[Node], mapping: Mapping) -> Iterator[str]:
    """The fields that are absent, not excluded by a union member, and not output only.

    A key that has a value may become another key that accepts the value.
    """
    known = model.model_fields
    others = {key for key in _keys(mapping) if MARK not in key}
    there = {equivalent_name(key, known) or key for key in others}
    merged = {
        equivalent_name(key, known) or key for merged_mapping in mapping.merged() for key in _keys(merged_mapping)
    }
    taken = {
        name
        for members in unions(model).values()
        if not (there | merged).isdisjoint(members)
        for name in members
        if name not in merged
    }
    value = cursor.entry.value if cursor.entry else None
    for name in known:
        is_free = name not in there | taken and field_spec(model, name).mode != "output only"
        if name == cursor.word or (is_free and accepts(field_type(model, name), value)):
            yield name


def _keys(mapping: Mapping) -> Iterator[str]:
    return (entry.key.decoded for entry in mapping.entries)


def _is_wanted(model: type[Node], name: str) -> bool:
    """Whether a message is incomplete without the field: required, a member of a required union, or the kind."""
    if field_spec(model, name).mode in ("required", "identifier") or name == "kind" or name in model.one_of:
        return True
    return any(name in model.unions[union] for union in model.required_unions)


def _detail(model: type[Node], name: str, of: FieldType) -> str:
    fact = field_spec(model, name)
    if fact.replaced_by:
        return f"deprecated, use {fact.replaced_by}"
    words = f"a list of {of.plural}" if of.is_list else "an enum value" if of.enum else of.singular
    union = next((union for union, members in unions(model).items() if name in members), None)
    mode = "required, " if fact.mode == "required" else ""
    return mode + words + (f", one of the union {union}" if union and name in model.unions.get(union, ()) else "")


def _field_text(cursor: Cursor, name: str, of: FieldType, lead: str) -> tuple[int, str, int]:
    """The text of a field, and the number of characters before and after the cursor that it replaces."""
    before, after = len(cursor.before), len(cursor.after)
    if cursor.has_colon:
        return before, name, after
    if cursor.entry is not None and cursor.entry.value is not None:
        return before, f"{name}:", after
    style: Style = "json" if cursor.is_json else "flow" if cursor.is_in_brackets else "block"
    further = lead.rpartition("\n")[2] if "\n" in lead else " " * (content_column(cursor) + len(lead))
    rest = field_snippet(of, style, re.sub(r"\S", " ", further)) + trailing_comma(cursor)
    if cursor.scalar.style != "plain":
        quote = '"' if cursor.scalar.style == "double" else "'"
        behind = cursor.source.text[cursor.offset + after :][:1]
        return before, lead + name + quote + rest, after + (behind == quote)
    return before, lead + (f'"{name}"' if cursor.is_json else name) + rest, after
