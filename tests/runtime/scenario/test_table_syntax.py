"""Rows written as a text."""

from __future__ import annotations

from typing import Any

import pytest

from trialrun.runtime.scenario.given import parse_rows

TABLE = r"""
| id | tier   | visits | score | speaks   | note       |
|----|:-------|-------:|-------|----------|------------|
| g1 | gold   | 12     | .5    | [en, fr] | a \| b     |
| g2 |        | -1     | NaN   | []       | "null"     |
| 3  | null   | 1e3    | 2.0   | [1, 2.5] | "say \"x\"" |
"""


def test_cells_are_read_like_yaml() -> None:
    assert parse_rows(TABLE) == [
        {"id": "g1", "tier": "gold", "visits": 12, "score": 0.5, "speaks": ["en", "fr"], "note": "a | b"},
        {"id": "g2", "tier": None, "visits": -1, "score": "NaN", "speaks": [], "note": "null"},
        {"id": 3, "tier": None, "visits": 1000.0, "score": 2.0, "speaks": [1, 2.5], "note": 'say "x"'},
    ]


def test_cells_of_text_columns_stay_as_they_stand() -> None:
    row: dict[str, Any] = {"a": "007", "b": "true", "c": "[x]", "d": 7}
    assert parse_rows("a | b | c | d\n007 | true | [x] | 7", texts={"a", "b", "c"}) == [row]


def test_a_table_needs_no_outer_bars_and_no_rule() -> None:
    assert parse_rows("a|b\n1|2\n") == parse_rows("| a | b |\n|---|---|\n| 1 | 2 |") == [{"a": 1, "b": 2}]


def test_an_empty_last_cell_is_null() -> None:
    assert parse_rows("| a | b |\n| 1 | |") == [{"a": 1, "b": None}]


def test_the_first_line_alone_is_a_table_without_rows() -> None:
    assert parse_rows("| a | b |") == []


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "the table is empty"),
        ("| a | b |\n| 1 |", "line 2 of the table has 1 cell and its first line 2"),
        ("| a | b |\n\n| 1 | 2 | 3 |", "line 3 of the table has 3 cells"),
        ("| a | a |\n| 1 | 2 |", "a column without a name, or one twice"),
        ("| a | |\n| 1 | 2 |", "a column without a name, or one twice"),
    ],
)
def test_what_is_no_table(table: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_rows(table)
