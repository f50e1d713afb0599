"""The index of a snapshot: it checks a query, applies its filters, and ranks what is left, thinned out by crowding."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.distance import (
    Mask,
    Positions,
    QueryVector,
    RankedRows,
    VectorSpace,
    build_space,
    squared_norms,
)
from trialrun.runtime.feature_view.index.interface import IndexParameters, Neighbor, NotSearchable, Query
from trialrun.runtime.feature_view.index.rows import NO_ATTRIBUTE, Attributes, EntityIds, FilterColumn, load_rows
from trialrun.runtime.feature_view.store.interface import EntityId
from trialrun.values.suggest import did_you_mean

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


@dataclass(frozen=True)
class VectorIndex:
    """The vectors of one snapshot, as an IndexConfig shapes them, in the order of the entity ids.

    `attributes` are numbers of the values of the crowding column. `tree` is None for the exact search, and for few.
    """

    shape: IndexParameters
    ids: EntityIds
    filters: Mapping[str, FilterColumn]
    attributes: Attributes | None
    space: VectorSpace
    tree: TreeAhIndex | None

    def search(self, query: Query, *, exactly: bool = False) -> list[Neighbor]:
        """The nearest entities; `exactly` looks at every vector, whatever the algorithm. Raises NotSearchable."""
        probe = _check_vector(() if query.vector is None else query.vector, self.space.matrix.shape[1])
        _check_numbers(query, has_crowding=self.attributes is not None)
        tree, live = None if exactly else self.tree, self._filter_rows(query)
        alive = len(self.ids) if live is None else int(np.count_nonzero(live))
        looked_for, wider = query.count, 1
        if query.per_crowding_attribute is not None:
            looked_for *= FIRST_CROWDING_FACTOR
        while True:
            positions, distances = self._nearest_rows(tree, probe, replace(query, count=looked_for), live, alive, wider)
            if query.per_crowding_attribute is None:
                break
            kept = self._thin_out(positions, query.per_crowding_attribute, query.count)
            if len(kept) == query.count or looked_for >= alive:
                positions, distances = positions[kept], distances[kept]
                break
            looked_for, wider = looked_for * NEXT_CROWDING_FACTOR, wider * LEAF_GROWTH_FACTOR
        return list(map(Neighbor, self.ids.at(positions), distances.tolist()))

    def vector(self, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity, None for one that is not in the index."""
        try:
            position = bisect_left(self.ids, id)
        except TypeError:  # a text where the ids are numbers
            return None
        if position == len(self.ids) or self.ids[position] != id:
            return None
        elements: list[float] = self.space.matrix[position].tolist()
        return elements

    def _filter_rows(self, query: Query) -> Mask | None:
        """Which rows pass all filters of a query, None for all. Raises NotSearchable."""
        masks = [self._find_column(string.column).match_tokens(string) for string in query.strings]
        masks += [self._find_column(number.column).match_numbers(number) for number in query.numbers]
        return reduce(and_, masks) if masks else None

    def _find_column(self, name: str) -> FilterColumn:
        if name in self.filters:
            return self.filters[name]
        alternatives = f"there are {', '.join(self.filters)}" if self.filters else "add it, and sync the view again"
        advice = did_you_mean(name, self.filters, otherwise=alternatives)
        raise NotSearchable(f'"{name}" is not among the filterColumns of the view{advice}', steps=("filterColumns",))

    def _nearest_rows(
        self, tree: TreeAhIndex | None, probe: QueryVector, query: Query, live: Mask | None, alive: int, wider: int
    ) -> RankedRows:
        """The nearest live rows: the candidates of the tree ranked exactly, or all where that is no slower."""
        count = min(query.count, alive)
        candidates = query.candidates or max(MIN_CANDIDATES, CANDIDATES_PER_NEIGHBOR * count)
        is_faster = alive > MAX_ROWS_TO_SCAN and candidates < MAX_CANDIDATE_SHARE * alive
        if tree is not None and is_faster and self.space.can_estimate(probe):
            leaves = leaf_count(tree.leaves, query.leaves_fraction, alive / len(self.ids), wider)
            candidate_rows = tree.candidates(probe, max(candidates, count), leaves, live)
            if len(candidate_rows) >= count:
                return self.space.rank(probe, count, tree.possible_neighbors(self.space, probe, count, candidate_rows))
        return self.space.search(probe, count, None if live is None else np.flatnonzero(live))

    def _thin_out(self, positions: Positions, per_attribute: int, count: int) -> list[int]:
        """Which are the first of some rows of which at most so many have one attribute; without one none is crowded."""
        assert self.attributes is not None
        seen: dict[int, int] = {}
        kept: list[int] = []
        for at, attribute in enumerate(self.attributes[positions].tolist()):
            if attribute != NO_ATTRIBUTE:
                seen[attribute] = seen.get(attribute, 0) + 1
                if seen[attribute] > per_attribute:
                    continue
            kept.append(at)
            if len(kept) == count:
                break
        return kept


def build_index(rows: Iterable[tuple[Any, ...]], shape: IndexParameters) -> VectorIndex:
    """The index of the rows of a Scan that was asked for the embedding, and then for the columns of the shape.

    A row whose embedding is null, of another length or not finite is left out. Raises NotSearchable where a tree is
    needed and faiss is not installed.
    """
    ids, matrix, filters, attributes = load_rows(rows, shape)
    space, tree = build_space(matrix, squared_norms(matrix), shape.distance), None
    if shape.leaf_size is not None and len(ids) > MAX_ROWS_TO_SCAN and space.is_estimable:
        from trialrun.runtime.feature_view.index.tree import train_tree

        tree = train_tree(space, shape.leaf_size)
    return VectorIndex(shape, ids, filters, attributes, space, tree)


def _check_vector(elements: Sequence[float], dimension: int) -> QueryVector:
    """The vector of a query, which must have the dimension of the index unless that is 0. Raises NotSearchable."""
    try:
        with np.errstate(over="ignore"):
            vector = np.array(elements, np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise NotSearchable(f"the vector is not a list of numbers ({error})") from error
    if vector.ndim != 1 or (dimension and len(vector) != dimension):
        raise NotSearchable(
            f"the vector has {len(vector)} elements but the index has dimension {dimension}; "
            "use a vector of that length",
            steps=("embeddingDimension",),
        )
    exact = vector.astype(np.float64)
    probe = QueryVector(vector, exact, math.sqrt(exact.dot(exact)))
    if not math.isfinite(probe.length):
        at = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise NotSearchable(f"element {at} of the vector, {elements[at]}, is not a finite float; use finite numbers")
    return probe


def _check_numbers(query: Query, *, has_crowding: bool) -> None:
    """Raises NotSearchable where a number of the query is out of its range, or crowding is not configured."""
    wanted = {
        "neighbors": query.count,
        "candidates": query.candidates,
        "neighbors per crowding attribute": query.per_crowding_attribute,
    }
    for what, number in wanted.items():
        if number is not None and number < 1:
            raise NotSearchable(f"{number} {what} are requested; request 1 or more")
    if query.leaves_fraction is not None and not 0 <= query.leaves_fraction <= 1:
        raise NotSearchable(f"the fraction of leaves is {query.leaves_fraction}; use a value from 0 to 1")
    if query.per_crowding_attribute is not None and not has_crowding:
        message = "crowding is requested but the index config has no crowdingColumn; set it, and sync the view again"
        raise NotSearchable(message, steps=("crowdingColumn",))


def leaf_count(leaves: int, share: float | None, live_share: float, wider: int) -> int:
    """How many leaves are searched: more of them where the filters let fewer rows through."""
    wanted = max(MIN_LEAF_SHARE, MIN_LEAVES / leaves) if share is None else share
    return min(leaves, max(1, math.ceil(wanted * wider / live_share * leaves)))
