"""Exact search: the nearest rows, ties in the order of their positions, in memory that does not grow with the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.distance import (
    MAX_NORM,
    MIN_NORM,
    Doubles,
    Floats,
    Positions,
    QueryVector,
    can_be_estimated,
    estimate_distances,
    estimate_errors,
    exact_distances,
    row_norms,
)
from trialrun.runtime.feature_view.index.parameters import Distance

BLOCK_ROWS = 8192
"""Rows that are copied together, to bound the memory."""
MAX_ROWS_WITHOUT_ESTIMATE = 48
"""So few rows are faster looked at exactly at once."""


@dataclass(frozen=True)
class VectorSpace:
    """Vectors, their lengths, the distance, the longest length, and whether float32 is enough for estimates.

    `squares` are those of the lengths, `norms` the lengths in float32. Cosines divide by them, so there a vector of
    zeros has the length 1: its dot product with everything is 0, by whatever it is divided.
    """

    distance: Distance
    matrix: Floats
    squares: Doubles
    norms: Floats
    is_estimable: bool
    longest: float


def build_space(matrix: Floats, squares: Doubles, distance: Distance) -> VectorSpace:
    """The space of some vectors; `squares` are those of their lengths."""
    if distance == "COSINE_DISTANCE" and not squares.all():
        squares = np.where(squares == 0, 1.0, squares)
    norms = row_norms(squares)
    return VectorSpace(distance, matrix, squares, norms, can_be_estimated(norms), float(norms.max(initial=0)))


def can_estimate(space: VectorSpace, probe: QueryVector) -> bool:
    """Whether distances may be estimated in float32."""
    return space.is_estimable and (probe.length == 0 or MIN_NORM < probe.length < MAX_NORM)


class RankedRows(NamedTuple):
    """Rows by their distance from a query, then by position; positions are in the order of the entity ids."""

    positions: Positions
    distances: Doubles


def search_exactly(space: VectorSpace, probe: QueryVector, count: int, among: Positions | None = None) -> RankedRows:
    """The nearest rows of those at some positions, or of all.

    What may be among them by a fast estimate is looked at exactly.
    """
    rows = len(space.matrix) if among is None else len(among)
    if not rows:
        return RankedRows(np.empty(0, np.intp), np.empty(0))
    if rows > max(MAX_ROWS_WITHOUT_ESTIMATE, count) and can_estimate(space, probe):
        return rank_exactly(space, probe, count, _possible_neighbors(space, probe, count, among))
    return rank_exactly(space, probe, count, np.arange(rows) if among is None else among)


def _possible_neighbors(space: VectorSpace, probe: QueryVector, count: int, among: Positions | None) -> Positions:
    """Positions of all rows that can be among the nearest, and a few more."""
    norms = space.norms if among is None else space.norms[among]
    values = _estimate(space, norms, probe, among)
    off = estimate_errors(space.distance, norms, probe)
    bar = np.partition(values + off, count - 1)[count - 1]
    chosen = np.flatnonzero(values - off <= bar)
    return chosen if among is None else among[chosen]


def _estimate(space: VectorSpace, norms: Floats, probe: QueryVector, among: Positions | None) -> Floats:
    if among is None:
        return estimate_distances(space.distance, space.matrix, norms, probe)
    values = np.empty(len(among), np.float32)
    for start in range(0, len(among), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        rows = space.matrix.take(among[block], axis=0)
        values[block] = estimate_distances(space.distance, rows, norms[block], probe)
    return values


def rank_exactly(space: VectorSpace, probe: QueryVector, count: int, positions: Positions) -> RankedRows:
    """The nearest of the rows at some positions, which are all looked at exactly."""
    if len(positions) <= BLOCK_ROWS:
        return _sort_and_cut(positions, _distances(space, probe, positions), count)
    best = rank_exactly(space, probe, count, positions[:BLOCK_ROWS])
    for start in range(BLOCK_ROWS, len(positions), BLOCK_ROWS):
        block = positions[start : start + BLOCK_ROWS]
        distances = np.append(best.distances, _distances(space, probe, block))
        best = _sort_and_cut(np.append(best.positions, block), distances, count)
    return best


def _distances(space: VectorSpace, probe: QueryVector, positions: Positions) -> Doubles:
    squares = space.squares.take(positions) if space.distance == "COSINE_DISTANCE" else space.squares
    return exact_distances(space.distance, space.matrix.take(positions, 0), squares, probe)


def _sort_and_cut(positions: Positions, distances: Doubles, count: int) -> RankedRows:
    order = np.lexsort((positions, distances))[:count]
    return RankedRows(positions[order], distances[order])
