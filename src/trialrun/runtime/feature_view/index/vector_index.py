"""The index of a snapshot: it checks a query, applies its filters, and ranks what is left."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from trialrun.model.near import nearest as nearest_name
from trialrun.record import dataclass
from trialrun.runtime.feature_view.index.column import FilterColumn, Mask, passing_numbers, passing_tokens
from trialrun.runtime.feature_view.index.crowding import thinned
from trialrun.runtime.feature_view.index.distance import Floats, Positions, norms_of
from trialrun.runtime.feature_view.index.exact import Ranked, Space, nearest, space_of
from trialrun.runtime.feature_view.index.gather import Gathered
from trialrun.runtime.feature_view.index.interface import Neighbor, NotSearchable, Query
from trialrun.runtime.feature_view.index.shape import Shape
from trialrun.runtime.feature_view.store.interface import EntityId

MOST_TO_SCAN = 20_000
"""So many live vectors are looked at one by one, under treeAhConfig too: few leaves of few would miss neighbors."""

MORE_AT_FIRST, MORE_EACH_TIME = 4, 8
"""Crowding thins out what is found, so that more is looked for: 4 times the neighbors, then 8 times as many again."""


@dataclass(frozen=True)
class VectorIndex:
    """The vectors of one snapshot, as an IndexConfig shapes them."""

    shape: Shape
    rows: Gathered
    space: Space

    @property
    def dimension(self) -> int:
        """How many elements a vector has; 0 where there is no vector that tells."""
        return int(self.space.matrix.shape[1])

    def search(self, query: Query, *, exactly: bool = False) -> list[Neighbor]:
        """The nearest entities; `exactly` looks at every vector, whatever the algorithm. Raises NotSearchable."""
        vector = self._vector(query.vector)
        self._check(query)
        live = self._live(query)
        found = self._nearest(vector, live, query)
        ids = self.rows.ids
        pairs = zip(found.positions.tolist(), found.distances.tolist(), strict=True)
        return [Neighbor(ids[position], distance) for position, distance in pairs]

    def vector(self, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity, None for one that is not in the index."""
        try:
            position = bisect_left(self.rows.ids, id)
        except TypeError:  # a text for an integer
            return None
        if position == len(self.rows.ids) or self.rows.ids[position] != id:
            return None
        return tuple(self.space.matrix[position].tolist())

    def _vector(self, elements: Sequence[float]) -> Floats:
        with np.errstate(over="ignore"):
            vector = np.asarray(elements, np.float32)
        if self.dimension and vector.shape != (self.dimension,):
            raise NotSearchable(
                f"the vector has {len(elements)} elements and the index {self.dimension}; search with {self.dimension}"
            )
        if not np.isfinite(vector).all():
            at = int(np.flatnonzero(~np.isfinite(vector))[0])
            raise NotSearchable(f"element {at} of the vector, {elements[at]}, is no finite float; search with numbers")
        return vector

    def _check(self, query: Query) -> None:
        if query.count < 1:
            raise NotSearchable(f"{query.count} neighbors are asked for; ask for 1 or more")
        if query.leaves_fraction is not None and not 0 <= query.leaves_fraction <= 1:
            raise NotSearchable(f"the fraction of leaves is {query.leaves_fraction}; write a number from 0 to 1")
        if query.per_crowding_attribute is None:
            return
        if query.per_crowding_attribute < 1:
            raise NotSearchable(
                f"{query.per_crowding_attribute} neighbors of one crowding attribute are asked for; ask for 1 or more"
            )
        if self.rows.attributes is None:
            raise NotSearchable("the index config has no crowdingColumn; set it, and sync the view again")

    def _live(self, query: Query) -> Mask | None:
        """Which rows pass all filters, None for all."""
        masks = [passing_tokens(self._column(one.column), one) for one in query.strings]
        masks += [passing_numbers(self._column(one.column), one) for one in query.numbers]
        live: Mask | None = None
        for mask in masks:
            live = mask if live is None else live & mask
        return live

    def _column(self, name: str) -> FilterColumn:
        if name in self.rows.filters:
            return self.rows.filters[name]
        near = nearest_name(name, self.shape.filters)
        advice = f'did you mean "{near}"?' if near else f"there are {', '.join(self.shape.filters) or 'none'}"
        raise NotSearchable(f'"{name}" is not among the filterColumns of the index config; {advice}')

    def _nearest(self, vector: Floats, live: Mask | None, query: Query) -> Ranked:
        positions: Positions | None = None if live is None else np.flatnonzero(live)
        alive = len(self.rows.ids) if positions is None else len(positions)
        if query.per_crowding_attribute is None or self.rows.attributes is None:
            return nearest(self.space, vector, positions, min(query.count, alive))
        looked_for = query.count * MORE_AT_FIRST
        while True:
            found = nearest(self.space, vector, positions, min(looked_for, alive))
            kept = thinned(found, self.rows.attributes, per_attribute=query.per_crowding_attribute, count=query.count)
            if len(kept.positions) == query.count or looked_for >= alive:
                return kept
            looked_for *= MORE_EACH_TIME


def index_over(shape: Shape, rows: Gathered) -> VectorIndex:
    """The index over some rows."""
    if shape.leaf_size is not None and len(rows.ids) > MOST_TO_SCAN:
        raise NotImplementedError(f"a tree over more than {MOST_TO_SCAN} vectors is still to come")
    return VectorIndex(shape, rows, space_of(rows.matrix, norms_of(rows.matrix), shape.distance))
