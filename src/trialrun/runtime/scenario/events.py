"""Events of a scenario: steps done, unmet expectations and mistakes."""

from __future__ import annotations

from trialrun.diagnostic import SymbolicLocation
from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class StepDone:
    """Something was done, in words for the trace."""

    text: str


@dataclass(frozen=True, slots=True)
class UnmetExpectation:
    """An expectation, at its place in the scenario, that what was got does not meet."""

    place: SymbolicLocation
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class ScenarioMistake:
    """A place of the scenario that is wrong in itself, such as a name that nothing has."""

    place: SymbolicLocation
    message: str


Event = StepDone | UnmetExpectation | ScenarioMistake


class ScenarioError(Exception):
    """A step, or the whole scenario, cannot be played for a mistake in it."""

    def __init__(self, place: SymbolicLocation, message: str) -> None:
        super().__init__(message)
        self.mistake = ScenarioMistake(place, message)
