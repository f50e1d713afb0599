"""What `docs/assumptions.md` says of the rows that an answer cites."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

import trialrun

COLUMNS = 5


@cache
def chosen() -> Mapping[str, str]:
    """What is silent and what was chosen, by the id of the row."""
    rows = (_cells(line) for line in _text().splitlines() if line.startswith("| "))
    return {row[0]: f"{row[1]}: {row[2]}" for row in rows if len(row) == COLUMNS and row[0] != "id"}


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def _text() -> str:
    """The page: inside the installed package, or the repository's own in an editable install."""
    package = os.path.dirname(os.path.abspath(trialrun.__file__))
    beside = os.path.join(os.path.dirname(os.path.dirname(package)), "docs", "assumptions.md")
    for file in (os.path.join(package, "_assumptions.md"), beside):
        if os.path.isfile(file):
            with open(file, encoding="utf-8") as stream:
                return stream.read()
    return ""
