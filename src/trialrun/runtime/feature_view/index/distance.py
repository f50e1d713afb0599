"""Distances from a query to rows of a matrix: exact ones, and fast ones with a bound on their error.

A row's exact distance is computed in float64 from its float32 elements, in an order that depends on nothing but the
dimension. So equal vectors have equal distances, wherever they stand and however they were found.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trialrun.record import dataclass
from trialrun.runtime.feature_view.index.shape import Distance

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Positions = NDArray[np.intp]

ROWS_AT_ONCE = 4096
SAFE_NORMS = (1e-15, 1e15)
"""Between these no product of float32 overflows, and none that matters vanishes."""


def norms_of(matrix: Floats) -> Floats:
    """The length of each row."""
    norms = np.empty(len(matrix), np.float64)
    for start in range(0, len(matrix), ROWS_AT_ONCE):
        block = matrix[start : start + ROWS_AT_ONCE].astype(np.float64)
        norms[start : start + ROWS_AT_ONCE] = np.sqrt((block * block).sum(axis=1))
    return norms.clip(max=float(np.finfo(np.float32).max)).astype(np.float32)


def exact_distances(distance: Distance, rows: Floats, query: Floats) -> Doubles:
    """The distance of each row from a query."""
    parts = [
        _exactly(distance, rows[start : start + ROWS_AT_ONCE].astype(np.float64), query.astype(np.float64))
        for start in range(0, len(rows), ROWS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def _exactly(distance: Distance, rows: Doubles, query: Doubles) -> Doubles:
    if distance == "SQUARED_L2_DISTANCE":
        rows -= query
        rows *= rows
        return _row_sums(rows)
    dots = _row_sums(rows * query)
    if distance == "DOT_PRODUCT_DISTANCE":
        return 0.0 - dots
    lengths: Doubles = np.sqrt(_row_sums(rows * rows) * (query * query).sum())
    return 1.0 - np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)


def _row_sums(rows: Doubles) -> Doubles:
    sums: Doubles = rows.sum(axis=1)
    return sums


@dataclass(frozen=True)
class Estimates:
    """For each row, what its distance is at least and at most, up to one number that is the same for all rows."""

    least: Floats
    most: Floats


def estimates(distance: Distance, rows: Floats, norms: Floats, query: Floats) -> Estimates:
    """Distances in float32, by one product of a matrix and a vector."""
    dots = rows @ query
    length = np.float32(np.sqrt((query.astype(np.float64) ** 2).sum()))
    rounding = np.float32((rows.shape[1] + 16) * 2.0**-23)
    if distance == "DOT_PRODUCT_DISTANCE":
        values, errors = -dots, norms * (length * rounding)
    elif distance == "SQUARED_L2_DISTANCE":
        values, errors = norms * norms - 2 * dots, norms * (norms + 2 * length) * rounding
    else:
        values = -np.divide(dots, norms, out=np.zeros_like(dots), where=norms > 0)
        errors = np.full_like(values, length * rounding)
    return Estimates(values - errors, values + errors)


def can_estimate(norms: Floats, query: Floats) -> bool:
    """Whether float32 is enough to estimate with: the lengths are neither huge nor tiny."""
    least, most = SAFE_NORMS
    length = float(np.sqrt((query.astype(np.float64) ** 2).sum()))
    lengths = norms[norms > 0]
    fits = len(lengths) == 0 or (float(lengths.min()) > least and float(lengths.max()) < most)
    return fits and (length == 0 or least < length < most)
