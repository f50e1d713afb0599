"""Text edits that turn one text into another, so that cursors between them keep their positions."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from trialrun.diagnostic import Range, TextEdit
from trialrun.text import Source

MAX_COMPARED_LINES: Final = 2000
"""Lines between the first and the last that differ: more of them are replaced as a whole, which takes no time."""


def diff_edits(before: Source, after: Source) -> tuple[TextEdit, ...]:
    """The edits of whole lines that make `after` of `before`, in order."""
    old, new = _lines(before), _lines(after)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    changes = _changes(old[first : len(old) - last], new[first : len(new) - last])
    starts = [*before.line_starts, len(before.text)]
    edits: list[TextEdit] = []
    for start, end, text in changes:
        place = Range(before.position(starts[first + start]), before.position(starts[first + end]))
        edits.append(TextEdit(place, text))
    return tuple(edits)


def _lines(source: Source) -> list[str]:
    """The lines with their breaks."""
    ends = [*source.line_starts[1:], len(source.text)]
    return [source.text[start:end] for start, end in zip(source.line_starts, ends, strict=True)]


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[int, int, str]]:
    """The runs of lines that differ: where each starts and ends, and what is there then."""
    if max(len(old), len(new)) > MAX_COMPARED_LINES:
        yield 0, len(old), "".join(new)
        return
    # Lines that stand everywhere are not compared by: a thousand equal ones would take a quarter of a minute.
    matcher = SequenceMatcher(None, old, new, autojunk=True)
    for sort, start, end, new_start, new_end in matcher.get_opcodes():
        if sort != "equal":
            yield start, end, "".join(new[new_start:new_end])
