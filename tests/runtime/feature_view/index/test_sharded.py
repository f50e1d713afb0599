"""An index of several shards answers as one index does."""

from __future__ import annotations

import os
import random
from pathlib import Path
from zlib import crc32

import pytest

from tests.cases import seeds
from tests.runtime.feature_view.index.sharded_fixture import (
    COLUMNS,
    one_index,
    random_fields,
    random_query,
    random_rows,
    sharded,
)
from trialrun.runtime.feature_view.index.interface import Neighbor, NotSearchable, NumericFilter, Query, StringFilter
from trialrun.runtime.feature_view.index.shard import Sharding, shard_of
from trialrun.runtime.feature_view.index.sharded import ShardedIndex
from trialrun.runtime.feature_view.index.vector_index import VectorIndex


def answer(index: VectorIndex | ShardedIndex, query: Query, *, exactly: bool = True) -> list[Neighbor] | str:
    """The neighbors, or why there are none."""
    try:
        return index.search(query, exactly=exactly)
    except NotSearchable as error:
        return str(error)


@pytest.mark.generated
@pytest.mark.parametrize("seed", seeds(60))
def test_exact_search_is_that_of_one_index(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    rows, fields = random_rows(dice), random_fields(dice)
    one, several = one_index(rows, **fields), sharded(tmp_path / "1", rows, Sharding(1 + seed % 8, 2), **fields)
    assert (several.size, several.dimension, several.shape) == (one.size, one.dimension, one.shape)
    for _ in range(25):
        query = random_query(dice, rows, one.dimension or 2)
        assert answer(several, query) == answer(one, query)
        assert answer(several, query, exactly=False) == answer(one, query, exactly=False)
    for row in rows:
        assert several.vector(row[0]) == one.vector(row[0])  # type: ignore[arg-type]


def test_a_shard_is_known_by_the_digest_of_the_id() -> None:
    assert [shard_of(("a",), 7), shard_of((12, "é"), 7)] == [crc32(b"a") % 7, crc32("12\x1fé".encode()) % 7]
    assert shard_of(("\ud800",), 3) in range(3)


def test_shards_have_as_many_workers_as_the_process_may_use_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 2, 5}, raising=False)
    assert [Sharding(8).worker_count, Sharding(2).worker_count, Sharding(8, workers=5).worker_count] == [3, 2, 5]
    monkeypatch.delattr(os, "sched_getaffinity")
    assert [Sharding(8).worker_count, Sharding(32).worker_count] == [8, 16]


def test_the_vector_of_a_text_where_ids_are_numbers(tmp_path: Path) -> None:
    rows = [((id,), [float(id)]) for id in range(20)]
    assert sharded(tmp_path / "1", rows, Sharding(3), []).vector(("x",)) is None


def test_crowding_spans_shards(tmp_path: Path) -> None:
    rows = [((id,), [float(id)], "ab"[id // 30]) for id in range(60)]
    index = sharded(tmp_path / "1", rows, Sharding(8), ["brand"], crowdingColumn="brand")
    found = index.search(Query([0.0], 10, per_crowding_attribute=2))
    assert [neighbor.id for neighbor in found] == [(0,), (1,), (30,), (31,)]


@pytest.mark.parametrize(
    "query",
    [
        Query([1.0, 2.0], 1),
        Query([1.0], 0),
        Query([float("nan")], 1),
        Query([1.0], 1, per_crowding_attribute=1),
        Query([1.0], 1, strings=(StringFilter("whole", ("a",)),)),
        Query([1.0], 1, strings=(StringFilter("other", ("a",)),)),
        Query([1.0], 1, numbers=(NumericFilter("flag", "LESS", 1),)),
    ],
)
def test_a_query_that_does_not_fit_is_refused_as_by_one_index(query: Query, tmp_path: Path) -> None:
    rows = [((id,), [1.0], "a", ["p"], 1, 0.5, 1, True) for id in range(3)]
    one, several = one_index(rows), sharded(tmp_path / "1", rows, Sharding(8), COLUMNS)
    assert isinstance(answer(one, query), str)
    assert answer(several, query) == answer(one, query)


def test_integers_are_floats_where_another_shard_has_one(tmp_path: Path) -> None:
    """One index compares them as floats then, which takes 2^53 + 1 for its neighbor."""
    rows = [((id,), [float(id)], 0.5 if id == 7 else 2**53 + 1) for id in range(30)]
    query = Query([0.0], 30, numbers=(NumericFilter("n", "EQUAL", 2**53 + 1),))
    one, several = one_index(rows, ["n"]), sharded(tmp_path / "1", rows, Sharding(8), ["n"])
    assert answer(several, query) == answer(one, query) == []
