"""Filters and crowding: which entities may be among the neighbors."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime
from itertools import product

import pytest

from tests.cases import each_of
from tests.runtime.feature_view.index.index_fixture import index, naive, near
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
    ]
)
def test_texts(filter: StringFilter, expected: list[int]) -> None:
    assert kept_values(["a", "b", None, ""], filter) == expected


@pytest.mark.parametrize(
    ("filter", "expected"),
    [(texts(allow=("a",)), [0, 1]), (texts(deny=("b",)), [0, 2, 3]), (texts(allow=("a",), deny=("b",)), [0])],
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
    ]
)
def test_a_filter_that_does_not_fit(value: object, filter: StringFilter | NumericFilter, message: str) -> None:
    with pytest.raises(NotSearchable) as caught:
        kept_values([value], filter)
    assert str(caught.value).startswith(message)


def test_the_one_live_entity_is_found_however_far_it_is() -> None:
    of = index(((id, [float(id)], "x" if id == 4999 else "y") for id in range(5000)), columns=["c"])
    assert near(of, [0.0], 3, strings=(StringFilter("c", ("x",)),)) == [4999]


def greedy(attributes: list[object], *, most: int, count: int) -> list[int]:
    """What a walk outward from 0 takes, by plain loops: entity i is at the place i."""
    taken: list[int] = []
    for id, attribute in enumerate(attributes):
        crowd = [one for one in taken if attributes[one] == attribute]
        if len(taken) < count and (attribute is None or len(crowd) < most):
            taken.append(id)
    return taken


@each_of(product([1, 3], [1, 2, 7, 400]))
def test_a_walk_outward(most: int, sorts: int) -> None:
    dice = random.Random(sorts)
    attributes: list[object] = [dice.randrange(sorts) for _ in range(1000)]
    of = index(((id, [float(id)], one) for id, one in enumerate(attributes)), columns=["c"], crowdingColumn="c")
    assert near(of, [0.0], 10, per_crowding_attribute=most) == greedy(attributes, most=most, count=10)


def test_the_last_entity_counts_when_all_others_are_one_crowd() -> None:
    rows = ((id, [float(id)], "far" if id == 4999 else "crowd") for id in range(5000))
    assert near(index(rows, columns=["c"], crowdingColumn="c"), [0.0], 2, per_crowding_attribute=1) == [0, 4999]


def test_entities_without_an_attribute_crowd_nobody() -> None:
    rows = [(0, [0.0], None), (1, [1.0], None), (2, [2.0], "a"), (3, [3.0], "a")]
    assert near(index(rows, columns=["c"], crowdingColumn="c"), [0.0], per_crowding_attribute=1) == [0, 1, 2]


def test_equal_lists_are_one_attribute() -> None:
    rows = [(0, [0.0], ["a", "b"]), (1, [1.0], ["a", "b"]), (2, [2.0], ["b"])]
    assert near(index(rows, columns=["c"], crowdingColumn="c"), [0.0], per_crowding_attribute=1) == [0, 2]


def test_without_asking_nothing_is_thinned_out() -> None:
    rows = [(0, [0.0], "a"), (1, [1.0], "a")]
    of = index(rows, columns=["c"], filterColumns=[], crowdingColumn="c")
    assert near(of, [0.0]) == [id for (id,), _ in naive("SQUARED_L2_DISTANCE", [[0.0], [1.0]], [0.0], 2)]


def test_crowding_needs_its_column() -> None:
    with pytest.raises(NotSearchable, match="has no crowdingColumn; set it, and sync the view again"):
        near(index([(0, [0.0])]), [0.0], per_crowding_attribute=1)
