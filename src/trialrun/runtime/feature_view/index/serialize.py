"""What an index is made of on the disk: arrays, entity ids, the columns of its filters, and its tree."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.column import (
    FilterColumn,
    NumberColumn,
    TokenColumn,
    UnfilterableColumn,
    UntypedColumn,
)
from trialrun.runtime.feature_view.index.entity_ids import EntityIds
from trialrun.runtime.feature_view.index.exact import VectorSpace, build_space
from trialrun.runtime.feature_view.index.load_vectors import IndexRows
from trialrun.runtime.feature_view.index.parameters import IndexParameters
from trialrun.runtime.feature_view.index.rank import SearchSpace
from trialrun.runtime.feature_view.index.validate import validate_rows
from trialrun.runtime.feature_view.index.vector_index import VectorIndex

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.index.tree import TreeAhIndex

Writers = dict[str, Callable[[Path], object]]
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
    if index.field.tree is not None:
        writers[TREE] = index.field.tree.write
    contents = {
        "shape": _serialize_parameters(index.shape),
        "filters": filters,
        "crowding": rows.attributes is not None,
        "tree": index.field.tree is not None,
    }
    return contents, writers


def _array_writer(array: NDArray[Any]) -> Callable[[Path], object]:
    return lambda path: np.save(path, array, allow_pickle=False)


def _serialize_parameters(shape: IndexParameters) -> dict[str, Any]:
    names = ("embedding", "filters", "crowding", "distance", "leaf_size", "dimension")
    return {name: getattr(shape, name) for name in names}


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
    validate_rows(rows, squares, shape.dimension)
    space = build_space(rows.matrix, squares, shape.distance)
    return VectorIndex(shape, rows, SearchSpace(space, _load_tree(place, space) if contents["tree"] else None))


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
