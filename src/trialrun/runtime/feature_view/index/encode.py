"""Columns on their way into an index: values come one by one, and are kept as numbers and codes."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trialrun.runtime.feature_view.index.column import (
    FilterColumn,
    NumberColumn,
    TokenColumn,
    UnfilterableColumn,
    UntypedColumn,
)
from trialrun.runtime.feature_view.index.crowding import NO_ATTRIBUTE

NUMBERS, FLOATS = "numbers", "floats"
"""Types of values: integers unless a float is among them, and floats from the first one on."""


class ColumnEncoder(Protocol):
    """Takes the values of one column, in the order of the rows."""

    def add(self, value: object) -> None:
        """Take the next value."""
        ...

    def column(self) -> FilterColumn:
        """The column of all values taken."""
        ...


class InferringEncoder:
    """Only nulls so far; the first value decides what the column holds, unless it is known as `value_type`."""

    def __init__(self, value_type: str | None = None) -> None:
        self._nulls = 0
        self._chosen = None if value_type is None else _encoder_for(value_type)

    def add(self, value: object) -> None:
        """Take the next value."""
        if self._chosen is not None:
            self._chosen.add(value)
        elif is_null(value):
            self._nulls += 1
        else:
            self._chosen = _encoder_for(describe_type(value))
            for _ in range(self._nulls):
                self._chosen.add(None)
            self._chosen.add(value)

    def column(self) -> FilterColumn:
        """The column of all values taken."""
        return UntypedColumn(self._nulls) if self._chosen is None else self._chosen.column()


def is_null(value: object) -> bool:
    """Whether a value says nothing of what its column holds."""
    return value is None or (isinstance(value, list | tuple) and not value)


def _encoder_for(value_type: str) -> ColumnEncoder:
    if value_type in ("texts", "lists of texts"):
        return _TokenEncoder()
    if value_type in (NUMBERS, FLOATS):
        return _NumberEncoder("q" if value_type == NUMBERS else "d")
    return _UnfilterableEncoder(value_type)


def is_float(value: object) -> bool:
    """Whether a value makes the numbers of its column floats."""
    return isinstance(value, float) and not math.isnan(value)


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
    def __init__(self, code: str) -> None:
        self._values: array[int] | array[float] = array(code)
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


class _UnfilterableEncoder:
    def __init__(self, what: str) -> None:
        self._what = what

    def add(self, value: object) -> None:
        pass

    def column(self) -> FilterColumn:
        return UnfilterableColumn(self._what)


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

    def keys(self) -> list[object]:
        """The attributes by their numbers."""
        return list(self._numbered)
