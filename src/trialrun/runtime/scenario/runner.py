"""Runs a scenario from beginning to end, and its result; steps after a failure still run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from trialrun.diagnostic import Range, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.scenario.environment import Environment, Event, ScenarioError, ScenarioMistake, StepDone
from trialrun.runtime.scenario.format import InvalidTimeError, parse_time
from trialrun.runtime.scenario.given import with_given_sources
from trialrun.runtime.scenario.steps import STEP_MODULES, step_player
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.scenario import Scenario, ScenarioStep
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.environment import CoverageRecorder


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


def play(
    scenario: DeclaredResource[Scenario],
    catalog: Catalog,
    brands: BrandCatalog,
    *,
    now: datetime,
    options: Options,
    recorder: CoverageRecorder,
) -> ScenarioResult:
    """Play a scenario that the linter has no error in, over the documents of a workspace.

    `now` is the clock of a scenario that sets none; what it exercises is noted by `recorder`. Everything that it writes
    is in a temporary folder that is gone afterwards.
    """
    node = scenario.node
    with tempfile.TemporaryDirectory(prefix="trialrun-scenario-", ignore_cleanup_errors=True) as folder:
        try:
            begin = _start_time(node, now)
            given = with_given_sources(scenario, catalog, folder)
        except ScenarioError as error:
            return _result(scenario, [error.mistake])
        except InvalidTimeError as error:  # the settings may have switched off the rule that tells it
            return _result(scenario, [ScenarioMistake(node.location("clock"), str(error))])
        environment = Environment(given, brands, begin, FixedClock(begin), options, folder, recorder)
        return _result(scenario, _events(node, environment))


def _start_time(scenario: Scenario, now: datetime) -> datetime:
    """The time at which a scenario begins: its clock, else that of its first step, else now."""
    first = scenario.steps[0].clock if scenario.steps else None
    return parse_time(scenario.clock or first or format_timestamp(now))


def _events(scenario: Scenario, environment: Environment) -> Iterator[Event]:
    for step in scenario.steps or ():
        try:
            _advance_clock(environment.clock, step)
            yield from _play_step(step, environment)
        except ScenarioError as error:
            yield error.mistake
        except InvalidTimeError as error:
            yield ScenarioMistake(step.location(), str(error))


def _advance_clock(clock: FixedClock, step: ScenarioStep) -> None:
    if step.clock is None:
        return
    new_time = parse_time(step.clock)
    if new_time < clock.now():
        message = f"the clock goes back, from {format_timestamp(clock.now())}; order the steps by their time"
        raise ScenarioError(step.location("clock"), message)
    clock.set(new_time)


def _play_step(step: ScenarioStep, environment: Environment) -> Iterator[Event]:
    for kind in STEP_MODULES:
        message = getattr(step, kind)
        if message is not None:
            yield from step_player(kind)(message, environment)


def _result(scenario: DeclaredResource[Scenario], events: Iterable[Event]) -> ScenarioResult:
    trace: list[str] = []
    failures: list[ScenarioFailure] = []
    for event in events:
        if isinstance(event, StepDone):
            trace.append(event.text)
        elif isinstance(event, ScenarioMistake):
            failures.append(ScenarioFailure(scenario.locate(event.place), None, event.message, tuple(trace)))
        else:
            failures.append(ScenarioFailure(scenario.locate(event.place), event.expected, event.got, tuple(trace)))
    node = scenario.node
    line = scenario.locate(SymbolicLocation(node, ("name",))).start.line
    return ScenarioResult(node.name or "", scenario.path, line, tuple(failures))
