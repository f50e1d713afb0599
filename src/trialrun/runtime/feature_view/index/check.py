"""Whether a query fits an index, and which rows its filters let through."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from trialrun.runtime.feature_view.index.column import FilterColumn, Mask, match_numbers, match_tokens
from trialrun.runtime.feature_view.index.distance import Floats, QueryVector, query_vector
from trialrun.runtime.feature_view.index.interface import NotSearchable, Query
from trialrun.values.suggest import did_you_mean


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
