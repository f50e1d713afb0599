"""Did you mean: the one name that a misspelt one was plainly meant to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

CLOSE = 0.8


def squash(name: str) -> str:
    """A name without its case and separators: `sync-Config` and `SYNC_CONFIG` are `syncconfig`."""
    return "".join(character for character in name.lower() if character.isalnum())


@cache
def snake_case(name: str) -> str:
    """The snake_case spelling of a camelCase name, as protocol buffers write it: `cel_upsell` of `celUpsell`."""
    return "".join("_" + character.lower() if character.isupper() else character for character in name)


def nearest(name: str, names: Iterable[str], *, close: float = CLOSE) -> str | None:
    """The one name that differs only in case and separators, else the one that is close by spelling, else None."""
    known = list(names)
    same = [other for other in known if squash(other) == squash(name)]
    if same:
        return same[0]
    return _closest(name, known, close)


def _closest(name: str, names: Sequence[str], close: float) -> str | None:
    import difflib

    by_lower = {other.lower(): other for other in names}
    matches = difflib.get_close_matches(name.lower(), by_lower, n=2, cutoff=close)
    return by_lower[matches[0]] if matches else None
