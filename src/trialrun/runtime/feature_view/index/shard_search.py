"""Search in several shards, and how their answers become one that a single index would give.

Under crowding each shard gives its first `count` of the rows of which at most K share an attribute. That is enough: of
each attribute no more rows come before a row in its shard than in the whole, so a row that is among the first `count`
of the whole is among those of its shard; and whatever a shard lets through that the whole would not comes after them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from trialrun.runtime.feature_view.index.check import check_numbers, check_vector
from trialrun.runtime.feature_view.index.crowding import NO_ATTRIBUTE
from trialrun.runtime.feature_view.index.exact import RankedRows
from trialrun.runtime.feature_view.index.interface import Neighbor, Query
from trialrun.runtime.feature_view.index.vector_index import VectorIndex
from trialrun.runtime.feature_view.store.interface import EntityId


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


def search_shards(shards: Sequence[VectorIndex], query: Query, *, total: int, exactly: bool) -> list[ShardHit]:
    """The nearest rows of some of `total` shards for a query that was checked. Raises NotSearchable."""
    if not shards:
        return []
    probe = check_vector(query.vector, shards[0].dimension)
    ranked = [shard.rank(probe, query, exactly=exactly, shards=total) for shard in shards]
    if query.per_crowding_attribute is None and len(shards) > 1:
        ranked = _nearest_only(ranked, query.count)
    hits = (_hits(shard, rows, query) for shard, rows in zip(shards, ranked, strict=True))
    return merge_hits(hits, query)


def _nearest_only(ranked: Sequence[RankedRows], count: int) -> list[RankedRows]:
    """The rows that can be among the nearest of all, so that only their ids are looked up."""
    distances = np.concatenate([rows.distances for rows in ranked])
    if len(distances) <= count:
        return list(ranked)
    bar = np.partition(distances, count - 1)[count - 1]
    ends = (int(np.searchsorted(rows.distances, bar, side="right")) for rows in ranked)
    return [RankedRows(rows.positions[:end], rows.distances[:end]) for rows, end in zip(ranked, ends, strict=True)]


def _hits(shard: VectorIndex, ranked: RankedRows, query: Query) -> list[ShardHit]:
    ids, distances = shard.rows.ids.at(ranked.positions), ranked.distances.tolist()
    attributes = [None] * len(ids) if query.per_crowding_attribute is None else _attribute_digests(shard, ranked)
    return list(map(ShardHit._make, zip(distances, ids, attributes, strict=True)))


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
