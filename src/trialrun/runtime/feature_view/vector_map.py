"""A map of vectors: their two directions of largest variance, as whole numbers of a square.

At most 20,000 vectors are on a map, drawn by a seed. The signs of the directions are fixed and places are rounded, so
that the same vectors give the same map.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.optional_imports import require_numpy

MAX_POINTS = 20_000
SIDE = 1000
"""The length of a side of the square."""


@dataclass(frozen=True)
class VectorMap:
    """The places of the vectors that are drawn, from 0 to SIDE, with the numbers of their rows.

    `total` counts all vectors, and `explained` is the share of their variance in each direction.
    """

    rows: tuple[int, ...]
    places: tuple[tuple[int, int], ...]
    total: int
    explained: tuple[float, float]


def sample(rows: Iterable[Any], *, most: int = MAX_POINTS, seed: int = 0) -> tuple[list[Any], int]:
    """At most so many of the rows, drawn by a seed, in their order, and how many there are."""
    draw = random.Random(seed)
    kept: list[tuple[int, Any]] = []
    total = 0
    for row in rows:
        if total < most:
            kept.append((total, row))
        elif (place := draw.randrange(total + 1)) < most:
            kept[place] = (total, row)
        total += 1
    return [row for _, row in sorted(kept, key=_number)], total


def _number(entry: tuple[int, Any]) -> int:
    return entry[0]


def vector_map(vectors: Sequence[Sequence[float]], total: int) -> VectorMap | None:
    """The map of vectors of one length; None where there are fewer than two that can be shown."""
    require_numpy()
    import numpy as np

    lengths = {len(vector) for vector in vectors}
    if len(vectors) < 2 or len(lengths) != 1:
        return None
    matrix = np.asarray(vectors, dtype=np.float64)
    centered = matrix - matrix.mean(axis=0)
    variances, directions = np.linalg.eigh(centered.T @ centered)
    best = directions[:, ::-1][:, :2]
    if best.shape[1] < 2:
        best = np.hstack([best, np.zeros_like(best)])
    strongest = np.abs(best).argmax(axis=0)
    best = best * np.where(best[strongest, range(2)] < 0, -1, 1)
    places = centered @ best
    low, high = places.min(axis=0), places.max(axis=0)
    scale = SIDE / max(float((high - low).max()), 1e-12)
    rounded = np.rint((places - low) * scale).astype(int)
    all_variance = max(float(variances.sum()), 1e-12)
    shares = [round(float(share), 4) for share in variances[::-1][:2] / all_variance] + [0.0]
    points = tuple((int(x), int(y)) for x, y in rounded)
    return VectorMap(tuple(range(len(points))), points, total, (shares[0], shares[1]))
