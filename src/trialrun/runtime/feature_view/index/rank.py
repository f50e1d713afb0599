"""The nearest rows for a query: of all live rows, or of the candidates of a tree, thinned out by crowding."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.column import Mask
from trialrun.runtime.feature_view.index.crowding import apply_crowding
from trialrun.runtime.feature_view.index.distance import QueryVector
from trialrun.runtime.feature_view.index.exact import (
    RankedRows,
    VectorSpace,
    can_estimate,
    rank_exactly,
    search_exactly,
)
from trialrun.runtime.feature_view.index.interface import Query

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.index.tree import TreeAhIndex

MAX_ROWS_TO_SCAN = 20_000
"""So many live rows are looked at one by one, under treeAhConfig too: few leaves of few would miss neighbors."""
MIN_LEAF_SHARE, MIN_LEAVES = 0.1, 40
"""Searched are a tenth of the leaves, and no fewer than 40."""
MIN_CANDIDATES, CANDIDATES_PER_NEIGHBOR = 200, 10
"""Ranked exactly are 10 candidates for each neighbor that is looked for, and no fewer than 200."""
MAX_CANDIDATE_SHARE = 0.25
"""As a share of the live rows; from there on it is no slower to look at all of them."""
FIRST_CROWDING_FACTOR, NEXT_CROWDING_FACTOR, LEAF_GROWTH_FACTOR = 4, 8, 3
"""Under crowding more is looked for: 4 times the neighbors, then 8 times as many again, in 3 times the leaves."""
PART_DEVIATIONS = 3
"""A part ranks its share of the candidates and so many standard deviations more, which is seldom too few."""


@dataclass(frozen=True)
class SearchSpace:
    """What is searched: the space, and the tree over it, if it has one and it is to be used."""

    space: VectorSpace
    tree: TreeAhIndex | None


def rank_rows(
    field: SearchSpace, probe: QueryVector, query: Query, live: Mask | None, attributes: NDArray[np.int32] | None
) -> RankedRows:
    """The nearest live rows, as many as the query asks for; crowding keeps so many of one attribute."""
    alive = len(field.space.matrix) if live is None else int(np.count_nonzero(live))
    if query.per_crowding_attribute is None or attributes is None:
        return _nearest_rows(field, probe, query, live, alive)
    looked_for, wider = query.count * FIRST_CROWDING_FACTOR, 1
    while True:
        nearest = _nearest_rows(field, probe, replace(query, count=looked_for), live, alive, wider=wider)
        crowded = apply_crowding(nearest, attributes, per_attribute=query.per_crowding_attribute, count=query.count)
        if len(crowded.positions) == query.count or looked_for >= alive:
            return crowded
        looked_for, wider = looked_for * NEXT_CROWDING_FACTOR, wider * LEAF_GROWTH_FACTOR


def _nearest_rows(
    field: SearchSpace, probe: QueryVector, query: Query, live: Mask | None, alive: int, *, wider: int = 1
) -> RankedRows:
    space, count = field.space, min(query.count, alive)
    candidates = candidate_count(query, count)
    if field.tree is not None and uses_tree(candidates, alive) and can_estimate(space, probe):
        leaves = leaf_count(field.tree.leaves, query.leaves_fraction, alive / len(space.matrix), wider)
        candidate_rows = field.tree.candidates(probe, max(candidates, count), leaves, live)
        if len(candidate_rows) >= count:
            return rank_exactly(space, probe, count, field.tree.possible_neighbors(space, probe, count, candidate_rows))
    return search_exactly(space, probe, count, None if live is None else np.flatnonzero(live))


def candidate_count(query: Query, count: int) -> int:
    """How many candidates are ranked exactly for so many neighbors."""
    return query.candidates or max(MIN_CANDIDATES, CANDIDATES_PER_NEIGHBOR * count)


def part_candidate_count(candidates: int, parts: int) -> int:
    """How many of so many candidates one of several parts of the rows ranks: together all of them, and a few more."""
    share = candidates / parts
    return math.ceil(share + PART_DEVIATIONS * math.sqrt(share))


def uses_tree(candidates: int, alive: int, *, parts: int = 1) -> bool:
    """Whether a tree is faster than looking at all live rows, of which a part has so many."""
    return alive > MAX_ROWS_TO_SCAN // parts and candidates < MAX_CANDIDATE_SHARE * alive


@lru_cache(maxsize=256)
def leaf_count(leaves: int, share: float | None, live_share: float, wider: int) -> int:
    """How many leaves are searched: more of them where the filters let fewer rows through."""
    wanted = max(MIN_LEAF_SHARE, MIN_LEAVES / leaves) if share is None else share
    return min(leaves, max(1, math.ceil(wanted * wider / live_share * leaves)))
