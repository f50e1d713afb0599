"""Replace: another value, or other characters, in place of a scalar."""

from __future__ import annotations

from trialrun.diagnostic import Chars, Replace
from trialrun.fix.scalar_style import is_plain, part_of, rendered
from trialrun.fix.target import Target
from trialrun.fix.text_lines import line_end
from trialrun.fix.unfixable import Draft, Refused
from trialrun.text import Edit, Span

NOT_A_TEXT = Refused("characters can be replaced in a text alone")


def replaced(operation: Replace, target: Target) -> Draft | Refused:
    """The edit that puts another value, or other characters, in place of a scalar."""
    if target.elsewhere or target.child.shared:
        return Refused("the value stands elsewhere, at an anchor")
    if isinstance(target.value, dict | list) and target.value:
        return Refused("only a scalar can be replaced")
    if operation.chars is not None:
        return _characters(operation, operation.chars, target)
    return _whole(_new_text(operation, target), target)


def _new_text(operation: Replace, target: Target) -> str:
    if operation.source is not None:
        return operation.source
    return rendered(operation.value, target.style, in_flow=target.in_flow)


def _whole(token: str, target: Target) -> Draft | Refused:
    """The whole scalar anew; a blank parts it from the colon or the dash where nothing stands yet."""
    if remark := header_comment(target):
        return Draft((Edit(target.span, f"{token}  {remark}"),))
    if target.span.start < target.span.end:
        return Draft((Edit(target.span, token),), token)
    before = target.text[target.span.start - 1 : target.span.start]
    blank = "" if before in (" ", "\t", "") else " "
    return Draft((Edit(target.span, blank + token),))


def header_comment(target: Target) -> str:
    """The comment behind the `|` or `>` of a literal or folded text, which has no other line to stand on."""
    if target.style not in ("literal", "folded"):
        return ""
    header = target.text[target.span.start : line_end(target.text, target.span.start)]
    return "#" + header.partition("#")[2].rstrip() if "#" in header else ""


def _characters(operation: Replace, chars: Chars, target: Target) -> Draft | Refused:
    if not isinstance(target.value, str):
        return NOT_A_TEXT
    span = target.document.inside(target.path, *chars)
    if operation.source is not None:
        return _inside(operation.source, span, target.span, target.text)
    if not isinstance(operation.value, str):
        return NOT_A_TEXT
    whole = with_characters(target.value, chars, operation.value)
    if target.style in ("literal", "folded"):
        return _in_block(operation.value, span, target)
    part = part_of(operation.value, target.style)
    fits = target.style != "plain" or is_plain(whole, in_flow=target.in_flow)
    if part is None or not fits or span == target.span:
        return _whole(rendered(whole, target.style, in_flow=target.in_flow), target)
    return _inside(part, span, target.span, target.text)


def _inside(part: str, span: Span, scalar: Span, text: str) -> Draft:
    token = text[scalar.start : span.start] + part + text[span.end : scalar.end]
    return Draft((Edit(span, part),), token)


def _in_block(new: str, span: Span, target: Target) -> Draft | Refused:
    """Characters of one line of a literal or folded text."""
    old = target.text[span.start : span.end]
    part = part_of(new, target.style)
    if part is None:
        return Refused("a literal or folded text cannot hold the new characters")
    if span == target.span or "\n" in old or "\r" in old:
        return Refused("the characters reach over a line of a literal or folded text")
    return Draft((Edit(span, part),))


def with_characters(text: str, chars: Chars, new: str) -> str:
    """A text with other characters in place of some of its own."""
    start, end = chars
    return text[:start] + new + text[max(start, end) :]
