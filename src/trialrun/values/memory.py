"""Amounts of memory as settings write them: `512MB`, `4GB`, `1.5 GiB`."""

from __future__ import annotations

import re

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
