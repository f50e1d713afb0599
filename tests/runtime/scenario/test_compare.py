"""Whether a served value is the one that a document expects."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.cases import each_of
from trialrun.runtime.scenario.format import matches_expected

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@each_of(
    [
        (None, None),
        (True, True),
        (7, 7),
        (7, 7.0),
        (0.1, 0.1),
        ("7", "7"),
        (math.nan, math.nan),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
        (b"\x00\x01", "AAE="),
        (NOON, "2026-03-02T12:00:00Z"),
        (NOON, "2026-03-02T13:00:00+01:00"),
        ([1.0, 0.0], [1, 0]),
        ((NOON,), ["2026-03-02T12:00:00Z"]),
    ],
)
def test_the_same(got: Any, expected: Any) -> None:
    assert matches_expected(got, expected)


@each_of(
    [
        (None, 0),
        (0, None),
        (True, 1),
        (1, True),
        (7, "7"),
        ("7", 7),
        (0.1, 0.1000001),
        pytest.param(0.1, 10**400, id="beyond-all-floats"),
        pytest.param(math.nan, 10**400, id="nan-and-beyond-all-floats"),
        (math.nan, 0),
        (math.inf, -math.inf),
        (b"\x00", "AAE="),
        (NOON, "2026-03-02T12:00:01Z"),
        (NOON, "noon"),
        ([1, 0], [1]),
        ([1, 0], [0, 1]),
        ([1], 1),
    ],
)
def test_not_the_same(got: Any, expected: Any) -> None:
    assert not matches_expected(got, expected)


def test_numbers_may_be_off_by_the_tolerance() -> None:
    assert matches_expected([0.1], [0.11], tolerance=0.02)
    assert not matches_expected([0.1], [0.13], tolerance=0.02)
