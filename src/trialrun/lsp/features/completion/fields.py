"""Fields that a message may still have, and snippets of fields and whole documents: required parts, with tab stops.

Required fields come first, union members only if the union is unset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Literal

from trialrun.lsp.features.completion.cursor import NO_KEY, Cursor, trailing_comma
from trialrun.lsp.features.completion.expected_type import accepts
from trialrun.lsp.features.completion.partial_parser import MARK, PartialMapping
from trialrun.lsp.results import Completion
from trialrun.model.node import UNSPECIFIED, Node, field_spec, unions
from trialrun.model.proto_json import FieldType, field_type, item_type
from trialrun.values.suggest import equivalent_name

Style = Literal["block", "flow", "json"]
STOP, CHOICE_STOP = "\x01\x02", "\x01{}\x02"
"""A tab stop, and one with a placeholder or, between bars, choices."""
INDENTATION = "  "
_STOP = re.compile("\x01([^\x02]*)\x02")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
ANYWHERE = ("source", "sync option")
"""Unions that are not required, but usually have a member."""


def number_tab_stops(text: str) -> str:
    """A text with numbered tab stops; a single one is the final cursor position."""
    literal = re.sub(r"[\\$}]", r"\\\g<0>", text)
    number = count(0 if text.count("\x01") == text.count(STOP) == 1 else 1)

    def numbered(stop: re.Match[str]) -> str:
        if stop[1].startswith("|"):
            return f"${{{next(number)}{stop[1]}}}"
        return f"${{{next(number)}:{stop[1]}}}" if stop[1] else f"${next(number)}"

    return _STOP.sub(numbered, literal)


def required_fields(model: type[Node]) -> list[str]:
    """The fields without which a message is incomplete."""
    required = [name for name in model.model_fields if field_spec(model, name).mode == "required"]
    return [*model.one_of[:1], *required]


def field_snippet(of: FieldType, style: Style, indentation: str = "") -> str:
    """The text after the name of a field, starting with the colon; further lines are indented."""
    text = ":" + _value(of, style, indentation + INDENTATION)
    return text.removesuffix(STOP) if text.count("\x01") == 1 else text


def _value(of: FieldType, style: Style, indentation: str) -> str:
    has_lines = of.is_list or of.values is not None or (of.model is not None and len(of.model.model_fields) > 0)
    if style != "block" or not has_lines:
        return " " + inline_snippet(of, style)
    if of.is_list:
        return f"\n{indentation}- {_item(item_type(of), indentation + INDENTATION)}"
    lines = _members(of.model, indentation) if of.model else [STOP]
    return "".join(f"\n{indentation}{line}" for line in lines or [STOP])


def _item(of: FieldType, indentation: str) -> str:
    if of.is_list or not of.model:
        return inline_snippet(of, "block") if of.enum or not of.values else STOP
    return f"\n{indentation}".join(_members(of.model, indentation)) or STOP


def _members(model: type[Node], indentation: str) -> list[str]:
    """The lines of a message in block style, each with its indentation."""
    types = {name: field_type(model, name) for name in required_fields(model)}
    lines = [f"{name}:{_value(of, 'block', indentation + INDENTATION)}" for name, of in types.items()]
    return [*lines, *([STOP] if model.required_unions else [])]


def inline_snippet(of: FieldType, style: Style) -> str:
    """A value on one line."""
    if of.is_list:
        has_parts = of.model is None or required_fields(of.model)
        return f"[{inline_snippet(item_type(of), style) if has_parts else STOP}]"
    if of.model is not None:
        quote = '"' if style == "json" else ""
        types = {name: field_type(of.model, name) for name in required_fields(of.model)}
        fields = [f"{quote}{name}{quote}: {inline_snippet(inner, style)}" for name, inner in types.items()]
        return "{" + (", ".join(fields) or (STOP if of.model.model_fields else "")) + "}"
    if of.values is not None:
        return "{" + STOP + "}"
    values = [value for value in of.enum if not value.endswith(UNSPECIFIED)]
    stop = CHOICE_STOP.format(f"|{','.join(values)}|") if values else STOP
    stop = CHOICE_STOP.format("|true,false|") if of.scalar is bool else stop
    if style == "json" and of.scalar in (int, float) and not of.int64:
        stop = CHOICE_STOP.format(int(of.minimum or 0))
    is_text = (of.scalar is str or of.int64 or bool(values)) and style == "json"
    return f'"{stop}"' if is_text else stop


def document_snippet(kind: str, model: type[Node]) -> str:
    """A whole document of a kind in block style."""
    lines = [f"kind: {kind}"]
    if "name" in model.model_fields:
        name_format = field_spec(model, "name").name_format or STOP
        lines.append("name: " + _PLACEHOLDER.sub(lambda match: CHOICE_STOP.format(match[1]), name_format))
    chosen = [members[0] for union, members in unions(model).items() if union in ANYWHERE]
    for name in [*chosen, *(name for name in required_fields(model) if name != "name")]:
        lines.append(name + ":" + _value(field_type(model, name), "block", INDENTATION))
    return "\n".join(lines) + "\n"


FIRST, OPTIONAL, DEPRECATED = 0, 1, 2


def field_completions(
    cursor: Cursor, model: type[Node], mapping: PartialMapping, *, lead: str = ""
) -> Iterator[Completion]:
    """The fields that may be added at the cursor; `lead` is the start of an item or line."""
    if NO_KEY.search(cursor.word) or cursor.scalar.style == "block":
        return
    for number, name in enumerate(_free(cursor, model, mapping)):
        fact, of = field_spec(model, name), field_type(model, name)
        rank = DEPRECATED if fact.replaced_by else FIRST if _is_wanted(model, name) else OPTIONAL
        before, text, after = _field_text(cursor, name, of, lead)
        written = number_tab_stops(text) if "\x01" in text else text
        yield Completion(
            *(name, "field", written, cursor.range(before, after), f"{rank}{number:03}", _detail(model, name, of)),
            data=("field", model.__name__, name),
            is_snippet="\x01" in text,
            is_deprecated=fact.replaced_by is not None,
        )


def _free(cursor: Cursor, model: type[Node], mapping: PartialMapping) -> Iterator[str]:
    """The fields that are absent, not excluded by a union member, and not output only.

    A key that has a value may become another key that accepts the value.
    """
    known = model.model_fields

    def named(parts: Iterable[PartialMapping]) -> set[str]:
        keys = {entry.key.decoded for part in parts for entry in part.entries if MARK not in entry.key.text}
        return {equivalent_name(key, known) or key for key in keys}

    there, merged = named([mapping]), named(mapping.merged())
    unions_taken = [members for members in unions(model).values() if not (there | merged).isdisjoint(members)]
    taken = {name for members in unions_taken for name in members} - merged
    value = cursor.entry.value if cursor.entry else None
    for name in known:
        is_free = name not in there | taken and field_spec(model, name).mode != "output only"
        if name == cursor.word or (is_free and accepts(field_type(model, name), value)):
            yield name


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
    further = lead.rpartition("\n")[2] if "\n" in lead else " " * (len(cursor.line.lstrip(" \t")) + len(lead))
    rest = field_snippet(of, style, re.sub(r"\S", " ", further)) + trailing_comma(cursor)
    if cursor.scalar.style != "plain":
        quote = '"' if cursor.scalar.style == "double" else "'"
        behind = cursor.source.text[cursor.offset + after :][:1]
        return before, lead + name + quote + rest, after + (behind == quote)
    return before, lead + (f'"{name}"' if cursor.is_json else name) + rest, after
