"""The step `wait`: time passes, and the scheduler syncs views when they are due."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.direct_write import has_source
from trialrun.runtime.feature_view.scheduler import NotSynced, Scheduler, Synced
from trialrun.runtime.feature_view.sync import SyncReport
from trialrun.runtime.scenario.environment import short, subject
from trialrun.runtime.scenario.events import CannotPlay, Done, Event, Unmet
from trialrun.runtime.scenario.format import moment, moment_text
from trialrun.runtime.scenario.steps.sync import made, told

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.feature_view import FeatureView
    from trialrun.model.scenario import ExpectedRun, ExpectedWait, WaitStep
    from trialrun.runtime.declaration import Declared
    from trialrun.runtime.scenario.environment import Stage

Run = tuple[str, str]
"""The resource name of a view, and when it was synced."""


def play(step: WaitStep, stage: Stage) -> Iterator[Event]:
    """Move the clock from run to run; a view that was not synced yet is there since the scenario began."""
    named = [stage.view(step, name, "views", index) for index, name in enumerate(step.views or ())]
    views = list({view.node.name: view for view in named}.values())
    stage.seen.touch("schedules", *map(subject, views))
    until = moment(step.until or "")
    if until < stage.clock.now():
        raise CannotPlay(step.at("until"), f"it is {stage.now()} already; wait until a later time")
    scheduler: Scheduler[SyncReport] = Scheduler(
        replace(stage.catalog, views=[view for view in views if has_source(view.node)]),
        lambda view: made(view, stage),
        stage.clock,
        last_sync=lambda view: _last_sync(view, stage),
        options=stage.options,
    )
    runs: list[Run] = []
    for one in scheduler.run_until(until):
        yield from _told(one, step, stage)
        if isinstance(one, Synced):
            runs.append((one.due.view.node.name or "", stage.now()))
    yield Done(f"{stage.now()} waited until now")
    if step.expect and step.expect.syncs is not None:
        yield from _compared(step.expect, step.expect.syncs, runs, stage)


def _last_sync(view: Declared[FeatureView], stage: Stage) -> datetime:
    return max(stage.store(view).history(view.node.name or "").syncs, default=stage.begin)


def _told(one: Synced[SyncReport] | NotSynced, step: WaitStep, stage: Stage) -> Iterator[Event]:
    view = one.due.view
    if isinstance(one, Synced):
        yield Done(f"{stage.now()} scheduled sync {short(view)}: {told(one.report)}")
        return
    yield Done(f"{stage.now()} scheduled sync {short(view)}: refused: {one.reason}")
    yield Unmet(step.at(), "no refusal", f"a refusal of {short(view)} at {stage.now()}: {one.reason}")


def _compared(expect: ExpectedWait, syncs: Sequence[ExpectedRun], runs: Sequence[Run], stage: Stage) -> Iterator[Event]:
    for index, expected in enumerate(syncs):
        try:
            view = stage.view(expected, expected.view)
        except CannotPlay as error:
            yield error.mistake
            continue
        wanted = (view.node.name or "", moment_text(moment(expected.clock or "")))
        got = runs[index] if index < len(runs) else None
        if got != wanted:
            shown = _shown(got) if got else "no further sync"
            yield Unmet(expected.at("clock"), f"{_shown(wanted)} at this place", shown)
    further = runs[len(syncs) :]
    if further:
        wanted_words = "no syncs but those named" if syncs else "no sync"
        yield Unmet(expect.at("syncs"), wanted_words, f"also {', '.join(map(_shown, further))}")


def _shown(run: Run) -> str:
    return f"a sync of {run[0].rpartition('/')[2]} at {run[1]}"
