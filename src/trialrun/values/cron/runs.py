"""When a schedule runs, in the wall clock time of its zone, and in plain English.

The time line is cut into stretches between changes of the clocks. In a stretch wall clock time and real time advance
together, so a gap loses its runs and an overlap has them twice without further ado.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from typing import Literal, NamedTuple

from trialrun.values import join_words, time_zone
from trialrun.values.cron.fields import FIELDS, MONTHS, CronExpression, Field, set_bits
from trialrun.values.time_zone import Transition

_MONTH_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Rarity(NamedTuple):
    """A schedule that runs less often than it looks: not every year, or not in some of its months."""

    kind: Literal["not-every-year", "skips-months"]
    months: tuple[int, ...]
    """The months, from 1, in which there is no run, or none outside leap years."""
    reason: str


def runs_on(cron: CronExpression, day: date) -> bool:
    """The schedule runs on this day of the local calendar, if at any time."""
    if not cron.masks[3] >> day.month & 1:
        return False
    by_date = bool(cron.masks[2] >> day.day & 1)
    by_weekday = bool(cron.masks[4] >> day.isoweekday() % 7 & 1)
    return by_date or by_weekday if cron.either_day else by_date and by_weekday


def days_with_runs(cron: CronExpression, first: date, last: date) -> Iterator[date]:
    """The days with runs from `first` to `last`; backwards where `last` is the earlier."""
    step = 1 if first <= last else -1
    low, high = min(first, last), max(first, last)
    for count in range(first.year * 12 + first.month - 1, last.year * 12 + last.month - 1 + step, step):
        year, month = count // 12, count % 12 + 1
        if not cron.masks[3] >> month & 1:
            continue
        for number in range(1, _month_length(year, month) + 1)[::step]:
            day = date(year, month, number)
            if low <= day <= high and runs_on(cron, day):
                yield day


def _month_length(year: int, month: int) -> int:
    """The days of a month; reckoned here, since importing calendar costs more than all the rest of this module."""
    common = month == 2 and (year % 4 != 0 or (year % 100 == 0 and year % 400 != 0))
    return 28 if common else _MONTH_LENGTHS[month - 1]


def never_fires(cron: CronExpression) -> bool:
    """No day of any year matches. Exact: a set day of week is enough, and so is one date that exists."""
    if cron.either_day:
        return False
    return not any(_matching_days(cron, month) for month in set_bits(cron.masks[3]))


def rarity(cron: CronExpression) -> Rarity | None:
    """Why a schedule runs less often than its fields suggest; None if it does not, or never runs."""
    if cron.stars[2] or cron.either_day or never_fires(cron):
        return None
    months = tuple(set_bits(cron.masks[3]))
    if empty := tuple(month for month in months if not _matching_days(cron, month)):
        return Rarity("skips-months", empty, f"no run in {join_words([MONTHS[month - 1] for month in empty])}")
    if 2 not in months or _matching_days(cron, 2) != {29}:
        return None
    if months == (2,):
        return Rarity("not-every-year", months, "29 February is in leap years only")
    return Rarity("skips-months", (2,), "no run in February outside leap years")


def _matching_days(cron: CronExpression, month: int) -> set[int]:
    """The days of the month that match and that the month has in a leap year."""
    return {day for day in set_bits(cron.masks[2]) if day <= _MONTH_LENGTHS[month - 1]}


def shortest_distance(cron: CronExpression) -> int | None:
    """The fewest days from one day with runs to the next; None for a schedule that never fires.

    28 years have every kind of year beside every kind of next year; only 29 February waits longer than a year.
    """
    shortest, earlier = None, None
    for day in days_with_runs(cron, date(2000, 1, 1), date(2028, 12, 31)):
        distance = (day - earlier).days if earlier else None
        earlier = day
        if distance == 1:
            return 1
        if distance and (shortest is None or distance < shortest):
            shortest = distance
    return shortest


_EVERY_HOUR = (1 << 24) - 1


class ClockChange(NamedTuple):
    """A run that the wall clock leaps over, or comes by twice."""

    kind: Literal["skipped", "doubled"]
    local: datetime
    """The wall clock time of the run, without an offset: it has none, or two."""
    at: datetime
    """The time at which the clocks change, in UTC."""
    before: timedelta
    """The offset from UTC until then."""
    after: timedelta
    """The offset from then on."""


def clock_changes(cron: CronExpression, *, start: datetime, end: datetime) -> Iterator[ClockChange]:
    """The runs that the zone's changes of clocks skip or double, for changes from `start` to `end` (exclusive).

    Both ends carry an offset. Times of an hourly schedule that still runs at the same distance by the new clock are
    not reported: nothing is lost. Raises UnknownTimeZoneError.
    """
    first, stop = to_naive_utc(start), to_naive_utc(end)
    for year in range(first.year, stop.year + 1):
        for change in time_zone.transitions_in_year(cron.zone or "UTC", year):
            if first <= change.at < stop:
                yield from _affected_runs(cron, change)


def _affected_runs(cron: CronExpression, change: Transition) -> Iterator[ClockChange]:
    old, new = change.at + change.before, change.at + change.after
    shift = abs(change.after - change.before)
    kind: Literal["skipped", "doubled"] = "skipped" if new > old else "doubled"
    for time in matching_times(cron, min(old, new), max(old, new)):
        later = time + shift
        runs_later = cron.masks[0] >> later.minute & cron.masks[1] >> later.hour & 1 and runs_on(cron, later.date())
        if not (cron.masks[1] == _EVERY_HOUR and runs_later):
            yield ClockChange(kind, time, change.at.replace(tzinfo=UTC), change.before, change.after)


Semantics = Literal["wall-clock", "vixie"]
"""`wall-clock`: a run at every real minute whose wall clock matches. `vixie`: the same, but a schedule whose minute and
hour do not begin with `*` runs once after a gap of up to three hours, and once in an overlap."""

_TICK = timedelta(microseconds=1)
_ZERO = timedelta()
_VIXIE_GAP = timedelta(hours=3)


class _OffsetSpan(NamedTuple):
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
                yield from _runs(cron, stretch, max(start, stretch.start), stretch.stop, semantics, backwards=False)


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
        for hour in hours:
            for minute in minutes if low <= hour <= high else ():
                time = datetime(day.year, day.month, day.day, hour, minute)
                if start <= time < stop:
                    yield time


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
    cron: CronExpression, span: _OffsetSpan, start: datetime, stop: datetime, semantics: Semantics, *, backwards: bool
) -> Iterator[datetime]:
    """The runs of a span from `start` to `stop` (exclusive), which are within it, with the zone's offset."""
    clock = timezone(span.offset)
    wall_start, wall_stop = _shift(start, span.offset), _shift(stop, span.offset)
    times = matching_times(cron, wall_start, wall_stop, backwards=backwards)
    if semantics == "vixie" and not (cron.leading_stars[0] or cron.leading_stars[1]):
        times = _vixie_times(cron, span, times, made_up=start == span.start, backwards=backwards)
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


_DAY = 24 * 60


def runs_per_day(cron: CronExpression) -> int:
    """The number of runs on a day that has runs, changes of clocks aside."""
    return cron.masks[0].bit_count() * cron.masks[1].bit_count()


def shortest_gap_minutes(cron: CronExpression) -> int | None:
    """The fewest minutes between two runs in a row, changes of clocks aside; None for one that never fires."""
    distance = shortest_distance(cron)
    if distance is None:
        return None
    times = [hour * 60 + minute for hour in set_bits(cron.masks[1]) for minute in set_bits(cron.masks[0])]
    over_night = distance * _DAY - times[-1] + times[0]
    return min([over_night, *(later - earlier for earlier, later in pairwise(times))])


_MAX_TIMES = 4


def describe(cron: CronExpression) -> str:
    """When a schedule runs, such as `at 02:30 every Monday`."""
    text = " ".join(filter(None, (_time(cron), _day(cron), _months(cron))))
    return f"{text} ({cron.zone})" if cron.zone else text


def _time(cron: CronExpression) -> str:
    minutes, hours = tuple(set_bits(cron.masks[0])), tuple(set_bits(cron.masks[1]))
    if len(minutes) * len(hours) <= _MAX_TIMES:
        return f"at {join_words([f'{hour:02}:{minute:02}' for hour in hours for minute in minutes])}"
    step = _even_step(minutes, FIELDS[0])
    if step and len(hours) == 24:
        return _every(step, "minute")
    minute = _every(step, "minute") if step else f"at {_noun('minute', minutes)} {_format_values(minutes, FIELDS[0])}"
    return f"{minute} of {_hours(hours)}"


def _hours(hours: tuple[int, ...]) -> str:
    step = _even_step(hours, FIELDS[1])
    if step is None:
        return f"{_noun('hour', hours)} {_format_values(hours, FIELDS[1])}"
    ending = {2: "nd", 3: "rd"}.get(step, "th")
    return "every hour" if step == 1 else f"every {step}{ending} hour from 0"


def _day(cron: CronExpression) -> str:
    dates, weekdays = tuple(set_bits(cron.masks[2])), tuple(set_bits(cron.masks[4]))
    every_date, every_weekday = len(dates) == 31, len(weekdays) == 7
    months = tuple(set_bits(cron.masks[3]))
    month = "every month" if len(months) == 12 else _format_values(months, FIELDS[3])
    month = "the month" if cron.either_day else month
    by_date = f"on {_noun('day', dates)} {_format_values(dates, FIELDS[2])} of {month}"
    by_weekday = f"every {_format_values(weekdays, FIELDS[4])}"
    if (every_date and every_weekday) or (cron.either_day and (every_date or every_weekday)):
        return "" if cron.masks[1].bit_count() == 24 else "every day"  # which a run in every hour need not say
    if cron.either_day:
        return f"{by_date} and {by_weekday}"
    return by_weekday if every_date else by_date


def _months(cron: CronExpression) -> str:
    """The months, where the days have not named them yet."""
    by_date_alone = not cron.stars[2] and not cron.either_day and cron.masks[2].bit_count() < 31
    months = tuple(set_bits(cron.masks[3]))
    return "" if by_date_alone or len(months) == 12 else f"in {_format_values(months, FIELDS[3])}"


def _every(step: int, noun: str) -> str:
    return f"every {noun}" if step == 1 else f"every {step} {noun}s"


def _noun(noun: str, values: tuple[int, ...]) -> str:
    return noun if len(values) == 1 else f"{noun}s"


def _even_step(values: tuple[int, ...], field: Field) -> int | None:
    """The step of values that go round the field evenly from its first; None for others and for a single one."""
    if len(values) < 2:
        return None
    step = values[1] - values[0]
    even = field.size % step == 0 and values == tuple(range(field.first, field.last + 1, step))
    return step if even else None


def _format_values(values: tuple[int, ...], field: Field) -> str:
    """Values as words, with runs of three or more as ranges: `1 to 5 and 9`."""
    step = values[1] - values[0] if len(values) > 3 else 1
    if step > 1 and values == tuple(range(values[0], values[-1] + 1, step)):
        return f"{_value_name(values[0], field)} to {_value_name(values[-1], field)} in steps of {step}"
    spans: list[list[int]] = []
    for value in values:
        if spans and value == spans[-1][-1] + 1:
            spans[-1].append(value)
        else:
            spans.append([value])
    parts: list[str] = []
    for span in spans:
        words = [_value_name(value, field) for value in span]
        parts += words if len(words) < 3 else [f"{words[0]} to {words[-1]}"]
    return join_words(parts)


def _value_name(value: int, field: Field) -> str:
    return field.words[value - field.first] if field.words else str(value)
