"""The axis of a timeline: columns of a round length, and the times that are above them, in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from trialrun.lazy_dataclass import dataclass
from trialrun.report.format_time import MONTHS, format_clock, format_day

_DAY = 24 * 60
COLUMN_MINUTES = (1, 2, 5, 10, 15, 20, 30, 40, 60, 120, 180, 240, 360, 480, 720, _DAY, 2 * _DAY, 7 * _DAY)
"""The minutes that a column may be long; beyond these, any number of weeks."""
TICK_MINUTES = (10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, _DAY, 2 * _DAY, 7 * _DAY, 14 * _DAY, 28 * _DAY)
MIN_GAP = 2
"""The blank cells between two texts of the axis."""
EPOCH = datetime(1970, 1, 5, tzinfo=UTC)
"""A Monday, from which columns and ticks are counted, so that weeks begin on one."""


@dataclass(frozen=True, slots=True)
class Axis:
    """`count` columns from `start` on, each as long as `cell`."""

    start: datetime
    cell: timedelta
    count: int

    def column(self, time: datetime) -> int | None:
        """The column that a time falls on, None for one that is not on the axis."""
        at = (time - self.start) // self.cell
        return at if 0 <= at < self.count else None


def choose_axis(start: datetime, span: timedelta, room: int) -> Axis:
    """The axis of a span in at most `room` columns; it begins at a round time, at or before `start`."""
    for minutes in _column_lengths():
        cell = timedelta(minutes=minutes)
        first = _floor(start, cell)
        count = -((first - start - span) // cell)
        if count <= room:
            return Axis(first, cell, count)
    raise AssertionError("there is a number of weeks for every span")


def _column_lengths() -> Iterator[int]:
    yield from COLUMN_MINUTES
    weeks = 2
    while True:
        yield weeks * 7 * _DAY
        weeks += 1


def _floor(time: datetime, step: timedelta) -> datetime:
    return EPOCH + (time - EPOCH) // step * step


def header_lines(along: Axis) -> Iterator[str]:
    """The lines above the lanes: the days, where the times are shorter, then the times."""
    marked = tick_columns(along)
    if _tick_step(along) < timedelta(days=1):
        yield _line(
            [(at, format_day(_column_start(along, at), year=along.start.year)) for at in _day_columns(along)],
            along.count,
        )
        yield _line([(at, format_clock(_column_start(along, at))) for at in marked], along.count)
        return
    yield _line([(at, str(_column_start(along, at).year)) for at in _year_columns(along, marked)], along.count)
    roomy = _tick_step(along) // along.cell >= len("Fri 20 Nov") + MIN_GAP
    yield _line([(at, _format_date(_column_start(along, at), weekday=roomy)) for at in marked], along.count)


def _format_date(time: datetime, *, weekday: bool) -> str:
    return format_day(time, year=time.year) if weekday else f"{time.day} {MONTHS[time.month - 1]}"


def tick_columns(along: Axis) -> list[int]:
    """The columns that begin at a round time, which is above them."""
    step = _tick_step(along)
    return [at for at in range(along.count) if not (_column_start(along, at) - EPOCH) % step]


def _column_start(along: Axis, column: int) -> datetime:
    return along.start + column * along.cell


def _tick_step(along: Axis) -> timedelta:
    """The time between two ticks: the shortest that leaves room for what is at them."""
    for minutes in TICK_MINUTES:
        step = timedelta(minutes=minutes)
        wide = len("00:00") if minutes < _DAY else len("20 Nov")
        if not step % along.cell and step // along.cell >= wide + MIN_GAP:
            return step
    return along.cell * (len("20 Nov") + MIN_GAP)


def _day_columns(along: Axis) -> Iterator[int]:
    """The first column, and those with which a day begins."""
    yield 0
    for at in range(1, along.count):
        if _column_start(along, at).date() != _column_start(along, at - 1).date():
            yield at


def _year_columns(along: Axis, marked: list[int]) -> Iterator[int]:
    years: set[int] = set()
    for at in marked:
        year = _column_start(along, at).year
        if year not in years:
            years.add(year)
            yield at


def _line(texts: list[tuple[int, str]], room: int) -> str:
    """The texts at their columns; where two would touch, the later is kept, and none goes beyond the room."""
    line = ""
    for number, (at, text) in enumerate(texts):
        following = texts[number + 1][0] if number + 1 < len(texts) else room + MIN_GAP
        if at + len(text) + MIN_GAP <= following and at + len(text) <= room:
            line += " " * (at - len(line)) + text
    return line
