"""Placeholder locations of facts, which need no access to their files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from trialrun.diagnostic import Chars, Range
from trialrun.lint.fact_locations import FactLocations
from trialrun.text import Position

if TYPE_CHECKING:
    from trialrun.lint.file_result import Fact


class LocationFreeFacts(FactLocations):
    """Gives every fact a line of its own, unrelated to its real one."""

    def __init__(self, bytes_of: Callable[[str], bytes | None]) -> None:
        super().__init__(bytes_of)
        self._placed = FactLocations(bytes_of)
        self._lines: dict[object, int] = {}

    def __call__(self, fact: Fact, chars: Chars | None = None) -> Range:
        """A line that is unique for the fact and the characters."""
        line = self._lines.setdefault((fact.path, fact.document, fact.steps, chars), len(self._lines) + 1)
        return Range(Position(line, 1), Position(line, 1))

    def stable_path(self, fact: Fact) -> str:
        """Empty: no fingerprint is computed from it."""
        return ""

    def is_guessed(self, fact: Fact) -> bool:
        """Whether a fact is from a text that could not be fully parsed."""
        return self._placed.is_guessed(fact)
