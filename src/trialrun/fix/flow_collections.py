"""Removal of entries from flow collections in YAML and JSON, with their commas and spaces."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from trialrun.fix.target import Target
from trialrun.fix.text_lines import blanks, line_start, next_line, rest_is_blank
from trialrun.fix.unfixable import EditDraft
from trialrun.lazy_dataclass import dataclass
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
    following = _skip_blanks(item.text, item.right + 1)
    return [Edit(Span(item.start, following), "")]


def _span_with_comma(item: FlowItem) -> Span:
    """The previous comma and the entry, with the line if they are all it contains."""
    text, first, rest = item.text, line_start(item.text, item.left), rest_is_blank(item.text, item.end)
    if rest is None or rest.end() == len(text) or text[first : item.left].strip(" \t"):
        return Span(item.left, item.end)
    return Span(first, next_line(text, rest.end()))


def _skip_blanks(text: str, offset: int) -> int:
    """The start of the next entry, or the end of the comma if a comment is between."""
    match = blanks(text, offset)
    return offset if match is None or "#" in match[0] else match.end()
