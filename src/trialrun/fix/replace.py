"""Replace: replaces a scalar, or some of its characters."""

from __future__ import annotations

from trialrun.diagnostic import Chars, Replace
from trialrun.fix.scalar_style import can_be_plain, render_fragment, render_scalar
from trialrun.fix.target import Target
from trialrun.fix.text_lines import line_end
from trialrun.fix.unfixable import EditDraft, Unfixable
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
