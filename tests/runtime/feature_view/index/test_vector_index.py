"""Indexes without a tree: the nearest rows, filters, crowding, files, and questions that do not fit."""

import math
import random
import struct
import sys
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_of, number_of_cases
from tests.runtime.feature_view.index.index_fixture import COSINE, DOT, L2, ids_of, index, naive, near, plain
from trialrun.runtime.feature_view.index.interface import (
    NotSearchable,
    NumericFilter,
    Operator,
    SearchRequest,
    StringFilter,
)
from trialrun.runtime.feature_view.index.vector_index import VectorIndex, load_index, save_index

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
    answer = plain(vectors, distanceMeasureType=measure).search(SearchRequest(query, count))
    assert answer == naive(measure, vectors, query, count)


@EACH_DISTANCE
@settings(max_examples=number_of_cases(30), deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-25, 1.0, 1e18]), shift=st.sampled_from([0.0, 1000.0]))
def test_fractions_of_any_size(measure: str, seed: int, scale: float, shift: float) -> None:
    drawn = fractions(random.Random(seed), rows=121, dimension=7, scale=scale)
    *vectors, query = [[single(element + shift * scale) for element in vector] for vector in drawn]
    answer = plain(vectors, distanceMeasureType=measure).search(SearchRequest(query, 20))
    true = naive(measure, vectors, query, 20)
    unit = 1.0 if measure == COSINE else (scale * max(1.0, shift)) ** 2
    assert [id for id, _ in answer] == [id for id, _ in true]
    assert [distance for _, distance in answer] == pytest.approx([one for _, one in true], rel=1e-9, abs=1e-13 * unit)


def test_the_nearest_of_more_rows_than_are_looked_at_together() -> None:
    vectors = whole(random.Random(1), rows=20_000, dimension=2, most=2)
    assert plain(vectors).search(SearchRequest([0.0, 0.0], 900)) == naive(L2, vectors, [0.0, 0.0], 900)


def test_an_entity_is_its_own_nearest_though_its_elements_are_doubles() -> None:
    vectors = [[0.1, 0.2], [0.1000001, 0.2]]
    assert plain(vectors).search(SearchRequest(vectors[1], 1)) == [((1,), 0.0)]


def test_a_vector_of_zeros_has_no_direction_and_so_the_distance_1() -> None:
    of = plain([[0.0, 0.0], [1.0, 1.0], [-1.0, -1.0]], distanceMeasureType=COSINE)
    assert of.search(SearchRequest([2.0, 2.0], 3)) == [((1,), 0.0), ((0,), 1.0), ((2,), 2.0)]
    assert [distance for _, distance in of.search(SearchRequest([0.0, 0.0], 3))] == [1.0, 1.0, 1.0]


def test_texts_tie_in_the_order_of_their_code_points() -> None:
    ids = ["B", "a", "é", "\U0001f600"]
    assert near(index((id, [1.0]) for id in ids), [1.0], 2) == ["B", "a"]


def test_numbers_tie_in_the_order_of_numbers() -> None:
    assert near(index((id, [1.0]) for id in (-3, 9, 10)), [1.0], 2) == [-3, 9]


def test_a_dot_product_of_nothing_is_no_negative_zero() -> None:
    ((_, distance),) = plain([[0.0]], distanceMeasureType=DOT).search(SearchRequest([1.0], 1))
    assert math.copysign(1, distance) == 1


def test_without_a_distance_it_is_the_dot_product() -> None:
    assert ids_of(plain([[1.0], [5.0]], distanceMeasureType=None).search(SearchRequest([1.0], 2))) == [1, 0]


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
        of.search(SearchRequest(**{"vector": [1.0], "count": 1} | asked))
    assert str(caught.value) == message


def test_a_config_without_the_column_of_the_vectors() -> None:
    with pytest.raises(NotSearchable, match="the index config has no embeddingColumn; set it to the column"):
        index([(0, [1.0])], embeddingColumn=None)


def test_without_an_algorithm_it_is_exact() -> None:
    assert near(index([(0, [1.0])], bruteForceConfig=None), [1.0]) == [0]


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


@each_of([([None, None, "a", "a"], [0, 1, 2]), ([["a", "b"], ["a", "b"], ["b"]], [0, 2])])
def test_entities_without_an_attribute_crowd_nobody_and_equal_lists_are_one(values: list[Any], ids: list[int]) -> None:
    rows = [(number, [float(number)], value) for number, value in enumerate(values)]
    assert near(index(rows, columns=["c"], crowdingColumn="c"), [0.0], per_crowding_attribute=1) == ids


def test_crowding_needs_its_column() -> None:
    with pytest.raises(NotSearchable, match="has no crowdingColumn; set it, and sync the view again"):
        near(index([(0, [0.0])]), [0.0], per_crowding_attribute=1)
