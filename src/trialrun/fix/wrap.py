"""Wrap: a value becomes the only item of a list."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.fix.replace import header_comment
from trialrun.fix.scalar_style import can_be_plain, quote
from trialrun.fix.target import Target
from trialrun.fix.text_lines import line_end, next_line
from trialrun.fix.unfixable import EditDraft, Unfixable
from trialrun.text import Edit, Span


def wrap_in_list(target: Target) -> EditDraft | Unfixable:
    """The edits that make a value the only item of a list."""
    if target.is_aliased or target.child.is_aliased:
        return Unfixable("the value is defined elsewhere, at an anchor")
    if target.span.start == target.span.end:
        return Unfixable("there is no value to wrap")
    if target.style == "block":
        return EditDraft(tuple(_indent(target.text, target.span)))
    if target.style in ("literal", "folded"):
        return _one_line(target)
    if target.style == "plain" and isinstance(target.value, str) and not can_be_plain(target.value, in_flow=True):
        return EditDraft((Edit(target.span, f"[{quote(target.value)}]"),))
    start, end = target.span.start, target.span.end
    return EditDraft((Edit(Span(start, start), "["), Edit(Span(end, end), "]")))


def _one_line(target: Target) -> EditDraft | Unfixable:
    if "\n" in target.value.rstrip("\n"):
        return Unfixable("text of several lines cannot be put in brackets")
    comment = header_comment(target)
    return EditDraft((Edit(target.span, f"[{quote(target.value)}]" + (f"  {comment}" if comment else "")),))


def _indent(text: str, span: Span) -> Iterator[Edit]:
    """A dash before a block collection, and its further lines two columns deeper."""
    yield Edit(Span(span.start, span.start), "- ")
    offset = next_line(text, span.start)
    while offset < span.end:
        if line_end(text, offset) > offset:
            yield Edit(Span(offset, offset), "  ")
        offset = next_line(text, offset)
