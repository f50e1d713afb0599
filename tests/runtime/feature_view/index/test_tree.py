"""A tree over more vectors than are looked at one by one."""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.cases import first_of, number_of_cases
from tests.runtime.feature_view.index.index_fixture import COSINE, DOT, L2, index, near
from trialrun.runtime.feature_view.index import vector_index
from trialrun.runtime.feature_view.index.interface import NumericFilter, SearchRequest, StringFilter
from trialrun.runtime.feature_view.index.vector_index import VectorIndex, load_index, save_index

np = pytest.importorskip("numpy")
pytest.importorskip("faiss")

from trialrun.runtime.feature_view.index.tree import SCAN_OF_ONE_QUERY  # noqa: E402

pytestmark = [pytest.mark.generated, pytest.mark.usefixtures("trees_of_fewer_rows")]


@pytest.fixture(scope="module")
def trees_of_fewer_rows() -> Iterator[None]:
    """Have a tree over a quarter of the rows that need one, unless all cases are tried."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_index, "MAX_ROWS_TO_SCAN", number_of_cases(vector_index.MAX_ROWS_TO_SCAN, share=4))
        yield


ROWS = number_of_cases(25_000, share=4)
LEAF = f"{number_of_cases(100, share=4)}"
"""How many vectors are on a leaf, so that there are always 250 leaves."""
MOST_ROWS = 22 * ROWS // 25
QUERIES = 40


@cache
def clustered(dimension: int) -> tuple[list[list[float]], list[list[float]]]:
    """Vectors around 100 centers, and queries like them."""
    dice = np.random.default_rng(7)
    centers = dice.normal(size=(100, dimension))
    drawn = centers[dice.integers(0, 100, ROWS + QUERIES)] + 0.5 * dice.normal(size=(ROWS + QUERIES, dimension))
    vectors = drawn.astype(np.float32)
    return vectors[:ROWS].tolist(), vectors[ROWS:].tolist()


@cache
def tree(measure: str, dimension: int = 16, leaf: str = LEAF) -> VectorIndex:
    """The index of the vectors; t is a text that one in a hundred shares, n the number of the row."""
    dice = random.Random(3)
    rows = [(id, one, f"t{dice.randrange(100)}", id) for id, one in enumerate(clustered(dimension)[0])]
    of = {"distanceMeasureType": measure, "treeAhConfig": {"leafNodeEmbeddingCount": leaf}, "crowdingColumn": "t"}
    return index(rows, columns=["t", "n"], **of)


def recall(of: VectorIndex, queries: Sequence[SearchRequest]) -> float:
    """The share of the true neighbors that the answers have."""
    pairs = [({id for id, _ in of.search(query)}, of.search(query, exactly=True)) for query in queries]
    return sum(id in ids for ids, true in pairs for id, _ in true) / sum(len(true) for _, true in pairs)


def queries(dimension: int = 16, **further: object) -> list[SearchRequest]:
    return [SearchRequest(vector, 10, **further) for vector in clustered(dimension)[1]]  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", [L2, COSINE, DOT])
def test_most_true_neighbors_are_found(measure: str) -> None:
    assert tree(measure).tree
    assert recall(tree(measure), queries()) >= 0.95


@pytest.mark.parametrize("dimension", first_of([1, 3, 9], 2))
@pytest.mark.parametrize("measure", first_of([L2, DOT]))
def test_few_dimensions(measure: str, dimension: int) -> None:
    assert recall(tree(measure, dimension), queries(dimension)) >= 0.95


@pytest.mark.parametrize("leaf", first_of(["1000000", "7"]))
def test_one_leaf_and_thousands(leaf: str) -> None:
    assert recall(tree(L2, leaf=leaf), queries()) >= 0.9


def test_distances_are_those_of_exact_search() -> None:
    for query in queries():
        exact = dict(tree(L2).search(query, exactly=True))
        assert all(exact.get(id, one) == one for id, one in tree(L2).search(query))


def test_two_builds_answer_alike(tmp_path: Path) -> None:
    built = [tree.__wrapped__(COSINE), tree.__wrapped__(COSINE)]
    save_index(built[0], tmp_path / "1")
    answers = [[of.search(query) for query in queries()] for of in (*built, load_index(tmp_path / "1"))]
    assert answers[0] == answers[1] == answers[2]


def test_leaves_are_scanned_as_is_fastest_for_one_query_and_as_they_are_by_default(tmp_path: Path) -> None:
    save_index(tree(L2), tmp_path / "1")
    for of in (tree(L2), load_index(tmp_path / "1")):
        assert of.tree
        assert of.tree.index.implem == SCAN_OF_ONE_QUERY
    answers = [of.search(query) for query in queries()]
    of.tree.index.implem = 0
    assert answers == [of.search(query) for query in queries()]


def test_a_narrow_filter_is_exact() -> None:
    strings = (StringFilter("t", ("t1",)),)
    assert recall(tree(L2), queries(strings=strings)) == 1.0


def test_a_wide_filter_searches_more_leaves() -> None:
    asked = queries(numbers=(NumericFilter("n", "LESS", MOST_ROWS),), leaves_fraction=0.25)
    assert recall(tree(L2), asked) >= 0.95
    assert all(id < MOST_ROWS for query in asked for (id,), _ in tree(L2).search(query))  # type: ignore[operator]


def test_all_leaves_and_many_candidates_miss_nothing() -> None:
    assert recall(tree(DOT), queries(leaves_fraction=1.0, candidates=ROWS // 5)) == 1.0


def test_few_leaves_miss_some() -> None:
    assert recall(tree(L2), queries(leaves_fraction=0.0, candidates=10)) < 0.9


def test_crowding_keeps_one_of_each_attribute() -> None:
    asked = queries(per_crowding_attribute=1)
    texts = {id: f"t{number}" for id, number in _attributes(random.Random(3))}
    for query in asked:
        found = near(tree(L2), query.vector, per_crowding_attribute=1)
        assert len({texts[id] for id in found}) == len(found) == 10  # type: ignore[index]
    assert recall(tree(L2), asked) >= 0.95


def _attributes(dice: random.Random) -> list[tuple[int, int]]:
    return [(id, dice.randrange(100)) for id in range(ROWS)]


def test_as_many_neighbors_as_there_are_entities() -> None:
    (one, *_) = clustered(16)[1]
    assert len(tree(L2).search(SearchRequest(one, ROWS))) == ROWS


def test_ties_are_in_the_order_of_entity_ids() -> None:
    """Each vector is there 50 times; of equal candidates those with the least ids are the neighbors."""
    vectors = clustered(16)[0][: ROWS // 50]
    of = index([(id, vectors[id % len(vectors)]) for id in range(ROWS)], treeAhConfig={})
    assert near(of, vectors[3], 10, candidates=2 * ROWS // 25) == [3 + len(vectors) * at for at in range(10)]


@pytest.mark.parametrize("element", [0.0, -1.0, 1.0])
def test_vectors_of_zeros_have_the_cosine_distance_one_in_a_tree_too(element: float) -> None:
    """The elements of the other vectors are positive: one of negative elements is farther from them than from zeros."""
    vectors = [[abs(one) if id % 3 else 0.0 for one in vector] for id, vector in enumerate(clustered(16)[0])]
    of = index(list(enumerate(vectors)), distanceMeasureType=COSINE, treeAhConfig={})
    found = of.search(SearchRequest([element] * 16, ROWS // 25, candidates=ROWS // 5))
    exact = dict(of.search(SearchRequest([element] * 16, ROWS), exactly=True))
    assert all(exact[id] == distance for id, distance in found)
    assert {exact[id,] for id in range(0, ROWS, 3)} == {1.0}
    are_zeros = {id % 3 == 0 for (id,), _ in found}  # type: ignore[operator]
    assert element == 0.0 or are_zeros == {element < 0}


@pytest.mark.parametrize("scale", [1e-30, 1e30])
@pytest.mark.parametrize("measure", [L2, COSINE, DOT])
def test_a_query_of_another_size_than_the_vectors(measure: str, scale: float) -> None:
    query = SearchRequest([element * scale for element in clustered(16)[1][0]], 10)
    assert tree(measure).search(query) == tree(measure).search(query, exactly=True)
