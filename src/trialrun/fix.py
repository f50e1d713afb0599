"""Symbolic operations into the smallest text edits, or a refusal that says why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Fix, Operation, Path, Place, Range, Remove, Rename, Replace, TextEdit, TextFix, Wrap
from trialrun.text import Edit, Source

if TYPE_CHECKING:
    from trialrun.tree import Document

FindPath = Callable[[Place], Path]
BARE = re.compile(r"[A-Za-z_][\w./()+-]*(?: [\w./()+-]+)*\Z")
WORD = re.compile(r"(?i)(true|false|yes|no|on|off|y|n|null|~)\Z")


@dataclass(frozen=True, slots=True)
class Refused:
    """A fix that cannot be made safely, and why."""

    reason: str


def text_fix(fix: Fix, *, source: Source, document: Document | None, find_path: FindPath) -> TextFix | Refused:
    """The text edits of a fix, or the reason why it is not offered here."""
    edits: list[TextEdit] = []
    for operation in fix.operations:
        made = operation if isinstance(operation, Edit) else _edit(operation, source, document, find_path)
        if isinstance(made, Refused):
            return made
        span = Range(source.position(made.span.start), source.position(made.span.end))
        edits.append(TextEdit(span, made.text))
    return TextFix(fix.title, fix.safe, tuple(edits))


def _edit(
    operation: Operation, source: Source, document: Document | None, find_path: FindPath
) -> Edit | Refused:
    if document is None:
        return Refused("there is no document to mend")
    path = find_path(operation.place)
    if document.shared(path):
        return Refused("the value is shared through an alias or a merge key")
    match operation:
        case Replace():
            return _replaced(operation, path, source, document)
        case Rename():
            return _renamed(operation, path, source, document)
        case Remove() | Wrap():
            return Refused("not offered for this layout")


def _replaced(operation: Replace, path: Path, source: Source, document: Document) -> Edit | Refused:
    style = document.style(path)
    if operation.chars is not None:
        span = document.inside(path, *operation.chars)
        text = operation.value
        if style in ("double", "json"):
            text = json.dumps(text, ensure_ascii=False)[1:-1]
        elif style == "single":
            text = text.replace("'", "''")
        return Edit(span, text)
    span = document.span(path)
    return Edit(span, operation.source if operation.source is not None else rendered(operation.value, style))


def _renamed(operation: Rename, path: Path, source: Source, document: Document) -> Edit | Refused:
    span = document.key_span(path)
    if span is None:
        return Refused("there is no key to rename")
    written = source.text[span.start : span.end]
    quote = written[:1] if written[:1] in ("'", '"') else ""
    if operation.chars is not None:
        return Edit(document.key_inside(path, *operation.chars), operation.key)
    return Edit(span, f"{quote}{operation.key}{quote}")


def applied(source: Source, fixes: Iterable[TextFix]) -> str:
    """The text with the fixes made, the last place first; of two that touch one place only the first is made."""
    edits = sorted({(edit.range, edit.text) for fix in fixes for edit in fix.edits}, reverse=True)
    text, before = source.text, len(source.text) + 1
    for where, new in edits:
        start, end = source.offset(where.start), source.offset(where.end)
        if end <= before:
            text, before = text[:start] + new + text[end:], start
    return text


def rendered(value: Any, style: str) -> str:
    """A value as the text of a scalar in the style of the one it replaces, so that it reads back as the same value."""
    if not isinstance(value, str):
        return json.dumps(value)
    if style == "single" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if style == "plain" and BARE.match(value) and not WORD.match(value):
        return value
    return json.dumps(value, ensure_ascii=False)


