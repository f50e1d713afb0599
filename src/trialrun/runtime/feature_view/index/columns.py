"""The columns that filters and crowding look at: made of values that come one by one, and which rows pass a filter."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.interface import NotSearchable, NumericFilter, Operator, StringFilter

Mask = NDArray[np.bool_]
Values = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True)
class TokenColumn:
    """Texts or lists of texts: those of row i are `words[code]` for the codes from `starts[i]` to `starts[i + 1]`."""

    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    words: tuple[str, ...]

    @cached_property
    def code_by_word(self) -> dict[str, int]:
        """The code of each word."""
        return {word: code for code, word in enumerate(self.words)}


@dataclass(frozen=True)
class NumberColumn:
    """Integers or floats; `present` says of which rows, where it is not all."""

    values: Values
    present: Mask


@dataclass(frozen=True)
class UntypedColumn:
    """A column without a value in any row, so that nobody knows what it could hold."""

    rows: int


@dataclass(frozen=True)
class UnfilterableColumn:
    """Values that no filter knows, such as `timestamps`; in words."""

    what: str


FilterColumn = TokenColumn | NumberColumn | UntypedColumn | UnfilterableColumn


def match_tokens(column: FilterColumn, filter: StringFilter) -> Mask:
    """Which rows a string filter keeps. Raises NotSearchable where the column holds no texts."""
    match column:
        case UntypedColumn(rows):
            return np.full(rows, not filter.allow)
        case TokenColumn():
            allowed = (
                _has_any_token(column, filter.allow) if filter.allow else np.ones(len(column.starts) - 1, np.bool_)
            )
            return allowed & ~_has_any_token(column, filter.deny) if filter.deny else allowed
        case NumberColumn():
            raise NotSearchable(f'column "{filter.column}" holds numbers; compare it with a numeric filter')
        case UnfilterableColumn(what):
            raise NotSearchable(f'column "{filter.column}" holds {what}, which have no tokens; filter another column')


def _has_any_token(column: TokenColumn, tokens: tuple[str, ...]) -> Mask:
    """Which rows have one of these tokens."""
    wanted = np.zeros(len(column.words), np.bool_)
    wanted[[column.code_by_word[token] for token in tokens if token in column.code_by_word]] = True
    before = np.concatenate([[0], np.cumsum(wanted[column.codes])])
    passing: Mask = before[column.starts[1:]] > before[column.starts[:-1]]
    return passing


def match_numbers(column: FilterColumn, filter: NumericFilter) -> Mask:
    """Which rows a numeric filter keeps. Raises NotSearchable where the column holds no numbers."""
    if isinstance(filter.value, float) and math.isnan(filter.value):
        raise NotSearchable(f'the numeric filter on "{filter.column}" compares with NaN; compare with a number')
    match column:
        case UntypedColumn(rows):
            return np.zeros(rows, np.bool_)
        case NumberColumn(values, there):
            return _compare(values, filter.operator, filter.value) & there
        case TokenColumn():
            raise NotSearchable(f'column "{filter.column}" holds text; filter it by allowed or denied tokens')
        case UnfilterableColumn(what):
            raise NotSearchable(
                f'column "{filter.column}" holds {what}, which no filter can compare; filter another column'
            )


def _compare(values: Values, operator: Operator, value: int | float) -> Mask:
    bound, is_exact = _comparable_bound(value, whole=values.dtype == np.int64)
    less: Mask = values < bound if is_exact else values <= bound
    equal: Mask = values == bound if is_exact else np.zeros(len(values), np.bool_)
    match operator:
        case "LESS":
            return less
        case "LESS_EQUAL":
            return less | equal
        case "EQUAL":
            return equal
        case "NOT_EQUAL":
            return ~equal
        case "GREATER_EQUAL":
            return ~less
        case "GREATER":
            return ~(less | equal)


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


NUMBERS = "numbers"
NO_ATTRIBUTE = -1
"""The number of a null of the crowding column."""


class ColumnEncoder:
    """Takes the values of one column, in the order of the rows; the first that is no null decides what it holds."""

    def __init__(self) -> None:
        self._nulls = 0
        self._type: str | None = None
        self._encoder: _TokenEncoder | _NumberEncoder | None = None

    def add(self, value: object) -> None:
        """Take the next value."""
        if self._type is None:
            if value is None or (isinstance(value, list | tuple) and not value):
                self._nulls += 1
                return
            self._type = describe_type(value)
            if self._type == NUMBERS:
                self._encoder = _NumberEncoder()
            elif self._type in ("texts", "lists of texts"):
                self._encoder = _TokenEncoder()
            if self._encoder is not None:
                for _ in range(self._nulls):
                    self._encoder.add(None)
        if self._encoder is not None:
            self._encoder.add(value)

    def column(self) -> FilterColumn:
        """The column of all values taken."""
        if self._type is None:
            return UntypedColumn(self._nulls)
        return UnfilterableColumn(self._type) if self._encoder is None else self._encoder.column()


def describe_type(value: object) -> str:
    """What a column holds that has this value, in words."""
    if isinstance(value, list | tuple):
        return f"lists of {describe_type(next((element for element in value if element is not None), None))}"
    words = ((str, "texts"), (bool, "booleans"), ((int, float), NUMBERS), (datetime, "timestamps"))
    return next((word for kind, word in words if isinstance(value, kind)), "bytes")


class _TokenEncoder:
    def __init__(self) -> None:
        self._starts = array("q", [0])
        self._codes = array("i")
        self._words: dict[str, int] = {}

    def add(self, value: object) -> None:
        texts: Sequence[object] = value if isinstance(value, list | tuple) else (value,)
        for text in texts:
            if isinstance(text, str):
                self._codes.append(self._words.setdefault(text, len(self._words)))
        self._starts.append(len(self._codes))

    def column(self) -> FilterColumn:
        codes = np.array(self._codes, np.int32)
        return TokenColumn(np.array(self._starts, np.int64), codes, tuple(self._words))


class _NumberEncoder:
    """Integers unless a float is among them."""

    def __init__(self) -> None:
        self._values: array[int] | array[float] = array("q")
        self._there = bytearray()

    def add(self, value: object) -> None:
        is_number = isinstance(value, int | float) and not (isinstance(value, float) and math.isnan(value))
        number = value if isinstance(value, int | float) and is_number else 0
        if isinstance(number, float) and self._values.typecode == "q":
            self._values = array("d", self._values)
        self._there.append(is_number)
        self._values.append(number)  # type: ignore[arg-type]

    def column(self) -> FilterColumn:
        is_present = np.frombuffer(bytes(self._there), np.bool_)
        if self._values.typecode == "q":
            return NumberColumn(np.array(self._values, np.int64), is_present)
        return NumberColumn(np.array(self._values, np.float64), is_present)


class AttributeEncoder:
    """Takes the values of the crowding column; equal ones are one attribute."""

    def __init__(self) -> None:
        self._codes = array("i")
        self._numbered: dict[object, int] = {}

    def add(self, value: object) -> None:
        """Take the next value."""
        key: object = tuple(value) if isinstance(value, list) else value
        if isinstance(key, float) and math.isnan(key):
            key = "NaN", 0
        code = NO_ATTRIBUTE if value is None else self._numbered.setdefault(key, len(self._numbered))
        self._codes.append(code)

    def codes(self) -> NDArray[np.int32]:
        """For each row the number of its attribute."""
        return np.array(self._codes, np.int32)
