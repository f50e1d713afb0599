"""Did you mean: the one name that a misspelt name is most like."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trialrun.values.similarity import Index, closest_match

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


MOST_LISTED = 12
"""How many names a message lists where none is like the one that was written."""
FEW = 200
"""As many names are all looked at."""


def nearest(name: str, names: Iterable[str] | Index, *further: str) -> str | None:
    """The name most like this one, among some names and further ones, or None when none is alike."""
    candidates = _candidates(name, names)
    if further:
        candidates = sorted({*candidates, *further})
    plain = _plain(name)
    same = [each for each in candidates if _plain(each) == plain]
    if same:
        return same[0]
    if FOREIGN.get(plain) in candidates:
        return FOREIGN[plain]
    return closest_match(name, candidates, close=0.6) or _holding(name, candidates)


def _candidates(name: str, names: Iterable[str] | Index) -> list[str]:
    if not isinstance(names, Index):
        return sorted(set(names))
    found = names.ordered if len(names.names) <= FEW else sorted(names.sharing(name))
    return sorted({*found, *_candidates(name, names.beside)}) if names.beside else found


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
