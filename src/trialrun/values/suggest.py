"""Did you mean: the one name that a misspelt one was clearly intended to be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property, lru_cache
from operator import itemgetter

SNAKE = re.compile(r"_([a-z0-9])")
MIN_SIMILARITY = 0.8
MIN_WORDS_LENGTH = 4
MIN_EDIT_LENGTH = 3
MIN_SHARED_PART = 0.35
MAX_LENGTH = 1_000
"""Longer texts are no misspelt names; comparing them, and remembering that, would cost time and memory."""

VENDOR_NAMES: Mapping[str, str] = {
    "bigquerysource": "warehouseSource", "bigqueryuri": "uri", "vertexragsource": "ragSource",
    "bigtablemetadata": "kvStoreMetadata", "euclidean": "SQUARED_L2_DISTANCE",
    "euclideandistance": "SQUARED_L2_DISTANCE", "l2": "SQUARED_L2_DISTANCE", "innerproduct": "DOT_PRODUCT_DISTANCE",
}  # fmt: skip
"""Names that other documents have for a field or a value of ours, by their squashed form."""


@lru_cache(maxsize=2**14)
def normalize(name: str) -> str:
    """A name without its case and separators: `sync-Config` and `SYNC_CONFIG` are `syncconfig`."""
    return "".join(character for character in name.lower() if character.isalnum())


@cache
def snake_case(name: str) -> str:
    """The snake_case spelling of a camelCase name, as protocol buffers write it: `cel_upsell` of `celUpsell`."""
    return "".join("_" + character.lower() if character.isupper() else character for character in name)


def camel_case(name: str) -> str:
    """The camelCase spelling of a snake_case name: `celUpsell` of `cel_upsell`."""
    return SNAKE.sub(lambda match: match[1].upper(), name)


def suggest(name: str, names: Iterable[str], *, min_similarity: float = MIN_SIMILARITY) -> str | None:
    """The one name that differs only in case and separators, else the one that is close by spelling, else None."""
    if len(name) > MAX_LENGTH:
        return None
    candidates = list(names)
    return equivalent_name(name, candidates) or closest_name(name, candidates, min_similarity=min_similarity)


def did_you_mean(name: str, names: Iterable[str], *, otherwise: str = "", min_similarity: float = 0.6) -> str:
    """The end of a message: `; did you mean "…"?` where one name is clearly intended, else what else to do."""
    near = suggest(name, dict.fromkeys(names), min_similarity=min_similarity)
    if near is not None:
        return f'; did you mean "{near}"?'
    return otherwise and f"; {otherwise}"


def equivalent_name(name: str, names: Iterable[str]) -> str | None:
    """The name that differs only in case and separators, or that other documents have for the same thing."""
    normalized = normalize(name)
    if not normalized:
        return None
    vendor_meaning = VENDOR_NAMES.get(normalized)
    return next((each for each in names if normalize(each) == normalized or each == vendor_meaning), None)


def closest_name(name: str, names: Iterable[str], *, min_similarity: float = MIN_SIMILARITY) -> str | None:
    """The one name that is close by spelling; None when none is, or when two are equally close."""
    return _closest_name(name, tuple(names), min_similarity)


@lru_cache(maxsize=2**12)
def _closest_name(name: str, names: tuple[str, ...], min_similarity: float) -> str | None:
    from difflib import SequenceMatcher

    by_lowercase: dict[str, list[str]] = {}
    for candidate in names:
        by_lowercase.setdefault(candidate.lower(), []).append(candidate)
    target = name.lower()
    matcher = SequenceMatcher(None, "", target)
    best, matches = 0.0, list[str]()
    # how alike a name and one that is a slip away are at least, in the letters that they have
    one_edit = (len(target) - 1) / len(target) if target else 1.0
    for upper_bound, candidate in candidates(target, by_lowercase, close=min(min_similarity, one_edit)):
        if upper_bound < best:
            break
        matcher.set_seq1(candidate)
        similarity = matcher.ratio()
        if similarity < best or (similarity < min_similarity and not one_edit_apart(target, candidate)):
            continue
        matches = by_lowercase[candidate] + (matches if similarity == best else [])
        best = similarity
    return matches[0] if len(matches) == 1 else None


def one_edit_apart(first: str, second: str) -> bool:
    """Whether one letter too many, too few or wrong, or two that changed places, tell two names of 3 letters apart."""
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) < MIN_EDIT_LENGTH or len(longer) - len(shorter) > 1 or first == second:
        return False
    start = next((index for index, letter in enumerate(shorter) if letter != longer[index]), len(shorter))
    rest, longer_rest = shorter[start:], longer[start:]
    if len(shorter) < len(longer):
        return rest == longer_rest[1:]
    return rest[1:] == longer_rest[1:] or (rest[1::-1] == longer_rest[:2] and rest[2:] == longer_rest[2:])


def names_by_words(name: str, names: Iterable[str]) -> list[str]:
    """The names of which this one is a good part, word by word, or the other way round: `text` of `messageText`.

    A name of the same words, in the singular or the plural, is the only one.
    """
    if len(name) < MIN_WORDS_LENGTH:
        return []
    matches = [candidate for candidate in names if _shares_words(name, candidate)]
    return [candidate for candidate in matches if split_words(candidate) == split_words(name)] or matches


def _shares_words(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) < max(MIN_WORDS_LENGTH, MIN_SHARED_PART * len(longer)):
        return False
    return f" {split_words(shorter)} " in f" {split_words(longer)} "


@lru_cache(maxsize=2**14)
def split_words(name: str) -> str:
    """The words of a name, in lower case, in the singular, with spaces between them: `entity id column`."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
    return " ".join(word.lower().removesuffix("s") for word in parts)


MAX_COMPARED_LENGTH = 128
"""Characters of a name that is compared; a longer one is not a slip of the pen, and comparing it would take long."""
MAX_COMPARED = 16
"""How many names are compared with one at most, those that may be most like it first."""
MAX_CANDIDATES = 64
"""How many names of many are looked at for one: those that share its rarest pairs of letters."""
_BUCKETS = 64
"""Characters are distinguished by their code point modulo this: those that are not are taken for equal."""
_MAX_PER_BUCKET = 16
_ALL_LETTERS = (1 << _BUCKETS * _MAX_PER_BUCKET) - 1


def candidates(name: str, names: Iterable[str], *, close: float) -> list[tuple[float, str]]:
    """The names whose likeness to a name may reach `close`, each with the most that it can be, the greatest first.

    Likeness is that of difflib: twice the characters in common, in one order, by those of both names. Whatever the
    order, no more can be in common than the characters themselves.
    """
    if len(name) > MAX_COMPARED_LENGTH:
        return []
    wanted, length = _letter_bits(name), len(name)
    close_names = []
    for other in names:
        both = length + len(other)
        if 2 * min(length, len(other)) >= close * both and len(other) <= MAX_COMPARED_LENGTH:
            most = 2 * (wanted & _letter_bits(other)).bit_count() / both
            if most >= close:
                close_names.append((most, other))
    close_names.sort(key=itemgetter(0), reverse=True)
    return close_names[:MAX_COMPARED]


class NameIndex:
    """Names of which those that may be like another one are found without a look at each.

    Only names that share pairs of letters with it are compared, those that share rare pairs first.
    """

    def __init__(self, names: Iterable[str], shared: NameIndex | None = None) -> None:
        self.names = frozenset(names)
        self.beside = shared
        """An index of further names, which others share."""

    def __contains__(self, name: str) -> bool:
        return name in self.names or (self.beside is not None and name in self.beside)

    def similar_names(self, name: str) -> list[str]:
        """Names that share pairs of letters with this one, those that share rare pairs first."""
        names_found: dict[str, None] = {}
        for sharing in sorted(
            (self._by_pair.get(pair, []) for pair in sorted(_pairs(name[:MAX_COMPARED_LENGTH]))), key=len
        ):
            names_found.update(dict.fromkeys(sharing[: MAX_CANDIDATES - len(names_found)]))
            if len(names_found) == MAX_CANDIDATES:
                break
        return list(names_found)

    def suggest(self, name: str) -> str | None:
        """The one name that differs only in case and separators, or is close by spelling; None when there is none."""
        return suggest(name, self.similar_names(name))

    def did_you_mean(self, name: str, *, otherwise: str) -> str:
        """The end of a message: the name that was meant, else what else to do."""
        near = self.suggest(name)
        return f'; did you mean "{near}"?' if near else f"; {otherwise}"

    @cached_property
    def sorted_names(self) -> list[str]:
        """All names in their order."""
        return sorted(self.names)

    @cached_property
    def _by_pair(self) -> dict[str, list[str]]:
        by_pair: dict[str, list[str]] = {}
        for name in self.sorted_names:
            for pair in _pairs(name[:MAX_COMPARED_LENGTH]):
                by_pair.setdefault(pair, []).append(name)
        return by_pair


def _pairs(name: str) -> set[str]:
    """The pairs of neighbouring letters and digits, with a space before the first and after the last."""
    squashed = f" {''.join(letter for letter in name.lower() if letter.isalnum())} "
    return {squashed[at : at + 2] for at in range(len(squashed) - 1)}


@lru_cache(maxsize=2**16)
def _letter_bits(name: str) -> int:
    """The characters of a name as bits, the second and further ones of a sort by bits of their own."""
    counts = [0] * _BUCKETS
    for letter in name:
        counts[ord(letter) % _BUCKETS] += 1
    if max(counts) > _MAX_PER_BUCKET:
        return _ALL_LETTERS
    bits = 0
    for count in counts:
        bits = bits << _MAX_PER_BUCKET | (1 << count) - 1
    return bits
