"""Columns in the units that other programs count in, also far into a long line."""

import pytest

from tests.cases import each_of
from trialrun.text import Position, Source

LINE = "a🍔ß" * 2000
SOURCE = Source("a.yaml", f"first\r\n{LINE}\r\nlast")


@each_of([1, 2, 3, 4, 1024, 1025, 1026, 3000, 6000, 6001])
def test_columns_count_the_units_before_them(column: int) -> None:
    before = LINE[: column - 1]
    place = Position(2, column)
    assert SOURCE.column(place) == column
    assert SOURCE.utf16_column(place) == 1 + len(before.encode("utf-16-le")) // 2
    assert SOURCE.utf8_column(place) == 1 + len(before.encode())


def test_a_column_beyond_the_line_is_that_of_its_end() -> None:
    beyond = Position(2, 7000)
    assert SOURCE.column(beyond) == len(LINE) + 1
    assert SOURCE.utf16_column(beyond) == 1 + len(LINE.encode("utf-16-le")) // 2
    assert SOURCE.utf8_column(beyond) == 1 + len(LINE.encode())


@pytest.mark.parametrize(("number", "line"), [(1, "first"), (2, LINE), (3, "last")])
def test_a_line_is_without_its_line_break(number: int, line: str) -> None:
    assert SOURCE.line(number) == line
