"""Markdown descriptions of fields and values, for hover and completion; here, how texts are escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_LISTED = 12
_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~&]")
_NAMES = re.compile(r"((?<![\w{/])(?:[A-Za-z0-9]+_\w+(?:=<\w+>)?|\w+=<\w+>|[a-z]+[A-Z]\w*)(?![\w}/]))")
"""Names in prose: with underscores, in camelCase, and prefixes with a placeholder."""
_TICKS = re.compile("`+")


def prose(text: str) -> str:
    """A sentence of the specifications as Markdown, with names such as `per_crowding_attribute` as code."""
    parts = enumerate(_NAMES.split(text))
    return "".join(code(part) if at % 2 else _SPECIAL.sub(r"\\\g<0>", re.sub(r"\s+", " ", part)) for at, part in parts)


def plain(text: str) -> str:
    """A text on one line with Markdown characters escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def code(text: str) -> str:
    """A text as inline code on one line, whatever backticks it contains."""
    text = " ".join(text.split())
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    return f"{ticks} {text} {ticks}" if len(ticks) > 1 else f"`{text}`"


def join_code(names: list[str]) -> str:
    """Names as inline code, separated by commas."""
    return ", ".join(map(code, names))


def shortened(shown: Sequence[str], separator: str = ", ", most: int = MAX_LISTED) -> str:
    """The first of some texts, and how many more there are."""
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return separator.join(shown[:most]) + more
