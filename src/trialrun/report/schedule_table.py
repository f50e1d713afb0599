"""Table of the next runs of views; on narrow terminals, a block for each view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import zip_longest

from trialrun.lazy_dataclass import dataclass
from trialrun.report.color import Paint, Style
from trialrun.report.format_time import format_time_until, format_utc_beside, format_wall_clock
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrap_text

HEADER = ("view", "schedule", "zone", "next runs", "in UTC", "from now")
GAP = "  "
MIN_SCHEDULE_WIDTH = 24
"""Minimum width of the schedule column, unless all schedules are shorter."""


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A view: its name, schedule in words, time zone and runs, or a note if there are none."""

    view: str
    schedule: str
    zone: str
    runs: Sequence[datetime] = ()
    note: str = ""
    style: Style = "gutter"


@dataclass(frozen=True, slots=True)
class ScheduleOutput:
    """The output width and colors, and the start time of the list."""

    now: datetime
    width: int
    paint: Paint


def schedule_table(entries: Sequence[ScheduleRow], page: ScheduleOutput) -> Iterator[str]:
    """Write the runs of every view, with an empty line after views of several lines."""
    columns = _columns(entries, page)
    room = page.width - sum(columns) - len(GAP) * len(columns)
    longest = max((width_of(entry.schedule) for entry in entries), default=0)
    if room >= min(longest, MIN_SCHEDULE_WIDTH):
        yield from _table(entries, page, [columns[0], max(min(room, longest), len(HEADER[1])), *columns[1:]])
        return
    for entry in entries:
        yield from _block(entry, page, columns[2:])
        yield "\n"


def _format_run(run: datetime, page: ScheduleOutput) -> tuple[str, str, str]:
    return format_wall_clock(run, year=page.now.year), format_utc_beside(run), format_time_until(run - page.now)


def _columns(entries: Sequence[ScheduleRow], page: ScheduleOutput) -> list[int]:
    """The widths of all columns except for the schedule."""
    rows = [(entry.view, entry.zone, *_format_run(run, page)) for entry in entries for run in entry.runs]
    rows += [(entry.view, entry.zone, "", "", "") for entry in entries]
    heads = [HEADER[0], *HEADER[2:]]
    return [max(map(width_of, column)) for column in zip(heads, *rows, strict=True)]


def _table(entries: Sequence[ScheduleRow], page: ScheduleOutput, columns: Sequence[int]) -> Iterator[str]:
    yield page.paint(GAP.join(map(_pad, HEADER, columns)).rstrip(), "gutter") + "\n"
    apart = any(len(entry.runs) > 1 for entry in entries)
    for entry in entries:
        yield from _rows(entry, page, columns)
        yield "\n" if apart else ""
    yield "" if apart else "\n"


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
    """A view on separate lines: its schedule, then a line for each run."""
    head = f"{entry.schedule}, {entry.zone}" if entry.zone else entry.schedule
    name = width_of(entry.view) + len(GAP)
    first, *rest = wrap_text(head, first=page.width - name, rest=page.width - len(GAP) * 2)
    yield f"{page.paint(entry.view, 'rule')}{GAP}{first}".rstrip() + "\n"
    yield from (f"{GAP * 2}{line}\n" for line in rest)
    for run in entry.runs:
        yield f"{GAP}{_run_lines(run, page, columns)}\n"
    for line in wrap_text(entry.note, first=page.width - len(GAP), rest=page.width - len(GAP)) if entry.note else ():
        yield f"{GAP}{page.paint(line, entry.style)}\n"


def _run_lines(run: datetime, page: ScheduleOutput, columns: Sequence[int]) -> str:
    """A run in a block; on very narrow terminals, further cells are on the next line."""
    if sum(columns) + len(GAP) * len(columns) <= page.width:
        return _run_row(run, page, columns)
    local, utc, ahead = _format_run(run, page)
    return f"{page.paint(local, 'place')}\n{GAP * 2}{utc}, {ahead}"


def _run_row(run: datetime, page: ScheduleOutput, columns: Sequence[int]) -> str:
    local, utc, ahead = _format_run(run, page)
    painted = page.paint(local, "place") + " " * (columns[0] - len(local))
    return GAP.join((painted, f"{utc:>{columns[1]}}", ahead))


def _pad(text: str, cells: int) -> str:
    return text + " " * (cells - width_of(text))
