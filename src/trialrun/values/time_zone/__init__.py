"""IANA time zones, read from the pinned tzdata package and never from the system's copy.

Which names there are, which of them are old names of another, the clocks of a zone with their changes, and which zone
somebody meant who wrote something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import MAXYEAR, UTC, datetime, timedelta, tzinfo
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import tzdata  # type: ignore[import-untyped]

from trialrun.values import Problem
from trialrun.values.suggest import closest_name

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


def is_at_end_of_calendar(time: datetime) -> bool:
    """Whether a time is so near to the year 1 or 9999 that its local time, or one of its next year, may be outside."""
    return not 2 <= time.year <= MAXYEAR - 2


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


CITIES = {
    "abudhabi": "Asia/Dubai", "atlanta": "America/New_York", "austin": "America/Chicago", "bangalore": "Asia/Kolkata",
    "barcelona": "Europe/Madrid", "beijing": "Asia/Shanghai", "bengaluru": "Asia/Kolkata", "bombay": "Asia/Kolkata",
    "boston": "America/New_York", "canberra": "Australia/Sydney", "capetown": "Africa/Johannesburg",
    "chennai": "Asia/Kolkata", "cologne": "Europe/Berlin", "dallas": "America/Chicago", "delhi": "Asia/Kolkata",
    "dusseldorf": "Europe/Berlin", "edinburgh": "Europe/London", "frankfurt": "Europe/Berlin",
    "geneva": "Europe/Zurich", "guangzhou": "Asia/Shanghai", "hamburg": "Europe/Berlin", "hanoi": "Asia/Ho_Chi_Minh",
    "houston": "America/Chicago", "hyderabad": "Asia/Kolkata", "kyoto": "Asia/Tokyo",
    "lasvegas": "America/Los_Angeles", "manchester": "Europe/London", "miami": "America/New_York",
    "milan": "Europe/Rome", "montreal": "America/Toronto", "mumbai": "Asia/Kolkata", "munich": "Europe/Berlin",
    "newdelhi": "Asia/Kolkata", "nyc": "America/New_York", "osaka": "Asia/Tokyo", "ottawa": "America/Toronto",
    "philadelphia": "America/New_York", "portland": "America/Los_Angeles", "pune": "Asia/Kolkata",
    "rio": "America/Sao_Paulo", "riodejaneiro": "America/Sao_Paulo", "saigon": "Asia/Ho_Chi_Minh",
    "saltlakecity": "America/Denver", "sandiego": "America/Los_Angeles", "sanfrancisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles", "shenzhen": "Asia/Shanghai", "stuttgart": "Europe/Berlin",
    "telaviv": "Asia/Jerusalem", "washington": "America/New_York", "washingtondc": "America/New_York",
    "wellington": "Pacific/Auckland",
}  # fmt: skip
"""Cities that are not themselves the end of a name, in small letters without punctuation, as all of these keys.

The names of Windows are in `windows_zones.txt`.
"""

ABBREVIATIONS = {
    "acst": ("Australia/Adelaide",), "aedt": ("Australia/Sydney",), "aest": ("Australia/Sydney",),
    "akdt": ("America/Anchorage",), "akst": ("America/Anchorage",), "ast": ("America/Halifax", "Asia/Riyadh"),
    "awst": ("Australia/Perth",), "brt": ("America/Sao_Paulo",), "bst": ("Europe/London", "Asia/Dhaka"),
    "cat": ("Africa/Maputo",), "cdt": ("America/Chicago", "America/Havana"), "cest": ("Europe/Paris",),
    "cst": ("America/Chicago", "Asia/Shanghai", "America/Havana"), "eat": ("Africa/Nairobi",),
    "edt": ("America/New_York",), "eest": ("Europe/Athens",), "gst": ("Asia/Dubai",), "hkt": ("Asia/Hong_Kong",),
    "ict": ("Asia/Bangkok",), "idt": ("Asia/Jerusalem",), "ist": ("Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"),
    "jst": ("Asia/Tokyo",), "kst": ("Asia/Seoul",), "mdt": ("America/Denver",), "msk": ("Europe/Moscow",),
    "nzdt": ("Pacific/Auckland",), "nzst": ("Pacific/Auckland",), "pdt": ("America/Los_Angeles",),
    "pht": ("Asia/Manila",), "pkt": ("Asia/Karachi",), "pst": ("America/Los_Angeles",),
    "sast": ("Africa/Johannesburg",), "sgt": ("Asia/Singapore",), "trt": ("Europe/Istanbul",),
    "west": ("Europe/Lisbon",), "wib": ("Asia/Jakarta",),
}  # fmt: skip


@cache
def windows_zones() -> dict[str, str]:
    """By Windows' name, the zone that it means."""
    lines = Path(__file__).with_name("windows_zones.txt").read_text(encoding="ascii").splitlines()
    pairs = (line.split("\t") for line in lines if not line.startswith("#"))
    return {squash(name): zone for name, zone in pairs}


def squash(name: str) -> str:
    """The letters and digits of a name, which tell names apart."""
    return "".join(filter(str.isalnum, name.casefold()))


_MAX_LENGTH = 64  # the longest name has 32 characters; comparing an essay with 598 names would only cost time
_MIN_SIMILARITY = 0.75


@lru_cache(maxsize=4096)
def suggest_zone(name: str) -> str | None:
    """The one zone name that an unknown name most likely stands for, in its modern form, or None."""
    if len(name) > _MAX_LENGTH:
        return None
    last = squash(_last_segment(name))
    by_letters = _names_by_letters().get(squash(name))
    zone = _by_table(name) or by_letters or _names_by_last_segment().get(last) or _by_similarity(name)
    return zone and (modern_name(zone) or zone)


def zones_of_abbreviation(abbreviation: str) -> tuple[str, ...]:
    """The zones that an abbreviation such as `IST` is used for; none where it is not one."""
    return ABBREVIATIONS.get(abbreviation.casefold(), ())


def _by_table(name: str) -> str | None:
    whole, city = squash(name), squash(_last_segment(name))
    zones = ABBREVIATIONS.get(whole, ())
    return zones[0] if len(zones) == 1 else _windows_zone(name) or CITIES.get(city)


def _windows_zone(name: str) -> str | None:
    """The zone of a name of Windows, also as `Eastern Daylight Time` or `Pacific Time (US & Canada)`."""
    words = re.sub(r"\([^)]*\)", " ", name)
    standard = re.sub(r"(?i)( standard| daylight| daylight saving| summer)? time *$", " standard time", words)
    return windows_zones().get(squash(name)) or windows_zones().get(squash(standard))


def _by_similarity(name: str) -> str | None:
    if zones_of_abbreviation(name) or len(name) < 4 or name.casefold() in _areas():
        return None
    if near := closest_name(name.casefold(), _names_by_case(), min_similarity=_MIN_SIMILARITY):
        return _names_by_case()[near]
    near = closest_name(squash(_last_segment(name)), _names_by_last_segment(), min_similarity=_MIN_SIMILARITY)
    return _names_by_last_segment()[near] if near else None


def _last_segment(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


def _suggestable_names() -> list[str]:
    """Every name worth suggesting; where two look alike, the last one wins: those of zone.tab."""
    return sorted(zone_names() - {"Factory"}, key=lambda name: (name in zone_tab_names(), name))


@cache
def _areas() -> frozenset[str]:
    return frozenset(name.partition("/")[0].casefold() for name in zone_names() if "/" in name)


@cache
def _names_by_case() -> dict[str, str]:
    return {name.casefold(): name for name in _suggestable_names()}


@cache
def _names_by_letters() -> dict[str, str]:
    # GMT+0 and GMT-0 lose their sign here; all names that do are zero hours from UTC or Etc/GMT±n.
    return {squash(name): name for name in _suggestable_names() if not name.startswith("Etc/GMT")}


@cache
def _names_by_last_segment() -> dict[str, str]:
    """Names by their last segment, `newyork`; the Etc/ zones are not places and stay out."""
    return {squash(_last_segment(name)): name for name in _suggestable_names() if not name.startswith("Etc/")}


# Texts, not compiled: most names are good.
_OFFSET = r"(?i)(?:UTC|GMT)?\s*([+\-−])\s*(\d{1,2})(?::?(\d\d))?"
_REVERSED = r"Etc/GMT([+-])([1-9]\d?)"
_WITH_SUMMER_TIME = {"EST": "America/New_York", "MST": "America/Denver"}
_MAX_QUOTED = 64


def check(name: str) -> Problem | None:
    """What is wrong with a time zone name, or None.

    The problem's code is `unknown` (no name of the IANA database that can be used) or `deprecated` (an old name,
    or `Etc/GMT±n` with its reversed sign); its characters are those of the whole name, counted from 0.
    """
    if name not in zone_names() or name == "Factory":
        return Problem("unknown", 0, len(name), *_unknown_message(name))
    if name.startswith("Etc/") and (sign := re.fullmatch(_REVERSED, name)):
        side = "behind" if sign[1] == "+" else "ahead of"
        hours = f"{sign[2]} hour{'s' if sign[2] != '1' else ''}"
        message = f'the sign of "{name}" is reversed, it is {hours} {side} UTC; write the name of a place'
        return Problem("deprecated", 0, len(name), message)
    if modern := modern_name(name):
        message = f'"{name}" is a deprecated name; write "{modern}"'
        if wanted := _WITH_SUMMER_TIME.get(name):
            advice = f'write "{modern}" for the same offset all year, or {wanted} for daylight saving time'
            message = f'"{name}" has no daylight saving time; {advice}'
        return Problem("deprecated", 0, len(name), message, modern)
    return None


def _unknown_message(name: str) -> tuple[str, str | None]:
    """Message and replacement for a name that cannot be used."""
    if not name.strip():
        return "the time zone is empty; write an IANA name such as Europe/Paris or UTC", None
    if name == "Factory":
        return '"Factory" means that no zone is set; write an IANA name such as Europe/Paris or UTC', None
    if offset := re.fullmatch(_OFFSET, name):
        return _offset_message(name, offset)
    if len(zones := zones_of_abbreviation(name)) > 1:
        return f'"{name}" is an abbreviation of several time zones; write one of {", ".join(zones)}', None
    what = "an abbreviation" if zones else "not an IANA time zone name"
    suggestion = suggest_zone(name)
    advice = f'write "{suggestion}"' if suggestion else "write a name such as Europe/Paris or UTC"
    shown = name if len(name) <= _MAX_QUOTED else f"{name[:_MAX_QUOTED]}…"
    return f'"{shown}" is {what}; {advice}', suggestion


def _offset_message(name: str, match: re.Match[str]) -> tuple[str, str | None]:
    sign, hours, minutes = match.groups()
    if int(hours) == 0 and int(minutes or 0) == 0:
        return f'"{name}" is an offset, not a time zone name; write "UTC"', "UTC"
    fixed = f"Etc/GMT{'-' if sign == '+' else '+'}{int(hours)}"
    advice = "write the name of a place, such as Europe/Paris"
    if not int(minutes or 0) and fixed in zone_names():
        advice += f", or {fixed} (its sign is reversed) for that offset all year"
    return f'"{name}" is an offset, not a time zone name; {advice}', None
