"""The step `schedule`: compares the next runs of a view with expectations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.schedule import (
    Continuous,
    CronSchedule,
    OnDemand,
    SyncSchedule,
    next_runs,
    schedule_of,
)
from trialrun.runtime.scenario.environment import Event, StepDone, UnmetExpectation, view_id, view_target_name
from trialrun.runtime.scenario.format import format_local_time, parse_time

if TYPE_CHECKING:
    from trialrun.model.scenario import ExpectedSchedule, ScheduleStep
    from trialrun.runtime.scenario.environment import Environment


def play(step: ScheduleStep, environment: Environment) -> Iterator[Event]:
    """Compare the next runs of a view, strictly after the clock, with those expected."""
    view = environment.view(step, step.view)
    environment.recorder.record("schedules", view_target_name(view))
    expected = step.expect.runs if step.expect else None
    schedule = schedule_of(view.node, environment.options)
    after = environment.clock.now()
    runs = list(islice(next_runs(schedule, after=after), max(len(expected or ()), 1)))
    yield StepDone(f"{environment.now()} schedule {view_id(view)}: {_format_runs(schedule, runs)}")
    if step.expect and expected is not None:
        yield from _compare_runs(step.expect, expected, runs, _format_runs(schedule, runs))


def _compare_runs(
    expect: ExpectedSchedule, expected: Sequence[str], runs: Sequence[datetime], runs_text: str
) -> Iterator[Event]:
    if not expected and runs:
        yield UnmetExpectation(expect.location("runs"), "no scheduled run", runs_text)
    for index, text in enumerate(expected):
        got = runs[index] if index < len(runs) else None
        if got is None or parse_time(text) != got:
            yield UnmetExpectation(
                expect.location("runs", index), f"a run at {text}", format_local_time(got) if got else runs_text
            )


def _format_runs(schedule: SyncSchedule, runs: Sequence[datetime]) -> str:
    match schedule:
        case CronSchedule() if runs:
            return ", ".join(map(format_local_time, runs))
        case CronSchedule():
            return f'"{schedule.text}" never runs'
        case Continuous():
            return "no scheduled run; it is synced continuously"
        case OnDemand():
            return f"no scheduled run; {schedule.reason}"
        case _:
            return f"no scheduled run; {schedule.reason}"
