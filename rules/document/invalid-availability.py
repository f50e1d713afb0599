"""Availability of a menu that cannot be as it is written.

What cannot be read restricts nothing: an item with hours such as 6:00 or 25:00 is sold all day. Times are HH:MM from
00:00 to 24:00 and dates YYYY-MM-DD; hours that end before they start end on the next day, but hours that end when they
start never begin, and neither does a range of dates that ends before it starts. A store that is in `stores` and in
`exceptStores` does not sell the item. A daypart that the menu does not declare, while it declares others, has no hours.

Basis: best practice; the assumption menu-availability: items are sold where all parts of their availability agree.

Good, as Menu:

    dayparts: [{name: breakfast, hours: [{start: "22:00", end: "10:30"}]}]
    items: [{name: Fries, availability: {dayparts: [breakfast], dates: [{start: "2026-11-01", end: "2026-11-01"}]}}]

Bad, as Menu:

    dayparts:
      - name: breakfast
        hours: [{start: "6:00", end: "10:30"}]  # <- "6:00" is not a time from 00:00 to 24:00; write "06:00"
    items:
      - name: Fries
        availability:
          dayparts: [brekfast]  # <- the menu has no daypart "brekfast"; did you mean "breakfast"?
          stores: [austin]
          exceptStores: [austin]  # <- "austin" is in stores too; remove it from one of the two
          hours: [{start: "12:00", end: "12:00"}]  # <- the hours end when they start; correct one of them
          dates:
            - {start: "2026-12-24", end: "2026-11-01"}  # <- the dates end before they start; exchange them
            - {end: "2026-02-30"}  # <- "2026-02-30" is not a date; write one such as 2026-11-01
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule

if TYPE_CHECKING:
    from trialrun.model.menu import Availability, DateRange, Menu, ServiceHours


@rule("ServiceHours", severity=Severity.ERROR)
def hours(period: ServiceHours) -> Findings:
    """Flag times that cannot be read, and hours that never begin."""
    from trialrun.runtime.channel_config.availability import minutes

    is_read = True
    for field, text in (("start", period.start), ("end", period.end)):
        if text is not None and minutes(text, 0) is None:
            is_read = False
            padded = text.strip().zfill(5)
            advice = f'write "{padded}"' if minutes(padded, 0) is not None else "write one such as 06:00"
            yield period.finding(field, f'"{text}" is not a time from 00:00 to 24:00; {advice}')
    if is_read and period.end is not None and minutes(period.start, 0) == minutes(period.end, 0):
        yield period.finding("end", "the hours end when they start; correct one of them")


@rule("DateRange", severity=Severity.ERROR)
def dates(period: DateRange) -> Findings:
    """Flag dates that cannot be read, and ranges that end before they start."""
    from trialrun.runtime.channel_config.availability import day_of

    start, end = day_of(period.start), day_of(period.end)
    for field, text, day in (("start", period.start, start), ("end", period.end, end)):
        if text is not None and day is None:
            yield period.finding(field, f'"{text}" is not a date; write one such as 2026-11-01')
    if start and end and end < start:
        yield period.finding("end", "the dates end before they start; exchange them")


@rule("Availability", severity=Severity.ERROR)
def stores(availability: Availability) -> Findings:
    """Flag stores that are listed and left out."""
    for index, name in enumerate(availability.exceptStores or ()):
        if name in (availability.stores or ()):
            place = ("exceptStores", index) if not availability.is_partial("exceptStores") else "exceptStores"
            yield availability.finding(place, f'"{name}" is in stores too; remove it from one of the two')


@rule("Menu", severity=Severity.ERROR)
def dayparts(menu: Menu) -> Findings:
    """Flag dayparts that the menu does not declare, if it declares any and all could be read."""
    from trialrun.values.suggest import did_you_mean

    names = [daypart.name for daypart in menu.dayparts or ()]
    if not names or None in names or menu.is_partial("dayparts"):
        return
    for node in (menu, *(menu.items or ())):
        availability = node.availability
        for index, name in enumerate((availability.dayparts if availability else None) or ()):
            if availability is not None and name not in names and not availability.is_partial("dayparts"):
                advice = did_you_mean(name, [each for each in names if each], otherwise="declare it in `dayparts`")
                yield availability.finding(("dayparts", index), f'the menu has no daypart "{name}"{advice}')
