"""Wrap: a value becomes the only item of a list."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.fix.replace import header_comment
from trialrun.fix.scalar_style import is_plain, quoted
from trialrun.fix.target import Target
from trialrun.fix.text_lines import line_end, next_line
from trialrun.fix.unfixable import Draft, Refused
from trialrun.text import Edit, Span


def wrapped(target: Target) -> Draft | Refused:
    """The edits that make a value the only item of a list."""
    if target.elsewhere or target.child.shared:
        return Refused("the value stands elsewhere, at an anchor")
    if target.span.start == target.span.end:
        return Refused("there is no value to wrap")
    if target.style == "block":
        return Draft(tuple(_deeper(target.text, target.span)))
    if target.style in ("literal", "folded"):
        return _one_line(target)
    if target.style == "plain" and isinstance(target.value, str) and not is_plain(target.value, in_flow=True):
        return Draft((Edit(target.span, f"[{quoted(target.value)}]"),))
    start, end = target.span.start, target.span.end
    return Draft((Edit(Span(start, start), "["), Edit(Span(end, end), "]")))


def _one_line(target: Target) -> Draft | Refused:
    if "\n" in target.value.rstrip("\n"):
        return Refused("a text of several lines does not fit between brackets")
    remark = header_comment(target)
    return Draft((Edit(target.span, f"[{quoted(target.value)}]" + (f"  {remark}" if remark else "")),))


def _deeper(text: str, span: Span) -> Iterator[Edit]:
    """A dash before a block collection, and its further lines two columns deeper."""
    yield Edit(Span(span.start, span.start), "- ")
    at = next_line(text, span.start)
    while at < span.end:
        if line_end(text, at) > at:
            yield Edit(Span(at, at), "  ")
        at = next_line(text, at)
