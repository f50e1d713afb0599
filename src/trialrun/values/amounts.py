"""Spans of time and amounts of memory as people write them in settings: `15m`, `1h30m`, `512MB`, `1.5 GiB`."""

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


AMOUNT = re.compile(r"(\d{1,18}(?:\.\d{1,9})?) ?([KMGT]?)(i?)B", re.ASCII | re.IGNORECASE)


def parse_bytes(amount: str) -> int | None:
    """The bytes of an amount of memory, None for a text that is none."""
    match = AMOUNT.fullmatch(amount.strip())
    if match is None:
        return None
    base = 1024 if match[3] else 1000
    return int(float(match[1]) * base ** " KMGT".index(match[2].upper() or " "))


def format_bytes(size: int) -> str:
    """An amount of memory as settings have it, rounded down."""
    if size >= 10**12 and size % 10**12 == 0:
        return f"{size // 10**12}TB"
    return f"{size // 10**9}GB" if size >= 10**9 and size % 10**9 == 0 else f"{max(1, size // 10**6)}MB"
