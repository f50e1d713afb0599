"""Formats times, durations and clock changes for people, the same in every locale."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Literal

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_MANY_DAYS = 14 * _DAY


def format_day(time: datetime, *, year: int | None = None) -> str:
    """The day, `Fri 20 Nov`; with its year unless it is the given one."""
    day = f"{DAYS[time.weekday()]} {time.day:2} {MONTHS[time.month - 1]}"
    return day if time.year == year else f"{day} {time.year}"


def format_clock(time: datetime) -> str:
    """The time of day, `04:15`."""
    return f"{time.hour:02}:{time.minute:02}"


def format_wall_clock(time: datetime, *, year: int | None = None) -> str:
    """The day and time with the UTC offset, `Sat 21 Nov 04:15 -06:00`."""
    return f"{format_day(time, year=year)} {format_clock(time)} {format_offset(time)}"


def format_offset(time: datetime) -> str:
    """The UTC offset, `-06:00`."""
    return time.isoformat(timespec="seconds")[len("2026-11-20T12:00:00") :]


def format_utc(time: datetime, *, year: int | None = None) -> str:
    """The day and time in UTC, `Sat 21 Nov 10:15 UTC`."""
    utc = time.astimezone(UTC)
    return f"{format_day(utc, year=year)} {format_clock(utc)} UTC"


def format_utc_beside(time: datetime) -> str:
    """The time in UTC to show next to the local time, with the weekday if it differs: `Sun 03:30 UTC`."""
    utc = time.astimezone(UTC)
    weekday = "" if utc.date() == time.date() else f"{DAYS[utc.weekday()]} "
    return f"{weekday}{format_clock(utc)} UTC"


def format_time_until(span: timedelta) -> str:
    """The time until something, `in 3 h 12 min`; the smaller unit is rounded down."""
    seconds = int(span.total_seconds())
    if seconds < _MINUTE:
        return f"in {seconds} s"
    if seconds < _HOUR:
        return f"in {seconds // _MINUTE} min"
    if seconds < _DAY:
        return f"in {seconds // _HOUR} h {seconds % _HOUR // _MINUTE} min"
    if seconds < _MANY_DAYS:
        return f"in {seconds // _DAY} d {seconds % _DAY // _HOUR} h"
    return f"in {seconds // _DAY} d"


def format_duration(span: timedelta) -> str:
    """A duration in whole minutes, `24 h`, `7 d` or `1 h 30 min`."""
    minutes = int(span.total_seconds()) // _MINUTE
    if minutes % (24 * 60) == 0 and minutes > 24 * 60:
        return f"{minutes // (24 * 60)} d"
    parts = (minutes // 60, "h"), (minutes % 60, "min")
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 min"


def describe_clock_change(
    kind: Literal["skipped", "doubled"],
    local: datetime,
    *,
    at: datetime,
    before: timedelta,
    after: timedelta,
    year: int,
) -> str:
    """A sentence about the run at the local time `local`, when the clocks change from one offset to another."""
    when = f"{format_day(local, year=year)} {format_clock(local)}"
    if kind == "skipped":
        wall_clock = at.replace(tzinfo=None)
        leap = f"{format_clock(wall_clock + before)} to {format_clock(wall_clock + after)}"
        return f"no run at {when}, which a clock change skips ({leap})"
    offsets = " and at ".join(format_offset(local.replace(tzinfo=timezone(by))) for by in (before, after))
    return f"two runs at {when}, which occurs twice, at {offsets}"
