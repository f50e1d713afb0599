"""Search in several shards, and how their answers become one that a single index would give.

Under crowding each shard gives its first `count` of the rows of which at most K share an attribute. That is enough: of
each attribute no more rows come before a row in its shard than in the whole, so a row that is among the first `count`
of the whole is among those of its shard; and whatever a shard lets through that the whole would not comes after them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trialrun.runtime.feature_view.index.check import check_numbers, check_vector, filter_rows
from trialrun.runtime.feature_view.index.column import Mask
from trialrun.runtime.feature_view.index.crowding import NO_ATTRIBUTE
from trialrun.runtime.feature_view.index.distance import Doubles, Positions, QueryVector, exact_distances
from trialrun.runtime.feature_view.index.entity_ids import join_entity_ids
from trialrun.runtime.feature_view.index.exact import can_estimate
from trialrun.runtime.feature_view.index.interface import Neighbor, Query
from trialrun.runtime.feature_view.index.rank import (
    FIRST_CROWDING_FACTOR,
    LEAF_GROWTH_FACTOR,
    NEXT_CROWDING_FACTOR,
    SearchSpace,
    candidate_count,
    leaf_count,
    part_candidate_count,
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

    Their positions go on from shard to shard, and their trees become one: it is searched as fast as that of one index,
    trees one by one are not. Joining takes half a second for a million vectors.
    """

    def __init__(self, shards: Sequence[VectorIndex], *, groups: int) -> None:
        self.shards = tuple(replace(shard, field=SearchSpace(shard.space, None)) for shard in shards)
        self._groups, self._starts = groups, np.cumsum([0, *(shard.size for shard in shards)])
        self._tree = _join_trees(shards)
        self._ids = join_entity_ids([shard.rows.ids for shard in shards])
        self._longest = max(shard.space.longest for shard in shards)

    def search(self, query: Query, *, exactly: bool) -> list[ShardHit]:
        """The nearest rows for a query that was checked. Raises NotSearchable."""
        probe = check_vector(query.vector, self.shards[0].dimension)
        hits = None if exactly else self._search_tree(probe, query)
        return self._search_rows(probe, query) if hits is None else hits

    def _search_rows(self, probe: QueryVector, query: Query) -> list[ShardHit]:
        """The nearest of all rows."""
        ranked = [shard.rank(probe, query, exactly=True) for shard in self.shards]
        positions = [np.sort(rows.positions) + start for rows, start in zip(ranked, self._starts, strict=False)]
        distances = [rows.distances[np.argsort(rows.positions)] for rows in ranked]
        return merge_hits([self._hits(np.concatenate(positions), np.concatenate(distances), query)], query)

    def _search_tree(self, probe: QueryVector, query: Query) -> list[ShardHit] | None:
        """The nearest rows among the candidates of the tree; None where all rows are to be looked at."""
        if self._tree is None or not all(can_estimate(shard.space, probe) for shard in self.shards):
            return None
        masks = [filter_rows(query, shard.rows.filters) for shard in self.shards]
        live = None if masks[0] is None else np.concatenate([mask for mask in masks if mask is not None])
        alive = int(self._starts[-1]) if live is None else int(np.count_nonzero(live))
        is_crowded = query.per_crowding_attribute is not None
        looked_for, wider = query.count * (FIRST_CROWDING_FACTOR if is_crowded else 1), 1
        while True:
            wanted = replace(query, count=min(looked_for, alive)) if is_crowded or query.count > alive else query
            hits = self._nearest(self._tree, probe, wanted, live, alive, wider)
            kept = None if hits is None else merge_hits([hits], query)
            if kept is None or not is_crowded or len(kept) == query.count or looked_for >= alive:
                return kept
            looked_for, wider = looked_for * NEXT_CROWDING_FACTOR, wider * LEAF_GROWTH_FACTOR

    def _nearest(
        self, tree: TreeAhIndex, probe: QueryVector, query: Query, live: Mask | None, alive: int, wider: int
    ) -> list[ShardHit] | None:
        candidates = part_candidate_count(candidate_count(query, query.count), self._groups)
        if not uses_tree(candidates, alive, parts=self._groups):
            return None
        leaves = leaf_count(tree.leaves, query.leaves_fraction, alive / int(self._starts[-1]), wider)
        positions = np.sort(tree.candidates(probe, max(candidates, query.count), leaves, live))
        if len(positions) < query.count:
            return None
        possible = self._possible_neighbors(probe, query.count, positions)
        return self._hits(possible, self._distances(probe, possible), query)

    def _possible_neighbors(self, probe: QueryVector, count: int, positions: Positions) -> Positions:
        """Those of some positions, which ascend, whose rows can be among the nearest."""
        from trialrun.runtime.feature_view.index.tree import can_be_nearest, estimate_in_place

        estimates = np.empty(len(positions), np.float32)
        for shard, part, own in self._by_shard(positions):
            estimate_in_place(shard.space, probe, own, estimates[part])
        distance = self.shards[0].space.distance
        return positions[can_be_nearest(distance, estimates, probe, count, self._longest)]

    def _distances(self, probe: QueryVector, positions: Positions) -> Doubles:
        """The exact distances of the rows at some positions, which ascend."""
        spaces = [(shard.space, own) for shard, _, own in self._by_shard(positions)]
        rows = np.concatenate([space.matrix.take(own, axis=0) for space, own in spaces])
        squares = np.concatenate([space.squares.take(own) for space, own in spaces])
        return exact_distances(self.shards[0].space.distance, rows, squares, probe)

    def _hits(self, positions: Positions, distances: Doubles, query: Query) -> list[ShardHit]:
        """The hits at some positions, which ascend; without crowding those that can be among the nearest."""
        if query.per_crowding_attribute is None and len(positions) > query.count:
            nearest = distances <= np.partition(distances, query.count - 1)[query.count - 1]
            positions, distances = positions[nearest], distances[nearest]
        ids, attributes = self._ids.at(positions), self._attributes(positions, query)
        return list(map(ShardHit._make, zip(distances.tolist(), ids, attributes, strict=True)))

    def _attributes(self, positions: Positions, query: Query) -> list[bytes | None]:
        if query.per_crowding_attribute is None:
            return [None] * len(positions)
        return [digest for shard, _, own in self._by_shard(positions) for digest in _attribute_digests(shard, own)]

    def _by_shard(self, positions: Positions) -> Iterator[tuple[VectorIndex, slice, Positions]]:
        """Each shard that has some of the positions, which ascend: where they stand, and what they are in the shard."""
        ends = np.searchsorted(positions, self._starts).tolist()
        for shard, start, first, end in zip(self.shards, self._starts, ends, ends[1:], strict=False):
            if first < end:
                yield shard, slice(first, end), positions[first:end] - start


def _join_trees(shards: Sequence[VectorIndex]) -> TreeAhIndex | None:
    """One tree for all shards, None where they are to be searched without."""
    trees = [shard.field.tree for shard in shards if shard.field.tree is not None]
    if len(trees) < len(shards):
        return None
    from trialrun.runtime.feature_view.index.tree import join_trees

    return join_trees(trees) if len(trees) > 1 else trees[0]


def _attribute_digests(shard: VectorIndex, positions: Positions) -> list[bytes | None]:
    codes, digests = shard.rows.attributes, shard.rows.attribute_digests
    assert codes is not None
    assert digests is not None
    numbers = codes[positions].tolist()
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
