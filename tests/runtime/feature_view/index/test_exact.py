"""Exact search: the nearest rows, the rows that are left out, and questions that do not fit the index."""

from __future__ import annotations

import math
import random
import struct
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_of, number_of_cases
from tests.runtime.feature_view.index.index_fixture import COSINE, DOT, L2, ids_of, index, naive, near, plain
from trialrun.runtime.feature_view.index.interface import NotSearchable, NumericFilter, Query, StringFilter
from trialrun.runtime.feature_view.index.persist import load_index, save_index
from trialrun.runtime.feature_view.index.vector_index import VectorIndex

EACH_DISTANCE = pytest.mark.parametrize("measure", [L2, COSINE, DOT])


def whole(dice: random.Random, *, rows: int, dimension: int, most: int) -> list[list[float]]:
    """Vectors of small whole numbers: many are equal, and sums are exact in whatever order they are made."""
    return [[float(dice.randint(-most, most)) for _ in range(dimension)] for _ in range(rows)]


def fractions(dice: random.Random, *, rows: int, dimension: int, scale: float) -> list[list[float]]:
    return [[dice.gauss(0, scale) for _ in range(dimension)] for _ in range(rows)]


def single(number: float) -> float:
    """A number as float32 has it."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


@EACH_DISTANCE
@settings(max_examples=number_of_cases(60), deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rows=st.sampled_from([1, 2, 30, 49, 200]),
    dimension=st.integers(1, 5),
    most=st.sampled_from([1, 3, 1000]),
    count=st.integers(1, 60),
)
def test_ties_and_all(measure: str, seed: int, rows: int, dimension: int, most: int, count: int) -> None:
    dice = random.Random(seed)
    vectors = whole(dice, rows=rows, dimension=dimension, most=most)
    query = whole(dice, rows=1, dimension=dimension, most=most)[0]
    answer = plain(vectors, distanceMeasureType=measure).search(Query(query, count))
    assert [(neighbor.id, neighbor.distance) for neighbor in answer] == naive(measure, vectors, query, count)


@EACH_DISTANCE
@settings(max_examples=number_of_cases(30), deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-25, 1.0, 1e18]), shift=st.sampled_from([0.0, 1000.0]))
def test_fractions_of_any_size(measure: str, seed: int, scale: float, shift: float) -> None:
    dice = random.Random(seed)
    drawn = fractions(dice, rows=121, dimension=7, scale=scale)
    *vectors, query = [[single(element + shift * scale) for element in vector] for vector in drawn]
    answer = plain(vectors, distanceMeasureType=measure).search(Query(query, 20))
    true = naive(measure, vectors, query, 20)
    unit = 1.0 if measure == COSINE else (scale * max(1.0, shift)) ** 2
    assert [neighbor.id for neighbor in answer] == [id for id, _ in true]
    assert [neighbor.distance for neighbor in answer] == pytest.approx(
        [one for _, one in true], rel=1e-9, abs=1e-13 * unit
    )


def test_the_nearest_of_more_rows_than_are_looked_at_together() -> None:
    dice = random.Random(1)
    vectors = whole(dice, rows=20_000, dimension=2, most=2)
    answer = plain(vectors).search(Query([0.0, 0.0], 900))
    assert [(neighbor.id, neighbor.distance) for neighbor in answer] == naive(L2, vectors, [0.0, 0.0], 900)


def test_an_entity_is_its_own_nearest_though_its_elements_are_doubles() -> None:
    vectors = [[0.1, 0.2], [0.1000001, 0.2]]
    assert plain(vectors).search(Query(vectors[1], 1)) == [((1,), 0.0)]


def test_a_vector_of_zeros_has_no_direction_and_so_the_distance_1() -> None:
    of = plain([[0.0, 0.0], [1.0, 1.0], [-1.0, -1.0]], distanceMeasureType=COSINE)
    assert of.search(Query([2.0, 2.0], 3)) == [((1,), 0.0), ((0,), 1.0), ((2,), 2.0)]
    assert [neighbor.distance for neighbor in of.search(Query([0.0, 0.0], 3))] == [1.0, 1.0, 1.0]


def test_texts_tie_in_the_order_of_their_code_points() -> None:
    ids = ["B", "a", "é", "\U0001f600"]
    assert near(index((id, [1.0]) for id in ids), [1.0], 2) == ["B", "a"]


def test_numbers_tie_in_the_order_of_numbers() -> None:
    assert near(index((id, [1.0]) for id in (-3, 9, 10)), [1.0], 2) == [-3, 9]


def test_more_neighbors_than_there_are_entities() -> None:
    assert near(plain([[1.0], [2.0]]), [0.0], 10) == [0, 1]


def test_no_vectors_at_all() -> None:
    assert near(plain([]), [1.0, 2.0]) == []
    assert near(plain([[math.nan]]), [1.0]) == []


def test_a_dot_product_of_nothing_is_no_negative_zero() -> None:
    (one,) = plain([[0.0]], distanceMeasureType=DOT).search(Query([1.0], 1))
    assert math.copysign(1, one.distance) == 1


def test_without_a_distance_it_is_the_dot_product() -> None:
    assert ids_of(plain([[1.0], [5.0]], distanceMeasureType=None).search(Query([1.0], 2))) == [1, 0]


@each_of(
    [None, [], [1.0], [1.0, 2.0, 3.0], [1.0, math.nan], [math.inf, 1.0], [1.0, 1e300], [1.0, None], ["a", "b"], "ab"]
)
def test_an_unsound_vector(unsound: object) -> None:
    of = index([(0, [0.0, 0.0]), (1, unsound), (2, [2.0, 2.0])], embeddingDimension=2)
    assert near(of, [1.0, 1.0]) == [0, 2]
    assert of.vector((1,)) is None


def test_columns_stay_beside_their_rows() -> None:
    of = index([(0, None, "x"), (1, [1.0], "y"), (2, [math.nan], "x"), (3, [3.0], "z")], columns=["c"])
    assert of.filters["c"].words == ("y", "z")


def test_without_a_dimension_the_most_common_one_counts() -> None:
    assert near(plain([[1.0], [1.0, 1.0], [2.0, 2.0]]), [0.0, 0.0]) == [1, 2]


@each_of(
    [
        ([1.0], "the vector has 1 elements but the index has dimension 2; use a vector of that length"),
        ([1.0, 2.0, 3.0], "the vector has 3 elements but the index has dimension 2; use a vector of that length"),
        ([], "the vector has 0 elements but the index has dimension 2; use a vector of that length"),
        ([1.0, math.nan], "element 1 of the vector, nan, is not a finite float; use finite numbers"),
        ([-math.inf, 1.0], "element 0 of the vector, -inf, is not a finite float; use finite numbers"),
        ([1e300, 1.0], "element 0 of the vector, 1e+300, is not a finite float; use finite numbers"),
        ([None, 1.0], "element 0 of the vector, None, is not a finite float; use finite numbers"),
    ]
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


ROWS = [
    ("a", [0.0, 0.0], "x", ["p", "q"], 2**60 + 1, 0.5, None, True),
    ("b", [1.0, 0.0], None, [], None, None, None, False),
    ("\ud800 é", [2.0, 0.0], "y", ["q"], -1, 2.5, None, True),
]
COLUMNS = ["text", "texts", "whole", "double", "nulls", "flag"]


def an_index() -> VectorIndex:
    return index(ROWS, columns=COLUMNS, crowdingColumn="text")


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"strings": (StringFilter("text", ("x", "y")),)},
        {"strings": (StringFilter("texts", ("q",)),)},
        {"strings": (StringFilter("nulls", deny=("q",)),)},
        {"numbers": (NumericFilter("whole", "LESS", 2**60 + 1),)},
        {"numbers": (NumericFilter("double", "GREATER", 1),)},
        {"per_crowding_attribute": 1},
    ],
)
def test_it_answers_as_it_did(asked: dict[str, object], tmp_path: Path) -> None:
    save_index(an_index(), tmp_path / "1")
    assert near(load_index(tmp_path / "1"), [0.0, 0.0], **asked) == near(an_index(), [0.0, 0.0], **asked)


def test_it_knows_its_vectors_and_its_shape(tmp_path: Path) -> None:
    save_index(an_index(), tmp_path / "1")
    loaded = load_index(tmp_path / "1")
    assert loaded.vector(("b",)) == [1.0, 0.0]
    assert loaded.shape == an_index().shape


@pytest.mark.parametrize("vectors", [[], [None]])
def test_an_empty_index(vectors: list[None], tmp_path: Path) -> None:
    save_index(index(enumerate(vectors)), tmp_path / "1")
    assert near(load_index(tmp_path / "1"), [1.0]) == []


def test_it_takes_the_place_of_another(tmp_path: Path) -> None:
    save_index(index([(1, [1.0])]), tmp_path / "1")
    save_index(index([(2, [1.0])]), tmp_path / "1")
    assert near(load_index(tmp_path / "1"), [1.0]) == [2]
    assert [path.name for path in tmp_path.iterdir()] == ["1"]


def test_what_a_kill_left_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "1.part").mkdir()
    (tmp_path / "1.part" / "vectors.npy").write_bytes(b"half")
    save_index(index([(1, [1.0])]), tmp_path / "1")
    assert near(load_index(tmp_path / "1"), [1.0]) == [1]


def test_a_missing_one(tmp_path: Path) -> None:
    with pytest.raises(NotSearchable, match="the index of the view is missing; sync the view again"):
        load_index(tmp_path / "1")


def files() -> list[str]:
    return ["contents.json", "vectors.npy", "squares.npy", "ids.json", "attributes.npy", "codes-0.npy", "there-2.npy"]


@pytest.mark.parametrize("name", files())
@pytest.mark.parametrize("what", ["gone", "empty", "shorter", "other"])
def test_a_damaged_one(name: str, what: str, tmp_path: Path) -> None:
    save_index(an_index(), tmp_path / "1")
    path = tmp_path / "1" / name
    written = path.read_bytes()
    damage = {"empty": b"", "shorter": written[:-1], "other": b"?" + written[1:]}
    path.unlink() if what == "gone" else path.write_bytes(damage[what])
    with pytest.raises(NotSearchable, match=r"is (missing|damaged).*; sync the view again"):
        load_index(tmp_path / "1")


def test_no_file_is_a_pickle(tmp_path: Path) -> None:
    save_index(an_index(), tmp_path / "1")
    assert {path.suffix for path in (tmp_path / "1").iterdir()} == {".npy", ".json"}
