"""A text with its slips put right, and the way back from its places to those of the text as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trialrun.lazy_dataclass import dataclass
from trialrun.values.problem import Problem

_COMPARISONS = ("==", "!=", "<=", ">=")


@dataclass(frozen=True, slots=True)
class CorrectedText:
    """`text` is corrected; `edits` are (start, end, replacement) in the text as it was, in order."""

    text: str
    edits: tuple[tuple[int, int, str], ...]

    @classmethod
    def apply(cls, text: str, problems: Sequence[Problem]) -> CorrectedText | None:
        """The text with what stands in for every problem, or None when nothing does or two overlap."""
        edits = sorted(filter(None, map(_edit, problems)))
        pieces, place = [], 0
        for start, end, right in edits:
            if start < place:
                return None
            pieces += [text[place:start], right]
            place = end
        return cls("".join([*pieces, text[place:]]), tuple(edits)) if len(edits) == len(problems) else None

    def to_original(self, problem: Problem) -> Problem | None:
        """The problem at its place in the text as it was; None when it is about a correction itself."""
        start, starts_inside = self._original_offset(problem.start)
        end, ends_inside = self._original_offset(problem.end, closing=True)
        if starts_inside and ends_inside and not self._is_comparison(start, end):
            return None
        return replace(problem, start=start, end=max(start, end))

    def _is_comparison(self, start: int, end: int) -> bool:
        """A comparison that was spelt wrong: what it compares can be wrong besides."""
        return any((start, end) == edit[:2] and edit[2] in _COMPARISONS for edit in self.edits)

    def _original_offset(self, place: int, *, closing: bool = False) -> tuple[int, bool]:
        shift = 0
        for start, end, replacement in self.edits:
            begins = start + shift
            if place < begins or (closing and place == begins):
                break
            if place < begins + len(replacement) or (closing and place == begins + len(replacement)):
                return (end if closing else start), True
            shift += len(replacement) - (end - start)
        return place - shift, False


def _edit(problem: Problem) -> tuple[int, int, str] | None:
    if problem.assumed_text is not None or problem.replacement is None:
        return problem.assumed_text
    return problem.start, problem.end, problem.replacement
