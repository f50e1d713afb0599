"""Distances from a query to rows of a matrix, and the nearest rows: exact ones, found by fast estimates with a bound.

A row's exact distance is computed in float64 from its float32 elements, and `add.reduce` along a row adds in an order
that depends on nothing but the dimension. So equal vectors have equal distances, wherever they stand and however they
were found; ties are in the order of the positions. The memory of a search does not grow with the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.interface import Distance

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Positions = NDArray[np.intp]
Mask = NDArray[np.bool_]
RankedRows = tuple[Positions, Doubles]
"""Positions of rows, which are in the order of the entity ids, and distances: the nearest first, then by position."""

BLOCK_ROWS = 4096
MIN_NORM, MAX_NORM = 1e-15, 1e15
"""Between these lengths no product of float32 overflows, and none that matters vanishes."""
RANKED_TOGETHER = 8192
"""Rows that are copied together, to bound the memory."""
MAX_ROWS_WITHOUT_ESTIMATE = 48
"""So few rows are faster looked at exactly at once."""


class QueryVector(NamedTuple):
    """The vector of a query, as it is and in float64, and its length, which serves for estimates alone.

    A tuple, since each query makes one, and tuples are made fast.
    """

    vector: Floats
    exact: Doubles
    length: float


def squared_norms(matrix: Floats) -> Doubles:
    """The square of the length of each row."""
    squares = np.empty(len(matrix), np.float64)
    for start in range(0, len(matrix), BLOCK_ROWS):
        block = matrix[start : start + BLOCK_ROWS].astype(np.float64)
        squares[start : start + BLOCK_ROWS] = np.add.reduce(block * block, 1)
    return squares


def row_norms(squares: Doubles) -> Floats:
    """The length of each row in float32, the greatest of its numbers for a longer one."""
    return np.sqrt(squares).clip(max=float(np.finfo(np.float32).max)).astype(np.float32)


def rounding_error(dimension: int) -> float:
    """How much a sum of products in float32 may be off, as a share of the product of the lengths; twice what it can."""
    return (dimension + 16) * 2.0**-23


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

    def can_estimate(self, probe: QueryVector) -> bool:
        """Whether distances may be estimated in float32."""
        return self.is_estimable and (probe.length == 0 or MIN_NORM < probe.length < MAX_NORM)

    def search(self, probe: QueryVector, count: int, among: Positions | None = None) -> RankedRows:
        """The nearest rows of those at some positions, or of all.

        What may be among them by a fast estimate is looked at exactly.
        """
        rows = len(self.matrix) if among is None else len(among)
        if not rows:
            return np.empty(0, np.intp), np.empty(0)
        if rows <= max(MAX_ROWS_WITHOUT_ESTIMATE, count) or not self.can_estimate(probe):
            return self.rank(probe, count, np.arange(rows) if among is None else among)
        norms = self.norms if among is None else self.norms[among]
        estimates, off = self._estimate(norms, probe, among), self._estimate_errors(norms, probe)
        bar = np.partition(estimates + off, count - 1)[count - 1]
        possible = np.flatnonzero(estimates - off <= bar)
        return self.rank(probe, count, possible if among is None else among[possible])

    def rank(self, probe: QueryVector, count: int, positions: Positions) -> RankedRows:
        """The nearest of the rows at some positions, which are all looked at exactly."""
        best, distances = positions[:0], np.empty(0)
        for start in range(0, len(positions), RANKED_TOGETHER):
            block = positions[start : start + RANKED_TOGETHER]
            best, distances = np.append(best, block), np.append(distances, self._distances(probe, block))
            order = np.lexsort((best, distances))[:count]
            best, distances = best[order], distances[order]
        return best, distances

    def _distances(self, probe: QueryVector, positions: Positions) -> Doubles:
        rows = self.matrix.take(positions, 0).astype(np.float64)  # at once, which is faster than in what follows
        if self.distance == "SQUARED_L2_DISTANCE":
            rows -= probe.exact
            rows *= rows
            sums: Doubles = np.add.reduce(rows, 1)
            return sums
        rows *= probe.exact
        dots: Doubles = np.add.reduce(rows, 1)
        if self.distance == "DOT_PRODUCT_DISTANCE":
            return 0.0 - dots
        # A query of zeros has the dot product 0, by whatever it is divided.
        lengths = self.squares.take(positions) * (np.add.reduce(probe.exact * probe.exact) or 1.0)
        dots /= np.sqrt(lengths, lengths)
        return 1.0 - dots

    def _estimate(self, norms: Floats, probe: QueryVector, among: Positions | None) -> Floats:
        """Distances in float32, up to a number that is the same for all rows."""
        if among is None:
            values: Floats = self.matrix @ probe.vector
        else:
            values = np.empty(len(among), np.float32)
            for start in range(0, len(among), RANKED_TOGETHER):
                block = slice(start, start + RANKED_TOGETHER)
                values[block] = self.matrix.take(among[block], axis=0) @ probe.vector
        if self.distance == "COSINE_DISTANCE":
            values /= norms
        elif self.distance == "SQUARED_L2_DISTANCE":
            values *= 2
            values -= norms * norms
        return np.negative(values, out=values)

    def _estimate_errors(self, norms: Floats, probe: QueryVector) -> Floats | np.float32:
        """How much the estimates of rows of these lengths may be off."""
        share = rounding_error(len(probe.vector))
        if self.distance == "COSINE_DISTANCE":
            return np.float32(share * probe.length)
        if self.distance == "DOT_PRODUCT_DISTANCE":
            return norms * np.float32(share * probe.length)
        return norms * (norms * np.float32(share) + np.float32(2 * share * probe.length))


def build_space(matrix: Floats, squares: Doubles, distance: Distance) -> VectorSpace:
    """The space of some vectors; `squares` are those of their lengths."""
    if distance == "COSINE_DISTANCE" and not squares.all():
        squares = np.where(squares == 0, 1.0, squares)
    norms = row_norms(squares)
    lengths = norms[norms > 0]
    is_estimable = len(lengths) == 0 or bool(lengths.min() > MIN_NORM and lengths.max() < MAX_NORM)
    return VectorSpace(distance, matrix, squares, norms, is_estimable, float(norms.max(initial=0)))
