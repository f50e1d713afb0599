"""When a zone's clocks are put forward or back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache

from trialrun.lazy_dataclass import dataclass
from trialrun.values.time_zone.load import load_zone

# No zone has changed its offset twice within six days (the shortest time between is 6 d 23 h), so one look every
# six days misses nothing; a test proves it for every zone of the database.
STRIDE = timedelta(days=6)
_SECOND = timedelta(seconds=1)
# Within a day and a half of the calendar's ends, local time may not exist in Python.
_FIRST = datetime(1, 1, 2, 12)
_LAST = datetime(9999, 12, 30, 12)


@dataclass(frozen=True, slots=True)
class Transition:
    """The offset from UTC becomes another at an instant.

    `at` is that instant in UTC, without tzinfo; `before` and `after` are offsets from UTC. Where `after` is
    greater the wall clock leaps over a gap; where it is smaller the wall clock goes through an overlap twice.
    """

    at: datetime
    before: timedelta
    after: timedelta


def offset_at(clocks: tzinfo, instant: datetime) -> timedelta:
    """The offset from UTC at an instant, which is given in UTC without tzinfo."""
    inside = min(max(instant, _FIRST), _LAST)
    return clocks.fromutc(inside.replace(tzinfo=clocks)).utcoffset() or timedelta()


@lru_cache(maxsize=4096)
def transitions_in_year(name: str, year: int) -> tuple[Transition, ...]:
    """The changes of a zone's offset in one year of UTC, in order; raises UnknownTimeZoneError."""
    return tuple(_transitions(load_zone(name), year))


def _transitions(clocks: tzinfo, year: int) -> Iterator[Transition]:
    early = datetime(year, 1, 1) - _SECOND if year > 1 else _FIRST
    end = datetime(year, 12, 31, 23, 59, 59)
    while early < end:
        late = early + min(STRIDE, end - early)
        before, after = offset_at(clocks, early), offset_at(clocks, late)
        if before != after:
            yield Transition(_first_instant(clocks, early, late), before, after)
        early = late


def _first_instant(clocks: tzinfo, early: datetime, late: datetime) -> datetime:
    """The first second with the offset of `late`, where the offset changes once after `early`."""
    new = offset_at(clocks, late)
    while late - early > _SECOND:
        middle = early + timedelta(seconds=(late - early) // _SECOND // 2)
        early, late = (early, middle) if offset_at(clocks, middle) == new else (middle, late)
    return late
