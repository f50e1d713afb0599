"""Input of the reports of scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from trialrun.diagnostic import Diagnostic, Range
from trialrun.lazy_dataclass import dataclass

Outcome = Literal["passed", "failed", "error"]


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that is not met; if `expected` is None, an error of the scenario.

    `trace` are the steps so far, one line each.
    """

    range: Range
    expected: str | None
    got: str
    trace: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """The result of a scenario; `findings` are linter errors that prevented the run.

    `has_internal_error` means that the failure is an internal error.
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
    """Something that no scenario exercises, with the location of its declaration."""

    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class CoverageAspect:
    """Coverage of one kind of thing; `description` names it."""

    name: str
    description: str
    total: int
    uncovered: Sequence[UncoveredItem] = field(default_factory=list)

    @property
    def covered(self) -> int:
        """The number of exercised things."""
        return self.total - len(self.uncovered)
