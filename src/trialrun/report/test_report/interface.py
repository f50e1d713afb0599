"""What a report of scenarios is written from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from trialrun.diagnostic import Diagnostic, Range
from trialrun.lazy_dataclass import dataclass

Outcome = Literal["passed", "failed", "error"]


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that is not met, or what is wrong with a scenario, where `expected` is None.

    `trace` is what was done up to there, a line for each step.
    """

    range: Range
    expected: str | None
    got: str
    trace: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """A scenario and how it ended; `findings` are the errors of the linter for which it was not played.

    `has_internal_error` says that the fault is ours.
    """

    name: str
    path: str
    line: int
    outcome: Outcome
    failures: Sequence[Failure] = ()
    findings: Sequence[Diagnostic] = ()
    has_internal_error: bool = False


@dataclass(frozen=True, slots=True)
class UncoveredItem:
    """Something that no scenario exercises, and where it is declared."""

    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class CoverageAspect:
    """How much of one sort of thing the scenarios exercise; `description` say it for people."""

    name: str
    description: str
    total: int
    uncovered: Sequence[UncoveredItem] = field(default_factory=list)

    @property
    def covered(self) -> int:
        """How many are exercised."""
        return self.total - len(self.uncovered)
