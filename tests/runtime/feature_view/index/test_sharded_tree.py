"""A tree over several shards finds no fewer of the true neighbors than that of one index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import first_of
from tests.runtime.feature_view.index.index_fixture import COSINE, DOT, L2
from tests.runtime.feature_view.index.sharded_fixture import one_index, sharded
from tests.runtime.feature_view.index.test_tree import LEAF, MOST_ROWS, ROWS, clustered, queries, recall, tree
from trialrun.runtime.feature_view.index.interface import NumericFilter, Query
from trialrun.runtime.feature_view.index.persist import read_contents, title_of
from trialrun.runtime.feature_view.index.shard import Sharding
from trialrun.runtime.feature_view.index.shard_files import load_shard
from trialrun.runtime.feature_view.index.sharded import LocalSearcher, ShardedIndex, files_of_shards, load_any_index
from trialrun.runtime.feature_view.index.vector_index import VectorIndex

np = pytest.importorskip("numpy")
pytest.importorskip("faiss")

from trialrun.runtime.feature_view.index.distance import query_vector  # noqa: E402
from trialrun.runtime.feature_view.index.tree import join_trees  # noqa: E402

pytestmark = [pytest.mark.generated, pytest.mark.usefixtures("trees_of_fewer_rows")]
TREE = {"treeAhConfig": {"leafNodeEmbeddingCount": LEAF}, "crowdingColumn": "t"}


def rows() -> list[tuple[object, ...]]:
    return [((id,), vector, f"t{id % 100}", id) for id, vector in enumerate(clustered(16)[0])]


def in_shards(folder: Path, measure: str, shards: int) -> ShardedIndex:
    fields = TREE | {"distanceMeasureType": measure}
    return sharded(folder, rows(), Sharding(shards, 2), ["t", "n"], **fields)


def shards_of(folder: Path) -> list[VectorIndex]:
    """The shards one by one."""
    contents = read_contents(folder, title=title_of(folder), key=b"")
    return [load_shard(shard) for shard in files_of_shards(folder, contents)]


@pytest.fixture(scope="module")
def folder(trees_of_fewer_rows: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an index in 8 shards."""
    folder = tmp_path_factory.mktemp("index") / "1"
    in_shards(folder, L2, 8)
    return folder


@pytest.fixture
def several(folder: Path) -> ShardedIndex:
    """The index in 8 shards."""
    index = load_any_index(folder, sharding=Sharding(8, 2))
    assert isinstance(index, ShardedIndex)
    return index


@pytest.mark.exhaustive
@pytest.mark.parametrize(("measure", "shards"), [(COSINE, 3), (DOT, 5)])
def test_recall_is_not_lower_for_other_measures(measure: str, shards: int, tmp_path: Path) -> None:
    check_recall(in_shards(tmp_path / "1", measure, shards), tmp_path / "1", measure)


def test_recall_is_not_lower(several: ShardedIndex, folder: Path) -> None:
    check_recall(several, folder, L2)


def check_recall(several: ShardedIndex, folder: Path, measure: str) -> None:
    assert isinstance(several._searcher, LocalSearcher)
    assert several._searcher._group._tree is not None
    assert all(shard.field.tree and shard.field.tree.leaves == 250 for shard in shards_of(folder))
    for asked in (
        queries(),
        queries(leaves_fraction=0.04, candidates=50),
        queries(numbers=(NumericFilter("n", "LESS", MOST_ROWS),)),
    ):
        assert recall(several, asked) >= recall(tree(measure), asked)  # type: ignore[arg-type]


def test_distances_are_those_of_exact_search_and_crowding_holds(several: ShardedIndex) -> None:
    one = one_index(rows(), ["t", "n"], distanceMeasureType=L2, **TREE)
    for query in queries(per_crowding_attribute=1):
        exact = one.search(query, exactly=True)
        assert several.search(query, exactly=True) == exact
        found = several.search(query)
        assert len({id % 100 for (id,), _ in found}) == len(found) == 10  # type: ignore[operator]
        assert all(dict(exact).get(id, distance) == distance for id, distance in found)


@pytest.mark.parametrize("measure", first_of([L2, COSINE, DOT]))
def test_all_ties_are_candidates_and_ordered_by_their_ids(measure: str, tmp_path: Path) -> None:
    """Each vector is there in three shards or more, so that the last neighbors are equally far."""
    vectors, probes = clustered(16)
    rows = [((id,), vectors[id // 4]) for id in range(ROWS)]
    fields = {"treeAhConfig": {"leafNodeEmbeddingCount": LEAF}, "distanceMeasureType": measure}
    several = sharded(tmp_path / "1", rows, Sharding(8, 2), [], **fields)
    for probe in probes:
        query = Query(probe, 9, leaves_fraction=1.0, candidates=ROWS // 5)
        assert several.search(query) == several.search(query, exactly=True)


def test_as_many_neighbors_as_there_are_entities(several: ShardedIndex) -> None:
    assert len(several.search(Query(clustered(16)[1][0], ROWS))) == ROWS


def test_leaves_and_codes_are_those_of_one_index(folder: Path) -> None:
    """They are trained on rows of all shards; so an entity is on the leaf that it would be on in one index."""
    one = tree(L2)
    for shard in shards_of(folder):
        assert np.array_equal(_leaf_centers(shard), _leaf_centers(one))


def _leaf_centers(index: object) -> object:
    return index.field.tree.index.quantizer.reconstruct_n(0, 250)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("dimension", "measure"), first_of([(3, L2), (9, COSINE), (16, DOT)]))
def test_joined_trees_find_what_they_find_apart(dimension: int, measure: str, tmp_path: Path) -> None:
    vectors, probes = clustered(dimension)
    fields = {"treeAhConfig": {"leafNodeEmbeddingCount": LEAF}, "distanceMeasureType": measure}
    rows = [((id,), vector) for id, vector in enumerate(vectors)]
    sharded(tmp_path / "1", rows, Sharding(4, 1), [], **fields)
    trees = [shard.field.tree for shard in shards_of(tmp_path / "1") if shard.field.tree is not None]
    assert len(trees) == 4
    joined, total = join_trees(trees), 0
    for probe in map(query_vector, np.array(probes, np.float32)):
        parts = [tree.candidates(probe, ROWS, 30) for tree in trees]
        starts = np.cumsum([0, *(tree.index.ntotal for tree in trees)])
        apart = np.concatenate([part + start for part, start in zip(parts, starts, strict=False)])
        assert np.array_equal(np.sort(joined.candidates(probe, ROWS, 30)), np.sort(apart))
        total += len(apart)
    assert total > ROWS
