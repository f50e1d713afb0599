"""Questions about conditions alone: can one be true or fail, is it always true, and do two differ."""

from collections.abc import Callable

import z3

from trialrun.prove.encode import Encoding
from trialrun.prove.reads import Unsupported
from trialrun.prove.truth import Truth
from trialrun.prove.verdict import Situation, Unknown, Verdict


def can_be_true(condition: str, situation: Situation) -> Verdict:
    """Whether some session makes a condition true."""
    return _ask(condition, situation, lambda truth: truth.true, lambda value: value is True)


def can_be_error(condition: str, situation: Situation) -> Verdict:
    """Whether the evaluation of a condition can fail."""
    return _ask(condition, situation, lambda truth: truth.error, lambda value: value is None)


def can_be_untrue(condition: str, situation: Situation) -> Verdict:
    """Whether a condition can be false or fail; if never, it is always true."""
    return _ask(condition, situation, lambda truth: z3.Not(truth.true), lambda value: value is not True)


def _ask(
    condition: str, situation: Situation, goal: Callable[[Truth], z3.BoolRef], confirms: Callable[[bool | None], bool]
) -> Verdict:
    try:
        encoding = Encoding(situation, [condition])
    except Unsupported as reason:
        return Unknown(str(reason))
    truth = encoding.truth(condition)
    return encoding.decide(goal(truth), lambda witness: confirms(encoding.value(condition, witness)))


def differ(first: str, second: str, situation: Situation) -> Verdict:
    """Whether some session makes exactly one of two conditions true; if never, both trigger alike."""
    return Encoding(situation, [first, second]).difference(first, second)
