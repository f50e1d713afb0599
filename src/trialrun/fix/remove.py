"""Remove: deletes a key with its value, or a list item, from block and flow collections."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from trialrun.fix.target import (
    BLANK_LINES,
    EditDraft,
    Target,
    Unfixable,
    blanks,
    line_start,
    next_line,
    rest_is_blank,
    value_at_path,
)
from trialrun.text import Edit, Span

_json_token = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class FlowItem:
    """An entry between two delimiters: `left` is the bracket or comma before it, `right` the one after."""

    text: str
    left: int
    start: int
    end: int
    right: int

    @property
    def is_first(self) -> bool:
        return self.text[self.left] in "[{"

    @property
    def is_last(self) -> bool:
        return self.text[self.right] in "]}"

    @property
    def lead(self) -> str:
        """The spaces and comments between the left delimiter and the entry."""
        return self.text[self.left + 1 : self.start]


def remove_flow_item(target: Target, parent: Span) -> EditDraft | None:
    """The edits that remove an entry from a flow collection; None if its layout is not understood."""
    item = _flow_item(target, _separators(target.text, parent, is_json=target.style == "json"))
    if item is None:
        return None
    if item.is_first and not target.text[item.right + 1 : parent.end - 1].strip():
        return EditDraft(tuple(_clear_collection(item, parent)))
    return EditDraft(tuple(_remove_whole_lines(item) or _remove_within_line(item)))


@lru_cache(maxsize=2)
def _separators(text: str, parent: Span, *, is_json: bool) -> list[int]:
    """The offsets of the opening bracket, the commas of this level and the closing bracket."""
    separators: list[int] = []
    depth = 0
    for character, offset in _json_tokens(text, parent) if is_json else _yaml_tokens(text, parent):
        depth -= character in "]}"
        if depth == 0 or (depth == 1 and character == ","):
            separators.append(offset)
        depth += character in "[{"
        if depth == 0:
            return separators
    return []


def _json_tokens(text: str, parent: Span) -> Iterator[tuple[str, int]]:
    for match in _json_token.finditer(text, parent.start, parent.end):
        if len(match[0]) == 1:
            yield match[0], match.start()


def _yaml_tokens(text: str, parent: Span) -> Iterator[tuple[str, int]]:
    from trialrun.parser.events import YAMLError, make_parser

    parser = make_parser(text[parent.start : parent.end])
    try:
        while (token := parser.get_token()) is not None:
            if token.id in ("[", "]", "{", "}", ","):
                yield token.id, parent.start + token.start_mark.index
    except YAMLError:
        return
    finally:
        parser.dispose()


def _flow_item(target: Target, separators: list[int]) -> FlowItem | None:
    index = target.path[-1] if target.key is None else bisect_left(separators, target.key.start) - 1
    if not isinstance(index, int) or not 0 <= index < len(separators) - 1:
        return None
    left, right = separators[index], separators[index + 1]
    lead = blanks(target.text, left + 1)
    start = lead.end() if lead else left + 1
    end = target.entry_end(start)
    if end is None or not start < end <= right or target.text[start] == "?":
        return None
    rest = blanks(target.text, end)
    return FlowItem(target.text, left, start, end, right) if rest and rest.end() == right else None


def _clear_collection(item: FlowItem, parent: Span) -> list[Edit]:
    """Remove everything between the brackets except for comments."""
    inner = Span(parent.start + 1, parent.end - 1)
    rest = item.text[inner.start : item.start] + item.text[item.end : inner.end]
    if "#" not in rest:
        return [Edit(inner, "")]
    return _remove_whole_lines(item) or [Edit(Span(item.start, item.end if item.is_last else item.right + 1), "")]


def _remove_whole_lines(item: FlowItem) -> list[Edit]:
    """Remove the lines that contain only the entry; for the last entry also the comma before it."""
    text = item.text
    first = line_start(text, item.start)
    end = item.end if item.is_last else item.right + 1
    rest = rest_is_blank(text, end)
    if rest is None or rest.end() == len(text) or first <= item.left or text[first : item.start].strip(" \t"):
        return []
    if not item.is_last or item.is_first:
        return [Edit(Span(first, next_line(text, rest.end())), "")]
    if not item.lead.strip():
        return [Edit(Span(item.left, rest.end()), "")]
    comma = Edit(Span(item.left, item.left + 1), "")
    return [comma, Edit(Span(first, next_line(text, rest.end())), "")]


def _remove_within_line(item: FlowItem) -> list[Edit]:
    """Remove an entry that shares its line; comments between the previous comma and the entry stay."""
    if not item.is_first and not item.lead.strip():
        return [Edit(_span_with_comma(item), "")]
    if item.is_last:
        return [Edit(Span(item.left, item.left + 1), ""), Edit(Span(item.start, item.end), "")]
    # up to the next entry, or behind the comma if a comment is between
    following = blanks(item.text, item.right + 1)
    end = item.right + 1 if following is None or "#" in following[0] else following.end()
    return [Edit(Span(item.start, end), "")]


def _span_with_comma(item: FlowItem) -> Span:
    """The previous comma and the entry, with the line if they are all it contains."""
    text, first, rest = item.text, line_start(item.text, item.left), rest_is_blank(item.text, item.end)
    if rest is None or rest.end() == len(text) or text[first : item.left].strip(" \t"):
        return Span(item.left, item.end)
    return Span(first, next_line(text, rest.end()))


_dashes = re.compile(r" *(?:- +)+\Z").match
_blank_lines = re.compile(BLANK_LINES + " *").match
_indicator = re.compile(r"(?:[ \t]*:|-)(?:[ \t]+[&!][^\s]*)*").match
_anchor = re.compile(r"&(?<![^\s\[{,:]&)([^\s,\[\]{}&]+)")
_suppression = re.compile(r"[ \t]*#.*trialrun[ \t]*:[ \t]*ignore[ \t]*\[", re.IGNORECASE).match
_comment_or_blank = re.compile(r"[ \t]*(?:#|\Z)").match
LAYOUT_TOO_COMPLEX = Unfixable("its layout is too complex to remove it automatically")
HAS_SUPPRESSION = Unfixable("the suppression comment above it would apply to what follows; remove both")


def remove_entry(target: Target) -> EditDraft | Unfixable:
    """The edits that remove an entry of a mapping or a list item."""
    if not target.path:
        return Unfixable("a whole document is not removed")
    if target.is_aliased:
        return Unfixable("it is defined elsewhere, at an anchor")
    if _is_suppressed_above(target):
        return HAS_SUPPRESSION
    parent = target.document.span(target.path[:-1])
    if target.document.style(target.path[:-1]) == "block":
        draft = _remove_from_block(target, parent)
    else:
        draft = remove_flow_item(target, parent) or LAYOUT_TOO_COMPLEX
    if isinstance(draft, EditDraft) and (name := _referenced_anchor(target.text, draft)):
        return Unfixable(f"the anchor &{name} in it is used elsewhere")
    return draft


def _is_suppressed_above(target: Target) -> bool:
    """Whether a comment on the lines above suppresses rules in the removed part."""
    start = target.key.start if target.key else target.span.start
    first = line_start(target.text, start)
    if target.key and target.text[first:start].strip():  # next to a dash: the comment is about the item
        return False
    while first:
        above = line_start(target.text, len(target.text[:first].removesuffix("\n").removesuffix("\r")))
        line = target.text[above:first].rstrip("\r\n")
        if _suppression(line) or not _comment_or_blank(line):
            return _suppression(line) is not None
        first = above
    return False


def _remove_from_block(target: Target, parent: Span) -> EditDraft | Unfixable:
    text = target.text
    start = target.entry_start
    end = None if start is None else target.entry_end(start)
    last = None if end is None else rest_is_blank(text, end)
    if start is None or end is None or last is None:
        return LAYOUT_TOO_COMPLEX
    first = line_start(text, start)
    if start == parent.start and end >= parent.end:
        return EditDraft(_empty_collection(target, parent, last.end()))
    if not text[first:start].strip(" "):
        return EditDraft((Edit(_whole_lines(target, first, last.end()), ""),))
    if not _dashes(text[first:start]):
        return LAYOUT_TOO_COMPLEX
    return _remove_beside_dash(text, start, last.end())


def _whole_lines(target: Target, first: int, last: int) -> Span:
    """The lines from one offset to another; if the file ends without a line break, the result does, too."""
    text = target.text
    if last < len(text) or not first or _follows_block_text(target):
        return Span(first, next_line(text, last))
    return Span(len(text[:first].removesuffix("\n").removesuffix("\r")), last)


def _follows_block_text(target: Target) -> bool:
    """Whether a block scalar comes directly before, to which the line break belongs."""
    steps = list(target.parent) if target.key else list(range(len(target.parent)))
    path, index = target.path[:-1], steps.index(target.path[-1])
    if not index:
        return False
    path = (*path, steps[index - 1])
    while (value := value_at_path(target.document.value, path)) and target.document.style(path) == "block":
        path = (*path, list(value)[-1] if isinstance(value, dict) else len(value) - 1)
    return target.document.style(path) in ("literal", "folded")


def _empty_collection(target: Target, parent: Span, last: int) -> tuple[Edit, ...]:
    """An empty collection in place of one that loses its only entry, so that it does not become null."""
    empty = "[]" if target.key is None else "{}"
    text, first = target.text, line_start(target.text, parent.start)
    opening = _after_indicator(target)
    if opening is None or opening > first:
        return (Edit(Span(parent.start, last), empty),)
    if not text[opening : parent.start].strip():
        return (Edit(Span(opening, last), " " + empty),)
    return Edit(Span(opening, opening), " " + empty), Edit(Span(first, next_line(text, last)), "")


def _after_indicator(target: Target) -> int | None:
    """The end of the colon or dash, with its anchor and tag, that introduces the collection of a target."""
    if len(target.path) < 2:
        return None
    parent = Target(target.text, target.document, target.path[:-1])
    start = parent.key.end if parent.key else parent.entry_start
    match = None if start is None else _indicator(target.text, start)
    return match.end() if match else None


def _remove_beside_dash(text: str, start: int, last: int) -> EditDraft | Unfixable:
    """Move the next entry up next to the dash; if comments are between, the dash keeps its line."""
    between = _blank_lines(text, last)
    following = between.end() if between else last
    if following - line_start(text, following) != start - line_start(text, start):
        return LAYOUT_TOO_COMPLEX
    if "#" not in text[last:following]:
        return EditDraft((Edit(Span(start, following), ""),))
    return EditDraft((Edit(Span(len(text[:start].rstrip(" ")), last), ""),))


def _referenced_anchor(text: str, draft: EditDraft) -> str | None:
    """The name of an anchor in the removed text that is used by an alias outside of it."""
    for edit in draft.edits:
        for anchor in _anchor.finditer(text, edit.span.start, edit.span.end):
            alias = re.compile(rf"\*{re.escape(anchor[1])}(?![^\s,\[\]{{}}])")
            outside = alias.search(text, edit.span.end)
            if outside is not None:
                return anchor[1]
    return None
