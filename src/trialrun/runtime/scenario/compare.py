"""Comparison of served values with expected values."""

from __future__ import annotations

import base64
import math
from datetime import datetime
from typing import Any

from trialrun.runtime.scenario.format import parse_time

NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def matches_expected(got: object, expected: Any, *, tolerance: float = 0) -> bool:
    """Whether a value is the expected one, as a document writes it; numbers may be off by the tolerance.

    Times are written in RFC 3339, with any offset, bytes in base64, and what is not a number as NaN or Infinity.
    """
    if isinstance(got, (list, tuple)):
        return (
            isinstance(expected, list)
            and len(got) == len(expected)
            and all(
                matches_expected(item, expected_item, tolerance=tolerance)
                for item, expected_item in zip(got, expected, strict=True)
            )
        )
    if isinstance(got, datetime):
        return _is_same_time(got, expected)
    if isinstance(got, bytes):
        return isinstance(expected, str) and base64.b64encode(got).decode("ascii") == expected
    if isinstance(got, bool) or isinstance(expected, bool):
        return got is expected
    if isinstance(got, (int, float)):
        return _is_same_number(
            got, NOT_FINITE.get(expected, expected) if isinstance(expected, str) else expected, tolerance
        )
    return bool(got == expected)


def _is_same_time(got: datetime, expected: Any) -> bool:
    try:
        return isinstance(expected, str) and parse_time(expected) == got
    except ValueError:
        return False


def _is_same_number(got: float, expected: Any, tolerance: float) -> bool:
    if not isinstance(expected, (int, float)):
        return False
    if got == expected or (got != got and expected != expected):
        return True
    try:
        return abs(got - expected) <= tolerance
    except OverflowError:  # an integer beyond all floats is near none
        return False
