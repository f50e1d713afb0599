"""Filters decide, before anything is ranked, which entities are looked at."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from tests.cases import each_of
from tests.runtime.feature_view.index.index_fixture import index, near
from trialrun.runtime.feature_view.index.interface import NotSearchable, NumericFilter, Operator, StringFilter


def kept_values(values: list[object], *filters: StringFilter | NumericFilter) -> list[object]:
    """The numbers of the values that filters on their column keep."""
    of = index([(id, [float(id)], value) for id, value in enumerate(values)], columns=["c"])
    strings = tuple(filter_ for filter_ in filters if isinstance(filter_, StringFilter))
    numbers = tuple(filter_ for filter_ in filters if isinstance(filter_, NumericFilter))
    return near(of, [0.0], 100, strings=strings, numbers=numbers)


def texts(*, allow: tuple[str, ...] = (), deny: tuple[str, ...] = ()) -> StringFilter:
    return StringFilter("c", allow, deny)


@each_of(
    [
        (texts(), [0, 1, 2, 3]),
        (texts(allow=("a",)), [0]),
        (texts(allow=("a", "b", "never")), [0, 1]),
        (texts(deny=("a",)), [1, 2, 3]),
        (texts(deny=("never",)), [0, 1, 2, 3]),
        (texts(allow=("a", "b"), deny=("a",)), [1]),
        (texts(allow=("",)), [3]),
        (texts(allow=("A",)), []),
    ],
)
def test_texts(filter: StringFilter, expected: list[int]) -> None:
    assert kept_values(["a", "b", None, ""], filter) == expected


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (texts(allow=("a",)), [0, 1]),
        (texts(deny=("b",)), [0, 2, 3]),
        (texts(allow=("a",), deny=("b",)), [0]),
    ],
)
def test_one_of_several_texts_is_enough(filter: StringFilter, expected: list[int]) -> None:
    assert kept_values([["a"], ["a", "b"], [], None], filter) == expected


@each_of(
    [
        (operator, values, value, expected)
        for operator, expected in [
            ("LESS", [0]),
            ("LESS_EQUAL", [0, 1]),
            ("EQUAL", [1]),
            ("NOT_EQUAL", [0, 2]),
            ("GREATER_EQUAL", [1, 2]),
            ("GREATER", [2]),
        ]
        for values in [[1, 2, 3, None], [1.0, 2.0, 3.0, math.nan]]
        for value in [2, 2.0]
    ]
)
def test_numbers(operator: Operator, values: list[object], value: float, expected: list[int]) -> None:
    assert kept_values(values, NumericFilter("c", operator, value)) == expected


BIG = 2**53
SAMPLES: list[float] = [-math.inf, -1.5, -1.0, 0.5, 2.0, float(BIG), float(BIG + 2), 1e300, math.inf]
WHOLE = [-(2**63), -2, -1, 0, 1, BIG, BIG + 1, BIG + 2, 2**63 - 1]
VALUES: list[int | float] = [*SAMPLES, *WHOLE, 2**63, 10**400, -(10**400)]
COMPARED = {
    "LESS": lambda one, other: one < other,
    "LESS_EQUAL": lambda one, other: one <= other,
    "EQUAL": lambda one, other: one == other,
    "NOT_EQUAL": lambda one, other: one != other,
    "GREATER_EQUAL": lambda one, other: one >= other,
    "GREATER": lambda one, other: one > other,
}


@pytest.mark.parametrize("operator", COMPARED)
@pytest.mark.parametrize("column", [SAMPLES, WHOLE], ids=["floats", "integers"])
def test_numbers_are_compared_exactly(operator: Operator, column: list[float]) -> None:
    for value in VALUES:
        expected = [id for id, one in enumerate(column) if COMPARED[operator](one, value)]
        assert kept_values([*column], NumericFilter("c", operator, value)) == expected, value


def test_all_filters_hold_together() -> None:
    of = index([(0, [0.0], "a", 1), (1, [1.0], "a", 2), (2, [2.0], "b", 2)], columns=["c", "n"])
    strings, numbers = (texts(allow=("a",)),), (NumericFilter("n", "GREATER", 1),)
    assert near(of, [0.0], strings=strings, numbers=numbers) == [1]


def test_a_column_of_nulls_takes_both_filters() -> None:
    assert kept_values([None, None], texts(deny=("a",))) == [0, 1]
    assert kept_values([None, None], texts(allow=("a",))) == []
    assert kept_values([None, None], NumericFilter("c", "NOT_EQUAL", 1)) == []


@each_of(
    [
        (1, texts(allow=("1",)), 'column "c" holds numbers; compare it with a numeric filter'),
        ("1", NumericFilter("c", "EQUAL", 1), 'column "c" holds text; filter it by allowed or denied tokens'),
        (True, NumericFilter("c", "EQUAL", 1), 'column "c" holds booleans, which no filter can compare'),
        (True, texts(allow=("true",)), 'column "c" holds booleans, which have no tokens'),
        ([1, 2], NumericFilter("c", "EQUAL", 1), 'column "c" holds lists of numbers, which no filter can compare'),
        (datetime(2026, 1, 1, tzinfo=UTC), texts(allow=("2026",)), 'column "c" holds timestamps, which have no tokens'),
        (b"1", texts(allow=("1",)), 'column "c" holds bytes, which have no tokens'),
        (1.5, NumericFilter("c", "EQUAL", math.nan), 'the numeric filter on "c" compares with NaN'),
        ("a", StringFilter("d", ("a",)), '"d" is not among the filterColumns of the view; there are c'),
        ("a", StringFilter("C", ("a",)), '"C" is not among the filterColumns of the view; did you mean "c"?'),
    ],
)
def test_a_filter_that_does_not_fit(value: object, filter: StringFilter | NumericFilter, message: str) -> None:
    with pytest.raises(NotSearchable) as caught:
        kept_values([value], filter)
    assert str(caught.value).startswith(message)


def test_the_one_live_entity_is_found_however_far_it_is() -> None:
    of = index(((id, [float(id)], "x" if id == 4999 else "y") for id in range(5000)), columns=["c"])
    assert near(of, [0.0], 3, strings=(StringFilter("c", ("x",)),)) == [4999]
