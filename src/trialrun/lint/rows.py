"""Lines and columns as JSON can hold them."""

from __future__ import annotations

from trialrun.diagnostic import Range
from trialrun.text import Position


def row_of(one: Range) -> list[int]:
    """The four numbers of a range."""
    return [one.start.line, one.start.column, one.end.line, one.end.column]


def range_of_row(row: list[int]) -> Range:
    """The range of its four numbers."""
    return Range(Position(row[0], row[1]), Position(row[2], row[3]))
