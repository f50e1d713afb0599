"""Which zone somebody meant who wrote something else."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from trialrun.values.suggest import closest_name
from trialrun.values.time_zone.aliases import ABBREVIATIONS, CITIES, squash, windows_zones
from trialrun.values.time_zone.names import modern_name, zone_names, zone_tab_names

_MAX_LENGTH = 64  # the longest name has 32 characters; comparing an essay with 598 names would only cost time
_MIN_SIMILARITY = 0.75


@lru_cache(maxsize=4096)
def suggest_zone(name: str) -> str | None:
    """The one zone name that an unknown name most likely stands for, in its modern form, or None."""
    if len(name) > _MAX_LENGTH:
        return None
    zone = _by_table(name) or _by_letters(name) or _by_last_segment(name) or _by_similarity(name)
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


def _by_letters(name: str) -> str | None:
    return _names_by_letters().get(squash(name))


def _by_last_segment(name: str) -> str | None:
    return _names_by_last_segment().get(squash(_last_segment(name)))


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
