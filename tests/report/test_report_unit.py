"""Columns in the units of other programs: by hand, and against Python's own encoders."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.diagnostic import Range
from trialrun.report.paths import ColumnUnit, convert_columns, utf8_column, utf16_column
from trialrun.text import Position, Source

ENDINGS = ["\n", "\r\n", "\r"]
texts = st.lists(st.sampled_from([*"aé日🍔\u0301", "\ud800", *ENDINGS])).map("".join)


@each_of(
    [
        (text, column, in_utf16, in_utf8, ending)
        for text, column, in_utf16, in_utf8 in [
            ("abc", 3, 3, 3),
            ("éa", 2, 2, 3),
            ("日a", 2, 2, 4),
            ("🍔a", 2, 3, 5),
            ("👨\u200d👩a", 4, 6, 12),
            ("\ud800a", 2, 2, 4),
            ("🍔", 2, 3, 5),
            ("", 1, 1, 1),
            ("abc", 9, 4, 4),
        ]
        for ending in ["", *ENDINGS]
    ]
)
def test_a_column(text: str, column: int, in_utf16: int, in_utf8: int, ending: str) -> None:
    source = Source("a.yaml", text + ending)
    assert (utf16_column(source, Position(1, column)), utf8_column(source, Position(1, column))) == (in_utf16, in_utf8)


@pytest.mark.parametrize(
    ("encoding", "bom", "in_utf16", "in_utf8"),
    [("utf-8", False, 2, 3), ("utf-8", True, 2, 6), ("utf-16-le", True, 2, 3)],
)
def test_a_byte_order_mark_is_among_the_bytes_of_the_first_line(
    encoding: str, bom: bool, in_utf16: int, in_utf8: int
) -> None:
    source = Source("a.yaml", "éa\néa", encoding, bom)
    assert (utf16_column(source, Position(1, 2)), utf8_column(source, Position(1, 2))) == (in_utf16, in_utf8)
    assert (utf16_column(source, Position(2, 2)), utf8_column(source, Position(2, 2))) == (2, 3)


@given(texts, st.data())
def test_a_column_is_the_length_of_what_stands_before_it(text: str, data: st.DataObject) -> None:
    source = Source("a.yaml", text)
    offset = data.draw(st.integers(0, len(text)))
    before = text[source.line_starts[source.position(offset).line - 1] : offset]
    if before.endswith("\r"):  # between CR and LF there is no place
        return
    assert utf16_column(source, source.position(offset)) == 1 + len(before.encode("utf-16-le", "surrogatepass")) // 2
    assert utf8_column(source, source.position(offset)) == 1 + len(before.encode("utf-8", "surrogatepass"))


@each_of(
    product([utf8_column, utf16_column], [Range(Position(3, 1), Position(3, 2)), Range(Position(1, 1), Position(3, 1))])
)
def test_lines_that_are_gone_have_no_columns(unit: ColumnUnit, place: Range) -> None:
    assert convert_columns(place, Source("a.yaml", "a\nb"), unit) is None
    assert convert_columns(place, None, unit) is None


def test_a_line_that_became_shorter_is_pointed_at_by_its_end() -> None:
    place = Range(Position(1, 8), Position(1, 9))
    assert convert_columns(place, Source("a.yaml", "ab"), utf16_column) == Range(Position(1, 3), Position(1, 3))
