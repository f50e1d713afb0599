"""Whether the parts of an index that was read go together: a library that is handed others ends the process."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.column import FilterColumn, NumberColumn, TokenColumn, UntypedColumn
from trialrun.runtime.feature_view.index.crowding import NO_ATTRIBUTE
from trialrun.runtime.feature_view.index.load_vectors import IndexRows


def validate_rows(rows: IndexRows, squares: NDArray[np.float64], dimension: int | None) -> None:
    """See that all parts have the same rows, and numbers of their type. Raises ValueError."""
    count = len(rows.ids)
    _require(rows.matrix.ndim == 2 and rows.matrix.dtype == np.float32 and len(rows.matrix) == count, "the vectors")
    _require(dimension is None or not count or rows.matrix.shape[1] == dimension, "the dimension")
    _require(_has_shape(squares, np.float64, count), "the lengths")
    for key in rows.ids.keys:
        is_text = isinstance(key, list) and all(isinstance(text, str) for text in key)
        _require(len(key) == count and (is_text or _has_shape(key, np.int64, count)), "the entity ids")
    attributes = rows.attributes
    if attributes is not None:
        _require(_has_shape(attributes, np.int32, count), "the crowding column")
        _require(bool((attributes >= min(NO_ATTRIBUTE, 0)).all()), "the crowding column")
    for name, column in rows.filters.items():
        _require(_is_valid_column(column, count), f"the filter column {name}")


def _is_valid_column(column: FilterColumn, count: int) -> bool:
    match column:
        case TokenColumn(starts, codes, words):
            return _are_valid_tokens(starts, codes, words, count)
        case NumberColumn(values, there):
            is_number = _has_shape(values, np.int64, count) or _has_shape(values, np.float64, count)
            return is_number and _has_shape(there, np.bool_, count)
        case UntypedColumn(rows):
            return rows == count
        case _:
            return True


def _are_valid_tokens(starts: NDArray[np.int64], codes: NDArray[np.int32], words: Iterable[str], count: int) -> bool:
    if not (_has_shape(starts, np.int64, count + 1) and _has_shape(codes, np.int32, len(codes))):
        return False
    in_order = starts[0] == 0 and starts[-1] == len(codes) and bool((np.diff(starts) >= 0).all())
    known = not len(codes) or (codes.min() >= 0 and codes.max() < len(list(words)))
    return bool(in_order and known)


def _has_shape(array: object, type: object, count: int) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == type and array.shape == (count,)


def _require(is_sound: bool, what: str) -> None:
    if not is_sound:
        raise ValueError(f"{what} do not go with the rest")
