"""The last day of a suppression."""

from __future__ import annotations

import re
from datetime import date

_date_format = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def parse_last_day(text: str) -> date | None:
    """The day of `until=`, as YYYY-MM-DD; None if it is not a date."""
    if not _date_format.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def is_active(until: str | None, today: date) -> bool:
    """Whether a suppression is in effect: it has no end, or its last day is not over."""
    if until is None:
        return True
    day = parse_last_day(until)
    return day is not None and today <= day
