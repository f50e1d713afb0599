"""Input of the reports of scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Literal

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


@dataclass(frozen=True, slots=True)
class UnnoticedChange:
    """A change of a configuration that no scenario noticed, with the location of the changed value.

    `field` is the path of the value for people. `before` and `after` are JSON; `is_removed` means that there is no
    value after it, and `chars` is the part of a text that is changed. `fault` describes an internal error while a
    scenario was played on the change.
    """

    path: str
    line: int
    field: str
    pointer: str
    before: Any
    after: Any
    is_removed: bool
    chars: tuple[int, int] | None = None
    fault: str | None = None


@dataclass
class MutationSummary:
    """How many of the possible changes were tried, and how many of these some scenario noticed.

    At `faults` of them an internal error ended a scenario. `is_interrupted`: Ctrl-C ended it before all were tried.
    """

    total: int
    seed: int
    tried: int = 0
    noticed: int = 0
    faults: int = 0
    is_interrupted: bool = False

    @property
    def share(self) -> float | None:
        """The share that was noticed, from 0 to 1; None if nothing was tried."""
        return self.noticed / self.tried if self.tried else None
