"""Chance that is the same on every machine: only `random.Random.random()` is drawn from, which Python keeps stable."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Draws from one seed; the same seed draws the same, on every machine and version of Python."""

    def __init__(self, seed: str) -> None:
        self.draw = random.Random(seed).random

    def chance(self, share: float) -> bool:
        """True in this share of the draws."""
        return self.draw() < share

    def number(self, low: int, high: int) -> int:
        """A whole number from low to high, both inclusive."""
        return low + int(self.draw() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[int(self.draw() * len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """So many different items, in the order drawn; all of them where there are fewer."""
        left = list(items)
        return [left.pop(int(self.draw() * len(left))) for _ in range(min(count, len(left)))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All of the items in a drawn order."""
        return self.some(items, len(items))

    def skewed(self, low: int, high: int, power: float) -> int:
        """A whole number from low to high; the greater the power, the nearer to low most of them are."""
        return low + int((high - low) * self.draw() ** power)
