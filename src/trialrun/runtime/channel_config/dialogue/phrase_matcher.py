"""Phrase matcher: longest, non-overlapping matches of known phrases in a sequence of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import heappop, heappush
from itertools import accumulate, chain
from typing import Generic, TypeVar

from trialrun.values.language_tag import canonicalize

Meaning = TypeVar("Meaning")


@dataclass(slots=True)
class TrieNode(Generic[Meaning]):
    """Where phrases with the same beginning part: the next words, and the phrase that ends here."""

    next: dict[str, TrieNode[Meaning]] = field(default_factory=dict)
    meaning: Meaning | None = None


@dataclass(frozen=True, slots=True)
class PhraseMatch(Generic[Meaning]):
    """A phrase among words: where it starts and ends, the end exclusive, and the number before it, if there is one."""

    start: int
    end: int
    meaning: Meaning
    quantity: int | None = None


class PhraseMatcher(Generic[Meaning]):
    """Phrases by their words, so that a row of words is looked through once, however many phrases there are."""

    def __init__(self) -> None:
        self.root: TrieNode[Meaning] = TrieNode()

    def add(self, phrase: Sequence[str], meaning: Meaning) -> Meaning:
        """Listen for a phrase; what it means: what it meant before, where it was known."""
        node = self.root
        for word in phrase:
            node = node.next.setdefault(word, TrieNode())
        if node.meaning is None:
            node.meaning = meaning
        return node.meaning

    def meaning(self, phrase: Sequence[str]) -> Meaning | None:
        """What a phrase means, None if it is not known."""
        node: TrieNode[Meaning] | None = self.root
        for word in phrase:
            node = node.next.get(word) if node else None
        return node.meaning if node else None

    def meanings_in(self, words: Sequence[str]) -> Iterator[Meaning]:
        """What the phrases mean that are anywhere among words."""
        return (meaning for start in range(len(words)) for _, meaning in self.matches_from(words, start, len(words)))

    def matches_from(
        self, words: Sequence[str], start: int, stop: int, *, plural: bool = False
    ) -> Iterator[tuple[int, Meaning]]:
        """The ends and meanings of the phrases from a word on that end before `stop`, the shortest first.

        With `plural`, their last word may be a plural.
        """
        node = self.root
        for end in range(start, stop):
            next_node = node.next.get(words[end])
            meaning = next_node.meaning if next_node else None
            if meaning is None and plural:
                ends = (node.next[word].meaning for word in singular_forms(words[end]) if word in node.next)
                meaning = next((meaning for meaning in ends if meaning is not None), None)
            if meaning is not None:
                yield end + 1, meaning
            if next_node is None:
                return
            node = next_node


def find_phrases(
    matchers: Sequence[PhraseMatcher[Meaning]], words: Sequence[str], language: str | None
) -> tuple[PhraseMatch[Meaning], ...]:
    """The phrases in a row of words, in its order: the longest first, of equal ones the earlier, none overlapping.

    Of several sets of phrases an earlier one comes first. A number directly before a phrase is its quantity, unless it
    is part of another phrase; after one above 1 the phrase may end in a plural.
    """
    is_taken = bytearray(len(words))
    lengths = [0, *accumulate(map(len, words))]
    queue: list[tuple[int, int, PhraseMatch[Meaning]]] = []

    def push(start: int, stop: int) -> None:
        """Add the longest phrase from a word on that ends before another."""
        is_plural = quantity_before(words, start, language)[0] > 1
        matches = (phrases.matches_from(words, start, stop, plural=is_plural) for phrases in matchers)
        longest = max(chain.from_iterable(matches), key=lambda match: match[0], default=None)
        if longest:
            heappush(queue, (lengths[start] - lengths[longest[0]], start, PhraseMatch(start, *longest)))

    for start in range(len(words)):
        push(start, len(words))
    chosen: list[PhraseMatch[Meaning]] = []
    while queue:
        match = heappop(queue)[2]
        stop = is_taken.find(1, match.start, match.end)
        if stop < 0:
            is_taken[match.start : match.end] = b"\1" * (match.end - match.start)
            chosen.append(match)
        elif stop > match.start:
            push(match.start, stop)
    found: list[PhraseMatch[Meaning]] = []
    for match in sorted(chosen, key=lambda match: match.start):
        quantity, word_count = quantity_before(words, match.start, language)
        is_free = word_count and not any(is_taken[match.start - word_count : match.start])
        found.append(replace(match, quantity=quantity) if is_free else match)
    return tuple(found)


NUMBERS = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "es": "un/una/uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "fr": "un/une deux trois quatre cinq six sept huit neuf dix onze douze",
    "de": "ein/eine/einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "it": "un/una/uno due tre quattro cinque sei sette otto nove dieci undici dodici",
    "pt": "um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze",
}
"""The words of one to twelve; in other languages a number is heard in digits alone."""


MAX_DIGITS = 3


def quantity_before(words: Sequence[str], index: int, language: str | None) -> tuple[int, int]:
    """The quantity that the words before an index say, and how many words say it; 1 and 0 where none do.

    It is directly before: "2", "2x", "2 x", or a word from one to twelve in the customer's language; digits
    are those of any script.
    """
    times_words = 1 if index >= 2 and words[index - 1] == "x" else 0
    if index <= times_words:
        return 1, 0
    word = words[index - 1 - times_words]
    digits = word.removesuffix("x")
    number = int(digits) if digits.isdecimal() and len(digits) <= MAX_DIGITS else 0
    number = number or _number_words(language).get(word, 0)
    return (number, 1 + times_words) if number else (1, 0)


def singular_forms(word: str) -> tuple[str, ...]:
    """The words of which a word may be the plural by its ending."""
    if not word.endswith("s") or len(word) < 3:
        return ()
    ending = {word[:-1]: True, word[:-2]: word.endswith("es"), f"{word[:-3]}y": word.endswith("ies")}
    return tuple(text for text, fits in ending.items() if fits)


@lru_cache(maxsize=256)
def _number_words(language: str | None) -> dict[str, int]:
    primary = (canonicalize(language) or language).partition("-")[0].lower() if language else "en"
    spelled = NUMBERS.get(primary, "").split()
    return {word: number for number, words in enumerate(spelled, 1) for word in words.split("/")}
