"""Upper bounds of the similarity of two names, which save most comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from operator import itemgetter

MAX_LENGTH = 128
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
    if len(name) > MAX_LENGTH:
        return []
    wanted, length = _letter_bits(name), len(name)
    close_names = []
    for other in names:
        both = length + len(other)
        if 2 * min(length, len(other)) >= close * both and len(other) <= MAX_LENGTH:
            most = 2 * (wanted & _letter_bits(other)).bit_count() / both
            if most >= close:
                close_names.append((most, other))
    close_names.sort(key=itemgetter(0), reverse=True)
    return close_names[:MAX_COMPARED]


class NameIndex:
    """Names of which those that may be like another one are found without a look at each."""

    def __init__(self, names: Iterable[str], shared: NameIndex | None = None) -> None:
        self.names = frozenset(names)
        self.beside = shared
        """An index of further names, which others share."""

    def __contains__(self, name: str) -> bool:
        return name in self.names or (self.beside is not None and name in self.beside)

    def similar_names(self, name: str) -> list[str]:
        """Names that share pairs of letters with this one, those that share rare pairs first."""
        names_found: dict[str, None] = {}
        for sharing in sorted((self._by_pair.get(pair, []) for pair in sorted(_pairs(name[:MAX_LENGTH]))), key=len):
            names_found.update(dict.fromkeys(sharing[: MAX_CANDIDATES - len(names_found)]))
            if len(names_found) == MAX_CANDIDATES:
                break
        return list(names_found)

    @cached_property
    def sorted_names(self) -> list[str]:
        """All names in their order."""
        return sorted(self.names)

    @cached_property
    def _by_pair(self) -> dict[str, list[str]]:
        by_pair: dict[str, list[str]] = {}
        for name in self.sorted_names:
            for pair in _pairs(name[:MAX_LENGTH]):
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
