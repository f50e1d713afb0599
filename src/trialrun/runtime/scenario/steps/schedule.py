"""The step `schedule`: when a view is synced next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.schedule import Continuous, OnCron, OnDemand, Schedule, next_runs, schedule_of
from trialrun.runtime.scenario.environment import short, subject
from trialrun.runtime.scenario.events import Done, Event, Unmet
from trialrun.runtime.scenario.format import local_text, moment

if TYPE_CHECKING:
    from trialrun.model.scenario import ExpectedSchedule, ScheduleStep
    from trialrun.runtime.scenario.environment import Stage


def play(step: ScheduleStep, stage: Stage) -> Iterator[Event]:
    """Compare the next runs of a view, strictly after the clock, with those expected."""
    view = stage.view(step, step.view)
    stage.seen.touch("schedules", subject(view))
    expected = step.expect.runs if step.expect else None
    schedule = schedule_of(view.node, stage.options)
    after = stage.clock.now()
    runs = list(islice(next_runs(schedule, after=after), max(len(expected or ()), 1)))
    yield Done(f"{stage.now()} schedule {short(view)}: {_told(schedule, runs)}")
    if step.expect and expected is not None:
        yield from _compared(step.expect, expected, runs, _told(schedule, runs))


def _compared(
    expect: ExpectedSchedule, expected: Sequence[str], runs: Sequence[datetime], told: str
) -> Iterator[Event]:
    if not expected and runs:
        yield Unmet(expect.at("runs"), "no scheduled run", told)
    for index, text in enumerate(expected):
        got = runs[index] if index < len(runs) else None
        if got is None or moment(text) != got:
            yield Unmet(expect.at("runs", index), f"a run at {text}", local_text(got) if got else told)


def _told(schedule: Schedule, runs: Sequence[datetime]) -> str:
    match schedule:
        case OnCron() if runs:
            return ", ".join(map(local_text, runs))
        case OnCron():
            return f'"{schedule.written}" never runs'
        case Continuous():
            return "no scheduled run; it is synced continuously"
        case OnDemand():
            return f"no scheduled run; {schedule.reason}"
        case _:
            return f"no scheduled run; {schedule.reason}"
