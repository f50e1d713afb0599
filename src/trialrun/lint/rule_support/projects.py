"""Projects by their numbers, as feature groups and views name them."""

from __future__ import annotations

from typing import Final

ANY_PROJECT: Final = 0
"""The number where none is named."""


def may_be_same(one: int, other: int) -> bool:
    """Whether two are the same project, or one of them is not named."""
    return one == other or ANY_PROJECT in (one, other)
