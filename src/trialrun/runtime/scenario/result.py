"""Result of a scenario."""

from __future__ import annotations

from typing import Literal

from trialrun.diagnostic import Range
from trialrun.lazy_dataclass import dataclass

Status = Literal["passed", "failed", "error"]


@dataclass(frozen=True, slots=True)
class ScenarioFailure:
    """Something that is not as expected, or a mistake in the scenario: `expected` is None for the latter.

    `range` is the place of the expectation in the scenario's file, `trace` what was done up to there.
    """

    range: Range
    expected: str | None
    got: str
    trace: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """How a scenario ended, with everything that was not as expected, in the order in which it was found."""

    name: str
    path: str
    line: int
    failures: tuple[ScenarioFailure, ...] = ()

    @property
    def status(self) -> Status:
        """The word of the contract; a scenario with a mistake is in error, whatever else it shows."""
        if any(failure.expected is None for failure in self.failures):
            return "error"
        return "failed" if self.failures else "passed"
