"""Instants as text: RFC 3339 in the subset that ProtoJSON takes, to the nanosecond (both specifications, section 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from trialrun.values import Problem, shorten

DAY = 86400
FIRST_INSTANT = datetime(1970, 1, 1, tzinfo=UTC)
EPOCH = FIRST_INSTANT.toordinal()
MIN_SECONDS = (1 - EPOCH) * DAY
MAX_SECONDS = (date.max.toordinal() + 1 - EPOCH) * DAY - 1
STRICT = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII)
# What people write instead, as long as it can mean one time only.
LOOSE = (
    r"(?P<blank>\s*)(?P<year>\d{4})(?P<dash>-?)(?P<month>\d\d)(?P=dash)(?P<day>\d\d)(?P<joint>[Tt_]|\s+)"
    r"(?P<hour>\d\d)(?P<colon>:?)(?P<minute>\d\d)(?:(?P=colon)(?P<second>\d\d))?(?P<fraction>[.,]\d*)?"
    r"(?P<gap>\s*)(?P<offset>[Zz]|UTC|GMT|[+\-−]\d\d(?::?\d\d)?)?(?P<zone>\[[^\[\]]*\])*\s*"
)
EXAMPLE = "write a time such as 2024-01-02T03:04:05Z"
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
NARROWER = "valid in RFC 3339, and refused by ProtoJSON readers"
MAX_VALUES = {"month": 12, "hour": 23, "minute": 59, "second": 59}
PARTS = tuple(enumerate(("year", "month", "day", "hour", "minute", "second"), start=1))


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """An instant of the years 0001 to 9999: seconds since 1970-01-01T00:00:00Z, and nanoseconds from 0 up."""

    seconds: int
    nanos: int = 0

    def __str__(self) -> str:
        """The Z form, with 0, 3, 6 or 9 fractional digits."""
        days, rest = divmod(self.seconds, DAY)
        minutes, second = divmod(rest, 60)
        digits = f"{self.nanos:09}"
        while digits.endswith("000"):
            digits = digits[:-3]
        fraction = f".{digits}" if digits else ""
        day = date.fromordinal(EPOCH + days).isoformat()
        return f"{day}T{minutes // 60:02}:{minutes % 60:02}:{second:02}{fraction}Z"

    def to_datetime(self) -> datetime:
        """The instant in UTC, to the microsecond."""
        return FIRST_INSTANT + timedelta(seconds=self.seconds, microseconds=self.nanos // 1000)


def format_timestamp(time: datetime) -> str:
    """A time in the Z form, with 0, 3 or 6 fractional digits."""
    utc = time.astimezone(UTC)
    seconds = (utc.toordinal() - EPOCH) * DAY + utc.hour * 3600 + utc.minute * 60 + utc.second
    return str(Timestamp(seconds, utc.microsecond * 1000))


@lru_cache(maxsize=4096)
def check(text: str) -> tuple[Problem, ...]:
    """What keeps a text from being a time, code "invalid"; replacing the characters named makes it one."""
    parsed = _parse(text)
    return () if isinstance(parsed, Timestamp) else parsed


def parse(text: str) -> Timestamp:
    """The instant that a text names; raises ValueError, with the message of the first problem, if it names none."""
    parsed = _parse(text)
    if isinstance(parsed, Timestamp):
        return parsed
    raise ValueError(parsed[0].message)


def canonical_form(text: str) -> str | None:
    """The text as the service would write it, also if it was only plain what was meant; None if it was not."""
    parsed = _parse(text)
    if isinstance(parsed, tuple):
        strict = _to_strict_form(text)
        parsed = _parse(strict) if strict else parsed
    return str(parsed) if isinstance(parsed, Timestamp) else None


def _parse(text: str) -> Timestamp | tuple[Problem, ...]:
    match = STRICT.fullmatch(text)
    if match is None:
        return _check_form(text)
    return tuple(_out_of_range(match)) or _instant(match)


def _instant(match: re.Match[str]) -> Timestamp | tuple[Problem, ...]:
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    days = date(year, month, day).toordinal() - EPOCH
    east = 0 if match[8] == "Z" else int(match[8][1:3]) * 3600 + int(match[8][4:6]) * 60
    east = -east if match[8][0] == "-" else east
    seconds = days * DAY + hour * 3600 + minute * 60 + second - east
    if not MIN_SECONDS <= seconds <= MAX_SECONDS:
        message = f"{match[0]} is outside the years 0001 to 9999 because of its offset, {NARROWER}; {EXAMPLE}"
        return (_problem(*match.span(8), message),)
    return Timestamp(seconds, int((match[7] or "").ljust(9, "0")))


def _out_of_range(match: re.Match[str]) -> Iterator[Problem]:
    """Numbers that no clock or calendar shows."""
    values = {name: int(match[place]) for place, name in PARTS}
    for place, name in PARTS:
        if fault := _range_error(name, values):
            yield _problem(*match.span(place), fault)
    if match[8] != "Z" and (int(match[8][1:3]) > 23 or int(match[8][4:6]) > 59):
        yield _problem(*match.span(8), f"offset {match[8]} beyond 23:59")


def _range_error(name: str, values: dict[str, int]) -> str | None:
    value = values[name]
    match name:
        case "year":
            return None if value else f"year 0000, which is {NARROWER}; the first is 0001"
        case "day":
            days = _days_in_month(values["year"], values["month"])
            return None if 1 <= value <= days else f"day {value:02}; that month has {days} days"
        case "second" if value == 60:
            return f"second 60; leap seconds are {NARROWER}"
        case "month" if value == 0:
            return "month 00; the first is 01"
    return None if value <= MAX_VALUES[name] else f"{name} {value}; the last is {MAX_VALUES[name]}"


def _days_in_month(year: int, month: int) -> int:
    """The length of a month; 31 where there is no such month, which is a fault of its own."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _check_form(text: str) -> tuple[Problem, ...]:
    strict = _to_strict_form(text)
    meant = _parse(strict) if strict else ()
    if strict and isinstance(meant, Timestamp):
        start, end, replacement = _difference(text, strict)
        verdict = NARROWER if RFC_3339.fullmatch(text) else "not valid in RFC 3339"
        why = f'"{repr(text[start:end])[1:-1]}" is {verdict}' if end > start else f'"{replacement}" is missing'
        return (_problem(start, end, f"{why}; write {meant}", replacement),)
    return (_unclear_problem(text),)


def _unclear_problem(text: str) -> Problem:
    """The problem of a text of which it is not plain what it means, as exactly as can be."""
    if not text.strip():
        return _problem(0, len(text), f"empty time; {EXAMPLE}")
    match = re.fullmatch(LOOSE, text, re.ASCII)
    if match and not match["offset"]:
        end = len(text.rstrip())
        return _problem(end, end, "no offset from UTC; add Z, or an offset such as +02:00")
    if match and len(match["fraction"] or "") > 10:
        start = match.start("fraction") + 10
        verdict = f" are {NARROWER}" if RFC_3339.fullmatch(text) else ""
        message = f"more than 9 fractional digits{verdict}; nanoseconds are the limit"
        return _problem(start, match.end("fraction"), message)
    strict = match and STRICT.fullmatch(_to_strict_form(text) or "")
    if strict and (faults := list(_out_of_range(strict))):
        return _problem(0, len(text), faults[0].message)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        return _problem(len(text), len(text), f"this is a date; a full timestamp is required; {EXAMPLE}")
    return _problem(0, len(text), f"{shorten(text, 40)!r} is not an RFC 3339 time; {EXAMPLE}")


def _to_strict_form(text: str) -> str | None:
    """The text in the form of RFC 3339, where nothing but its form is wrong; its numbers are not checked."""
    match = re.fullmatch(LOOSE, text, re.ASCII)
    if match is None or not match["offset"]:
        return None
    digits = (match["fraction"] or "")[1:]
    if digits[9:].strip("0"):
        return None
    day = f"{match['year']}-{match['month']}-{match['day']}"
    fraction = f".{digits[:9]}" if digits else ""
    time = f"{match['hour']}:{match['minute']}:{match['second'] or '00'}{fraction}"
    offset = match["offset"]
    if offset in ("Z", "z", "UTC", "GMT"):
        return f"{day}T{time}Z"
    shift = offset[1:].replace(":", "").ljust(4, "0")
    return f"{day}T{time}{'+' if offset[0] == '+' else '-'}{shift[:2]}:{shift[2:]}"


def _difference(text: str, other: str) -> tuple[int, int, str]:
    """The fewest characters of `text` to replace so that it becomes `other`: start, end, replacement."""
    shorter = min(len(text), len(other))
    start = next((place for place in range(shorter) if text[place] != other[place]), shorter)
    rest = shorter - start
    end = next((place for place in range(rest) if text[-1 - place] != other[-1 - place]), rest)
    return start, len(text) - end, other[start : len(other) - end]


def _problem(start: int, end: int, message: str, replacement: str | None = None) -> Problem:
    return Problem("invalid", start, end, message, replacement)
