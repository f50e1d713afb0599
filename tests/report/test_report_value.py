"""Values as programs and people read them."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone
from itertools import product

import pytest

from tests.cases import each_of
from trialrun.report.format_value import format_rfc3339, format_value, to_json_value, truncate
from trialrun.report.table import align_columns, align_if_wide_enough, join_cells
from trialrun.report.terminal_width import width

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
VALUES = [
    (None, None, "null"),
    (True, True, "true"),
    (7, 7, "7"),
    (0.1, 0.1, "0.1"),
    (math.nan, "NaN", "NaN"),
    (-math.inf, "-Infinity", "-Infinity"),
    ("", "", '""'),
    (" a", " a", '" a"'),
    ("two words", "two words", "two words"),
    ("\x1b[31m", "\x1b[31m", "\\x1b[31m"),
    (b"\x00\xff", "AP8=", "AP8= (2 bytes)"),
    (b"", "", "(0 bytes)"),
    (NOON, "2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z"),
    (["en", "fr"], ["en", "fr"], '["en", "fr"]'),
    ((1.23456, None, math.inf), [1.23456, None, "Infinity"], "[1.235, null, Infinity]"),
    ([0.5] * 768, [0.5] * 768, "[0.5, 0.5, 0.5, … 768 values]"),
    ([], [], "[]"),
    ([NOON], ["2026-11-20T12:00:00Z"], "[2026-11-20T12:00:00Z]"),
]
ROWS = [["id", "name", "price"], ["a", "Ærøskøbing smørrebrød", "7.25"], ["b", "面", "12"]]


@each_of(VALUES)
def test_a_value(value: object, as_json: object, as_text: str) -> None:
    assert to_json_value(value) == as_json
    assert format_value(value) == as_text


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (NOON + timedelta(milliseconds=20), "2026-11-20T12:00:00.020Z"),
        (NOON + timedelta(microseconds=20), "2026-11-20T12:00:00.000020Z"),
        (NOON.astimezone(timezone(timedelta(hours=-6))), "2026-11-20T12:00:00Z"),
    ],
)
def test_a_moment_has_no_or_3_or_6_digits(moment: datetime, text: str) -> None:
    assert format_rfc3339(moment) == text


@each_of(product(["abcdef", "a面面面面", "面面面面", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301"], [1, 2, 3, 4, 5]))
def test_what_is_cut_fits_and_says_so(text: str, room: int) -> None:
    assert width(truncate(text, room)) <= room
    assert truncate(text, room).endswith("…")


def test_columns_stand_below_each_other() -> None:
    cells = align_columns(ROWS, width=60, right=(2,))
    assert cells is not None
    assert [join_cells(row) for row in cells] == [
        "id  name                   price",
        "a   Ærøskøbing smørrebrød   7.25",
        "b   面                        12",
    ]


def test_the_widest_column_gives_way() -> None:
    cells = align_columns(ROWS, width=20)
    assert cells is not None
    assert [join_cells(row) for row in cells] == ["id  name       price", "a   Ærøskøbi…  7.25", "b   面         12"]


def test_the_head_is_not_cut() -> None:
    assert align_columns([["a long name"], ["x"]], width=10) == [["a long na…"], ["x"]]
    assert align_columns([["a long name"], ["x"]], width=10, head=True) is None


def test_too_many_columns_make_no_table() -> None:
    assert align_columns([["a long text"] * 4], width=30) is None


def test_what_has_no_room_for_a_table_is_safe_for_a_terminal_nevertheless() -> None:
    assert align_if_wide_enough([["a long \x1b[31mname", "a long text"]], width=9) == [
        ["a long \\x1b[31mname", "a long text"]
    ]
