"""On which days a schedule runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cron.expression import CronExpression
from trialrun.values.cron.fields import MONTHS, set_bits

_MONTH_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class Rarity:
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
    year, month = first.year, first.month
    end = (last.year, last.month)
    while (year, month) != end:
        yield from _days_of_month(cron, year, month, first, last, step)
        year, month = _adjacent_month(year, month, step)
    yield from _days_of_month(cron, year, month, first, last, step)


def _days_of_month(cron: CronExpression, year: int, month: int, first: date, last: date, step: int) -> Iterator[date]:
    if not cron.masks[3] >> month & 1:
        return
    low, high = min(first, last), max(first, last)
    numbers = range(1, _month_length(year, month) + 1)
    for number in numbers if step > 0 else reversed(numbers):
        day = date(year, month, number)
        if low <= day <= high and runs_on(cron, day):
            yield day


def _month_length(year: int, month: int) -> int:
    """The days of a month; reckoned here, since importing calendar costs more than all the rest of this module."""
    common = month == 2 and (year % 4 != 0 or (year % 100 == 0 and year % 400 != 0))
    return 28 if common else _MONTH_LENGTHS[month - 1]


def _adjacent_month(year: int, month: int, step: int) -> tuple[int, int]:
    count = year * 12 + month - 1 + step
    return count // 12, count % 12 + 1


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
        return Rarity("skips-months", empty, f"no run in {_join_months(empty)}")
    if 2 not in months or _matching_days(cron, 2) != {29}:
        return None
    if months == (2,):
        return Rarity("not-every-year", months, "29 February is in leap years only")
    return Rarity("skips-months", (2,), "no run in February outside leap years")


def _matching_days(cron: CronExpression, month: int) -> set[int]:
    """The days of the month that match and that the month has in a leap year."""
    return {day for day in set_bits(cron.masks[2]) if day <= _MONTH_LENGTHS[month - 1]}


def _join_months(months: tuple[int, ...]) -> str:
    names = [MONTHS[month - 1] for month in months]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


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
