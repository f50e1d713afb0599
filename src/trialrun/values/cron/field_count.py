"""Texts with more or fewer than five fields, and what they were meant to be."""

from __future__ import annotations

import re

from trialrun.values.cron.expression import Token
from trialrun.values.cron.time_zone_prefix import TimeZonePrefix
from trialrun.values.problem import Problem

_NAMES = "minute, hour, day of month, month, day of week"
_JOINS = r"[ \t]*([-,/])[ \t]*"
_LATE_PREFIX = r"(?:CRON_TZ|TZ)=\S+"
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def wrong_field_count(text: str, tokens: list[Token], prefix: TimeZonePrefix | None) -> Problem:
    """What is wrong with a schedule of any number of fields but five."""
    start, end = tokens[0].start, tokens[-1].end
    if prefix and prefix.zone and len(tokens) > 5 and len(tokens[0].text) > 2 and tokens[0].text.isalpha():
        name = f"{prefix.zone.text}_{tokens[0].text}"
        message = f'a time zone name has no blanks; write "{name[:40]}"'
        return Problem("syntax", prefix.zone.start, tokens[0].end, message, name)
    found = _NUMBERS[len(tokens)] if len(tokens) < len(_NUMBERS) else str(len(tokens))
    plural = "field" if len(tokens) == 1 else "fields"
    reason, meant = _suggest(text[start:end], [token.text for token in tokens])
    return Problem("syntax", start, end, f"{found} {plural} where cron has five; {reason}", meant)


def _suggest(schedule: str, texts: list[str]) -> tuple[str, str | None]:
    joined = re.sub(_JOINS, r"\1", schedule)
    if joined != schedule and len(joined.split()) == 5:
        return f'blanks part fields, write "{joined[:40]}"', joined
    if len(texts) == 6 and re.fullmatch(_LATE_PREFIX, texts[5]):
        return "the time zone prefix must come first", " ".join((texts[5], *texts[:5]))
    if len(texts) == 6 and (zone := trailing_zone(texts[5])):
        prefixed = f"CRON_TZ={zone} {' '.join(texts[:5])}"
        return f'a time zone stands before the schedule; write "{prefixed[:60]}"', prefixed
    if len(texts) == 6:
        return "the first looks like seconds, drop it", " ".join(texts[1:]) if texts[0] in ("0", "00") else None
    if len(texts) == 7:
        return "the first looks like seconds and the last like a year, drop both", None
    return f"write {_NAMES}", None


def trailing_zone(text: str) -> str | None:
    """The time zone that a word behind a schedule names, or plainly means; None for any other word."""
    if not text[:1].isalpha():
        return None
    from trialrun.values import time_zone

    problem = time_zone.check(text)
    if problem is None or problem.code == "deprecated":
        return text
    return problem.replacement if "/" in text else None
