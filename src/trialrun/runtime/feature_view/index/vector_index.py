"""The index of a snapshot: it checks a query, applies its filters, and ranks what is left."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.check import check_numbers, check_vector, filter_rows
from trialrun.runtime.feature_view.index.distance import QueryVector, squared_norms
from trialrun.runtime.feature_view.index.exact import RankedRows, VectorSpace, build_space
from trialrun.runtime.feature_view.index.interface import Neighbor, Query, neighbors
from trialrun.runtime.feature_view.index.load_vectors import IndexRows
from trialrun.runtime.feature_view.index.parameters import IndexParameters
from trialrun.runtime.feature_view.index.rank import MAX_ROWS_TO_SCAN, SearchSpace, rank_rows
from trialrun.runtime.feature_view.store.interface import EntityId

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.index.tree import TreeAhIndex


@dataclass(frozen=True)
class VectorIndex:
    """The vectors of one snapshot, as an IndexConfig shapes them; few of them need no tree."""

    shape: IndexParameters
    rows: IndexRows
    field: SearchSpace

    @property
    def space(self) -> VectorSpace:
        """The vectors."""
        return self.field.space

    @property
    def dimension(self) -> int:
        """How many elements a vector has; 0 where there is no vector that tells."""
        return int(self.space.matrix.shape[1])

    @property
    def size(self) -> int:
        """How many vectors there are."""
        return len(self.space.matrix)

    def search(self, query: Query, *, exactly: bool = False) -> list[Neighbor]:
        """The nearest entities; `exactly` looks at every vector, whatever the algorithm. Raises NotSearchable."""
        rows, field = self.rows, self.field
        probe = check_vector(query.vector, field.space.matrix.shape[1])
        check_numbers(query, has_crowding=rows.attributes is not None)
        ranked = self.rank(probe, query, exactly=exactly)
        return neighbors(rows.ids.at(ranked.positions), ranked.distances.tolist())

    def rank(self, probe: QueryVector, query: Query, *, exactly: bool) -> RankedRows:
        """The nearest rows for a query that was checked. Raises NotSearchable where the filters do not fit."""
        live = filter_rows(query, self.rows.filters)
        field = SearchSpace(self.space, None) if exactly else self.field
        return rank_rows(field, probe, query, live, self.rows.attributes)

    def vector(self, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity, None for one that is not in the index."""
        try:
            position = bisect_left(self.rows.ids, id)
        except TypeError:  # a text where the ids are numbers
            return None
        if position == len(self.rows.ids) or self.rows.ids[position] != id:
            return None
        elements: list[float] = self.space.matrix[position].tolist()
        return elements


def build_vector_index(shape: IndexParameters, rows: IndexRows) -> VectorIndex:
    """The index over some rows. Raises NotSearchable where a tree is needed and faiss is not installed."""
    space = build_space(rows.matrix, squared_norms(rows.matrix), shape.distance)
    return VectorIndex(shape, rows, SearchSpace(space, _train_if_large(shape, space)))


def fill_vector_index(shape: IndexParameters, rows: IndexRows, trained: bytes | None) -> VectorIndex:
    """The index over the rows of a shard, by a tree that was trained on rows of all of them, or without one."""
    space = build_space(rows.matrix, squared_norms(rows.matrix), shape.distance)
    if trained is None:
        return VectorIndex(shape, rows, SearchSpace(space, None))
    from trialrun.runtime.feature_view.index.tree import fill_tree

    return VectorIndex(shape, rows, SearchSpace(space, fill_tree(trained, space)))


def _train_if_large(shape: IndexParameters, space: VectorSpace) -> TreeAhIndex | None:
    if shape.leaf_size is None or len(space.matrix) <= MAX_ROWS_TO_SCAN or not space.is_estimable:
        return None
    from trialrun.runtime.feature_view.index.tree import train_tree

    return train_tree(space, shape.leaf_size)
