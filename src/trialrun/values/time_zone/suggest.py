"""Which zone somebody meant who wrote something else."""

from __future__ import annotations

from functools import cache, lru_cache

from trialrun.values.similarity import closest_match
from trialrun.values.time_zone.aliases import ABBREVIATIONS, CITIES, WINDOWS
from trialrun.values.time_zone.names import modern_name, names, places

_LONGEST = 64  # the longest name has 32 characters; comparing an essay with 598 names would only cost time
_CLOSE = 0.75


@lru_cache(maxsize=4096)
def did_you_mean(name: str) -> str | None:
    """The one zone name that an unknown name most likely stands for, in its modern form, or None."""
    if len(name) > _LONGEST:
        return None
    found = _by_table(name) or _by_letters(name) or _by_last_segment(name) or _by_likeness(name)
    return found and (modern_name(found) or found)


def meanings(abbreviation: str) -> tuple[str, ...]:
    """The zones that an abbreviation such as `IST` is used for; none where it is not one."""
    return ABBREVIATIONS.get(abbreviation.casefold(), ())


def _by_table(name: str) -> str | None:
    whole, city = _squashed(name), _squashed(_last(name))
    zones = ABBREVIATIONS.get(whole, ())
    return zones[0] if len(zones) == 1 else WINDOWS.get(whole) or CITIES.get(city)


def _by_letters(name: str) -> str | None:
    return _lettered().get(_squashed(name))


def _by_last_segment(name: str) -> str | None:
    return _ends().get(_squashed(_last(name)))


def _by_likeness(name: str) -> str | None:
    if meanings(name) or len(name) < 4 or name.casefold() in _areas():
        return None
    if near := closest_match(name.casefold(), _cased(), close=_CLOSE):
        return _cased()[near]
    near = closest_match(_squashed(_last(name)), _ends(), close=_CLOSE)
    return _ends()[near] if near else None


def _last(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


def _squashed(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _meant() -> list[str]:
    """Every name worth suggesting; where two look alike, the last one wins: those of zone.tab."""
    return sorted(names() - {"Factory"}, key=lambda name: (name in places(), name))


@cache
def _areas() -> frozenset[str]:
    return frozenset(name.partition("/")[0].casefold() for name in names() if "/" in name)


@cache
def _cased() -> dict[str, str]:
    return {name.casefold(): name for name in _meant()}


@cache
def _lettered() -> dict[str, str]:
    # GMT+0 and GMT-0 lose their sign here; all names that do are zero hours from UTC or Etc/GMT±n.
    return {_squashed(name): name for name in _meant() if not name.startswith("Etc/GMT")}


@cache
def _ends() -> dict[str, str]:
    """Names by their last segment, `newyork`; the Etc/ zones are not places and stay out."""
    return {_squashed(_last(name)): name for name in _meant() if not name.startswith("Etc/")}
