"""The step `wait`: advances the clock; the scheduler syncs views that are due."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.schedule import ScheduledSync, Scheduler
from trialrun.runtime.feature_view.sync import SyncReport
from trialrun.runtime.scenario.environment import (
    Event,
    ScenarioError,
    StepDone,
    UnmetExpectation,
    view_id,
    view_target_name,
)
from trialrun.runtime.scenario.format import parse_time
from trialrun.runtime.scenario.steps.sync import format_report, run_sync
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.feature_view import FeatureView
    from trialrun.model.scenario import ExpectedRun, ExpectedWait, WaitStep
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.scenario.environment import Environment

Run = tuple[str, str]
"""The resource name of a view, and when it was synced."""


def play(step: WaitStep, environment: Environment) -> Iterator[Event]:
    """Move the clock from run to run; a view that was not synced yet is there since the scenario began."""
    named_views = [environment.view(step, name, "views", index) for index, name in enumerate(step.views or ())]
    views = list({view.node.name: view for view in named_views}.values())
    environment.recorder.record("schedules", *map(view_target_name, views))
    until = parse_time(step.until or "")
    if until < environment.clock.now():
        raise ScenarioError(step.location("until"), f"it is {environment.now()} already; wait until a later time")
    scheduler = Scheduler(
        views,
        lambda view: run_sync(view, environment),
        environment.clock,
        last_sync=lambda view: _last_sync(view, environment),
        options=environment.trial.options,
    )
    runs: list[Run] = []
    for outcome in scheduler.run_until(until):
        yield from _report_sync(outcome, step, environment)
        if outcome.report:
            runs.append((outcome.due.view.node.name or "", environment.now()))
    yield StepDone(f"{environment.now()} waited until now")
    if step.expect and step.expect.syncs is not None:
        yield from _compare_runs(step.expect, step.expect.syncs, runs, environment)


def _last_sync(view: DeclaredResource[FeatureView], environment: Environment) -> datetime:
    return max(environment.trial.store(view).history(view.node.name or "").syncs, default=environment.begin)


def _report_sync(outcome: ScheduledSync[SyncReport], step: WaitStep, environment: Environment) -> Iterator[Event]:
    view = outcome.due.view
    if outcome.report:
        yield StepDone(f"{environment.now()} scheduled sync {view_id(view)}: {format_report(outcome.report)}")
        return
    yield StepDone(f"{environment.now()} scheduled sync {view_id(view)}: refused: {outcome.reason}")
    yield UnmetExpectation(
        step.location(), "no refusal", f"a refusal of {view_id(view)} at {environment.now()}: {outcome.reason}"
    )


def _compare_runs(
    expect: ExpectedWait, syncs: Sequence[ExpectedRun], runs: Sequence[Run], environment: Environment
) -> Iterator[Event]:
    for index, expected in enumerate(syncs):
        try:
            view = environment.view(expected, expected.view)
        except ScenarioError as error:
            yield error.mistake
            continue
        wanted = (view.node.name or "", format_timestamp(parse_time(expected.clock or "")))
        got = runs[index] if index < len(runs) else None
        if got != wanted:
            actual = _format_run(got) if got else "no further sync"
            yield UnmetExpectation(expected.location("clock"), f"{_format_run(wanted)} at this place", actual)
    unexpected = runs[len(syncs) :]
    if unexpected:
        wanted_words = "no syncs but those named" if syncs else "no sync"
        yield UnmetExpectation(
            expect.location("syncs"), wanted_words, f"also {', '.join(map(_format_run, unexpected))}"
        )


def _format_run(run: Run) -> str:
    return f"a sync of {run[0].rpartition('/')[2]} at {run[1]}"
