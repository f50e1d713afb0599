"""Which zone names there are, which of them are old names of another, and the clocks of a zone with their changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import tzdata  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo


IANA_VERSION: str = tzdata.IANA_VERSION
"""The release of the IANA time zone database that every answer rests on, such as `2026f`."""

FOLDER = Path(next(iter(tzdata.__path__)))
"""Where the tzdata package keeps its files; reading them by path spares the import of importlib.resources."""

_STILL_MODERN = frozenset({"UTC", "GMT"})

# A link's target is the modern name, except where the database merged a place into one abroad that has
# kept the same clocks. These are the places' own names, all of them listed in zone.tab.
_ZONE_TAB_NAME = {
    "Africa/Asmera": "Africa/Asmara", "Africa/Timbuktu": "Africa/Bamako", "America/Coral_Harbour": "America/Atikokan",
    "America/Virgin": "America/St_Thomas", "Antarctica/South_Pole": "Antarctica/McMurdo",
    "Atlantic/Jan_Mayen": "Arctic/Longyearbyen", "Iceland": "Atlantic/Reykjavik", "Pacific/Ponape": "Pacific/Pohnpei",
    "Pacific/Truk": "Pacific/Chuuk", "Pacific/Yap": "Pacific/Chuuk",
}  # fmt: skip

# POSIX-style names are zones of their own with the rules of the whole country, not links to a place.
_POSIX_STYLE = {
    "CST6CDT": "America/Chicago", "EST5EDT": "America/New_York", "MST7MDT": "America/Denver",
    "PST8PDT": "America/Los_Angeles",
}  # fmt: skip


@cache
def zone_names() -> frozenset[str]:
    """Every name of the IANA time zone database, spelt as it must be written."""
    return frozenset((FOLDER / "zones").read_text(encoding="ascii").split())


@cache
def changed_zones() -> dict[str, datetime]:
    """Since when the clocks of a zone differ from those by the rules of a year before; zones with such a change only.

    `scripts/time_zone_changes.py` writes the table.
    """
    lines = Path(__file__).with_name("changed_zones.txt").read_text(encoding="ascii").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {name: datetime.strptime(since, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC) for name, since in rows}


@cache
def modern_name(name: str) -> str | None:
    """The name that replaced an old one (`US/Eastern`: `America/New_York`), or None if `name` is not old.

    Old is a link of the database that is neither listed in its zone.tab nor under `Etc/`: places that merely
    share another's clocks (`Europe/Oslo`) are listed there and are not old.
    """
    if name in _STILL_MODERN or name.startswith("Etc/") or name in zone_tab_names():
        return None
    return _ZONE_TAB_NAME.get(name) or _POSIX_STYLE.get(name) or _links().get(name)


@cache
def zone_tab_names() -> frozenset[str]:
    """The names of the database's zone.tab: one or more for each country."""
    lines = _read_lines("zone.tab")
    return frozenset(line.split("\t")[2] for line in lines if line and not line.startswith("#"))


@cache
def _links() -> dict[str, str]:
    """Other names and what they stand for: the lines `L target name` of tzdata.zi."""
    links = (line.split() for line in _read_lines("tzdata.zi") if line.startswith("L "))
    return {name: target for _, target, name in links}


def _read_lines(file: str) -> list[str]:
    return (FOLDER / "zoneinfo" / file).read_text(encoding="utf-8").splitlines()


class UnknownTimeZoneError(LookupError):
    """A name that the IANA time zone database does not have."""


@cache
def load_zone(name: str) -> ZoneInfo:
    """The clocks of a zone; raises UnknownTimeZoneError for a name that the database does not have.

    The result can be neither pickled nor deep-copied: keep the name and ask again.
    """
    if name not in zone_names():
        raise UnknownTimeZoneError(f'"{name}" is not an IANA time zone name')
    from zoneinfo import ZoneInfo

    with (FOLDER / "zoneinfo").joinpath(*name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


# No zone has changed its offset twice within six days (the shortest time between is 6 d 23 h), so one look every
# six days misses nothing; a test proves it for every zone of the database.
STRIDE = timedelta(days=6)
_SECOND = timedelta(seconds=1)
# Within a day and a half of the calendar's ends, local time may not exist in Python.
_FIRST = datetime(1, 1, 2, 12)
_LAST = datetime(9999, 12, 30, 12)


class Transition(NamedTuple):
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
