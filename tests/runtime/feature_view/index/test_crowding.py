"""Crowding keeps the nearest entities of each attribute, and none is lost for it."""

from __future__ import annotations

import random
from itertools import product

import pytest

from tests.cases import each_of
from tests.runtime.feature_view.index.index_fixture import index, naive, near
from trialrun.runtime.feature_view.index.interface import NotSearchable


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
