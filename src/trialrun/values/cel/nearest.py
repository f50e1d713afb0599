"""Did you mean: the one name that a misspelt name is most like."""

from __future__ import annotations

import re
from collections.abc import Iterable

# what other languages call the functions that CEL has
FOREIGN = {
    "includes": "contains",
    "has_key": "contains",
    "tolower": "lowerAscii",
    "tolowercase": "lowerAscii",
    "lower": "lowerAscii",
    "toupper": "upperAscii",
    "touppercase": "upperAscii",
    "upper": "upperAscii",
    "strip": "trim",
    "some": "exists",
    "any": "exists",
    "every": "all",
    "where": "filter",
    "select": "map",
    "match": "matches",
    "str": "string",
    "float": "double",
}


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name most like this one, or None when none is alike."""
    from difflib import get_close_matches

    candidates = sorted(set(names))
    plain = _plain(name)
    same = [each for each in candidates if _plain(each) == plain]
    if same:
        return same[0]
    if FOREIGN.get(plain) in candidates:
        return FOREIGN[plain]
    # a name of great length is no misspelling, and comparing it would take long
    close = get_close_matches(name, candidates, 1, 0.6) if len(name) <= 100 else []
    return close[0] if close else _holding(name, candidates)


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def _holding(name: str, candidates: list[str]) -> str | None:
    """The one name that is made of this one and more: `displayName` for `name`."""
    words = _words(name)
    holding = [each for each in candidates if len(name) > 1 and words and words < _words(each)]
    return holding[0] if len(holding) == 1 else None


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
