"""Phrases that are listened for, found in a row of words: the longest first, none of them overlapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from heapq import heappop, heappush
from itertools import accumulate
from typing import Generic, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.quantity import quantity_before, singular

Meaning = TypeVar("Meaning")


@dataclass(slots=True)
class Fork(Generic[Meaning]):
    """Where phrases with the same beginning part: the next words, and the phrase that ends here."""

    next: dict[str, Fork[Meaning]] = field(default_factory=dict)
    meaning: Meaning | None = None

    def meant_by(self, words: Sequence[str]) -> Meaning | None:
        """What the first of some next words means with which a phrase ends; None where none does."""
        ends = (self.next[word].meaning for word in words if word in self.next)
        return next((meaning for meaning in ends if meaning is not None), None)


@dataclass(frozen=True, slots=True)
class Found(Generic[Meaning]):
    """A phrase among words: where it starts and ends, the end exclusive, and how many of it are meant.

    `is_counted` says whether a number stands before it.
    """

    start: int
    end: int
    meaning: Meaning
    quantity: int = 1
    is_counted: bool = False


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

    def longest(
        self, words: Sequence[str], start: int, stop: int, *, plural: bool = False
    ) -> tuple[int, Meaning] | None:
        """The end and meaning of the longest phrase from a word on, None without one.

        It ends before `stop`; with `plural`, its last word may be a plural.
        """
        return max(self.all(words, start, stop, plural=plural), key=lambda one: one[0], default=None)

    def inside(self, words: Sequence[str]) -> Iterator[Meaning]:
        """What the phrases mean that are anywhere among words."""
        return (meaning for start in range(len(words)) for _, meaning in self.all(words, start, len(words)))

    def all(
        self, words: Sequence[str], start: int, stop: int, *, plural: bool = False
    ) -> Iterator[tuple[int, Meaning]]:
        """The ends and meanings of the phrases from a word on, the shortest first."""
        fork = self.root
        for end in range(start, stop):
            after = fork.next.get(words[end])
            meaning = after.meaning if after else None
            if meaning is None and plural:
                meaning = fork.meant_by(singular(words[end]))
            if meaning is not None:
                yield end + 1, meaning
            if after is None:
                return
            fork = after


def found(
    listening: Sequence[Phrases[Meaning]], words: Sequence[str], language: str | None
) -> tuple[Found[Meaning], ...]:
    """The phrases in a row of words, in its order: the longest first, of equal ones the earlier, none overlapping.

    Of several sets of phrases an earlier one comes first. A number directly before a phrase is its quantity, unless it
    is part of another phrase; after one above 1 the phrase may end in a plural.
    """
    taken = bytearray(len(words))
    waiting = _Waiting(listening, words, language)
    for start in range(len(words)):
        waiting.put(start, len(words))
    chosen: list[Found[Meaning]] = []
    for one in waiting:
        stop = taken.find(1, one.start, one.end)
        if stop < 0:
            taken[one.start : one.end] = b"\1" * (one.end - one.start)
            chosen.append(one)
        elif stop > one.start:
            waiting.put(one.start, stop)
    return tuple(_counted(one, words, taken, language) for one in sorted(chosen, key=lambda one: one.start))


@dataclass
class _Waiting(Generic[Meaning]):
    """The longest phrase from each word on that is still to be looked at, and of these the longest first."""

    listening: Sequence[Phrases[Meaning]]
    words: Sequence[str]
    language: str | None
    heap: list[tuple[int, int, Found[Meaning]]] = field(default_factory=list)

    @cached_property
    def lengths(self) -> Sequence[int]:
        """How many characters the words have up to each."""
        return [0, *accumulate(map(len, self.words))]

    def put(self, start: int, stop: int) -> None:
        """Look for a phrase from a word on, which ends before another."""
        several = quantity_before(self.words, start, self.language)[0] > 1
        each = (phrases.longest(self.words, start, stop, plural=several) for phrases in self.listening)
        longest = max((one for one in each if one), key=lambda one: one[0], default=None)
        if longest:
            one = Found(start, *longest)
            heappush(self.heap, (self.lengths[start] - self.lengths[one.end], start, one))

    def __iter__(self) -> Iterator[Found[Meaning]]:
        while self.heap:
            yield heappop(self.heap)[2]


def _counted(one: Found[Meaning], words: Sequence[str], taken: bytearray, language: str | None) -> Found[Meaning]:
    """The phrase with the quantity before it, unless that is part of another phrase."""
    quantity, before = quantity_before(words, one.start, language)
    if not before or any(taken[one.start - before : one.start]):
        return one
    return Found(one.start, one.end, one.meaning, quantity, is_counted=True)
