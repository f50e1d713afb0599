"""Did you mean: the one name that a misspelt one was plainly meant to be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from trialrun.values.similarity import likely

CLOSE = 0.8
SHORTEST_WORDS = 4
SHORTEST_SLIP = 3
LEAST_SHARE = 0.35

VENDOR_NAMES: Mapping[str, str] = {
    "bigquerysource": "warehouseSource",
    "bigqueryuri": "uri",
    "vertexragsource": "ragSource",
    "bigtablemetadata": "kvStoreMetadata",
    "euclidean": "SQUARED_L2_DISTANCE",
    "euclideandistance": "SQUARED_L2_DISTANCE",
    "l2": "SQUARED_L2_DISTANCE",
    "innerproduct": "DOT_PRODUCT_DISTANCE",
}
"""Names that other documents have for a field or a value of ours, by their squashed form."""


@lru_cache(maxsize=2**14)
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
    return same(name, known) or closest(name, known, close=close)


def same(name: str, names: Iterable[str]) -> str | None:
    """The name that differs only in case and separators, or that other documents have for the same thing."""
    squashed = squash(name)
    if not squashed:
        return None
    wanted = VENDOR_NAMES.get(squashed)
    return next((other for other in names if squash(other) == squashed or other == wanted), None)


def closest(name: str, names: Iterable[str], *, close: float = CLOSE) -> str | None:
    """The one name that is close by spelling; None when none is, or when two are equally close."""
    return _closest(name, tuple(names), close)


@lru_cache(maxsize=2**12)
def _closest(name: str, names: tuple[str, ...], close: float) -> str | None:
    from difflib import SequenceMatcher

    spelled: dict[str, list[str]] = {}
    for other in names:
        spelled.setdefault(other.lower(), []).append(other)
    wanted = name.lower()
    matcher = SequenceMatcher(None, "", wanted)
    best, found = 0.0, list[str]()
    for most, other in likely(wanted, spelled, close=min(close, _of_one_slip(wanted))):
        if most < best:
            break
        matcher.set_seq1(other)
        likeness = matcher.ratio()
        if likeness < best or (likeness < close and not is_one_slip(wanted, other)):
            continue
        found = spelled[other] + (found if likeness == best else [])
        best = likeness
    return found[0] if len(found) == 1 else None


def _of_one_slip(name: str) -> float:
    """How alike a name and one that is a slip away are at least, in the letters that they have."""
    return (len(name) - 1) / len(name) if name else 1.0


def is_one_slip(one: str, other: str) -> bool:
    """Whether one letter too many, too few or wrong, or two that changed places, tell two names of 3 letters apart."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < SHORTEST_SLIP or len(longer) - len(shorter) > 1 or one == other:
        return False
    start = next((at for at, letter in enumerate(shorter) if letter != longer[at]), len(shorter))
    rest, other_rest = shorter[start:], longer[start:]
    if len(shorter) < len(longer):
        return rest == other_rest[1:]
    return rest[1:] == other_rest[1:] or (rest[1::-1] == other_rest[:2] and rest[2:] == other_rest[2:])


def by_words(name: str, names: Iterable[str]) -> list[str]:
    """The names of which this one is a good part, word by word, or the other way round: `text` of `messageText`.

    A name of the same words, in the singular or the plural, is the only one.
    """
    if len(name) < SHORTEST_WORDS:
        return []
    found = [other for other in names if _is_good_part(name, other)]
    return [other for other in found if words(other) == words(name)] or found


def _is_good_part(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < max(SHORTEST_WORDS, LEAST_SHARE * len(longer)):
        return False
    return f" {words(shorter)} " in f" {words(longer)} "


@lru_cache(maxsize=2**14)
def words(name: str) -> str:
    """The words of a name, in lower case, in the singular, with blanks between them: `entity id column`."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
    return " ".join(word.lower().removesuffix("s") for word in found)
