"""A schedule in words, with its next runs and what the clocks do to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from trialrun.lsp.describe.markdown import code, plain
from trialrun.report.dst_text import clock_change_text
from trialrun.report.format_time import beside, in_utc, wall_clock
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    OnCron,
    OnDemand,
    Schedule,
    Unreadable,
    clock_changes,
    next_runs,
    schedule_of,
)
from trialrun.values import cron

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.values.cron import ClockChange, Cron
    from trialrun.workspace.open_workspace import Live

RUNS = 5
LONGEST = 1_000
"""Characters of a schedule that is read while somebody waits; nobody means a longer one."""
AHEAD = timedelta(days=366)
"""How far ahead changes of the clocks are told."""
MOST_CHANGES = 4
_LAST = datetime.max.replace(tzinfo=UTC)


def schedule_told(view: Node, live: Live) -> Schedule | None:
    """When a view is synced; None for what is no view, and for a schedule that is too long to be meant."""
    from trialrun.model.feature_view import FeatureView
    from trialrun.workspace.dry_run import options

    if not isinstance(view, FeatureView) or (view.syncConfig and len(view.syncConfig.cron or "") > LONGEST):
        return None
    return schedule_of(view, options(live.request.profiles.settings.runtime))


def schedule_paragraphs(schedule: Schedule, now: datetime) -> Iterator[str]:
    """When a view is synced, in paragraphs of Markdown."""
    match schedule:
        case OnCron():
            unnamed = "" if schedule.cron.zone_token else ", which holds where no zone is written"
            yield f"Runs {plain(_words(schedule.cron))}, by the clock of {code(schedule.zone)}{unnamed}."
            yield _runs(schedule, now)
            yield from _changes(schedule, now)
        case Unreadable():
            yield f"The schedule cannot be read: {plain(schedule.reason)}"
        case Continuous():
            yield "Synced whenever there are newer rows."
        case OnDemand():
            yield from _not_run(schedule)


def next_run_words(schedule: Schedule, now: datetime) -> str | None:
    """When a view is synced next, in a few words; None where its schedule cannot be read."""
    match schedule:
        case OnCron():
            run = next(next_runs(schedule, after=now), None)
            return _none(schedule) if run is None else wall_clock(run, year=now.year)
        case Continuous():
            return "continuously"
        case OnDemand():
            return "on demand only"
        case Unreadable():
            return None


def next_run_called(schedule: Schedule, now: datetime, name: str) -> str | None:
    """The next run behind a name for it; of a schedule without one, why there is none, and nothing that names a run."""
    words = next_run_words(schedule, now)
    has_run = isinstance(schedule, OnCron) and words is not None and words != _none(schedule)
    return f"{name}: {words}" if has_run else words


def _words(schedule: Cron) -> str:
    return cron.describe(replace(schedule, zone=None))


def _none(schedule: OnCron) -> str:
    return "never: no day of any year matches" if cron.never_fires(schedule.cron) else "no more runs"


def _runs(schedule: OnCron, now: datetime) -> str:
    runs = list(islice(next_runs(schedule, after=now), RUNS))
    if not runs:
        return f"Next run: {_none(schedule)}."
    lines = [f"- {wall_clock(run, year=now.year)}{f' ({beside(run)})' if run.utcoffset() else ''}" for run in runs]
    return "\n".join([f"Next runs after {in_utc(now)}:", "", *lines])


def _changes(schedule: OnCron, now: datetime) -> Iterator[str]:
    """The runs that the clocks take away or double in the next year."""
    end = now + min(AHEAD, _LAST - now)
    found = list(islice(clock_changes(schedule, start=now, end=end), MOST_CHANGES + 1))
    if found:
        lines = [f"- {_change(one, now)}" for one in found[:MOST_CHANGES]]
        more = ["- and more"] if len(found) > MOST_CHANGES else []
        yield "\n".join(["Changes of the clocks:", "", *lines, *more])


def _change(change: ClockChange, now: datetime) -> str:
    return clock_change_text(
        change.kind, change.local, at=change.at, before=change.before, after=change.after, year=now.year
    )


def _not_run(schedule: OnDemand) -> Iterator[str]:
    """A view that nothing schedules, with the schedule that it has all the same."""
    read = cron.parse(schedule.written).cron if schedule.written is not None else None
    written = f"; the schedule, {plain(_words(read))}, is not carried out" if read else ""
    yield f"Synced on demand only: {plain(schedule.reason)}{written}."
