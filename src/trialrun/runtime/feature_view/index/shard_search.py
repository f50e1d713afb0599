"""Search in several shards, and how their answers become one that a single index would give.

Under crowding each shard gives its first `count` of the rows of which at most K share an attribute. That is enough: of
each attribute no more rows come before a row in its shard than in the whole, so a row that is among the first `count`
of the whole is among those of its shard; and whatever a shard lets through that the whole would not comes after them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trialrun.runtime.feature_view.index.check import check_numbers, check_vector, filter_rows
from trialrun.runtime.feature_view.index.column import Mask
from trialrun.runtime.feature_view.index.crowding import NO_ATTRIBUTE
from trialrun.runtime.feature_view.index.distance import Positions, QueryVector, exact_distances
from trialrun.runtime.feature_view.index.exact import RankedRows, can_estimate
from trialrun.runtime.feature_view.index.interface import Neighbor, Query
from trialrun.runtime.feature_view.index.rank import (
    FIRST_CROWDING_FACTOR,
    LEAF_GROWTH_FACTOR,
    NEXT_CROWDING_FACTOR,
    SearchSpace,
    candidate_count,
    leaf_count,
    uses_tree,
)
from trialrun.runtime.feature_view.index.vector_index import VectorIndex
from trialrun.runtime.feature_view.store.interface import EntityId

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.index.tree import TreeAhIndex


class ShardHit(NamedTuple):
    """A neighbor in a shard: hits are ordered by distance and entity id. The digest is of its crowding attribute.

    The digest is there only under crowding, and None for a row without an attribute.
    """

    distance: float
    id: EntityId
    attribute: bytes | None


def check_query(query: Query, dimension: int, *, has_crowding: bool) -> Query:
    """A query whose vector is ready for every shard. Raises NotSearchable; filters are checked by the shards."""
    vector = check_vector(query.vector, dimension).vector
    check_numbers(query, has_crowding=has_crowding)
    return replace(query, vector=vector)  # type: ignore[arg-type]


class ShardGroup:
    """The shards that one worker searches, of an index that so many groups are searched for.

    Their positions go on from shard to shard. `joins_trees` makes one tree of theirs, which takes a second for half a
    million vectors and makes a search several times as fast.
    """

    def __init__(self, shards: Sequence[VectorIndex], *, groups: int, joins_trees: bool) -> None:
        trees = [shard.field.tree for shard in shards if shard.field.tree is not None]
        self._trees: list[TreeAhIndex] = trees if len(trees) == len(shards) else []
        if joins_trees and len(self._trees) > 1:
            from trialrun.runtime.feature_view.index.tree import join_trees

            self._trees = [join_trees(self._trees)]
        self.shards = tuple(replace(shard, field=SearchSpace(shard.space, None)) for shard in shards)
        self._groups, self._starts = groups, np.cumsum([0, *(shard.size for shard in shards)])

    def search(self, query: Query, *, exactly: bool) -> list[ShardHit]:
        """The nearest rows for a query that was checked. Raises NotSearchable."""
        probe = check_vector(query.vector, self.shards[0].dimension)
        hits = None if exactly else self._search_trees(probe, query)
        if hits is not None:
            return hits
        ranked = [shard.rank(probe, query, exactly=True) for shard in self.shards]
        return merge_hits([_hits(self.shards, ranked, query)], query)

    def _search_trees(self, probe: QueryVector, query: Query) -> list[ShardHit] | None:
        """The nearest rows among the candidates of the trees; None where all rows are to be looked at."""
        if not (self._trees and all(can_estimate(shard.space, probe) for shard in self.shards)):
            return None
        masks = [filter_rows(query, shard.rows.filters) for shard in self.shards]
        live = None if masks[0] is None else np.concatenate([mask for mask in masks if mask is not None])
        alive = int(self._starts[-1]) if live is None else int(np.count_nonzero(live))
        is_crowded = query.per_crowding_attribute is not None
        looked_for, wider = query.count * (FIRST_CROWDING_FACTOR if is_crowded else 1), 1
        while True:
            hits = self._nearest(probe, replace(query, count=min(looked_for, alive)), live, alive, wider)
            kept = None if hits is None else merge_hits([hits], query)
            if kept is None or not is_crowded or len(kept) == query.count or looked_for >= alive:
                return kept
            looked_for, wider = looked_for * NEXT_CROWDING_FACTOR, wider * LEAF_GROWTH_FACTOR

    def _nearest(
        self, probe: QueryVector, query: Query, live: Mask | None, alive: int, wider: int
    ) -> list[ShardHit] | None:
        candidates = candidate_count(query, query.count, parts=self._groups)
        if not uses_tree(candidates, alive, parts=self._groups):
            return None
        leaves = leaf_count(self._trees[0].leaves, query.leaves_fraction, alive / int(self._starts[-1]), wider)
        positions = self._candidates(probe, max(candidates, query.count), leaves, live)
        if len(positions) < query.count:
            return None
        return _hits(self.shards, _nearest_only(self._ranked(probe, positions), query.count), query)

    def _candidates(self, probe: QueryVector, count: int, leaves: int, live: Mask | None) -> Positions:
        """The positions of likely neighbors, in ascending order."""
        if len(self._trees) == 1:
            return np.sort(self._trees[0].candidates(probe, count, leaves, live))
        parts = []
        for tree, start, end in zip(self._trees, self._starts, self._starts[1:], strict=False):
            mask = None if live is None else live[start:end]
            parts.append(np.sort(tree.candidates(probe, min(count, end - start), leaves, mask)) + start)
        return np.concatenate(parts)

    def _ranked(self, probe: QueryVector, positions: Positions) -> list[RankedRows]:
        """The rows at some positions, which ascend, shard by shard and by their distances."""
        ends = np.searchsorted(positions, self._starts)
        return [
            _ranked_rows(shard, probe, positions[first:end] - start)
            for shard, start, first, end in zip(self.shards, self._starts, ends, ends[1:], strict=False)
        ]


def _ranked_rows(shard: VectorIndex, probe: QueryVector, positions: Positions) -> RankedRows:
    space = shard.space
    rows, squares = space.matrix.take(positions, axis=0), space.squares.take(positions)
    distances = exact_distances(space.distance, rows, squares, probe)
    order = np.argsort(distances, kind="stable")
    return RankedRows(positions[order], distances[order])


def _nearest_only(ranked: Sequence[RankedRows], count: int) -> list[RankedRows]:
    """The rows that can be among the nearest of all, so that only their ids are looked up."""
    distances = np.concatenate([rows.distances for rows in ranked])
    if len(distances) <= count:
        return list(ranked)
    bar = np.partition(distances, count - 1)[count - 1]
    ends = (int(np.searchsorted(rows.distances, bar, side="right")) for rows in ranked)
    return [RankedRows(rows.positions[:end], rows.distances[:end]) for rows, end in zip(ranked, ends, strict=True)]


def _hits(shards: Sequence[VectorIndex], ranked: Sequence[RankedRows], query: Query) -> list[ShardHit]:
    """The hits of all shards, shard by shard."""
    if query.per_crowding_attribute is None:
        ranked = _nearest_only(ranked, query.count)
    hits: list[ShardHit] = []
    for shard, rows in zip(shards, ranked, strict=True):
        if len(rows.positions):
            ids = shard.rows.ids.at(rows.positions)
            attributes = _attribute_digests(shard, rows) if query.per_crowding_attribute else [None] * len(ids)
            hits += map(ShardHit._make, zip(rows.distances.tolist(), ids, attributes, strict=True))
    return hits


def _attribute_digests(shard: VectorIndex, ranked: RankedRows) -> list[bytes | None]:
    codes, digests = shard.rows.attributes, shard.rows.attribute_digests
    assert codes is not None
    assert digests is not None
    numbers = codes[ranked.positions].tolist()
    return [None if number == NO_ATTRIBUTE else digests[number].tobytes() for number in numbers]


def merge_hits(answers: Iterable[Sequence[ShardHit]], query: Query) -> list[ShardHit]:
    """The first hits of several answers together, of which at most so many have one attribute."""
    hits = sorted((hit for answer in answers for hit in answer), key=lambda hit: (hit.distance, hit.id))
    if query.per_crowding_attribute is None:
        return hits[: query.count]
    seen: dict[bytes, int] = {}
    kept: list[ShardHit] = []
    for hit in hits:
        if hit.attribute is not None:
            seen[hit.attribute] = seen.get(hit.attribute, 0) + 1
            if seen[hit.attribute] > query.per_crowding_attribute:
                continue
        kept.append(hit)
        if len(kept) == query.count:
            break
    return kept


def neighbors_of(hits: Iterable[ShardHit]) -> list[Neighbor]:
    """The answer for whoever asked."""
    return [Neighbor(hit.id, hit.distance) for hit in hits]
