"""The last day of a suppression."""

from __future__ import annotations

import re
from datetime import date

_written = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def last_day(text: str) -> date | None:
    """The day that `until=` names, as YYYY-MM-DD; None where it is none."""
    if not _written.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def holds(until: str | None, today: date) -> bool:
    """Whether a suppression is in force: it has no end, or its last day is not over."""
    if until is None:
        return True
    day = last_day(until)
    return day is not None and today <= day
