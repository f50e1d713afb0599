"""What lies ahead of views as people read it: their next runs, the timeline, herds and changes of the clocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from trialrun.outputs.schedule import UpcomingRuns, UpcomingSchedule
from trialrun.report.color import Paint
from trialrun.report.format_time import describe_clock_change, format_utc
from trialrun.report.schedule_table import ScheduleOutput, ScheduleRow, schedule_table
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.report.timeline import Drawing, Lane, Sign, can_draw, draw_timeline
from trialrun.report.wrap import wrap_text
from trialrun.runtime.feature_view.schedule import Collision, Continuous, CronSchedule, InvalidSchedule, OnDemand
from trialrun.values.cron import ClockChange, describe
from trialrun.values.time_zone import IANA_VERSION

INDENT = "  "
MAX_RUNS = 4
"""How many equal errors of one view are written out."""
MAX_COLLISIONS = 10
MAX_NAMES = 12


def upcoming_runs_text(ahead: UpcomingSchedule, width: int, paint: Paint, encoding: str | None) -> Iterator[str]:
    """Write all of it in `width` columns, the timeline in ASCII where the encoding lacks its signs."""
    if not ahead.views:
        yield "no views\n"
        return
    yield from schedule_table([_entry(view) for view in ahead.views], ScheduleOutput(ahead.now, width, paint))
    if any(isinstance(view.schedule, CronSchedule) and view.schedule.zone != "UTC" for view in ahead.views):
        yield f"time zones of tzdata {IANA_VERSION}\n\n"
    drawing = Drawing(width, paint, can_draw(encoding))
    herded = _collision_times(ahead)
    lanes = [_lane(view, herded.get(view.view.node.name or "", set()), ahead.now.year) for view in ahead.views]
    yield from draw_timeline(lanes, ahead.now, ahead.end - ahead.now, drawing)
    for paragraph in (*_collisions(ahead), *_changes(ahead)):
        yield "\n"
        first, *rest = paragraph
        for number, line in enumerate(wrap_text(first, first=width, rest=width - len(INDENT))):
            yield paint(INDENT * bool(number) + line, "warning") + "\n"
        for sentence in rest:
            for number, line in enumerate(wrap_text(sentence, first=width - 2, rest=width - 4)):
                yield INDENT * (1 + bool(number)) + line + "\n"


def _entry(upcoming_runs: UpcomingRuns) -> ScheduleRow:
    schedule, name = upcoming_runs.schedule, escape_controls(upcoming_runs.label)
    match schedule:
        case CronSchedule():
            words = describe(replace(schedule.cron, zone=None))
            return ScheduleRow(
                name, words, schedule.zone, upcoming_runs.runs, note=_no_runs(upcoming_runs), style="error"
            )
        case Continuous():
            return ScheduleRow(name, "continuous", "", note="synced continuously")
        case OnDemand():
            return ScheduleRow(name, "on demand only", "", note=schedule.reason)
        case InvalidSchedule():
            return ScheduleRow(name, "cannot be read", "", note=escape_controls(schedule.reason), style="error")


def _no_runs(upcoming_runs: UpcomingRuns) -> str:
    if upcoming_runs.runs:
        return ""
    return (
        "never runs: no date matches" if upcoming_runs.never_fires else "no more runs before the end of the year 9999"
    )


def _collision_times(ahead: UpcomingSchedule) -> dict[str, set[datetime]]:
    """The times at which each view is in a herd."""
    found: dict[str, set[datetime]] = defaultdict(set)
    for herd in ahead.herds:
        for name in herd.views:
            found[name].update(herd.minutes)
    return found


def _lane(upcoming_runs: UpcomingRuns, herded: set[datetime], year: int) -> Lane:
    doubled = {doubled_time for change in upcoming_runs.changes for doubled_time in _doubled_times(change)}
    signs: list[tuple[datetime, Sign]] = [
        (run, "twice" if run in doubled else "herd" if run in herded else "run") for run in upcoming_runs.within
    ]
    signs += [(change.at, "lost") for change in upcoming_runs.changes if change.kind == "skipped"]
    return Lane(
        escape_controls(upcoming_runs.label),
        signs,
        isinstance(upcoming_runs.schedule, Continuous),
        _lane_note(upcoming_runs, year),
    )


def _doubled_times(change: ClockChange) -> Iterator[datetime]:
    """The two times at which a doubled run is."""
    if change.kind == "doubled":
        for by in (change.before, change.after):
            yield (change.local - by).replace(tzinfo=UTC)


def _lane_note(upcoming_runs: UpcomingRuns, year: int) -> str:
    match upcoming_runs.schedule:
        case OnDemand():
            return "on demand only"
        case InvalidSchedule():
            return "cannot be read"
        case _ if upcoming_runs.runs:
            return f"→ {format_utc(upcoming_runs.runs[0], year=year)}"
        case _:
            return "never runs" if upcoming_runs.never_fires else "no more runs"


def _collisions(ahead: UpcomingSchedule) -> Iterator[list[str]]:
    if not ahead.herds:
        return
    title = (
        f"herds: more than {pluralize(max(1, ahead.max_per_minute), 'view')} of a store in the same "
        "minute (sync-herd-size)"
    )
    rest = len(ahead.herds) - MAX_COLLISIONS
    more = [f"{pluralize(rest, 'more herd')}; --output-format json has all"] if rest > 0 else []
    yield [title, *(_collision(herd, ahead.now.year) for herd in ahead.herds[:MAX_COLLISIONS]), *more]


def _collision(herd: Collision, year: int) -> str:
    names = [escape_controls(name.rpartition("/")[2]) for name in herd.views[:MAX_NAMES]]
    if len(herd.views) > MAX_NAMES:
        names.append(f"{len(herd.views) - MAX_NAMES} more")
    more = f" and {pluralize(len(herd.minutes) - 1, 'more time')}" if len(herd.minutes) > 1 else ""
    when = f"{format_utc(herd.minutes[0], year=year)}{more}"
    return f"{when}: {len(herd.views)} views of {escape_controls(herd.store_id)}: {', '.join(names)}"


def _changes(ahead: UpcomingSchedule) -> Iterator[list[str]]:
    changes = [line for view in ahead.views for line in _changes_of_view(view, ahead.now.year)]
    if changes:
        yield ["clock changes", *changes]


def _changes_of_view(upcoming_runs: UpcomingRuns, year: int) -> Iterator[str]:
    for change in upcoming_runs.changes[:MAX_RUNS]:
        yield f"{escape_controls(upcoming_runs.label)}: {_change(change, year)}"
    if len(upcoming_runs.changes) > MAX_RUNS:
        yield f"{escape_controls(upcoming_runs.label)}: {len(upcoming_runs.changes) - MAX_RUNS} more"


def _change(change: ClockChange, year: int) -> str:
    return describe_clock_change(
        change.kind, change.local, at=change.at, before=change.before, after=change.after, year=year
    )
