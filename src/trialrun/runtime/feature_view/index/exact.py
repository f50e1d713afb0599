"""Exact search: the nearest rows, ties in the order of their positions, in memory that does not grow with the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.distance import (
    LONGEST,
    SHORTEST,
    Doubles,
    Floats,
    Positions,
    Probe,
    can_be_estimated,
    errors,
    estimated,
    exact_distances,
    norms_of,
)
from trialrun.runtime.feature_view.index.parameters import Distance

GATHERED_AT_ONCE = 8192
"""Rows that are copied together, to bound the memory."""
FEW = 48
"""So few rows are faster looked at exactly at once."""


@dataclass(frozen=True)
class Space:
    """Vectors, their lengths, the distance, the longest length, and whether float32 is enough for estimates."""

    distance: Distance
    matrix: Floats
    squares: Doubles
    norms: Floats
    is_estimable: bool
    longest: float


def space_of(matrix: Floats, squares: Doubles, distance: Distance) -> Space:
    """The space of some vectors; `squares` are those of their lengths."""
    norms = norms_of(squares)
    return Space(distance, matrix, squares, norms, can_be_estimated(norms), float(norms.max(initial=0)))


def can_estimate(space: Space, probe: Probe) -> bool:
    """Whether distances may be estimated in float32."""
    return space.is_estimable and (probe.length == 0 or SHORTEST < probe.length < LONGEST)


class Ranked(NamedTuple):
    """Rows by their distance from a query, then by position; positions are in the order of the entity ids."""

    positions: Positions
    distances: Doubles


def nearest(space: Space, probe: Probe, count: int, among: Positions | None = None) -> Ranked:
    """The nearest rows of those at some positions, or of all.

    What may be among them by a fast estimate is looked at exactly.
    """
    rows = len(space.matrix) if among is None else len(among)
    if not rows:
        return Ranked(np.empty(0, np.intp), np.empty(0))
    if rows > max(FEW, count) and can_estimate(space, probe):
        return ranked_exactly(space, probe, count, _promising(space, probe, count, among))
    return ranked_exactly(space, probe, count, np.arange(rows) if among is None else among)


def _promising(space: Space, probe: Probe, count: int, among: Positions | None) -> Positions:
    """Positions of all rows that can be among the nearest, and a few more."""
    norms = space.norms if among is None else space.norms[among]
    values = _estimated(space, norms, probe, among)
    off = errors(space.distance, norms, probe)
    bar = np.partition(values + off, count - 1)[count - 1]
    chosen = np.flatnonzero(values - off <= bar)
    return chosen if among is None else among[chosen]


def _estimated(space: Space, norms: Floats, probe: Probe, among: Positions | None) -> Floats:
    if among is None:
        return estimated(space.distance, space.matrix, norms, probe)
    values = np.empty(len(among), np.float32)
    for start in range(0, len(among), GATHERED_AT_ONCE):
        block = slice(start, start + GATHERED_AT_ONCE)
        rows = space.matrix.take(among[block], axis=0)
        values[block] = estimated(space.distance, rows, norms[block], probe)
    return values


def ranked_exactly(space: Space, probe: Probe, count: int, positions: Positions) -> Ranked:
    """The nearest of the rows at some positions, which are all looked at exactly."""
    if len(positions) <= GATHERED_AT_ONCE:
        return _best(positions, _distances(space, probe, positions), count)
    best = ranked_exactly(space, probe, count, positions[:GATHERED_AT_ONCE])
    for start in range(GATHERED_AT_ONCE, len(positions), GATHERED_AT_ONCE):
        block = positions[start : start + GATHERED_AT_ONCE]
        distances = np.append(best.distances, _distances(space, probe, block))
        best = _best(np.append(best.positions, block), distances, count)
    return best


def _distances(space: Space, probe: Probe, positions: Positions) -> Doubles:
    rows, squares = space.matrix.take(positions, axis=0), space.squares.take(positions)
    return exact_distances(space.distance, rows, squares, probe)


def _best(positions: Positions, distances: Doubles, count: int) -> Ranked:
    order = np.lexsort((positions, distances))[:count]
    return Ranked(positions[order], distances[order])
