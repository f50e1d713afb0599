"""Rows on their way into an index: vectors become one matrix, rows without a sound vector are left out."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import cast, overload

import numpy as np
from numpy.typing import NDArray

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.columns import AttributeEncoder, ColumnEncoder, FilterColumn
from trialrun.runtime.feature_view.index.distance import Floats, Positions
from trialrun.runtime.feature_view.index.interface import IndexParameters, Vectors
from trialrun.runtime.feature_view.store.interface import EntityId

Key = NDArray[np.int64] | list[str]
"""One column of the entity id: numbers or texts."""


@dataclass(frozen=True)
class EntityIds(Sequence[EntityId]):
    """The entity ids of all rows; there may be none, and then no columns either."""

    keys: tuple[Key, ...]

    def __len__(self) -> int:
        return len(self.keys[0]) if self.keys else 0

    @overload
    def __getitem__(self, position: int) -> EntityId: ...
    @overload
    def __getitem__(self, position: slice) -> list[EntityId]: ...
    def __getitem__(self, position: int | slice) -> EntityId | list[EntityId]:
        if isinstance(position, slice):
            return self.at(np.arange(len(self))[position])
        return self.at(np.array([position]))[0]

    def at(self, positions: Positions) -> list[EntityId]:
        """The ids of some rows."""
        if len(self.keys) == 1:
            return cast("list[EntityId]", list(zip(_take(self.keys[0], positions))))
        return list(zip(*(_take(key, positions) for key in self.keys), strict=True))


def _take(key: Key, positions: Positions) -> list[int] | list[str]:
    if isinstance(key, list):
        return [key[position] for position in positions.tolist()]
    return cast("list[int]", key.take(positions).tolist())


BLOCK_ROWS = 2048

Row = tuple[object, ...]


@dataclass(frozen=True)
class IndexRows:
    """The rows of an index, in the order of their entity ids; `attributes` are numbers of the crowding column."""

    ids: EntityIds
    matrix: Floats
    filters: Mapping[str, FilterColumn]
    attributes: NDArray[np.int32] | None


def load_vectors(vectors: Vectors, shape: IndexParameters) -> IndexRows:
    """The rows with a sound vector; where the shape leaves the dimension open, those of the most common one."""

    def new_group() -> _VectorGroup:
        return _VectorGroup(shape, vectors.columns)

    groups: dict[int, _VectorGroup] = {} if shape.dimension is None else {shape.dimension: new_group()}
    for row in vectors.rows:
        vector = row[1]
        length = len(vector) if isinstance(vector, list | tuple | array | np.ndarray) else 0
        if length in groups:
            groups[length].add(row)
        elif length and shape.dimension is None:
            groups[length] = new_group()
            groups[length].add(row)
    for group in groups.values():
        group.flush()
    largest = max(groups.values(), key=lambda group: len(group.ids), default=new_group())
    dimension = next((length for length, group in groups.items() if group is largest), 0)
    return largest.to_index_rows(dimension)


class _VectorGroup:
    """The rows whose vectors have one length."""

    def __init__(self, shape: IndexParameters, columns: Sequence[str]) -> None:
        self.ids: list[EntityId] = []
        self._elements = array("f")
        names = list(columns)
        self._filters = [(names.index(name) + 2, name, ColumnEncoder()) for name in shape.filters]
        self._crowding = None if shape.crowding is None else (names.index(shape.crowding) + 2, AttributeEncoder())
        self._waiting: list[Row] = []

    def add(self, row: Row) -> None:
        """Take the next row."""
        self._waiting.append(row)
        if len(self._waiting) == BLOCK_ROWS:
            self.flush()

    def flush(self) -> None:
        """Put the rows that wait into the matrix and the columns."""
        kept, block = _valid_rows(self._waiting)
        self._elements.frombytes(block.tobytes())
        self.ids += [row[0] for row in kept]  # type: ignore[misc]
        for at, _, encoding in self._filters:
            for row in kept:
                encoding.add(row[at])
        if self._crowding is not None:
            at, attributes = self._crowding
            for row in kept:
                attributes.add(row[at])
        self._waiting = []

    def to_index_rows(self, dimension: int) -> IndexRows:
        """All of it; rows in the order of their ids, in which a Scan gives them."""
        if any(id_ >= next_id for id_, next_id in pairwise(self.ids)):
            raise ValueError("the rows of an index must come in the order of their entity ids")
        matrix = np.frombuffer(self._elements, np.float32).reshape(len(self.ids), dimension)
        filters = {name: encoding.column() for _, name, encoding in self._filters}
        columns = zip(*self.ids, strict=True)
        keys = [np.array(key, np.int64) if isinstance(key[0], int) else cast("list[str]", [*key]) for key in columns]
        attributes = self._crowding[1].codes() if self._crowding else None
        return IndexRows(EntityIds(tuple(keys)), matrix, filters, attributes)


def _valid_rows(rows: list[Row]) -> tuple[list[Row], Floats]:
    """The rows whose elements are finite numbers, and their matrix."""
    if not rows:
        return [], np.empty((0, 0), np.float32)
    with np.errstate(over="ignore"):
        try:
            block = np.array([row[1] for row in rows], np.float32)
        except (TypeError, ValueError):
            rows = [row for row in rows if all(isinstance(element, int | float) for element in row[1])]  # type: ignore[attr-defined]
            block = np.array([row[1] for row in rows], np.float32)
    finite = np.flatnonzero(np.isfinite(block).all(axis=1))
    return [rows[at] for at in finite.tolist()], block[finite]
