"""Spans of time as settings have them."""

from __future__ import annotations

import pytest

from tests.cases import each_of
from trialrun.values.amounts import parse_minutes


@each_of(
    [
        (15, 15),
        ("15", 15),
        ("15m", 15),
        ("1h", 60),
        ("1d", 1440),
        ("1h30m", 90),
        (" 2 h ", 120),
        ("1d 1h", 1500),
        (0, 0),
    ],
)
def test_a_duration_is_so_many_minutes(text: int | str, expected: int) -> None:
    assert parse_minutes(text) == expected


@each_of(["", "soon", "-15", -15, "15s", "1.5h", "1h30", "h", "15 minutes", "١٥"])
def test_what_is_no_duration_is_refused(text: int | str) -> None:
    with pytest.raises(ValueError, match="is not a duration; write minutes"):
        parse_minutes(text)
