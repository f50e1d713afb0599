"""Formats times, values and names for the trace of a scenario, and compares values with expected ones."""

from __future__ import annotations

import base64
import json
import math
from datetime import datetime
from typing import Any

from trialrun.runtime.feature_view.column import json_value
from trialrun.values import timestamp

MAX_LIST_ITEMS = 8
"""The items of a list that are shown; vectors have hundreds."""


class InvalidTimeError(ValueError):
    """A text is not an RFC 3339 time; the message says why."""


def parse_time(text: str) -> datetime:
    """The time of an RFC 3339 text, to the microsecond. Raises InvalidTimeError."""
    try:
        return timestamp.parse(text).to_datetime()
    except ValueError as error:
        raise InvalidTimeError(str(error)) from error


def format_value(value: object) -> str:
    """A value as a person reads it in a scenario; long lists are cut, and say how long they are."""
    if isinstance(value, (list, tuple)) and len(value) > MAX_LIST_ITEMS:
        first = ", ".join(map(_json, value[:MAX_LIST_ITEMS]))
        return f"[{first}, … {len(value)} items]"
    return _json(value)


def collapse_spaces(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())


def _json(value: object) -> str:
    return json.dumps(json_value(value), ensure_ascii=False)


NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def matches_expected(got: object, expected: Any, *, tolerance: float = 0) -> bool:
    """Whether a value is the expected one, as a document writes it; numbers may be off by the tolerance.

    Times are written in RFC 3339, with any offset, bytes in base64, and what is not a number as NaN or Infinity.
    """
    if isinstance(got, (list, tuple)):
        if not isinstance(expected, list) or len(got) != len(expected):
            return False
        return all(matches_expected(*pair, tolerance=tolerance) for pair in zip(got, expected, strict=True))
    if isinstance(got, datetime):
        try:
            return isinstance(expected, str) and parse_time(expected) == got
        except InvalidTimeError:
            return False
    if isinstance(got, bytes):
        return isinstance(expected, str) and base64.b64encode(got).decode("ascii") == expected
    if isinstance(got, bool) or isinstance(expected, bool):
        return got is expected
    if not isinstance(got, (int, float)):
        return bool(got == expected)
    number = NOT_FINITE.get(expected, expected) if isinstance(expected, str) else expected
    if not isinstance(number, (int, float)):
        return False
    if got == number or (got != got and number != number):
        return True
    try:
        return abs(got - number) <= tolerance
    except OverflowError:  # an integer beyond all floats is near none
        return False
