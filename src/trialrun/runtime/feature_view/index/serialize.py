"""What an index is made of on the disk: arrays, entity ids, the columns of its filters, and its tree."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.columns import (
    NO_ATTRIBUTE,
    FilterColumn,
    NumberColumn,
    TokenColumn,
    UnfilterableColumn,
    UntypedColumn,
)
from trialrun.runtime.feature_view.index.distance import VectorSpace, build_space
from trialrun.runtime.feature_view.index.parameters import IndexParameters
from trialrun.runtime.feature_view.index.rows import EntityIds, IndexRows
from trialrun.runtime.feature_view.index.vector_index import VectorIndex

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.index.tree import TreeAhIndex

Writers = dict[str, Callable[[Path], object]]
SHAPE = ("embedding", "filters", "crowding", "distance", "leaf_size", "dimension")
"""What is written of the parameters of an index."""
VECTORS = "vectors.npy"
IDS, SQUARES, ATTRIBUTES, TREE = "ids.json", "squares.npy", "attributes.npy", "tree.faiss"


def serialize_index(index: VectorIndex) -> tuple[dict[str, Any], Writers]:
    """What stands in contents.json, and how the other files are written."""
    rows = index.rows
    arrays: dict[str, NDArray[Any]] = {VECTORS: rows.matrix, SQUARES: index.space.squares}
    if rows.attributes is not None:
        arrays[ATTRIBUTES] = rows.attributes
    arrays |= {f"key-{at}.npy": key for at, key in enumerate(rows.ids.keys) if isinstance(key, np.ndarray)}
    filters = []
    for number, (name, column) in enumerate(rows.filters.items()):
        written, further = _serialize_column(column, number)
        filters.append({"name": name, **written})
        arrays |= further
    writers: Writers = {name: _array_writer(array) for name, array in arrays.items()}
    texts = [None if isinstance(key, np.ndarray) else key for key in rows.ids.keys]
    writers[IDS] = lambda path: path.write_text(json.dumps(texts), encoding="utf-8")
    if index.tree is not None:
        writers[TREE] = index.tree.write
    contents = {
        "shape": {name: getattr(index.shape, name) for name in SHAPE},
        "filters": filters,
        "crowding": rows.attributes is not None,
        "tree": index.tree is not None,
    }
    return contents, writers


def _array_writer(array: NDArray[Any]) -> Callable[[Path], object]:
    return lambda path: np.save(path, array, allow_pickle=False)


def _serialize_column(column: FilterColumn, number: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    match column:
        case TokenColumn(starts, codes, words):
            arrays: dict[str, NDArray[Any]] = {f"starts-{number}.npy": starts, f"codes-{number}.npy": codes}
            return {"holds": "tokens", "words": words}, arrays
        case NumberColumn(values, there):
            return {"holds": "numbers"}, {f"values-{number}.npy": values, f"there-{number}.npy": there}
        case UntypedColumn(rows):
            return {"holds": "nothing", "rows": rows}, {}
        case UnfilterableColumn(what):
            return {"holds": "opaque", "what": what}, {}


def deserialize_index(contents: Mapping[str, Any], place: Path) -> VectorIndex:
    """The index of a folder whose contents were read."""
    shape = IndexParameters(**{**contents["shape"], "filters": tuple(contents["shape"]["filters"])})
    squares = _load_array(place, SQUARES)
    matrix = np.load(place / VECTORS, mmap_mode="r" if len(squares) else None, allow_pickle=False)
    texts: list[list[str] | None] = json.loads((place / IDS).read_text(encoding="utf-8"))
    keys = (_load_array(place, f"key-{at}.npy") if one is None else one for at, one in enumerate(texts))
    filters = {one["name"]: _deserialize_column(one, number, place) for number, one in enumerate(contents["filters"])}
    attributes = _load_array(place, ATTRIBUTES) if contents["crowding"] else None
    rows = IndexRows(EntityIds(tuple(keys)), np.asarray(matrix), filters, attributes)
    _validate_rows(rows, squares, shape.dimension)
    space = build_space(rows.matrix, squares, shape.distance)
    return VectorIndex(shape, rows, space, _load_tree(place, space) if contents["tree"] else None)


def _load_tree(place: Path, space: VectorSpace) -> TreeAhIndex:
    from trialrun.runtime.feature_view.index.tree import read_tree

    return read_tree(place / TREE, space)


def _load_array(place: Path, name: str) -> NDArray[Any]:
    array: NDArray[Any] = np.load(place / name, allow_pickle=False)
    return array


def _deserialize_column(written: Mapping[str, Any], number: int, place: Path) -> FilterColumn:
    match written["holds"]:
        case "tokens":
            starts, codes = _load_array(place, f"starts-{number}.npy"), _load_array(place, f"codes-{number}.npy")
            return TokenColumn(starts, codes, tuple(written["words"]))
        case "numbers":
            return NumberColumn(_load_array(place, f"values-{number}.npy"), _load_array(place, f"there-{number}.npy"))
        case "nothing":
            return UntypedColumn(written["rows"])
        case _:
            return UnfilterableColumn(written["what"])


def _validate_rows(rows: IndexRows, squares: NDArray[np.float64], dimension: int | None) -> None:
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
    codes_are_valid = not len(codes) or (codes.min() >= 0 and codes.max() < len(list(words)))
    return bool(in_order and codes_are_valid)


def _has_shape(array: object, type: object, count: int) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == type and array.shape == (count,)


def _require(is_sound: bool, what: str) -> None:
    if not is_sound:
        raise ValueError(f"{what} and the rest of the index do not match")
