"""The index of a snapshot: it checks a query, applies its filters, and ranks what is left, thinned out by crowding."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.columns import (
    NO_ATTRIBUTE,
    FilterColumn,
    Mask,
    match_numbers,
    match_tokens,
)
from trialrun.runtime.feature_view.index.distance import (
    Floats,
    QueryVector,
    RankedRows,
    VectorSpace,
    build_space,
    can_estimate,
    query_vector,
    rank_exactly,
    search_exactly,
    squared_norms,
)
from trialrun.runtime.feature_view.index.interface import (
    IndexParameters,
    Neighbor,
    NotSearchable,
    Query,
    Vectors,
    neighbors,
)
from trialrun.runtime.feature_view.index.rows import IndexRows, load_vectors
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
    """The vectors of one snapshot, as an IndexConfig shapes them; `tree` is None for the exact search, and for few."""

    shape: IndexParameters
    rows: IndexRows
    space: VectorSpace
    tree: TreeAhIndex | None

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
        rows = self.rows
        probe = check_vector(query.vector, self.space.matrix.shape[1])
        check_numbers(query, has_crowding=rows.attributes is not None)
        live = filter_rows(query, rows.filters)
        ranked = _rank(self.space, None if exactly else self.tree, probe, query, live, rows.attributes)
        return neighbors(rows.ids.at(ranked.positions), ranked.distances.tolist())

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


def build_index(vectors: Vectors, shape: IndexParameters) -> VectorIndex:
    """The index of some vectors. Raises NotSearchable where a tree is needed and faiss is not installed."""
    rows = load_vectors(vectors, shape)
    space = build_space(rows.matrix, squared_norms(rows.matrix), shape.distance)
    return VectorIndex(shape, rows, space, _train_if_large(shape, space))


def _train_if_large(shape: IndexParameters, space: VectorSpace) -> TreeAhIndex | None:
    if shape.leaf_size is None or len(space.matrix) <= MAX_ROWS_TO_SCAN or not space.is_estimable:
        return None
    from trialrun.runtime.feature_view.index.tree import train_tree

    return train_tree(space, shape.leaf_size)


def check_vector(elements: Sequence[float], dimension: int) -> QueryVector:
    """The vector of a query, which must have the dimension of the index unless that is 0. Raises NotSearchable."""
    is_ready = isinstance(elements, np.ndarray) and elements.dtype == np.float32
    vector = np.ascontiguousarray(elements) if is_ready else _to_floats(elements)
    if vector.ndim != 1 or (dimension and len(vector) != dimension):
        steps = ("embeddingDimension",)
        raise NotSearchable(
            f"the vector has {len(vector)} elements but the index has dimension {dimension}; "
            "use a vector of that length",
            steps=steps,
        )
    probe = query_vector(vector)
    if not math.isfinite(probe.length):
        at = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise NotSearchable(f"element {at} of the vector, {elements[at]}, is not a finite float; use finite numbers")
    return probe


def _to_floats(elements: Sequence[float]) -> Floats:
    try:
        with np.errstate(over="ignore"):
            return np.array(elements, np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise NotSearchable(f"the vector is not a list of numbers ({error})") from error


def check_numbers(query: Query, *, has_crowding: bool) -> None:
    """Raises NotSearchable where a number of the query is out of its range, or crowding is not configured."""
    if query.count < 1:
        raise NotSearchable(f"{query.count} neighbors are requested; request 1 or more")
    if query.candidates is not None and query.candidates < 1:
        raise NotSearchable(f"{query.candidates} candidates are requested; request 1 or more")
    if query.leaves_fraction is not None and not 0 <= query.leaves_fraction <= 1:
        raise NotSearchable(f"the fraction of leaves is {query.leaves_fraction}; use a value from 0 to 1")
    if query.per_crowding_attribute is None:
        return
    if query.per_crowding_attribute < 1:
        wanted = query.per_crowding_attribute
        raise NotSearchable(f"{wanted} neighbors per crowding attribute are requested; request 1 or more")
    if not has_crowding:
        message = "crowding is requested but the index config has no crowdingColumn; set it, and sync the view again"
        raise NotSearchable(message, steps=("crowdingColumn",))


def filter_rows(query: Query, columns: Mapping[str, FilterColumn]) -> Mask | None:
    """Which rows pass all filters of a query, None for all. Raises NotSearchable."""
    if not query.strings and not query.numbers:
        return None
    masks = [match_tokens(_find_column(string.column, columns), string) for string in query.strings]
    masks += [match_numbers(_find_column(number.column, columns), number) for number in query.numbers]
    live: Mask | None = None
    for mask in masks:
        live = mask if live is None else live & mask
    return live


def _find_column(name: str, columns: Mapping[str, FilterColumn]) -> FilterColumn:
    if name in columns:
        return columns[name]
    alternatives = f"there are {', '.join(columns)}" if columns else "add it, and sync the view again"
    advice = did_you_mean(name, columns, otherwise=alternatives)
    raise NotSearchable(f'"{name}" is not among the filterColumns of the view{advice}', steps=("filterColumns",))


def _rank(
    space: VectorSpace,
    tree: TreeAhIndex | None,
    probe: QueryVector,
    query: Query,
    live: Mask | None,
    attributes: NDArray[np.int32] | None,
) -> RankedRows:
    """The nearest live rows, as many as the query asks for; crowding keeps so many of one attribute."""
    alive = len(space.matrix) if live is None else int(np.count_nonzero(live))
    if query.per_crowding_attribute is None or attributes is None:
        return _nearest_rows(space, tree, probe, query, live, alive)
    looked_for, wider = query.count * FIRST_CROWDING_FACTOR, 1
    while True:
        nearest = _nearest_rows(space, tree, probe, replace(query, count=looked_for), live, alive, wider=wider)
        crowded = apply_crowding(nearest, attributes, per_attribute=query.per_crowding_attribute, count=query.count)
        if len(crowded.positions) == query.count or looked_for >= alive:
            return crowded
        looked_for, wider = looked_for * NEXT_CROWDING_FACTOR, wider * LEAF_GROWTH_FACTOR


def _nearest_rows(
    space: VectorSpace,
    tree: TreeAhIndex | None,
    probe: QueryVector,
    query: Query,
    live: Mask | None,
    alive: int,
    *,
    wider: int = 1,
) -> RankedRows:
    """The nearest live rows: the candidates of the tree ranked exactly, or all where that is no slower."""
    count = min(query.count, alive)
    candidates = query.candidates or max(MIN_CANDIDATES, CANDIDATES_PER_NEIGHBOR * count)
    is_faster = alive > MAX_ROWS_TO_SCAN and candidates < MAX_CANDIDATE_SHARE * alive
    if tree is not None and is_faster and can_estimate(space, probe):
        leaves = leaf_count(tree.leaves, query.leaves_fraction, alive / len(space.matrix), wider)
        candidate_rows = tree.candidates(probe, max(candidates, count), leaves, live)
        if len(candidate_rows) >= count:
            return rank_exactly(space, probe, count, tree.possible_neighbors(space, probe, count, candidate_rows))
    return search_exactly(space, probe, count, None if live is None else np.flatnonzero(live))


@lru_cache(maxsize=256)
def leaf_count(leaves: int, share: float | None, live_share: float, wider: int) -> int:
    """How many leaves are searched: more of them where the filters let fewer rows through."""
    wanted = max(MIN_LEAF_SHARE, MIN_LEAVES / leaves) if share is None else share
    return min(leaves, max(1, math.ceil(wanted * wider / live_share * leaves)))


def apply_crowding(ranked: RankedRows, attributes: NDArray[np.int32], *, per_attribute: int, count: int) -> RankedRows:
    """The first rows of which at most so many have one attribute; those without an attribute crowd nobody."""
    seen: dict[int, int] = {}
    positions: list[int] = []
    for at, attribute in enumerate(attributes[ranked.positions].tolist()):
        if attribute != NO_ATTRIBUTE:
            seen[attribute] = seen.get(attribute, 0) + 1
            if seen[attribute] > per_attribute:
                continue
        positions.append(at)
        if len(positions) == count:
            break
    return RankedRows(ranked.positions[positions], ranked.distances[positions])
