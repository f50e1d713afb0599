"""Texts of a file inside Markdown."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~&]")
_TICKS = re.compile("`+")


def plain(text: str) -> str:
    """A text as prose on one line, with what Markdown would take for marks escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def code(text: str) -> str:
    """A text as code on one line, whatever backticks it has."""
    text = " ".join(text.split())
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    return f"{ticks} {text} {ticks}" if len(ticks) > 1 else f"`{text}`"


def listed(names: list[str]) -> str:
    """Names as code, parted by commas."""
    return ", ".join(map(code, names))
