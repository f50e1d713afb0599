"""Phrases that are listened for, found in a row of words: the longest first, none of them overlapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from trialrun.record import dataclass
from trialrun.runtime.channel_config.voice.quantity import quantity_before, singular

Meaning = TypeVar("Meaning")


@dataclass(slots=True)
class Fork(Generic[Meaning]):
    """Where phrases with the same beginning part: the next words, and the phrase that ends here."""

    next: dict[str, Fork[Meaning]] = field(default_factory=dict)
    meaning: Meaning | None = None


@dataclass(frozen=True, slots=True)
class Found(Generic[Meaning]):
    """A phrase among words: where it starts and ends, the end exclusive, and how many of it are meant.

    `is_counted` says whether a number stands before it.
    """

    start: int
    end: int
    meaning: Meaning
    quantity: int
    is_counted: bool
    length: int


class Phrases(Generic[Meaning]):
    """Phrases by their words, so that a row of words is looked through once, however many phrases there are."""

    def __init__(self) -> None:
        self.root: Fork[Meaning] = Fork()

    def learn(self, phrase: Sequence[str], meaning: Meaning) -> Meaning:
        """Listen for a phrase; what it means: what it meant before, where it was known."""
        fork = self.root
        for word in phrase:
            fork = fork.next.setdefault(word, Fork())
        if fork.meaning is None:
            fork.meaning = meaning
        return fork.meaning

    def meaning(self, phrase: Sequence[str]) -> Meaning | None:
        """What a phrase means, None where it is not known."""
        fork: Fork[Meaning] | None = self.root
        for word in phrase:
            fork = fork.next.get(word) if fork else None
        return fork.meaning if fork else None

    def at(self, words: Sequence[str], start: int, *, plural: bool = False) -> Iterator[tuple[int, Meaning]]:
        """The ends and meanings of the phrases that start at a word; `plural`: the last word may be a plural."""
        fork: Fork[Meaning] | None = self.root
        for end in range(start, len(words)):
            assert fork is not None
            ways = singular(words[end]) if plural else ()
            several = next((one for way in ways if (one := fork.next.get(way)) and one.meaning is not None), None)
            fork = fork.next.get(words[end])
            for one in (fork, several):
                if one is not None and one.meaning is not None:
                    yield end + 1, one.meaning
                    break
            if fork is None:
                return


def found(
    listening: Sequence[Phrases[Meaning]], words: Sequence[str], language: str | None
) -> tuple[Found[Meaning], ...]:
    """The phrases in a row of words, in its order: the longest first, of equal ones the earlier, none overlapping.

    Of several sets of phrases an earlier one comes first. A number directly before a phrase is its quantity, unless it
    is part of another phrase; after one above 1 the phrase may end in a plural.
    """
    every = [
        one for phrases in listening for start in range(len(words)) for one in _at(phrases, words, start, language)
    ]
    every.sort(key=lambda one: (-one.length, one.start))
    taken = bytearray(len(words))
    chosen: list[Found[Meaning]] = []
    for one in every:
        if not any(taken[one.start : one.end]):
            taken[one.start : one.end] = b"\1" * (one.end - one.start)
            chosen.append(one)
    return tuple(_alone(one, words, taken, language) for one in sorted(chosen, key=lambda one: one.start))


def _at(phrases: Phrases[Meaning], words: Sequence[str], start: int, language: str | None) -> Iterator[Found[Meaning]]:
    quantity, before = quantity_before(words, start, language)
    for end, meaning in phrases.at(words, start, plural=quantity > 1):
        yield Found(start, end, meaning, quantity, bool(before), sum(map(len, words[start:end])))


def _alone(one: Found[Meaning], words: Sequence[str], taken: bytearray, language: str | None) -> Found[Meaning]:
    """The phrase without the quantity before it where that is part of another phrase."""
    _, before = quantity_before(words, one.start, language)
    if not any(taken[one.start - before : one.start]):
        return one
    return Found(one.start, one.end, one.meaning, 1, False, one.length)
