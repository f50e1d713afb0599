"""The questions about conditions: can it be true, can it fail, is it always true, which operands change nothing."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.prove.verdict import Situation, Verdict


def can_be_true(condition: str, situation: Situation) -> Verdict:
    """Whether some session makes a condition true; the condition compiles with the situation's schema."""
    raise NotImplementedError


def can_be_error(condition: str, situation: Situation) -> Verdict:
    """Whether the evaluation of a condition can fail."""
    raise NotImplementedError


def can_be_untrue(condition: str, situation: Situation) -> Verdict:
    """Whether a condition can be false or fail; if never, it is always true."""
    raise NotImplementedError


def differ(first: str, second: str, situation: Situation) -> Verdict:
    """Whether some session makes exactly one of two conditions true; if never, both trigger alike."""
    raise NotImplementedError


def redundant_operands(condition: str, situation: Situation) -> Iterator[tuple[int, int, Verdict]]:
    """Each operand of `&&` and `||` with the verdict whether leaving it out makes a difference: start, end, verdict."""
    raise NotImplementedError
