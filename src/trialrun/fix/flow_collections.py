"""Removing from between brackets and braces, in YAML and in JSON: the commas and the blanks that go along."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from trialrun.fix.target import Target
from trialrun.fix.text_lines import blanks, line_start, next_line, rest_is_blank
from trialrun.fix.unfixable import Draft
from trialrun.lazy_dataclass import dataclass
from trialrun.text import Edit, Span

_json_signs = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Slot:
    """One entry between two signs: `left` is the bracket or comma before it, `right` the one after; `end` its end."""

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
        """What stands between the sign before it and the entry: blanks and comments."""
        return self.text[self.left + 1 : self.start]


def removed_from_flow(target: Target, parent: Span) -> Draft | None:
    """The edits that take an entry out of a flow collection; None where its layout cannot be made out."""
    slot = _slot(target, _signs(target.text, parent, is_json=target.style == "json"))
    if slot is None:
        return None
    if slot.is_first and not target.text[slot.right + 1 : parent.end - 1].strip():
        return Draft(tuple(_emptied(slot, parent)))
    return Draft(tuple(_whole_lines(slot) or _within_line(slot)))


@lru_cache(maxsize=2)
def _signs(text: str, parent: Span, *, is_json: bool) -> list[int]:
    """The offsets of the opening bracket, of the commas of this level, and of the closing bracket."""
    signs: list[int] = []
    depth = 0
    for sign, at in _json_tokens(text, parent) if is_json else _yaml_tokens(text, parent):
        depth -= sign in "]}"
        if depth == 0 or (depth == 1 and sign == ","):
            signs.append(at)
        depth += sign in "[{"
        if depth == 0:
            return signs
    return []


def _json_tokens(text: str, parent: Span) -> Iterator[tuple[str, int]]:
    for match in _json_signs.finditer(text, parent.start, parent.end):
        if len(match[0]) == 1:
            yield match[0], match.start()


def _yaml_tokens(text: str, parent: Span) -> Iterator[tuple[str, int]]:
    from trialrun.parser.events import YAMLError, parser_of

    parser = parser_of(text[parent.start : parent.end])
    try:
        while (token := parser.get_token()) is not None:
            if token.id in ("[", "]", "{", "}", ","):
                yield token.id, parent.start + token.start_mark.index
    except YAMLError:
        return
    finally:
        parser.dispose()


def _slot(target: Target, signs: list[int]) -> Slot | None:
    index = target.path[-1] if target.key is None else bisect_left(signs, target.key.start) - 1
    if not isinstance(index, int) or not 0 <= index < len(signs) - 1:
        return None
    left, right = signs[index], signs[index + 1]
    lead = blanks(target.text, left + 1)
    start = lead.end() if lead else left + 1
    end = target.end_from(start)
    if end is None or not start < end <= right or target.text[start] == "?":
        return None
    rest = blanks(target.text, end)
    return Slot(target.text, left, start, end, right) if rest and rest.end() == right else None


def _emptied(slot: Slot, parent: Span) -> list[Edit]:
    """Nothing between the brackets but the comments that stood there."""
    inner = Span(parent.start + 1, parent.end - 1)
    rest = slot.text[inner.start : slot.start] + slot.text[slot.end : inner.end]
    if "#" not in rest:
        return [Edit(inner, "")]
    return _whole_lines(slot) or [Edit(Span(slot.start, slot.end if slot.is_last else slot.right + 1), "")]


def _whole_lines(slot: Slot) -> list[Edit]:
    """The lines that an entry has for itself; the last one takes the comma before it along."""
    text = slot.text
    first = line_start(text, slot.start)
    end = slot.end if slot.is_last else slot.right + 1
    rest = rest_is_blank(text, end)
    if rest is None or rest.end() == len(text) or first <= slot.left or text[first : slot.start].strip(" \t"):
        return []
    if not slot.is_last or slot.is_first:
        return [Edit(Span(first, next_line(text, rest.end())), "")]
    if not slot.lead.strip():
        return [Edit(Span(slot.left, rest.end()), "")]
    comma = Edit(Span(slot.left, slot.left + 1), "")
    return [comma, Edit(Span(first, next_line(text, rest.end())), "")]


def _within_line(slot: Slot) -> list[Edit]:
    """An entry that shares its line; comments between it and the comma before it stay."""
    if not slot.is_first and not slot.lead.strip():
        return [Edit(_with_its_line(slot), "")]
    if slot.is_last:
        return [Edit(Span(slot.left, slot.left + 1), ""), Edit(Span(slot.start, slot.end), "")]
    following = _after_blanks(slot.text, slot.right + 1)
    return [Edit(Span(slot.start, following), "")]


def _with_its_line(slot: Slot) -> Span:
    """The comma before an entry and the entry, with the line where the two are all there is."""
    text, first, rest = slot.text, line_start(slot.text, slot.left), rest_is_blank(slot.text, slot.end)
    if rest is None or rest.end() == len(text) or text[first : slot.left].strip(" \t"):
        return Span(slot.left, slot.end)
    return Span(first, next_line(text, rest.end()))


def _after_blanks(text: str, at: int) -> int:
    """Where the next entry starts; right after the comma where a comment stands between."""
    match = blanks(text, at)
    return at if match is None or "#" in match[0] else match.end()
