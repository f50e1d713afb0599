"""Spans of time as people write them in settings: `15m`, `1h30m`, or a bare number of minutes."""

from __future__ import annotations

import re

_PART = re.compile(r"([0-9]{1,6})\s*([mhd]?)\s*")
_MINUTES = {"": 1, "m": 1, "h": 60, "d": 24 * 60}


def parse_minutes(duration: int | str) -> int:
    """The minutes of a duration; raises ValueError for what is none, such as `soon`, and for a negative number."""
    text = str(duration).strip()
    parts = _PART.findall(text)
    if not parts or _PART.sub("", text) or (len(parts) > 1 and not all(unit for _, unit in parts)):
        raise ValueError(f'"{text}" is not a duration; write minutes, such as 15, or 15m, 1h, 1d')
    return sum(int(number) * _MINUTES[unit] for number, unit in parts)
