"""Indexes on the disk: a folder for each, which is there whole or not at all, and is read without building again.

Vectors are read where they lie, by mapping the file into memory. Every file has a digest, and all digests have one
that needs the user's key, and is of the name of the index too: no library is handed what we did not write here.
"""

from __future__ import annotations

import hmac
import json
import os
import shutil
import stat
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Any

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
from trialrun.runtime.feature_view.index.distance import build_space
from trialrun.runtime.feature_view.index.interface import IndexParameters, NotSearchable
from trialrun.runtime.feature_view.index.rows import EntityIds, IndexRows
from trialrun.runtime.feature_view.index.vector_index import VectorIndex

FORMAT = 2
CONTENTS = "contents.json"
PARTIAL_SUFFIX = ".part"
"""What the name of a folder ends with that is not whole yet."""
Writers = dict[str, Callable[[Path], object]]
SHAPE = ("embedding", "filters", "crowding", "distance", "leaf_size", "dimension")
"""What is written of the parameters of an index."""
VECTORS = "vectors.npy"
IDS, SQUARES, ATTRIBUTES, TREE = "ids.json", "squares.npy", "attributes.npy", "tree.faiss"


def save_index(index: VectorIndex, folder: str | os.PathLike[str], *, key: bytes = b"") -> None:
    """Write an index to a folder, which takes the place of what is there; a kill leaves the old one, none, or this.

    `key` is what its digest needs.
    """
    place = Path(folder)
    part = place.with_name(place.name + PARTIAL_SUFFIX)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    contents, writers = _serialize(index)
    files = {name: _write_and_measure(part / name, write) for name, write in writers.items()}
    text = json.dumps({"format": FORMAT, "files": files, **contents})
    signed = f"{_keyed_digest(_title_of(place), text, key)}\n{text}"
    _write_and_measure(part / CONTENTS, lambda path: path.write_text(signed, encoding="utf-8"))
    shutil.rmtree(place, ignore_errors=True)
    part.rename(place)


def load_index(folder: str | os.PathLike[str], *, key: bytes = b"") -> VectorIndex:
    """Read an index. Raises NotSearchable where it is missing, damaged, or was not written with this key."""
    place = Path(folder)
    try:
        return _deserialize(_read_contents(place, key), place)
    except FileNotFoundError as error:
        raise NotSearchable("the index of the view is missing; sync the view again") from error
    except NotSearchable:
        raise
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, EOFError) as error:
        raise NotSearchable(f"the index of the view is damaged ({error}); sync the view again") from error


def _title_of(place: Path) -> str:
    """What the digest of an index says which one it is by: the names of its folder, and of the one above."""
    return f"{place.parent.name}/{place.name}"


def _write_and_measure(path: Path, write: Callable[[Path], object]) -> list[int | str]:
    """The size and the digest of a file that was written."""
    write(path)
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
    return _measure(path)


def _measure(path: Path) -> list[int | str]:
    """The size and the digest of a regular file that is no link."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"{path.name} is not a regular file")
        return [status.st_size, file_digest(file, "sha256").hexdigest()]


def _keyed_digest(title: str, text: str, key: bytes) -> str:
    """The digest that needs a key: of what contents.json says, and of which index that is."""
    return hmac.new(key, f"{title}\n{text}".encode(), "sha256").hexdigest()


def _read_contents(place: Path, key: bytes) -> Mapping[str, Any]:
    """What contents.json says, once it and every file are as they were written."""
    _measure(place / CONTENTS)
    digest, _, text = (place / CONTENTS).read_text(encoding="utf-8").partition("\n")
    if not hmac.compare_digest(digest.encode(), _keyed_digest(_title_of(place), text, key).encode()):
        raise ValueError(f"{CONTENTS} was changed after it was written")
    contents: Mapping[str, Any] = json.loads(text)
    if contents["format"] != FORMAT:
        raise NotSearchable("the index of the view is of another version of trialrun; sync the view again")
    for name, measured in contents["files"].items():
        if _measure(place / name) != measured:
            raise ValueError(f"{name} was changed after it was written")
    return contents


def index_identity(place: Path) -> object:
    """What tells one written index from another of the same name; None where there is none."""
    try:
        status = (place / CONTENTS).lstat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def remove_old_indexes(folder: Path, number: int) -> None:
    """Remove the indexes before the one that is served now, which a reader may still be on, and what kills left."""
    numbers = [int(path.name) for path in folder.iterdir() if path.name.isdecimal()]
    before = max((candidate for candidate in numbers if candidate < number), default=number)
    for path in folder.iterdir():
        if path.name.endswith(PARTIAL_SUFFIX) or (path.name.isdecimal() and int(path.name) < before):
            shutil.rmtree(path, ignore_errors=True)


def _serialize(index: VectorIndex) -> tuple[dict[str, Any], Writers]:
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
    writers: Writers = {name: partial(np.save, arr=array, allow_pickle=False) for name, array in arrays.items()}
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


def _deserialize(contents: Mapping[str, Any], place: Path) -> VectorIndex:
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
    if not contents["tree"]:
        return VectorIndex(shape, rows, space, None)
    from trialrun.runtime.feature_view.index.tree import read_tree

    return VectorIndex(shape, rows, space, read_tree(place / TREE, space))


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


def _are_valid_tokens(starts: NDArray[np.int64], codes: NDArray[np.int32], words: Sequence[str], count: int) -> bool:
    if not (_has_shape(starts, np.int64, count + 1) and _has_shape(codes, np.int32, len(codes))):
        return False
    in_order = starts[0] == 0 and starts[-1] == len(codes) and bool((np.diff(starts) >= 0).all())
    codes_are_valid = not len(codes) or (codes.min() >= 0 and codes.max() < len(words))
    return bool(in_order and codes_are_valid)


def _has_shape(array: object, type: object, count: int) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == type and array.shape == (count,)


def _require(is_sound: bool, what: str) -> None:
    if not is_sound:
        raise ValueError(f"{what} and the rest of the index do not match")
