"""Which zone names there are, and which of them are old names of another."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import tzdata  # type: ignore[import-untyped]

IANA_VERSION: str = tzdata.IANA_VERSION
"""The release of the IANA time zone database that every answer rests on, such as `2026f`."""

FOLDER = Path(next(iter(tzdata.__path__)))
"""Where the tzdata package keeps its files; reading them by path spares the import of importlib.resources."""

_STILL_MODERN = frozenset({"UTC", "GMT"})

# A link's target is the modern name, except where the database merged a place into one abroad that has
# kept the same clocks. These are the places' own names, all of them listed in zone.tab.
_ZONE_TAB_NAME = {
    "Africa/Asmera": "Africa/Asmara",
    "Africa/Timbuktu": "Africa/Bamako",
    "America/Coral_Harbour": "America/Atikokan",
    "America/Virgin": "America/St_Thomas",
    "Antarctica/South_Pole": "Antarctica/McMurdo",
    "Atlantic/Jan_Mayen": "Arctic/Longyearbyen",
    "Iceland": "Atlantic/Reykjavik",
    "Pacific/Ponape": "Pacific/Pohnpei",
    "Pacific/Truk": "Pacific/Chuuk",
    "Pacific/Yap": "Pacific/Chuuk",
}


# POSIX-style names are zones of their own with the rules of the whole country, not links to a place.
_POSIX_STYLE = {
    "CST6CDT": "America/Chicago",
    "EST5EDT": "America/New_York",
    "MST7MDT": "America/Denver",
    "PST8PDT": "America/Los_Angeles",
}


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
