"""The fields that a message may still take: required ones first, members of a union only while it is free."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lsp.answer import Completion
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.sketch import MARK, Mapping
from trialrun.lsp.features.completion.writing import is_json
from trialrun.model.fields import Shape, shape
from trialrun.model.near import same
from trialrun.model.node import Node, facts
from trialrun.model.unions import unions

FIRST, OPTIONAL, DEPRECATED = 0, 1, 2


def field_names(cursor: Cursor, model: type[Node], mapping: Mapping, *, dash: str = "") -> Iterator[Completion]:
    """The fields of a message that may be written at the cursor; `dash` makes it the first of an item."""
    if "\n" in cursor.scalar.text:
        return
    for number, name in enumerate(_free(model, mapping)):
        fact, of = facts(model, name), shape(model, name)
        rank = DEPRECATED if fact.replaced_by else FIRST if _is_wanted(model, name) else OPTIONAL
        before, text, after = _written(cursor, name, of, dash)
        yield Completion(
            name,
            "field",
            text,
            cursor.range(before, after),
            f"{rank}{number:03}",
            _detail(model, name, of),
            ("field", model.__name__, name),
            is_deprecated=fact.replaced_by is not None,
        )


def _free(model: type[Node], mapping: Mapping) -> Iterator[str]:
    """The fields that are neither there nor shut out by another member of their union, nor set by the service."""
    known = model.model_fields
    others = (entry.key.text for entry in mapping.entries if MARK not in entry.key.text)
    there = {same(key, known) or key for key in others}
    taken = {name for members in unions(model).values() if not there.isdisjoint(members) for name in members}
    for name in known:
        if name not in there and name not in taken and facts(model, name).mode != "output only":
            yield name


def _is_wanted(model: type[Node], name: str) -> bool:
    """Whether a message is not complete without it: a required field, a member of a required union, the kind."""
    if facts(model, name).mode in ("required", "identifier") or name == "kind":
        return True
    return any(name in model.unions[union] for union in model.required_unions)


def _detail(model: type[Node], name: str, of: Shape) -> str:
    fact = facts(model, name)
    if fact.replaced_by:
        return f"deprecated, use {fact.replaced_by}"
    words = f"a list of {of.plural}" if of.listed else "an enum value" if of.enum else of.words
    union = next((union for union, members in unions(model).items() if name in members), None)
    mode = "required, " if fact.mode == "required" else ""
    return mode + words + (f", one of the union {union}" if union and name in model.unions.get(union, ()) else "")


def _written(cursor: Cursor, name: str, of: Shape, dash: str) -> tuple[int, str, int]:
    """The text of a field, and how many characters before and behind the cursor it takes the place of."""
    before, after = len(cursor.before), len(cursor.after)
    if cursor.has_colon:
        return before, name, after
    if cursor.scalar.style != "plain":
        quote = '"' if cursor.scalar.style == "double" else "'"
        behind = cursor.source.text[cursor.offset + after :][:1]
        return before, f"{name}{quote}: ", after + (behind == quote)
    if is_json(cursor):
        return before, f'"{name}": ', after
    return before, dash + name + _colon(cursor, of, dash), after


def _colon(cursor: Cursor, of: Shape, dash: str) -> str:
    """The colon, and for a message or a list the beginning of the next line, indented from that of this one."""
    if of.model is not None and not of.listed and not of.model.model_fields:
        return ": {}"
    if cursor.is_in_brackets or not (of.model or of.listed or of.values):
        return ": "
    start = cursor.offset - len(cursor.before)
    line = cursor.source.line(cursor.source.position(start).line)
    column = cursor.source.position(start).column - 1
    indentation = column - (len(line) - len(line.lstrip(" "))) if line.strip() else 0
    return ":\n" + " " * (max(indentation, 0) + len(dash) + 2) + ("- " if of.listed else "")
