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
from collections.abc import Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.distance import build_space
from trialrun.runtime.feature_view.index.interface import IndexParameters, NotSearchable
from trialrun.runtime.feature_view.index.rows import EntityIds, FilterColumn
from trialrun.runtime.feature_view.index.vector_index import VectorIndex

FORMAT = 2
CONTENTS = "contents.json"
PARTIAL_SUFFIX = ".part"
"""What the name of a folder ends with that is not whole yet."""
SHAPE = ("embedding", "filters", "crowding", "distance", "leaf_size", "dimension")
"""What is written of the parameters of an index."""
FILTER = ("holds", "words", "rows", "what")
"""What is written of a filter column beside its arrays."""
ARRAYS = {"tokens": ("starts", "codes"), "numbers": ("values", "there")}
"""The arrays of a filter column by what it holds."""
VECTORS, SQUARES, ATTRIBUTES = "vectors.npy", "squares.npy", "attributes.npy"
IDS, TREE = "ids.json", "tree.faiss"


def save_index(index: VectorIndex, folder: str | os.PathLike[str], *, key: bytes = b"") -> None:
    """Write an index to a folder, which takes the place of what is there; a kill leaves the old one, none, or this.

    `key` is what its digest needs.
    """
    place = Path(folder)
    part = place.with_name(place.name + PARTIAL_SUFFIX)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    arrays: dict[str, NDArray[Any]] = {VECTORS: index.space.matrix, SQUARES: index.space.squares}
    if index.attributes is not None:
        arrays[ATTRIBUTES] = index.attributes
    arrays |= {f"key-{at}.npy": column for at, column in enumerate(index.ids.keys) if isinstance(column, np.ndarray)}
    for number, column in enumerate(index.filters.values()):
        arrays |= {f"{name}-{number}.npy": array for name, array in column.arrays.items()}
    for name, array in arrays.items():
        np.save(part / name, array, allow_pickle=False)
    texts = [None if isinstance(column, np.ndarray) else column for column in index.ids.keys]
    (part / IDS).write_text(json.dumps(texts), encoding="utf-8")
    if index.tree is not None:
        index.tree.write(part / TREE)
    contents = {
        "format": FORMAT,
        "files": {path.name: _sync_and_measure(path) for path in part.iterdir()},
        "shape": {name: getattr(index.shape, name) for name in SHAPE},
        "filters": [
            {"name": name, **{field: getattr(column, field) for field in FILTER}}
            for name, column in index.filters.items()
        ],
        "crowding": index.attributes is not None,
        "tree": index.tree is not None,
    }
    text = json.dumps(contents)
    (part / CONTENTS).write_text(f"{_keyed_digest(place, text, key)}\n{text}", encoding="utf-8")
    _sync_and_measure(part / CONTENTS)
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


def _sync_and_measure(path: Path) -> list[int | str]:
    """The size and the digest of a file that was written, once it is on the disk."""
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


def _keyed_digest(place: Path, text: str, key: bytes) -> str:
    """The digest that needs a key: of what contents.json says, and of which index that is."""
    return hmac.new(key, f"{place.parent.name}/{place.name}\n{text}".encode(), "sha256").hexdigest()


def _read_contents(place: Path, key: bytes) -> Mapping[str, Any]:
    """What contents.json says, once it and every file are as they were written."""
    _measure(place / CONTENTS)
    digest, _, text = (place / CONTENTS).read_text(encoding="utf-8").partition("\n")
    if not hmac.compare_digest(digest.encode(), _keyed_digest(place, text, key).encode()):
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


def _deserialize(contents: Mapping[str, Any], place: Path) -> VectorIndex:
    """The index of a folder whose contents were read."""

    def load(name: str) -> NDArray[Any]:
        array: NDArray[Any] = np.load(place / name, allow_pickle=False)
        return array

    shape = IndexParameters(**{**contents["shape"], "filters": tuple(contents["shape"]["filters"])})
    squares = load(SQUARES)
    matrix = np.load(place / VECTORS, mmap_mode="r" if len(squares) else None, allow_pickle=False)
    texts: list[list[str] | None] = json.loads((place / IDS).read_text(encoding="utf-8"))
    keys = (load(f"key-{at}.npy") if column is None else column for at, column in enumerate(texts))
    filters = {}
    for number, column in enumerate(contents["filters"]):
        arrays = {name: load(f"{name}-{number}.npy") for name in ARRAYS.get(column["holds"], ())}
        written = {field: column[field] for field in FILTER if field in column}
        filters[column["name"]] = FilterColumn(**{**written, "words": tuple(column.get("words", ())), "arrays": arrays})
    attributes = load(ATTRIBUTES) if contents["crowding"] else None
    space, tree = build_space(np.asarray(matrix), squares, shape.distance), None
    if contents["tree"]:
        from trialrun.runtime.feature_view.index.tree import read_tree

        tree = read_tree(place / TREE, space)
    return VectorIndex(shape, EntityIds(tuple(keys)), filters, attributes, space, tree)
