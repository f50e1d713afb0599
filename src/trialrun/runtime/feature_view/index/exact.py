"""Exact search: the nearest rows, ties in the order of their positions, in memory that does not grow with the rows."""

from __future__ import annotations

import numpy as np

from trialrun.record import dataclass
from trialrun.runtime.feature_view.index.distance import (
    Doubles,
    Floats,
    Positions,
    can_estimate,
    estimates,
    exact_distances,
)
from trialrun.runtime.feature_view.index.shape import Distance

GATHERED_AT_ONCE = 16384
FEW = 2048


@dataclass(frozen=True)
class Space:
    """Vectors, their lengths, and the distance between them."""

    distance: Distance
    matrix: Floats
    norms: Floats
    plain: bool
    """Whether the lengths allow for estimates in float32."""


def space_of(matrix: Floats, norms: Floats, distance: Distance) -> Space:
    """The space of some vectors."""
    return Space(distance, matrix, norms, can_estimate(norms, np.zeros(1, np.float32)))


@dataclass(frozen=True)
class Ranked:
    """Rows by their distance from a query, then by position; positions are in the order of the entity ids."""

    positions: Positions
    distances: Doubles


def ranked(space: Space, query: Floats, positions: Positions, count: int) -> Ranked:
    """The nearest of the rows at some positions, which are all looked at exactly."""
    distances = exact_distances(space.distance, space.matrix[positions], query)
    order = np.lexsort((positions, distances))[:count]
    return Ranked(positions[order], distances[order])


def nearest(space: Space, query: Floats, live: Positions | None, count: int) -> Ranked:
    """The nearest of the live rows, None for all; what may be among them by a fast estimate is looked at exactly."""
    positions = np.arange(len(space.matrix)) if live is None else live
    if len(positions) <= max(FEW, count):
        return ranked(space, query, positions, count)
    if not (space.plain and can_estimate(space.norms[:0], query)):
        return _ranked_in_blocks(space, query, positions, count)
    return _ranked_in_blocks(space, query, _promising(space, query, live, count), count)


def _promising(space: Space, query: Floats, live: Positions | None, count: int) -> Positions:
    """Positions of all rows that can be among the nearest, and a few more."""
    least, most = _estimated(space, query, live)
    bar = np.partition(most, count - 1)[count - 1]
    chosen = np.flatnonzero(least <= bar)
    return chosen if live is None else live[chosen]


def _estimated(space: Space, query: Floats, live: Positions | None) -> tuple[Floats, Floats]:
    if live is None:
        whole = estimates(space.distance, space.matrix, space.norms, query)
        return whole.least, whole.most
    blocks = [live[start : start + GATHERED_AT_ONCE] for start in range(0, len(live), GATHERED_AT_ONCE)]
    parts = [estimates(space.distance, space.matrix[block], space.norms[block], query) for block in blocks]
    return np.concatenate([part.least for part in parts]), np.concatenate([part.most for part in parts])


def _ranked_in_blocks(space: Space, query: Floats, positions: Positions, count: int) -> Ranked:
    best = ranked(space, query, positions[:GATHERED_AT_ONCE], count)
    for start in range(GATHERED_AT_ONCE, len(positions), GATHERED_AT_ONCE):
        more = ranked(space, query, positions[start : start + GATHERED_AT_ONCE], count)
        together = np.concatenate([best.positions, more.positions])
        distances = np.concatenate([best.distances, more.distances])
        order = np.lexsort((together, distances))[:count]
        best = Ranked(together[order], distances[order])
    return best
