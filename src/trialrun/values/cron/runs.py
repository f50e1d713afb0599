"""When a schedule runs, in the wall clock time of its zone.

The time line is cut into stretches between changes of the clocks. In a stretch wall clock time and real time advance
together, so a gap loses its runs and an overlap has them twice without further ado.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from typing import Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.values import time_zone
from trialrun.values.cron.days import days_with_runs, never_fires
from trialrun.values.cron.expression import CronExpression
from trialrun.values.cron.fields import set_bits

Semantics = Literal["wall-clock", "vixie"]
"""`wall-clock`: a run at every real minute whose wall clock matches. `vixie`: the same, but a schedule whose minute and
hour do not begin with `*` runs once after a gap of up to three hours, and once in an overlap."""

_TICK = timedelta(microseconds=1)
_ZERO = timedelta()
_VIXIE_GAP = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class _OffsetSpan:
    """Real time from `start` to `stop` (UTC without tzinfo, exclusive) with one offset."""

    start: datetime
    stop: datetime
    offset: timedelta
    gap: timedelta
    """By how much the clocks were put forward at `start`; zero where they were not."""


def next_runs(cron: CronExpression, *, after: datetime, semantics: Semantics = "wall-clock") -> Iterator[datetime]:
    """The runs strictly after a time, in order and lazily, until the end of the year 9999.

    `after` must carry an offset; the runs carry that of the zone at each of them. There are none for a schedule that
    never fires. Raises UnknownTimeZoneError for a zone that the IANA database does not have.
    """
    start = _shift(to_naive_utc(after), _TICK)
    if never_fires(cron) or start <= to_naive_utc(after):
        return
    for year in range(start.year, 10000):
        for stretch in _offset_spans(cron, year):
            if stretch.stop > start:
                yield from _runs(cron, stretch, max(start, stretch.start), stretch.stop, semantics)


def previous_runs(cron: CronExpression, *, before: datetime, semantics: Semantics = "wall-clock") -> Iterator[datetime]:
    """The runs strictly before a time, the latest first, down to the year 1; otherwise as `next_runs`."""
    stop = to_naive_utc(before)
    if never_fires(cron):
        return
    for year in range(stop.year, 0, -1):
        for stretch in reversed(_offset_spans(cron, year)):
            if stretch.start < stop:
                yield from _runs(cron, stretch, stretch.start, min(stop, stretch.stop), semantics, backwards=True)


def matching_times(
    cron: CronExpression, start: datetime, stop: datetime, *, backwards: bool = False
) -> Iterator[datetime]:
    """The wall clock times from `start` to `stop` (exclusive) that match, where no change of clocks is between."""
    if start >= stop:
        return
    last = stop - _TICK
    first_day, last_day = start.date(), last.date()
    direction = -1 if backwards else 1
    hours = tuple(set_bits(cron.masks[1]))[::direction]
    minutes = tuple(set_bits(cron.masks[0]))[::direction]
    ends = (last_day, first_day) if backwards else (first_day, last_day)
    for day in days_with_runs(cron, *ends):
        low = start.hour if day == first_day else 0
        high = last.hour if day == last_day else 23
        within = (hour for hour in hours if low <= hour <= high)
        yield from (time for time in _times(day, within, minutes) if start <= time < stop)


def _times(day: date, hours: Iterator[int], minutes: tuple[int, ...]) -> Iterator[datetime]:
    return (datetime(day.year, day.month, day.day, hour, minute) for hour in hours for minute in minutes)


def _offset_spans(cron: CronExpression, year: int) -> list[_OffsetSpan]:
    """One year of UTC, cut at the changes of the clocks."""
    name = cron.zone or "UTC"
    changes = time_zone.transitions_in_year(name, year)
    start = datetime(year, 1, 1)
    end = datetime(year + 1, 1, 1) if year < 9999 else datetime.max
    starts = [start, *(change.at for change in changes)]
    offsets = [time_zone.offset_at(time_zone.load_zone(name), start), *(change.after for change in changes)]
    gaps = [_ZERO, *(max(_ZERO, change.after - change.before) for change in changes)]
    stops = [*starts[1:], end]
    return [_OffsetSpan(*parts) for parts in zip(starts, stops, offsets, gaps, strict=True)]


def _runs(
    cron: CronExpression,
    stretch: _OffsetSpan,
    start: datetime,
    stop: datetime,
    semantics: Semantics,
    *,
    backwards: bool = False,
) -> Iterator[datetime]:
    """The runs of a stretch from `start` to `stop` (exclusive), which are within it, with the zone's offset."""
    clock = timezone(stretch.offset)
    wall_start, wall_stop = _shift(start, stretch.offset), _shift(stop, stretch.offset)
    times = matching_times(cron, wall_start, wall_stop, backwards=backwards)
    if semantics == "vixie" and not (cron.leading_stars[0] or cron.leading_stars[1]):
        times = _vixie_times(cron, stretch, times, made_up=start == stretch.start, backwards=backwards)
    for time in times:
        yield time.replace(tzinfo=clock)


def _vixie_times(
    cron: CronExpression, stretch: _OffsetSpan, times: Iterator[datetime], *, made_up: bool, backwards: bool
) -> Iterator[datetime]:
    """Wall clock times without second passes, and with the end of a gap for what it swallowed."""
    clocks = time_zone.load_zone(cron.zone or "UTC")
    first = _shift(stretch.start, stretch.offset)
    late = made_up and _ZERO < stretch.gap <= _VIXIE_GAP and any(matching_times(cron, first - stretch.gap, first))
    if late and not backwards:
        yield first
    for time in times:
        first_pass = time.replace(tzinfo=clocks).utcoffset() == stretch.offset
        if first_pass and not (late and time == first):
            yield time
    if late and backwards:
        yield first


def to_naive_utc(time: datetime) -> datetime:
    """A time in UTC without tzinfo; the ends of the calendar where UTC would be beyond them.

    Raises ValueError for a time without an offset.
    """
    offset = time.utcoffset()
    if offset is None:
        raise ValueError("the time has no offset from UTC")
    return _shift(time.replace(tzinfo=None), -offset)


def _shift(time: datetime, by: timedelta) -> datetime:
    try:
        return time + by
    except OverflowError:
        return datetime.max if by > _ZERO else datetime.min
