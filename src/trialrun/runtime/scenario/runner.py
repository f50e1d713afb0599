"""Runs a scenario from beginning to end, and its result; steps after a failure still run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Literal

from trialrun.diagnostic import Range
from trialrun.model.scenario import Scenario, ScenarioStep
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import BrandCatalog, Catalog, DeclaredResource
from trialrun.runtime.options import Options
from trialrun.runtime.scenario import store_steps, view_steps
from trialrun.runtime.scenario.coverage import CoverageRecorder
from trialrun.runtime.scenario.environment import (
    Environment,
    Event,
    Events,
    InvalidTimeError,
    Mismatch,
    ScenarioError,
    parse_time,
    until_mistake,
)
from trialrun.runtime.scenario.given import with_given_sources
from trialrun.values.timestamp import format_timestamp

PLAYERS: Mapping[str, Callable[[Any, Environment], Events]] = {
    "sync": partial(view_steps.play, "sync"),
    "fetch": partial(view_steps.play, "fetch"),
    "search": partial(view_steps.play, "search"),
    "schedule": view_steps.play_schedule,
    "wait": view_steps.play_wait,
    "write": partial(view_steps.play, "write"),
    "resolve": store_steps.play_resolve,
    "session": store_steps.play_session,
}
"""What plays each kind of step: a field of `ScenarioStep` in the model. It yields what happens."""


MAX_TRACE_LINES = 100_000
"""Lines of the traces of a scenario, each of which begins with those of the failure before."""


@dataclass(frozen=True, slots=True)
class ScenarioFailure:
    """Something that is not as expected, or a mistake in the scenario: `expected` is None for the latter.

    `range` is the place of the expectation in the scenario's file, `trace` what was done up to there; it is empty
    where the failures before have `MAX_TRACE_LINES`.
    """

    range: Range
    expected: str | None
    got: str
    trace: tuple[str, ...] = ()


def status_of(failures: Sequence[ScenarioFailure]) -> Literal["passed", "failed", "error"]:
    """The word of the contract; a scenario with a mistake is in error, whatever else it shows."""
    if any(failure.expected is None for failure in failures):
        return "error"
    return "failed" if failures else "passed"


def play(
    scenario: DeclaredResource[Scenario],
    catalog: Catalog,
    brands: BrandCatalog,
    *,
    now: datetime,
    options: Options,
    recorder: CoverageRecorder,
) -> list[ScenarioFailure]:
    """Play a scenario that the linter has no error in, over the documents of a workspace.

    The result is everything that was not as expected, in the order in which it was found. `now` is the clock of a
    scenario that sets none; what it exercises is noted by `recorder`. Everything that it writes is in a temporary
    folder that is gone afterwards.
    """
    node = scenario.node
    first_clock = node.steps[0].clock if node.steps else None
    with tempfile.TemporaryDirectory(prefix="trialrun-scenario-", ignore_cleanup_errors=True) as folder:
        try:
            begin = parse_time(node.clock or first_clock or format_timestamp(now))
            given = with_given_sources(scenario, catalog, folder)
        except ScenarioError as error:
            return _failures(scenario, error.mistakes)
        except InvalidTimeError as error:  # the settings may have switched off the rule that tells it
            return _failures(scenario, [Mismatch(node.location("clock"), None, str(error))])
        environment = Environment(given, brands, begin, FixedClock(begin), options, folder, recorder)
        events = (event for step in node.steps or () for event in until_mistake(_play_step(step, environment)))
        return _failures(scenario, events)


def _play_step(step: ScenarioStep, environment: Environment) -> Events:
    clock = environment.clock
    try:
        if step.clock is not None:
            new_time = parse_time(step.clock)
            if new_time < clock.now():
                message = f"the clock goes back, from {format_timestamp(clock.now())}; order the steps by their time"
                raise ScenarioError(step.location("clock"), message)
            clock.set(new_time)
        for kind, play_kind in PLAYERS.items():
            deed = getattr(step, kind)
            if deed is not None:
                yield from play_kind(deed, environment)
    except InvalidTimeError as error:
        raise ScenarioError(step.location(), str(error)) from error


def _failures(scenario: DeclaredResource[Scenario], events: Iterable[Event]) -> list[ScenarioFailure]:
    trace: list[str] = []
    lines = 0
    failures: list[ScenarioFailure] = []
    for event in events:
        if isinstance(event, str):
            trace.append(event)
        else:
            lines += len(trace)
            shown = tuple(trace) if lines <= MAX_TRACE_LINES else ()
            failures.append(ScenarioFailure(scenario.locate(event.place), event.expected, event.got, shown))
    return failures
