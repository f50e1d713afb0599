"""Distances from a query to rows of a matrix: exact ones, and fast ones with a bound on their error.

A row's exact distance is computed in float64 from its float32 elements, and `add.reduce` along a row adds in an order
that depends on nothing but the dimension. So equal vectors have equal distances, wherever they stand and however they
were found.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.parameters import Distance

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Positions = NDArray[np.intp]

BLOCK_ROWS = 4096
MIN_NORM, MAX_NORM = 1e-15, 1e15
"""Between these lengths no product of float32 overflows, and none that matters vanishes."""


class QueryVector(NamedTuple):
    """The vector of a query, as it is and in float64, and its length, which serves for estimates alone.

    A tuple, since each query makes one, and tuples are made fast.
    """

    vector: Floats
    exact: Doubles
    length: float


def query_vector(vector: Floats) -> QueryVector:
    """A vector made ready to be compared."""
    exact = vector.astype(np.float64)
    return QueryVector(vector, exact, math.sqrt(exact.dot(exact)))


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


def exact_distances(distance: Distance, floats: Floats, squares: Doubles, probe: QueryVector) -> Doubles:
    """The distance from a query of each row; `squares` are those of their lengths, which cosines need, and never 0."""
    rows = floats.astype(np.float64)  # at once, which is faster than element by element in what follows
    if distance == "SQUARED_L2_DISTANCE":
        rows -= probe.exact
        rows *= rows
        sums: Doubles = np.add.reduce(rows, 1)
        return sums
    rows *= probe.exact
    dots: Doubles = np.add.reduce(rows, 1)
    if distance == "DOT_PRODUCT_DISTANCE":
        return 0.0 - dots
    lengths = squares * (np.add.reduce(probe.exact * probe.exact) or 1.0)  # a query of zeros has the dot product 0
    dots /= np.sqrt(lengths, lengths)
    return 1.0 - dots


def rounding_error(dimension: int) -> float:
    """How much a sum of products in float32 may be off, as a share of the product of the lengths; twice what it can."""
    return (dimension + 16) * 2.0**-23


def estimate_distances(distance: Distance, rows: Floats, norms: Floats, probe: QueryVector) -> Floats:
    """Distances in float32, up to a number that is the same for all rows."""
    values: Floats = rows @ probe.vector
    if distance == "COSINE_DISTANCE":
        values /= norms
    elif distance == "SQUARED_L2_DISTANCE":
        values *= 2
        values -= norms * norms
    return np.negative(values, out=values)


def estimate_errors(distance: Distance, norms: Floats, probe: QueryVector) -> Floats | np.float32:
    """How much the estimates of rows of these lengths may be off."""
    share = rounding_error(len(probe.vector))
    if distance == "COSINE_DISTANCE":
        return np.float32(share * probe.length)
    if distance == "DOT_PRODUCT_DISTANCE":
        return norms * np.float32(share * probe.length)
    return norms * (norms * np.float32(share) + np.float32(2 * share * probe.length))


def can_be_estimated(norms: Floats) -> bool:
    """Whether float32 is enough to estimate with for vectors of these lengths."""
    lengths = norms[norms > 0]
    return len(lengths) == 0 or bool(lengths.min() > MIN_NORM and lengths.max() < MAX_NORM)
