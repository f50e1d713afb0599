"""Crowding: of the entities with one attribute only so many are kept, the nearest ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.exact import RankedRows

NO_ATTRIBUTE = -1


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
