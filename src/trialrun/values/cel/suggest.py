"""Did you mean: the one name that a misspelt name is most like."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trialrun.values.similarity import NameIndex
from trialrun.values.suggest import closest_name, equivalent_name, normalize

# what other languages call the functions that CEL has
FUNCTION_SYNONYMS = {
    "includes": "contains",
    "haskey": "contains",
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


MAX_LISTED = 12
"""How many names a message lists where none is like the one that was written."""
MAX_COMPARED_DIRECTLY = 200
"""As many names are all looked at."""


def suggest_name(name: str, names: Iterable[str] | NameIndex, *further: str) -> str | None:
    """The name most like this one, among some names and further ones, or None when none is alike."""
    candidates = _candidates(name, names)
    if further:
        candidates = sorted({*candidates, *further})
    if same := equivalent_name(name, candidates):
        return same
    if (synonym := FUNCTION_SYNONYMS.get(normalize(name))) in candidates:
        return synonym
    return closest_name(name, candidates, min_similarity=0.6) or _longer_name(name, candidates)


def _candidates(name: str, names: Iterable[str] | NameIndex) -> list[str]:
    if not isinstance(names, NameIndex):
        return sorted(set(names))
    candidates = names.sorted_names if len(names.names) <= MAX_COMPARED_DIRECTLY else sorted(names.similar_names(name))
    return sorted({*candidates, *_candidates(name, names.beside)}) if names.beside else candidates


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def _longer_name(name: str, candidates: list[str]) -> str | None:
    """The one name that is made of this one and more: `displayName` for `name`."""
    words = _words(name)
    holding = [candidate for candidate in candidates if len(name) > 1 and words and words < _words(candidate)]
    return holding[0] if len(holding) == 1 else None


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}
