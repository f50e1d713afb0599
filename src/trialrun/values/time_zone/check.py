"""Whether a text is a zone name, and a good one."""

from __future__ import annotations

import re

from trialrun.values.problem import Problem
from trialrun.values.time_zone.names import modern_name, zone_names
from trialrun.values.time_zone.suggest_zone import suggest_zone, zones_of_abbreviation

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
        return _problem("unknown", name, *_unknown_message(name))
    if name.startswith("Etc/") and (sign := re.fullmatch(_REVERSED, name)):
        return _problem("deprecated", name, _reversed_sign_message(name, sign), None)
    if modern := modern_name(name):
        return _problem("deprecated", name, _deprecated_message(name, modern), modern)
    return None


def _problem(code: str, name: str, message: str, replacement: str | None) -> Problem:
    return Problem(code, 0, len(name), message, replacement)


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
    return f'"{_truncate(name)}" is {what}; {advice}', suggestion


def _offset_message(name: str, match: re.Match[str]) -> tuple[str, str | None]:
    sign, hours, minutes = match.groups()
    if int(hours) == 0 and int(minutes or 0) == 0:
        return f'"{name}" is an offset, not a time zone name; write "UTC"', "UTC"
    fixed = f"Etc/GMT{'-' if sign == '+' else '+'}{int(hours)}"
    advice = "write the name of a place, such as Europe/Paris"
    if not int(minutes or 0) and fixed in zone_names():
        advice += f", or {fixed} (its sign is reversed) for that offset all year"
    return f'"{name}" is an offset, not a time zone name; {advice}', None


def _deprecated_message(name: str, modern: str) -> str:
    if wanted := _WITH_SUMMER_TIME.get(name):
        advice = f'write "{modern}" for the same offset all year, or {wanted} for daylight saving time'
        return f'"{name}" has no daylight saving time; {advice}'
    return f'"{name}" is a deprecated name; write "{modern}"'


def _reversed_sign_message(name: str, match: re.Match[str]) -> str:
    side = "behind" if match[1] == "+" else "ahead of"
    hours = f"{match[2]} hour{'s' if match[2] != '1' else ''}"
    return f'the sign of "{name}" is reversed, it is {hours} {side} UTC; write the name of a place'


def _truncate(name: str) -> str:
    return name if len(name) <= _MAX_QUOTED else f"{name[:_MAX_QUOTED]}…"
