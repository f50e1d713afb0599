"""Rows on their way into an index: vectors become one matrix, the columns of filters and crowding are encoded.

Rows without a sound vector are left out.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.distance import Floats, Mask, Positions
from trialrun.runtime.feature_view.index.interface import IndexParameters, NotSearchable, NumericFilter, StringFilter
from trialrun.runtime.feature_view.store.interface import EntityId

NUMBERS = "numbers"
NO_ATTRIBUTE = -1
"""The number of a null of the crowding column."""
BLOCK_ROWS = 2048
Row = tuple[Any, ...]
Attributes = NDArray[np.int32]


@dataclass(frozen=True)
class EntityIds:
    """The entity ids of all rows by column, numbers or texts; there may be none, and then no columns either."""

    keys: tuple[NDArray[np.int64] | list[str], ...]

    def __len__(self) -> int:
        return len(self.keys[0]) if self.keys else 0

    def __getitem__(self, position: int) -> EntityId:
        return self.at(np.array([position]))[0]

    def at(self, positions: Positions) -> list[EntityId]:
        """The ids of some rows."""
        parts = (
            [key[position] for position in positions.tolist()]
            if isinstance(key, list)
            else key.take(positions).tolist()
            for key in self.keys
        )
        return list(zip(*parts, strict=True))


@dataclass(frozen=True)
class FilterColumn:
    """A column that filters look at.

    Of "tokens", texts or lists of texts, those of row i are `words[code]` for the array `codes` from `starts[i]` to
    `starts[i + 1]`. "numbers" are the array `values`, integers or floats, and `there` says which rows have one.
    "nothing" is a column without a value in any of its `rows`, so that nobody knows what it could hold, and "opaque"
    has values that no filter knows: `what` they are in words.
    """

    holds: Literal["tokens", "numbers", "nothing", "opaque"]
    words: tuple[str, ...] = ()
    rows: int = 0
    what: str = ""
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def match_tokens(self, filter: StringFilter) -> Mask:
        """Which rows a string filter keeps. Raises NotSearchable where the column holds no texts."""
        if self.holds == "nothing":
            return np.full(self.rows, not filter.allow)
        if self.holds == "numbers":
            raise NotSearchable(f'column "{filter.column}" holds numbers; compare it with a numeric filter')
        if self.holds == "opaque":
            what = f"{self.what}, which have no tokens; filter another column"
            raise NotSearchable(f'column "{filter.column}" holds {what}')
        if filter.allow:
            allowed = self._has_any_token(filter.allow)
        else:
            allowed = np.ones(len(self.arrays["starts"]) - 1, np.bool_)
        return allowed & ~self._has_any_token(filter.deny) if filter.deny else allowed

    @cached_property
    def _code_by_word(self) -> dict[str, int]:
        return {word: code for code, word in enumerate(self.words)}

    def _has_any_token(self, tokens: tuple[str, ...]) -> Mask:
        starts, wanted = self.arrays["starts"], np.zeros(len(self.words), np.bool_)
        wanted[[self._code_by_word[token] for token in tokens if token in self._code_by_word]] = True
        before = np.concatenate([[0], np.cumsum(wanted[self.arrays["codes"]])])
        passing: Mask = before[starts[1:]] > before[starts[:-1]]
        return passing

    def match_numbers(self, filter: NumericFilter) -> Mask:
        """Which rows a numeric filter keeps. Raises NotSearchable where the column holds no numbers."""
        if isinstance(filter.value, float) and math.isnan(filter.value):
            raise NotSearchable(f'the numeric filter on "{filter.column}" compares with NaN; compare with a number')
        if self.holds == "nothing":
            return np.zeros(self.rows, np.bool_)
        if self.holds == "tokens":
            raise NotSearchable(f'column "{filter.column}" holds text; filter it by allowed or denied tokens')
        if self.holds == "opaque":
            what = f"{self.what}, which no filter can compare; filter another column"
            raise NotSearchable(f'column "{filter.column}" holds {what}')
        values = self.arrays["values"]
        bound, is_exact = _comparable_bound(filter.value, whole=values.dtype == np.int64)
        less = values < bound if is_exact else values <= bound
        equal = values == bound if is_exact else np.zeros(len(values), np.bool_)
        kept = {
            "LESS": less,
            "LESS_EQUAL": less | equal,
            "EQUAL": equal,
            "NOT_EQUAL": ~equal,
            "GREATER_EQUAL": ~less,
            "GREATER": ~(less | equal),
        }
        return cast("Mask", kept[filter.operator] & self.arrays["there"])


def _comparable_bound(value: int | float, *, whole: bool) -> tuple[int | float, bool]:
    """A number of the column's type that a value equals, or else the greatest one below it.

    numpy compares by float64, which takes integers beyond 2^53 for their neighbors.
    """
    if whole:
        if isinstance(value, int) or math.isinf(value):
            return value, True
        return math.floor(value), value.is_integer()
    try:
        near = float(value)
    except OverflowError:
        near = math.inf if value > 0 else -math.inf
    return (near, near == value) if near <= value else (math.nextafter(near, -math.inf), False)


class ColumnEncoder:
    """Takes the values of one column, in the order of the rows; the first that is no null decides what it holds.

    Until then the rows are put down as nulls of both kinds.
    """

    def __init__(self) -> None:
        self._type = ""
        self._starts, self._codes, self._words = array("q", [0]), array("i"), dict[str, int]()
        self._values: array[int] | array[float] = array("q")
        self._there = bytearray()

    def add(self, value: object) -> None:
        """Take the next value."""
        is_list = isinstance(value, list | tuple)
        if not self._type and (value if is_list else value is not None):
            self._type = describe_type(value)
        if self._type in ("", "texts", "lists of texts"):
            for text in cast("Iterable[object]", value) if is_list else (value,):
                if isinstance(text, str):
                    self._codes.append(self._words.setdefault(text, len(self._words)))
            self._starts.append(len(self._codes))
        if self._type in ("", NUMBERS):
            is_number = isinstance(value, int | float) and not (isinstance(value, float) and math.isnan(value))
            if isinstance(value, float) and is_number and self._values.typecode == "q":
                self._values = array("d", self._values)
            self._there.append(is_number)
            self._values.append(value if is_number else 0)  # type: ignore[arg-type]

    def column(self) -> FilterColumn:
        """The column of all values taken."""
        if not self._type:
            return FilterColumn("nothing", rows=len(self._there))
        if self._type == NUMBERS:
            values = np.array(self._values, np.int64 if self._values.typecode == "q" else np.float64)
            there = np.frombuffer(bytes(self._there), np.bool_)
            return FilterColumn("numbers", arrays={"values": values, "there": there})
        if self._type not in ("texts", "lists of texts"):
            return FilterColumn("opaque", what=self._type)
        starts, codes = np.array(self._starts, np.int64), np.array(self._codes, np.int32)
        return FilterColumn("tokens", tuple(self._words), arrays={"starts": starts, "codes": codes})


def describe_type(value: object) -> str:
    """What a column holds that has this value, in words."""
    if isinstance(value, list | tuple):
        return f"lists of {describe_type(next((element for element in value if element is not None), None))}"
    words = ((str, "texts"), (bool, "booleans"), ((int, float), NUMBERS), (datetime, "timestamps"))
    return next((word for kind, word in words if isinstance(value, kind)), "bytes")


def load_rows(
    rows: Iterable[Row], shape: IndexParameters
) -> tuple[EntityIds, Floats, dict[str, FilterColumn], Attributes | None]:
    """The ids, vectors, filter columns and attributes of the rows with a sound vector; an attribute is the number of a
    value of the crowding column.

    Where the shape leaves the dimension open, they are those of the most common one.
    """
    groups = {} if shape.dimension is None else {shape.dimension: _VectorGroup(shape)}
    for row in rows:
        vector = row[1]
        length = len(vector) if isinstance(vector, list | tuple | array | np.ndarray) else 0
        if length and shape.dimension is None and length not in groups:
            groups[length] = _VectorGroup(shape)
        if length in groups:
            groups[length].add(row)
    for group in groups.values():
        group.flush()
    dimension = max(groups, key=lambda length: len(groups[length].ids), default=0)
    largest = groups.get(dimension) or _VectorGroup(shape)
    if any(id_ >= next_id for id_, next_id in pairwise(largest.ids)):
        raise ValueError("the rows of an index must come in the order of their entity ids")
    columns = zip(*largest.ids, strict=True)
    keys = [np.array(key, np.int64) if isinstance(key[0], int) else cast("list[str]", [*key]) for key in columns]
    filters = dict(zip(shape.filters, (encoder.column() for encoder in largest.filters), strict=True))
    return (
        EntityIds(tuple(keys)),
        np.frombuffer(largest.elements, np.float32).reshape(len(largest.ids), dimension),
        filters,
        None if shape.crowding is None else np.array(largest.attributes, np.int32),
    )


class _VectorGroup:
    """The rows whose vectors have one length; those that wait are not in the matrix and the columns yet."""

    def __init__(self, shape: IndexParameters) -> None:
        self.ids: list[EntityId] = []
        self.elements, self.attributes = array("f"), array("i")
        self.filters = [ColumnEncoder() for _ in shape.filters]
        self._filter_places = [shape.columns.index(name) + 2 for name in shape.filters]
        self._crowding_place = shape.columns.index(shape.crowding) + 2 if shape.crowding else None
        self._codes: dict[object, int] = {}
        self._waiting: list[Row] = []

    def add(self, row: Row) -> None:
        self._waiting.append(row)
        if len(self._waiting) == BLOCK_ROWS:
            self.flush()

    def flush(self) -> None:
        kept, block = _valid_rows(self._waiting)
        self.elements.frombytes(block.tobytes())
        self.ids += [row[0] for row in kept]
        for place, encoder in zip(self._filter_places, self.filters, strict=True):
            for row in kept:
                encoder.add(row[place])
        if self._crowding_place is not None:
            self.attributes.extend(self._attribute(row[self._crowding_place]) for row in kept)
        self._waiting = []

    def _attribute(self, value: Any) -> int:
        """The number of a value of the crowding column; equal ones are one attribute, and so are all NaN."""
        if value is None:
            return NO_ATTRIBUTE
        key = tuple(value) if isinstance(value, list) else value
        if isinstance(key, float) and math.isnan(key):
            key = "NaN", 0
        return self._codes.setdefault(key, len(self._codes))


def _valid_rows(rows: list[Row]) -> tuple[list[Row], Floats]:
    if not rows:
        return [], np.empty((0, 0), np.float32)
    with np.errstate(over="ignore"):
        try:
            block = np.array([row[1] for row in rows], np.float32)
        except (TypeError, ValueError):
            rows = [row for row in rows if all(isinstance(element, int | float) for element in row[1])]
            block = np.array([row[1] for row in rows], np.float32)
    finite = np.flatnonzero(np.isfinite(block).all(axis=1))
    return [rows[at] for at in finite.tolist()], block[finite]
