"""Descriptions of schedules, time zones, timestamps and durations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from typing import TYPE_CHECKING

from trialrun.lsp.describe.markdown import code, plain
from trialrun.model.feature_view import FeatureView
from trialrun.report.dst_text import describe_clock_change
from trialrun.report.format_time import (
    format_clock,
    format_day,
    format_offset,
    format_utc,
    format_utc_beside,
    format_wall_clock,
)
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    CronSchedule,
    InvalidSchedule,
    OnDemand,
    SyncSchedule,
    clock_changes,
    next_runs,
    schedule_of,
)
from trialrun.runtime.options import runtime_options
from trialrun.values import cron, time_zone

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.values.cron import ClockChange, CronExpression
    from trialrun.values.time_zone import Transition
    from trialrun.workspace.open_workspace import OpenWorkspace


RUNS = 5
LONGEST = 1_000
"""Maximum length of a schedule that is parsed during a request."""
AHEAD = timedelta(days=366)
"""How far ahead clock changes are shown."""
MAX_CHANGES = 4
_LAST = datetime.max.replace(tzinfo=UTC)


def schedule_of_view(view: Node, workspace: OpenWorkspace) -> SyncSchedule | None:
    """The schedule of a view; None for other documents, and for schedules that are too long."""
    if not isinstance(view, FeatureView) or (view.syncConfig and len(view.syncConfig.cron or "") > LONGEST):
        return None
    return schedule_of(view, runtime_options(workspace.request.profiles.settings.runtime))


def schedule_paragraphs(schedule: SyncSchedule, now: datetime) -> Iterator[str]:
    """The schedule of a view in paragraphs of Markdown."""
    match schedule:
        case CronSchedule():
            unnamed = "" if schedule.cron.zone_token else ", the default"
            yield f"Runs {plain(_words(schedule.cron))}, in the time zone {code(schedule.zone)}{unnamed}."
            yield _runs(schedule, now)
            yield from _changes(schedule, now)
        case InvalidSchedule():
            yield f"The schedule cannot be read: {plain(schedule.reason)}"
        case Continuous():
            yield "Synced whenever there are newer rows."
        case OnDemand():
            yield from _not_run(schedule)


def next_run_words(schedule: SyncSchedule, now: datetime) -> str | None:
    """The next sync of a view in a few words; None if its schedule is invalid."""
    match schedule:
        case CronSchedule():
            run = next(next_runs(schedule, after=now), None)
            return _none(schedule) if run is None else format_wall_clock(run, year=now.year)
        case Continuous():
            return "continuously"
        case OnDemand():
            return "on demand only"
        case InvalidSchedule():
            return None


def next_run_label(schedule: SyncSchedule, now: datetime, name: str) -> str | None:
    """A name followed by the next run; without one the reason, None if there is nothing to show."""
    words = next_run_words(schedule, now)
    has_run = isinstance(schedule, CronSchedule) and words is not None and words != _none(schedule)
    return f"{name}: {words}" if has_run else words


def _words(schedule: CronExpression) -> str:
    return cron.describe(replace(schedule, zone=None))


def _none(schedule: CronSchedule) -> str:
    return "never: no date matches" if cron.never_fires(schedule.cron) else "no more runs"


def _runs(schedule: CronSchedule, now: datetime) -> str:
    runs = list(islice(next_runs(schedule, after=now), RUNS))
    if not runs:
        return f"Next run: {_none(schedule)}."
    lines = [
        f"- {format_wall_clock(run, year=now.year)}{f' ({format_utc_beside(run)})' if run.utcoffset() else ''}"
        for run in runs
    ]
    return "\n".join([f"Next runs after {format_utc(now)}:", "", *lines])


def _changes(schedule: CronSchedule, now: datetime) -> Iterator[str]:
    """The runs that clock changes skip or repeat within the next year."""
    end = now + min(AHEAD, _LAST - now)
    changes = list(islice(clock_changes(schedule, start=now, end=end), MAX_CHANGES + 1))
    if changes:
        lines = [f"- {_change(clock_change, now)}" for clock_change in changes[:MAX_CHANGES]]
        more = ["- and others"] if len(changes) > MAX_CHANGES else []
        yield "\n".join(["Clock changes:", "", *lines, *more])


def _change(change: ClockChange, now: datetime) -> str:
    return describe_clock_change(
        change.kind, change.local, at=change.at, before=change.before, after=change.after, year=now.year
    )


def _not_run(schedule: OnDemand) -> Iterator[str]:
    """Why a view is not synced by a schedule, although it may have one."""
    read = cron.parse(schedule.text).cron if schedule.text is not None else None
    written = f"; the schedule, {plain(_words(read))}, is ignored" if read else ""
    yield f"Synced on demand only: {plain(schedule.reason)}{written}."


YEARS_AHEAD = 2


def zone_paragraphs(name: str, now: datetime) -> Iterator[str]:
    """The offset of a time zone now and after its next change; empty if the database does not have it."""
    if name not in time_zone.zone_names():
        return
    here = now.astimezone(time_zone.load_zone(name))
    short = here.tzname() or ""
    named = f" ({short})" if short.isalpha() else ""
    yield f"{code(name)}: UTC{format_offset(here)}{named} now; {_next_change(name, now)}."


def _next_change(name: str, now: datetime) -> str:
    last = min(now.year + YEARS_AHEAD, datetime.max.year)
    change = next(_changes_of_zone(name, now, last), None)
    if change is None:
        return f"the clocks do not change before the end of {last}"
    change_time = change.at.replace(tzinfo=UTC)
    before, after = (change_time.astimezone(timezone(by)) for by in (change.before, change.after))
    put = "forward" if change.after > change.before else "back"
    when = f"{format_day(before, year=now.year)} {format_clock(before)}"
    return f"UTC{format_offset(after)} from {when}, when the clocks are put {put} to {format_clock(after)}"


def _changes_of_zone(name: str, now: datetime, last: int) -> Iterator[Transition]:
    at = now.astimezone(UTC).replace(tzinfo=None)
    for year in range(at.year, last + 1):
        yield from (change for change in time_zone.transitions_in_year(name, year) if change.at > at)
