"""When and where items of a menu are sold: why one is not, at a store and a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.values.resource_name import is_same_resource, last_id

if TYPE_CHECKING:
    from trialrun.model.menu import Availability, Menu, ServiceHours

DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
END_OF_DAY = 24 * 60
_time = re.compile(r"(\d\d):(\d\d)\Z").match


@dataclass(frozen=True, slots=True)
class Moment:
    """Where and when something is asked for: the store, its local time, and the daypart that the client sent."""

    store: str
    time: datetime
    daypart: str = ""


@dataclass(frozen=True)
class Restriction:
    """An availability, with the hours of the dayparts of its menu."""

    availability: Availability
    dayparts: Mapping[str, Sequence[ServiceHours]]

    @property
    def depends_on_time(self) -> bool:
        """Whether it is another one at another time."""
        availability = self.availability
        return bool(availability.hours or availability.dates or (availability.dayparts and self.dayparts))

    def excludes(self, store: str) -> bool:
        """Whether a store is none of those that sell it, if there is such a list, or is left out."""
        id_ = last_id(store)
        listed, excepted = (
            any(is_same_resource(name, store) for name in names.get(id_, ())) for names in self._names_by_id
        )
        return excepted or (bool(self.availability.stores) and not listed)

    def always_allows(self, store: str) -> bool:
        """Whether it lets a store sell at all times, whatever daypart the client sends."""
        availability = self.availability
        return not (availability.soldOut or availability.dayparts or self.depends_on_time or self.excludes(store))

    @cached_property
    def _names_by_id(self) -> Sequence[Mapping[str, Sequence[str]]]:
        found: tuple[dict[str, list[str]], dict[str, list[str]]] = {}, {}
        for names, by_id in zip((self.availability.stores, self.availability.exceptStores), found, strict=True):
            for name in names or ():
                by_id.setdefault(last_id(name), []).append(name)
        return found


Offering = tuple[Restriction, ...]
"""The restrictions of one entry of a menu: those of the menu and its own; the item is sold where all allow it."""


def item_offerings(menu: Menu) -> list[Offering]:
    """The restrictions of each item of a menu, in their order; those of the menu itself are the same for all."""
    hours = {daypart.name: daypart.hours for daypart in menu.dayparts or () if daypart.name and daypart.hours}
    whole = () if menu.availability is None else (Restriction(menu.availability, hours),)
    own = (item.availability for item in menu.items or ())
    return [whole if each is None else (*whole, Restriction(each, hours)) for each in own]


def why_not_sold(offerings: Iterable[Offering], moment: Moment) -> str | None:
    """Why none of the entries of an item is sold; None if one is."""
    reasons: list[str] = []
    for each in offerings:
        reason = next(filter(None, (_why_restricted(restriction, moment) for restriction in each)), None)
        if reason is None:
            return None
        reasons.append(reason)
    return reasons[0] if reasons else None


def is_sold_at(offerings: Iterable[Offering], store: str) -> bool:
    """Whether a store sells an item at some time; what is sold out is sold."""
    return any(not any(part.excludes(store) for part in each) for each in offerings)


def _why_restricted(restriction: Restriction, moment: Moment) -> str | None:
    availability = restriction.availability
    if availability.soldOut:
        return "it is sold out"
    if restriction.excludes(moment.store):
        return f"{last_id(moment.store)} does not sell it"
    if reason := _why_not_in_daypart(availability.dayparts or (), restriction.dayparts, moment):
        return reason
    if availability.hours and not any(is_within(hours, moment.time) for hours in availability.hours):
        hours = " and ".join(dict.fromkeys(map(_hours_text, availability.hours)))
        return f"it is sold {hours}, and it is {_time_text(moment.time)}"
    # an end of dates that cannot be read is none
    day = moment.time.date()
    periods = [(day_of(dates.start) or date.min, day_of(dates.end) or date.max) for dates in availability.dates or ()]
    return f"it is not sold on {day}" if periods and not any(start <= day <= end for start, end in periods) else None


def _why_not_in_daypart(
    names: Sequence[str], hours: Mapping[str, Sequence[ServiceHours]], moment: Moment
) -> str | None:
    """The daypart that the client sent decides; else the hours of the dayparts, if all of them have some."""
    wanted = f"it is sold at {' and '.join(names)} only"
    if names and moment.daypart:
        return None if moment.daypart in names else f"{wanted}, and it is {moment.daypart}"
    if not names or not all(name in hours for name in names):
        return None
    if any(is_within(period, moment.time) for name in names for period in hours[name]):
        return None
    return f"{wanted}, and it is {_time_text(moment.time)}"


def is_within(hours: ServiceHours, time: datetime) -> bool:
    """Whether a local time is in some hours, which may end on the next day; what cannot be read is never left."""
    start, end = minutes(hours.start, 0), minutes(hours.end, END_OF_DAY)
    if start is None or end is None:
        return True
    now, yesterday = time.hour * 60 + time.minute, time - timedelta(days=1) if time.date() > date.min else time
    begins, began_before = (not hours.days or DAYS[day.weekday()] in hours.days for day in (time, yesterday))
    if start < end:
        return begins and start <= now < end
    return (begins and now >= start) or (began_before and now < end)


def minutes(text: str | None, default: int) -> int | None:
    """The minutes since midnight of a time as HH:MM, up to 24:00; None if it is none."""
    if text is None:
        return default
    match = _time(text)
    if match is None:
        return None
    hours, rest = int(match[1]), int(match[2])
    return hours * 60 + rest if rest < 60 and hours * 60 + rest <= END_OF_DAY else None


def day_of(text: str | None) -> date | None:
    """The day of a date as YYYY-MM-DD; None if it is none."""
    try:
        return date.fromisoformat(text) if text and len(text) == 10 else None
    except ValueError:
        return None


def _hours_text(hours: ServiceHours) -> str:
    days = " or ".join(day.capitalize() for day in DAYS if day in (hours.days or ()))
    return f"from {hours.start or '00:00'}{f' on {days}' if days else ''} to {hours.end or '24:00'}"


def _time_text(time: datetime) -> str:
    return f"{time:%H:%M} on {DAYS[time.weekday()].capitalize()}"
