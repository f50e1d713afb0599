"""What a change of the clocks does to a schedule."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.values import time_zone
from trialrun.values.cron.days import runs_on
from trialrun.values.cron.expression import CronExpression
from trialrun.values.cron.runs import matching_times, to_naive_utc
from trialrun.values.time_zone import Transition

_EVERY_HOUR = (1 << 24) - 1


@dataclass(frozen=True, slots=True)
class ClockChange:
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
        if not (cron.masks[1] == _EVERY_HOUR and _matches(cron, time + shift)):
            yield ClockChange(kind, time, change.at.replace(tzinfo=UTC), change.before, change.after)


def _matches(cron: CronExpression, time: datetime) -> bool:
    by_clock = cron.masks[0] >> time.minute & cron.masks[1] >> time.hour & 1
    return bool(by_clock) and runs_on(cron, time.date())
