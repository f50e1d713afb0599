"""The index of a snapshot: it checks a query, applies its filters, and ranks what is left, thinned out by crowding.

On the disk an index is a folder, which is there whole or not at all, and is read without building again. Vectors are
read where they lie, by mapping the file into memory. Every file has a digest, and all digests have one that needs the
user's key, and is of the name of the index too: no library is handed what we did not write here.
"""

from __future__ import annotations

import hmac
import json
import math
import os
import shutil
import stat
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import file_digest
from operator import and_
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.distance import (
    Mask,
    Positions,
    QueryVector,
    RankedRows,
    VectorSpace,
    build_space,
    squared_norms,
)
from trialrun.runtime.feature_view.index.interface import IndexParameters, NotSearchable, SearchRequest
from trialrun.runtime.feature_view.index.rows import NO_ATTRIBUTE, Attributes, EntityIds, FilterColumn, load_rows
from trialrun.runtime.feature_view.store.interface import EntityId
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.index.tree import TreeAhIndex

MAX_ROWS_TO_SCAN = 20_000
"""So many live rows are looked at one by one, under treeAhConfig too: few leaves of few would miss neighbors."""
MIN_LEAF_SHARE, MIN_LEAVES = 0.1, 40
"""Searched are a tenth of the leaves, and no fewer than 40."""
MIN_CANDIDATES, CANDIDATES_PER_NEIGHBOR = 200, 10
"""Ranked exactly are 10 candidates for each neighbor that is looked for, and no fewer than 200."""
MAX_CANDIDATE_SHARE = 0.25
"""As a share of the live rows; from there on it is no slower to look at all of them."""
FIRST_CROWDING_FACTOR, NEXT_CROWDING_FACTOR, LEAF_GROWTH_FACTOR = 4, 8, 3
"""Under crowding more is looked for: 4 times the neighbors, then 8 times as many again, in 3 times the leaves."""


@dataclass(frozen=True)
class VectorIndex:
    """The vectors of one snapshot, as an IndexConfig shapes them, in the order of the entity ids.

    `attributes` are numbers of the values of the crowding column. `tree` is None for the exact search, and for few.
    """

    shape: IndexParameters
    ids: EntityIds
    filters: Mapping[str, FilterColumn]
    attributes: Attributes | None
    space: VectorSpace
    tree: TreeAhIndex | None

    def search(self, query: SearchRequest, *, exactly: bool = False) -> list[tuple[EntityId, float]]:
        """The nearest entities and how far they are, equal distances in the order of the entity ids.

        `exactly` looks at every vector, whatever the algorithm. Raises NotSearchable.
        """
        probe = _check_vector(() if query.vector is None else query.vector, self.space.matrix.shape[1])
        _check_numbers(query, has_crowding=self.attributes is not None)
        tree, live = None if exactly else self.tree, self._filter_rows(query)
        alive = len(self.ids) if live is None else int(np.count_nonzero(live))
        looked_for, wider = query.count, 1
        if query.per_crowding_attribute is not None:
            looked_for *= FIRST_CROWDING_FACTOR
        while True:
            positions, distances = self._nearest_rows(tree, probe, replace(query, count=looked_for), live, alive, wider)
            if query.per_crowding_attribute is None:
                break
            kept = self._thin_out(positions, query.per_crowding_attribute, query.count)
            if len(kept) == query.count or looked_for >= alive:
                positions, distances = positions[kept], distances[kept]
                break
            looked_for, wider = looked_for * NEXT_CROWDING_FACTOR, wider * LEAF_GROWTH_FACTOR
        return list(zip(self.ids.at(positions), distances.tolist(), strict=True))

    def vector(self, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity, None for one that is not in the index."""
        try:
            position = bisect_left(self.ids, id)
        except TypeError:  # a text where the ids are numbers
            return None
        if position == len(self.ids) or self.ids[position] != id:
            return None
        elements: list[float] = self.space.matrix[position].tolist()
        return elements

    def _filter_rows(self, query: SearchRequest) -> Mask | None:
        """Which rows pass all filters of a query, None for all. Raises NotSearchable."""
        masks = [self._find_column(string.column).match_tokens(string) for string in query.strings]
        masks += [self._find_column(number.column).match_numbers(number) for number in query.numbers]
        return reduce(and_, masks) if masks else None

    def _find_column(self, name: str) -> FilterColumn:
        if name in self.filters:
            return self.filters[name]
        alternatives = f"there are {', '.join(self.filters)}" if self.filters else "add it, and sync the view again"
        advice = did_you_mean(name, self.filters, otherwise=alternatives)
        raise NotSearchable(f'"{name}" is not among the filterColumns of the view{advice}', steps=("filterColumns",))

    def _nearest_rows(
        self,
        tree: TreeAhIndex | None,
        probe: QueryVector,
        query: SearchRequest,
        live: Mask | None,
        alive: int,
        wider: int,
    ) -> RankedRows:
        """The nearest live rows: the candidates of the tree ranked exactly, or all where that is no slower."""
        count = min(query.count, alive)
        candidates = query.candidates or max(MIN_CANDIDATES, CANDIDATES_PER_NEIGHBOR * count)
        is_faster = alive > MAX_ROWS_TO_SCAN and candidates < MAX_CANDIDATE_SHARE * alive
        if tree is not None and is_faster and self.space.can_estimate(probe):
            share = query.leaves_fraction
            if share is None:
                share = max(MIN_LEAF_SHARE, MIN_LEAVES / tree.leaves)
            live_share = alive / len(self.ids)  # more leaves are searched where the filters let fewer rows through
            leaves = min(tree.leaves, max(1, math.ceil(share * wider / live_share * tree.leaves)))
            candidate_rows = tree.candidates(probe, max(candidates, count), leaves, live)
            if len(candidate_rows) >= count:
                return self.space.rank(probe, count, tree.possible_neighbors(self.space, probe, count, candidate_rows))
        return self.space.search(probe, count, None if live is None else np.flatnonzero(live))

    def _thin_out(self, positions: Positions, per_attribute: int, count: int) -> list[int]:
        """Which are the first of some rows of which at most so many have one attribute; without one none is crowded."""
        assert self.attributes is not None
        seen: dict[int, int] = {}
        kept: list[int] = []
        for at, attribute in enumerate(self.attributes[positions].tolist()):
            if attribute != NO_ATTRIBUTE:
                seen[attribute] = seen.get(attribute, 0) + 1
                if seen[attribute] > per_attribute:
                    continue
            kept.append(at)
            if len(kept) == count:
                break
        return kept


def build_index(rows: Iterable[tuple[Any, ...]], shape: IndexParameters) -> VectorIndex:
    """The index of the rows of a Scan that was asked for the embedding, and then for the columns of the shape.

    A row whose embedding is null, of another length or not finite is left out. Raises NotSearchable where a tree is
    needed and faiss is not installed.
    """
    ids, matrix, filters, attributes = load_rows(rows, shape)
    space, tree = build_space(matrix, squared_norms(matrix), shape.distance), None
    if shape.leaf_size is not None and len(ids) > MAX_ROWS_TO_SCAN and space.is_estimable:
        from trialrun.runtime.feature_view.index.tree import train_tree

        tree = train_tree(space, shape.leaf_size)
    return VectorIndex(shape, ids, filters, attributes, space, tree)


def _check_vector(elements: Sequence[float], dimension: int) -> QueryVector:
    """The vector of a query, which must have the dimension of the index unless that is 0. Raises NotSearchable."""
    try:
        with np.errstate(over="ignore"):
            vector = np.array(elements, np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise NotSearchable(f"the vector is not a list of numbers ({error})") from error
    if vector.ndim != 1 or (dimension and len(vector) != dimension):
        raise NotSearchable(
            f"the vector has {len(vector)} elements but the index has dimension {dimension}; "
            "use a vector of that length",
            steps=("embeddingDimension",),
        )
    exact = vector.astype(np.float64)
    probe = QueryVector(vector, exact, math.sqrt(exact.dot(exact)))
    if not math.isfinite(probe.length):
        at = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise NotSearchable(f"element {at} of the vector, {elements[at]}, is not a finite float; use finite numbers")
    return probe


def _check_numbers(query: SearchRequest, *, has_crowding: bool) -> None:
    """Raises NotSearchable where a number of the query is out of its range, or crowding is not configured."""
    wanted = {
        "neighbors": query.count,
        "candidates": query.candidates,
        "neighbors per crowding attribute": query.per_crowding_attribute,
    }
    for what, number in wanted.items():
        if number is not None and number < 1:
            raise NotSearchable(f"{number} {what} are requested; request 1 or more")
    if query.leaves_fraction is not None and not 0 <= query.leaves_fraction <= 1:
        raise NotSearchable(f"the fraction of leaves is {query.leaves_fraction}; use a value from 0 to 1")
    if query.per_crowding_attribute is not None and not has_crowding:
        message = "crowding is requested but the index config has no crowdingColumn; set it, and sync the view again"
        raise NotSearchable(message, steps=("crowdingColumn",))


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
