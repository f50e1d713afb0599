"""Lift: replaces a key by its content, one level up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.fix.target import Target
from trialrun.fix.text_lines import line_start, next_line
from trialrun.fix.unfixable import EditDraft, Unfixable
from trialrun.text import Edit, Span

LAYOUT_TOO_COMPLEX = Unfixable("its layout is too complex to move it automatically")
_spaces = re.compile(" *").match
_only_key = re.compile(r"[ \t]*:[ \t]*(#[^\r\n]*)?(?:\r\n|\n|\r)").match
_dashes = re.compile(r" *(?:- +)*\Z").match


def lift_contents(target: Target) -> EditDraft | Unfixable:
    """The edits that replace an entry by the entries of its mapping, or by the items of its list."""
    if target.is_aliased or target.child.is_aliased:
        return Unfixable("it is defined elsewhere, at an anchor")
    parent = target.parent
    if target.key is None or not isinstance(parent, dict) or not isinstance(target.value, dict | list):
        return Unfixable("only the fields of a mapping can be moved up")
    if not target.value:
        return Unfixable("it has no content")
    if isinstance(target.value, list) and (len(parent) > 1 or len(target.path) > 1):
        return Unfixable("a list can only be moved to the top, where nothing else is")
    if isinstance(target.value, dict) and target.value.keys() & (parent.keys() - {target.path[-1]}):
        return Unfixable("a field of the same name already exists")
    edits = list(_lift_from_block(target) if target.style == "block" else _lift_from_flow(target))
    return EditDraft(tuple(edits)) if edits else LAYOUT_TOO_COMPLEX


def _lift_from_block(target: Target) -> Iterator[Edit]:
    """Remove the key and dedent its content to the column of the key; a comment next to the key keeps its line."""
    text, key, start = target.text, target.key, target.span.start
    line = _only_key(text, key.end) if key else None
    if key is None or line is None:
        return
    first, column = line_start(text, key.start), key.start - line_start(text, key.start)
    shift = start - line_start(text, start) - column
    if shift < 0 or not _dashes(text[first : key.start]):
        return
    if text[first : key.start].strip():
        if text[line.end() : start].strip() or line[1]:
            return
        yield Edit(Span(key.start, start), "")
        offset = next_line(text, start)
    else:
        yield Edit(Span(key.start, line.start(1)) if line[1] else Span(first, line.end()), "")
        offset = line.end()
    yield from _dedent(text, offset, target.span.end, shift)


def _dedent(text: str, offset: int, end: int, shift: int) -> Iterator[Edit]:
    """Dedent lines from an offset on, as far as they have leading spaces."""
    while shift and offset < end:
        blanks = _spaces(text, offset, offset + shift)
        if blanks and blanks.end() > offset:
            yield Edit(Span(offset, blanks.end()), "")
        offset = next_line(text, offset)


def _lift_from_flow(target: Target) -> Iterator[Edit]:
    """Remove the key and the braces; into a block, only a single entry can be lifted."""
    text, key, span = target.text, target.key, target.span
    if key is None or (not target.in_flow and isinstance(target.value, dict) and len(target.value) > 1):
        return
    if isinstance(target.value, list):
        outer = target.document.span(target.path[:-1])
        if target.in_flow:
            yield Edit(Span(outer.start, span.start), "")
            yield Edit(Span(span.end, outer.end), "")
        return
    inner = target.document.key_span((*target.path, next(iter(target.value))))
    closing = len(text[: span.end - 1].rstrip(" \t\r\n"))
    if inner is None or "#" in text[key.end : inner.start] or text[closing - 1] == ",":
        return
    yield Edit(Span(key.start, inner.start), "")
    shift = _column(text, inner.start) - _column(text, key.start)
    yield from _dedent(text, next_line(text, inner.start), closing, max(0, shift))
    yield Edit(Span(closing, span.end), "")


def _column(text: str, offset: int) -> int:
    return offset - line_start(text, offset)
