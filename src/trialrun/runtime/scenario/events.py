"""What happens while a scenario is played: what was done, what was not as expected, and what cannot be played."""

from __future__ import annotations

from trialrun.diagnostic import Place
from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Done:
    """Something was done, in words for the trace."""

    text: str


@dataclass(frozen=True, slots=True)
class Unmet:
    """An expectation, at its place in the scenario, that what was got does not meet."""

    place: Place
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """A place of the scenario that is wrong in itself, such as a name that nothing has."""

    place: Place
    message: str


Event = Done | Unmet | Mistake


class CannotPlay(Exception):
    """A step, or the whole scenario, cannot be played for a mistake in it."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.mistake = Mistake(place, message)
