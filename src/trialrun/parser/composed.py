"""What composing gives, by whichever reader."""

from __future__ import annotations

from typing import Any

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Composed:
    """A document's value, where it starts and ends in the text, and whether its places need a second look."""

    value: Any
    start: int
    end: int
    noticed: bool
