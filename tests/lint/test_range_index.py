"""Ranges of a file that lie around a place, or in it."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.diagnostic import Range
from trialrun.lint.fact_locations import RangeIndex
from trialrun.text import Position


def on_a_line(start: int, end: int) -> Range:
    return Range(Position(1, start), Position(1, end))


RANGES = RangeIndex([on_a_line(20, 30), on_a_line(1, 10), on_a_line(5, 25)])


@each_of([(1, 10, True), (2, 9, True), (1, 11, False), (6, 25, True), (19, 26, False), (21, 30, True), (31, 31, False)])
def test_around_a_place(start: int, end: int, surrounded: bool) -> None:
    assert RANGES.any_encloses(on_a_line(start, end)) is surrounded


@each_of([(1, 10, True), (2, 24, False), (2, 25, True), (19, 29, False), (6, 30, True)])
def test_inside_of_a_place(start: int, end: int, holds: bool) -> None:
    assert RANGES.any_within(on_a_line(start, end)) is holds


def test_no_ranges() -> None:
    assert not RangeIndex([])
    assert not RangeIndex([]).any_encloses(on_a_line(1, 1))
    assert not RangeIndex([]).any_within(on_a_line(1, 9))
