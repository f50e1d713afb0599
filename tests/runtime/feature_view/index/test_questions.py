"""What does not fit an index is said, with what to do."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest

from tests.cases import each_of
from tests.runtime.feature_view.index.index_fixture import index, near, plain
from trialrun.runtime.feature_view.index.interface import NotSearchable, Query


@each_of(
    [
        ([1.0], "the vector has 1 elements but the index has dimension 2; use a vector of that length"),
        ([1.0, 2.0, 3.0], "the vector has 3 elements but the index has dimension 2; use a vector of that length"),
        ([], "the vector has 0 elements but the index has dimension 2; use a vector of that length"),
        ([1.0, math.nan], "element 1 of the vector, nan, is not a finite float; use finite numbers"),
        ([-math.inf, 1.0], "element 0 of the vector, -inf, is not a finite float; use finite numbers"),
        ([1e300, 1.0], "element 0 of the vector, 1e+300, is not a finite float; use finite numbers"),
        ([None, 1.0], "element 0 of the vector, None, is not a finite float; use finite numbers"),
    ],
)
def test_a_vector(vector: list[Any], message: str) -> None:
    with pytest.raises(NotSearchable) as caught:
        near(plain([[1.0, 2.0]]), vector)
    assert str(caught.value) == message


@pytest.mark.parametrize("vector", [["a", "b"], [[1.0], [2.0]], [[1.0], 2.0]])
def test_a_vector_of_something_else(vector: list[Any]) -> None:
    with pytest.raises(NotSearchable):
        near(plain([[1.0, 2.0]]), vector)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"count": 0}, "0 neighbors are requested; request 1 or more"),
        ({"candidates": 0}, "0 candidates are requested; request 1 or more"),
        ({"leaves_fraction": 1.5}, "the fraction of leaves is 1.5; use a value from 0 to 1"),
        ({"leaves_fraction": math.nan}, "the fraction of leaves is nan; use a value from 0 to 1"),
        ({"per_crowding_attribute": 0}, "0 neighbors per crowding attribute are requested; request 1 or more"),
    ],
)
def test_a_number_out_of_range(asked: dict[str, Any], message: str) -> None:
    of = index([(0, [1.0], "a")], columns=["c"], crowdingColumn="c")
    with pytest.raises(NotSearchable) as caught:
        of.search(Query(**{"vector": [1.0], "count": 1} | asked))
    assert str(caught.value) == message


def test_a_config_without_the_column_of_the_vectors() -> None:
    with pytest.raises(NotSearchable, match="the index config has no embeddingColumn; set it to the column"):
        index([(0, [1.0])], embeddingColumn=None)


def test_without_an_algorithm_it_is_exact() -> None:
    assert near(index([(0, [1.0])], bruteForceConfig=None), [1.0]) == [0]


def test_an_entity_that_is_not_there() -> None:
    assert plain([[1.0]]).vector((1,)) is None
    assert plain([[1.0]]).vector(("0",)) is None
    assert plain([[1.0]]).vector((0,)) == [1.0]


def test_a_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "trialrun.runtime.feature_view.index.tree", raising=False)
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(
        NotSearchable, match="needs faiss, which is not installed; run pip install 'trialrun\\[runtime\\]'"
    ):
        index(((id, [1.0]) for id in range(20_001)), treeAhConfig={})
