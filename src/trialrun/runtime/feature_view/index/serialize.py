"""What an index is made of on the disk: arrays, entity ids, the columns of its filters, and its tree."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.column import FilterColumn, Nothing, Numbers, Opaque, Tokens
from trialrun.runtime.feature_view.index.entity_ids import Ids
from trialrun.runtime.feature_view.index.exact import Space, space_of
from trialrun.runtime.feature_view.index.load_vectors import Gathered
from trialrun.runtime.feature_view.index.parameters import Shape
from trialrun.runtime.feature_view.index.persist import VECTORS
from trialrun.runtime.feature_view.index.rank import Field
from trialrun.runtime.feature_view.index.validate import see_that_rows_are_sound
from trialrun.runtime.feature_view.index.vector_index import VectorIndex

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.index.tree import Tree

Writers = dict[str, Callable[[Path], object]]
IDS, SQUARES, ATTRIBUTES, TREE = "ids.json", "squares.npy", "attributes.npy", "tree.faiss"


def parts_of(index: VectorIndex) -> tuple[dict[str, Any], Writers]:
    """What stands in contents.json, and how the other files are written."""
    rows = index.rows
    arrays: dict[str, NDArray[Any]] = {VECTORS: rows.matrix, SQUARES: index.space.squares}
    if rows.attributes is not None:
        arrays[ATTRIBUTES] = rows.attributes
    arrays |= {f"key-{at}.npy": key for at, key in enumerate(rows.ids.keys) if isinstance(key, np.ndarray)}
    filters = []
    for number, (name, column) in enumerate(rows.filters.items()):
        written, further = _column_parts(column, number)
        filters.append({"name": name, **written})
        arrays |= further
    writers: Writers = {name: _array_writer(array) for name, array in arrays.items()}
    texts = [None if isinstance(key, np.ndarray) else key for key in rows.ids.keys]
    writers[IDS] = lambda path: path.write_text(json.dumps(texts), encoding="utf-8")
    if index.field.tree is not None:
        writers[TREE] = index.field.tree.write
    contents = {
        "shape": _shape_parts(index.shape),
        "filters": filters,
        "crowding": rows.attributes is not None,
        "tree": index.field.tree is not None,
    }
    return contents, writers


def _array_writer(array: NDArray[Any]) -> Callable[[Path], object]:
    return lambda path: np.save(path, array, allow_pickle=False)


def _shape_parts(shape: Shape) -> dict[str, Any]:
    names = ("embedding", "filters", "crowding", "distance", "leaf_size", "dimension")
    return {name: getattr(shape, name) for name in names}


def _column_parts(column: FilterColumn, number: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    match column:
        case Tokens(starts, codes, words):
            arrays: dict[str, NDArray[Any]] = {f"starts-{number}.npy": starts, f"codes-{number}.npy": codes}
            return {"holds": "tokens", "words": words}, arrays
        case Numbers(values, there):
            return {"holds": "numbers"}, {f"values-{number}.npy": values, f"there-{number}.npy": there}
        case Nothing(rows):
            return {"holds": "nothing", "rows": rows}, {}
        case Opaque(what):
            return {"holds": "opaque", "what": what}, {}


def index_of_parts(contents: Mapping[str, Any], place: Path) -> VectorIndex:
    """The index of a folder whose contents were read."""
    shape = Shape(**{**contents["shape"], "filters": tuple(contents["shape"]["filters"])})
    squares = _array(place, SQUARES)
    matrix = np.load(place / VECTORS, mmap_mode="r" if len(squares) else None, allow_pickle=False)
    texts: list[list[str] | None] = json.loads((place / IDS).read_text(encoding="utf-8"))
    keys = (_array(place, f"key-{at}.npy") if one is None else one for at, one in enumerate(texts))
    filters = {one["name"]: _column(one, number, place) for number, one in enumerate(contents["filters"])}
    attributes = _array(place, ATTRIBUTES) if contents["crowding"] else None
    rows = Gathered(Ids(tuple(keys)), np.asarray(matrix), filters, attributes)
    see_that_rows_are_sound(rows, squares, shape.dimension)
    space = space_of(rows.matrix, squares, shape.distance)
    return VectorIndex(shape, rows, Field(space, _tree(place, space) if contents["tree"] else None))


def _tree(place: Path, space: Space) -> Tree:
    from trialrun.runtime.feature_view.index.tree import read_tree

    return read_tree(place / TREE, space)


def _array(place: Path, name: str) -> NDArray[Any]:
    array: NDArray[Any] = np.load(place / name, allow_pickle=False)
    return array


def _column(written: Mapping[str, Any], number: int, place: Path) -> FilterColumn:
    match written["holds"]:
        case "tokens":
            starts, codes = _array(place, f"starts-{number}.npy"), _array(place, f"codes-{number}.npy")
            return Tokens(starts, codes, tuple(written["words"]))
        case "numbers":
            return Numbers(_array(place, f"values-{number}.npy"), _array(place, f"there-{number}.npy"))
        case "nothing":
            return Nothing(written["rows"])
        case _:
            return Opaque(written["what"])
