"""`trialrun schedule [VIEW…]`: when the views of the workspace are synced next."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.options import AT, default_request
from trialrun.cli.output import show_diagnostics, write_utf8
from trialrun.cli.views import NO_VIEW
from trialrun.cli.workspace_options import page_layout, suggest_names, workspace_options
from trialrun.errors import UsageError
from trialrun.outputs.schedule import UpcomingRuns, UpcomingSchedule, schedule_json, schedule_object, upcoming_schedule
from trialrun.report.color import Paint, Style
from trialrun.report.format_value import (
    describe_clock_change,
    format_time_until,
    format_utc,
    format_utc_beside,
    format_wall_clock,
)
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls, wrap_text
from trialrun.report.terminal_width import width as width_of
from trialrun.report.timeline import Drawing, Lane, Sign, can_draw, draw_timeline
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    CronSchedule,
    InvalidSchedule,
    OnDemand,
    UnknownSchedule,
)
from trialrun.values.amounts import parse_minutes
from trialrun.values.cron import describe
from trialrun.values.resource_name import is_same_resource, last_id
from trialrun.values.time_zone import IANA_VERSION
from trialrun.workspace.catalog import catalog
from trialrun.workspace.relevant_diagnostics import schedule_errors

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource

INDENT = GAP = "  "
HEADER = ("view", "schedule", "zone", "next runs", "in UTC", "from now")
MIN_SCHEDULE_WIDTH = 24
"""Minimum width of the schedule column, unless all schedules are shorter."""
MAX_RUNS = 1000
MAX_SPAN_MINUTES = 366 * 24 * 60
MAX_CHANGES = 4
"""How many equal errors of one view are written out."""
MAX_COLLISIONS = 10
MAX_NAMES = 12


@click.command("schedule")
@click.argument("views", nargs=-1, metavar="[VIEW]...")
@click.option(
    "--count", type=click.IntRange(min=1), default=3, show_default=True, help="Number of runs per view, at most 1000."
)
@click.option("--span", default="24h", show_default=True, metavar="TIME", help="Length of the timeline: 90m, 7d.")
@AT
@workspace_options
def command(views: tuple[str, ...], count: int, span: str, output_format: str, color: str, **options: Any) -> int:
    """Show when views are synced next; without VIEW, all views of the workspace.

    A VIEW is a resource name or the end of one, such as its id. The runs are those after --at, in local time of each
    schedule's time zone. A timeline shows all of them together, with the herds (more views of one store in a minute
    than the setting sync-herd-size allows) and the runs that clock changes skip or repeat. Exit code 1: a schedule
    cannot be read, or never runs.
    """
    if count > MAX_RUNS:
        raise UsageError(f"--count: {count} is more than {MAX_RUNS}; use a later --at")
    request = default_request((), options)
    declared = catalog(request)
    chosen = _select_views(declared, views)
    ahead = upcoming_schedule(request, declared, chosen, count=count, span=_parse_span(span))
    if output_format == "json":
        write_utf8(schedule_json(schedule_object(ahead)))
    else:
        sys.stdout.writelines(upcoming_runs_text(ahead, *page_layout(color), sys.stdout.encoding))
    # what keeps schedules from being read, as `trialrun check` says it
    wrong = [view.view for view in ahead.views if view.is_unschedulable]
    diagnostics = schedule_errors(request, wrong, () if views else declared.unreadable_paths)
    if diagnostics:
        sys.stdout.flush()
        show_diagnostics(diagnostics, request.source, color=color)
    return int(bool(diagnostics or wrong))


def _parse_span(text: str) -> timedelta:
    try:
        minutes = parse_minutes(text)
    except ValueError as error:
        raise UsageError(f"--span: {error}") from error
    if not 1 <= minutes <= MAX_SPAN_MINUTES:
        raise UsageError(f"--span: {text} is not between 1m and 366d")
    return timedelta(minutes=minutes)


def _select_views(declared: Catalog, names: Sequence[str]) -> list[DeclaredResource[FeatureView]]:
    """The views of some names, all where there are none, in the order of path and document. Raises UsageError."""
    if not names:
        return list(declared.views)
    known = [view.node.name for view in declared.views if view.node.name]
    found: set[int] = set()
    for name in names:
        views = [(number, view.node.name or "") for number, view in enumerate(declared.views)]
        exact = [number for number, of_view in views if of_view == name]
        same = [number for number, of_view in views if of_view and is_same_resource(of_view, name)]
        if not (exact or same):
            raise UsageError(f'there is no view "{name}"{suggest_names(name, [*known, *map(last_id, known)], NO_VIEW)}')
        found.update(exact or same)
    return [declared.views[number] for number in sorted(found)]


def upcoming_runs_text(ahead: UpcomingSchedule, width: int, paint: Paint, encoding: str | None) -> Iterator[str]:
    """Write the next runs, the timeline, herds and clock changes; in ASCII where the encoding lacks the signs."""
    if not ahead.views:
        yield "no views\n"
        return
    entries = [_entry(view) for view in ahead.views]
    yield from schedule_table(entries, ScheduleOutput(ahead.now, width, paint))
    if any(isinstance(view.schedule, CronSchedule) and view.schedule.zone != "UTC" for view in ahead.views):
        yield f"time zones of tzdata {IANA_VERSION}\n\n"
    herded: dict[str, set[datetime]] = defaultdict(set)
    for herd in ahead.herds:
        for name in herd.views:
            herded[name].update(herd.minutes)
    lanes = [
        _lane(view, entry.schedule, herded[view.view.node.name or ""], ahead.now.year)
        for view, entry in zip(ahead.views, entries, strict=True)
    ]
    drawing = Drawing(width, paint, can_draw(encoding))
    yield from draw_timeline(lanes, ahead.now, ahead.end - ahead.now, drawing)
    changes = [line for view in ahead.views for line in _changes(view, ahead.now.year)]
    most = pluralize(max(1, ahead.max_per_minute), "view")
    herds = f"herds: more than {most} of a store in the same minute (sync-herd-size)"
    for title, rest in ((herds, list(_herds(ahead))), ("clock changes", changes)):
        if not rest:
            continue
        yield "\n"
        for number, line in enumerate(wrap_text(title, first=width, rest=width - len(INDENT))):
            yield paint(INDENT * bool(number) + line, "warning") + "\n"
        for sentence in rest:
            for number, line in enumerate(wrap_text(sentence, first=width - 2, rest=width - 4)):
                yield INDENT * (1 + bool(number)) + line + "\n"


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A view: its name, schedule in words, time zone and runs, or a note if there are none."""

    view: str
    schedule: str
    zone: str = ""
    runs: Sequence[datetime] = ()
    note: str = ""
    style: Style = "gutter"


@dataclass(frozen=True, slots=True)
class ScheduleOutput:
    """The output width and colors, and the start time of the list."""

    now: datetime
    width: int
    paint: Paint


def _entry(upcoming: UpcomingRuns) -> ScheduleRow:
    schedule, name = upcoming.schedule, escape_controls(upcoming.label)
    match schedule:
        case CronSchedule():
            note = "" if upcoming.runs else "no more runs before the end of the year 9999"
            note = "never runs: no date matches" if note and upcoming.never_fires else note
            words = describe(schedule.cron._replace(zone=None))
            return ScheduleRow(name, words, schedule.zone, upcoming.runs, note, "error")
        case Continuous():
            return ScheduleRow(name, "continuous", note="synced continuously")
        case OnDemand():
            return ScheduleRow(name, "on demand only", note=schedule.reason)
        case InvalidSchedule():
            return ScheduleRow(name, "cannot be read", note=escape_controls(schedule.reason), style="error")
        case UnknownSchedule():
            return ScheduleRow(name, "not known", note=escape_controls(schedule.reason))


def _lane(upcoming: UpcomingRuns, note: str, herded: set[datetime], year: int) -> Lane:
    """The lane of a view; without runs it has a note, as a rule the schedule in words."""
    doubled = {  # the two times at which a doubled run is
        (change.local - offset).replace(tzinfo=UTC)
        for change in upcoming.changes
        for offset in (change.before, change.after)
        if change.kind == "doubled"
    }
    signs: list[tuple[datetime, Sign]] = [
        (run, "twice" if run in doubled else "herd" if run in herded else "run") for run in upcoming.within
    ]
    signs += [(change.at, "lost") for change in upcoming.changes if change.kind == "skipped"]
    if upcoming.runs:
        note = f"→ {format_utc(upcoming.runs[0], year=year)}"
    elif isinstance(upcoming.schedule, CronSchedule):
        note = "never runs" if upcoming.never_fires else "no more runs"
    return Lane(escape_controls(upcoming.label), signs, isinstance(upcoming.schedule, Continuous), note)


def _herds(ahead: UpcomingSchedule) -> Iterator[str]:
    for herd in ahead.herds[:MAX_COLLISIONS]:
        names = [escape_controls(name.rpartition("/")[2]) for name in herd.views[:MAX_NAMES]]
        if len(herd.views) > MAX_NAMES:
            names.append(f"{len(herd.views) - MAX_NAMES} more")
        more = f" and {pluralize(len(herd.minutes) - 1, 'more time')}" if len(herd.minutes) > 1 else ""
        when = f"{format_utc(herd.minutes[0], year=ahead.now.year)}{more}"
        yield f"{when}: {len(herd.views)} views of {escape_controls(herd.store_id)}: {', '.join(names)}"
    rest = len(ahead.herds) - MAX_COLLISIONS
    if rest > 0:
        yield f"{pluralize(rest, 'more herd')}; --output-format json has all"


def _changes(upcoming: UpcomingRuns, year: int) -> Iterator[str]:
    name = escape_controls(upcoming.label)
    for change in upcoming.changes[:MAX_CHANGES]:
        yield f"{name}: {describe_clock_change(change, year=year)}"
    if len(upcoming.changes) > MAX_CHANGES:
        yield f"{name}: {len(upcoming.changes) - MAX_CHANGES} more"


def schedule_table(entries: Sequence[ScheduleRow], page: ScheduleOutput) -> Iterator[str]:
    """Write the runs of every view as a table, with an empty line after views of several lines.

    On narrow terminals, it is a block for each view.
    """
    rows = [(entry.view, entry.zone, *_format_run(run, page)) for entry in entries for run in entry.runs]
    rows += [(entry.view, entry.zone, "", "", "") for entry in entries]
    # the widths of all columns except for the schedule
    columns = [max(map(width_of, column)) for column in zip([HEADER[0], *HEADER[2:]], *rows, strict=True)]
    room = page.width - sum(columns) - len(GAP) * len(columns)
    longest = max((width_of(entry.schedule) for entry in entries), default=0)
    if room >= min(longest, MIN_SCHEDULE_WIDTH):
        columns.insert(1, max(min(room, longest), len(HEADER[1])))
        yield page.paint(GAP.join(map(_pad, HEADER, columns)).rstrip(), "gutter") + "\n"
        apart = any(len(entry.runs) > 1 for entry in entries)
        for entry in entries:
            yield from _rows(entry, page, columns)
            yield "\n" if apart else ""
        yield "" if apart else "\n"
        return
    for entry in entries:
        yield from _block(entry, page, columns[2:])
        yield "\n"


def _format_run(run: datetime, page: ScheduleOutput) -> tuple[str, str, str]:
    return format_wall_clock(run, year=page.now.year), format_utc_beside(run), format_time_until(run - page.now)


def _rows(entry: ScheduleRow, page: ScheduleOutput, columns: Sequence[int]) -> Iterator[str]:
    """The lines of a view: the schedule is wrapped next to its runs."""
    words = wrap_text(entry.schedule, first=columns[1], rest=columns[1])
    rest = sum(columns[3:]) + len(GAP) * len(columns[4:])
    runs = [_run_row(run, page, columns[3:]) for run in entry.runs]
    notes = wrap_text(entry.note, first=rest, rest=rest) if entry.note else []
    ahead = [*runs, *(page.paint(note, entry.style) for note in notes)]
    for number, (line, remark) in enumerate(zip_longest(words, ahead, fillvalue="")):
        view, zone = (entry.view, entry.zone) if number == 0 else ("", "")
        padded = page.paint(view, "rule") + " " * (columns[0] - width_of(view))
        yield GAP.join((padded, _pad(line, columns[1]), _pad(zone, columns[2]), remark)).rstrip() + "\n"


def _block(entry: ScheduleRow, page: ScheduleOutput, columns: Sequence[int]) -> Iterator[str]:
    """A view on separate lines: its schedule, then a line for each run; on very narrow terminals, two lines."""
    head = f"{entry.schedule}, {entry.zone}" if entry.zone else entry.schedule
    name = width_of(entry.view) + len(GAP)
    first, *rest = wrap_text(head, first=page.width - name, rest=page.width - len(GAP) * 2)
    yield f"{page.paint(entry.view, 'rule')}{GAP}{first}".rstrip() + "\n"
    yield from (f"{GAP * 2}{line}\n" for line in rest)
    for run in entry.runs:
        if sum(columns) + len(GAP) * len(columns) <= page.width:
            yield f"{GAP}{_run_row(run, page, columns)}\n"
        else:
            local, utc, until = _format_run(run, page)
            yield f"{GAP}{page.paint(local, 'place')}\n{GAP * 2}{utc}, {until}\n"
    for line in wrap_text(entry.note, first=page.width - len(GAP), rest=page.width - len(GAP)) if entry.note else ():
        yield f"{GAP}{page.paint(line, entry.style)}\n"


def _run_row(run: datetime, page: ScheduleOutput, columns: Sequence[int]) -> str:
    local, utc, until = _format_run(run, page)
    painted = page.paint(local, "place") + " " * (columns[0] - len(local))
    return GAP.join((painted, f"{utc:>{columns[1]}}", until))


def _pad(text: str, cells: int) -> str:
    return text + " " * (cells - width_of(text))
