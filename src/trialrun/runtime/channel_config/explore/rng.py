"""Random numbers of one session; each draw depends on the seed, the session and the number of earlier draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from trialrun.runtime.channel_config.seeded_random import draw

Choice = TypeVar("Choice")
RANGE_SIZE = 2**64


class Rng:
    """Draws in a row, the same on every machine and in every Python."""

    def __init__(self, seed: int, session: int) -> None:
        self._purpose = f"explore {session} "
        self._seed = seed
        self._count = 0

    def stream(self, turn: int, purpose: str) -> Rng:
        """The draws for one purpose in a turn: these ones, after those of all other purposes."""
        return self

    def _next(self) -> int:
        self._count += 1
        return draw(self._seed, f"{self._purpose}{self._count}")

    def happens(self, likelihood: float) -> bool:
        """Whether a thing of this likelihood, from 0 to 1, happens."""
        return (self._next() >> 11) / 2**53 < likelihood

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """One of some choices, each as likely as the others."""
        return choices[self._next() * len(choices) // RANGE_SIZE]

    def fraction(self) -> float:
        """A fraction from 0 up to, and without, 1."""
        return (self._next() >> 11) / 2**53


class IndependentRng(Rng):
    """Draws that depend on the turn and the purpose, and not on how many others there were.

    Two customers of one seed do the same wherever they are in the same situation, whatever went differently before.
    """

    def __init__(self, seed: int, session: int, purpose: str = "") -> None:
        super().__init__(seed, session)
        self._session = session
        self._purpose = f"customer {session} {purpose} "

    def stream(self, turn: int, purpose: str) -> Rng:
        """The draws for one purpose in a turn."""
        return IndependentRng(self._seed, self._session, f"{turn} {purpose}")
