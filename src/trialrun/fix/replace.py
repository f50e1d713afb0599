"""Replace: replaces a scalar, or some of its characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.diagnostic import Chars, Rename, Replace
from trialrun.fix.canonical_yaml import can_be_plain, render_fragment, render_scalar
from trialrun.fix.target import EditDraft, Target, Unfixable, line_end, line_start, next_line
from trialrun.text import Edit, Span

NOT_TEXT = Unfixable("characters can only be replaced in text")


def replace_scalar(operation: Replace, target: Target) -> EditDraft | Unfixable:
    """The edit that replaces a scalar, or some of its characters."""
    if target.is_aliased or target.child.is_aliased:
        return Unfixable("the value is defined elsewhere, at an anchor")
    if isinstance(target.value, dict | list) and target.value:
        return Unfixable("only a scalar can be replaced")
    if operation.chars is not None:
        return _replace_characters(operation, operation.chars, target)
    return _replace_whole(_new_text(operation, target), target)


def _new_text(operation: Replace, target: Target) -> str:
    if operation.source is not None:
        return operation.source
    return render_scalar(operation.value, target.style, in_flow=target.in_flow)


def _replace_whole(token: str, target: Target) -> EditDraft | Unfixable:
    """Replace the whole scalar; a space is added after the colon or dash if there is no value yet."""
    if comment := header_comment(target):
        return EditDraft((Edit(target.span, f"{token}  {comment}"),))
    if target.span.start < target.span.end:
        return EditDraft((Edit(target.span, token),), token)
    before = target.text[target.span.start - 1 : target.span.start]
    blank = "" if before in (" ", "\t", "") else " "
    return EditDraft((Edit(target.span, blank + token),))


def header_comment(target: Target) -> str:
    """The comment behind the `|` or `>` of a block scalar, which has to be kept."""
    if target.style not in ("literal", "folded"):
        return ""
    header = target.text[target.span.start : line_end(target.text, target.span.start)]
    return "#" + header.partition("#")[2].rstrip() if "#" in header else ""


def _replace_characters(operation: Replace, chars: Chars, target: Target) -> EditDraft | Unfixable:
    if not isinstance(target.value, str):
        return NOT_TEXT
    span = target.document.scalar_span(target.path, *chars)
    if operation.source is not None:
        return _replace_within(operation.source, span, target.span, target.text)
    if not isinstance(operation.value, str):
        return NOT_TEXT
    new_value = replace_characters(target.value, chars, operation.value)
    if target.style in ("literal", "folded"):
        return _replace_in_block_scalar(operation.value, span, target)
    fragment = render_fragment(operation.value, target.style)
    fits = target.style != "plain" or can_be_plain(new_value, in_flow=target.in_flow)
    if fragment is None or not fits or span == target.span:
        return _replace_whole(render_scalar(new_value, target.style, in_flow=target.in_flow), target)
    return _replace_within(fragment, span, target.span, target.text)


def _replace_within(fragment: str, span: Span, scalar: Span, text: str) -> EditDraft:
    token = text[scalar.start : span.start] + fragment + text[span.end : scalar.end]
    return EditDraft((Edit(span, fragment),), token)


def _replace_in_block_scalar(new: str, span: Span, target: Target) -> EditDraft | Unfixable:
    """Replace characters on one line of a block scalar."""
    old = target.text[span.start : span.end]
    fragment = render_fragment(new, target.style)
    if fragment is None:
        return Unfixable("a literal or folded block cannot contain the new characters")
    if span == target.span or "\n" in old or "\r" in old:
        return Unfixable("the characters span several lines of a literal or folded block")
    return EditDraft((Edit(span, fragment),))


def replace_characters(text: str, chars: Chars, new: str) -> str:
    """A text with some of its characters replaced."""
    start, end = chars
    return text[:start] + new + text[max(start, end) :]


def new_key(operation: Rename, old: str) -> str:
    """The new key."""
    return operation.key if operation.chars is None else replace_characters(old, operation.chars, operation.key)


def rename_key(operation: Rename, target: Target) -> EditDraft | Unfixable:
    """The edit that replaces a key."""
    if target.key is None or not isinstance(target.path[-1], str):
        return Unfixable("an item of a list has no key to rename")
    if target.is_aliased:
        return Unfixable("the key is defined elsewhere, at an anchor")
    key = new_key(operation, target.path[-1])
    if key in target.parent:
        return Unfixable(f'the key "{key}" already exists')
    return _key_edit(operation, key, target, target.key)


def _key_edit(operation: Rename, key: str, target: Target, span: Span) -> EditDraft:
    style = target.key_style
    token = render_scalar(key, style, in_flow=target.in_flow)
    fragment = render_fragment(operation.key, style)
    fits = style != "plain" or can_be_plain(key, in_flow=target.in_flow)
    if operation.chars is not None and fragment is not None and fits:
        chars_span = target.document.key_text_span(target.path, *operation.chars)
        token = target.text[span.start : chars_span.start] + fragment + target.text[chars_span.end : span.end]
        if chars_span != span:
            return EditDraft((Edit(chars_span, fragment),), token)
        token = render_scalar(key, style, in_flow=target.in_flow)
    return EditDraft((Edit(span, token),), token)


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
