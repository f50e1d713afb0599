"""The columns that filters look at: tokens and numbers, and which rows pass a filter."""

from __future__ import annotations

import math
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
    """Integers or floats; `there` says of which rows, where it is not all."""

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
