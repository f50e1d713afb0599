"""Formats served values for programs and people, and times and durations for people, the same in every locale."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from bisect import bisect_left
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from trialrun.report.terminal_width import escape_controls, measure_cells
from trialrun.report.terminal_width import width as width_of
from trialrun.serialization import json_value
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.values.cron import ClockChange

MAX_ITEMS = 6
"""Longer lists are shown by their first items and their length."""
FIRST_ITEMS = 3
ELLIPSIS = "…"


def format_time(time: datetime) -> str:
    """The time for people, without fractions of a second."""
    return format_timestamp(time.replace(microsecond=0))


def format_cell(value: object) -> str:
    """The value as a table cell; a long list by its length only."""
    if isinstance(value, list | tuple) and len(value) > MAX_ITEMS:
        return f"[{len(value):,} values]"
    return format_value(value)


def format_value(value: object) -> str:
    """The value on one line; a long list by its first items and its length."""
    match value:
        case str():
            return escape_controls(value) if value and value.strip() == value else json.dumps(value)
        case bytes():
            return f"{b64encode(value).decode('ascii')} ({len(value)} byte{'' if len(value) == 1 else 's'})".lstrip()
        case list() | tuple():
            return _format_list(value)
    return _format_scalar(value)


def _format_list(items: Sequence[object]) -> str:
    if len(items) <= MAX_ITEMS:
        return f"[{', '.join(map(_format_item, items))}]"
    return f"[{', '.join(map(_format_item, items[:FIRST_ITEMS]))}, {ELLIPSIS} {len(items):,} values]"


def _format_item(value: object) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.4g}"
    return escape_controls(json.dumps(value, ensure_ascii=False)) if isinstance(value, str) else _format_scalar(value)


def _format_scalar(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    return str(json_value(value))


def truncate(text: str, room: int) -> str:
    """The text in at most `room` cells, with an ellipsis if it is cut."""
    cells = measure_cells(text)
    if cells.width <= room:
        return "".join(cells.texts)
    return "".join(cells.texts[: bisect_left(cells.right, room)]).rstrip() + ELLIPSIS


GAP = 2
MIN_COLUMN_WIDTH = 8
"""Minimum width of a column."""


def align_columns(
    rows: Sequence[Sequence[str]], *, width: int, right: Collection[int] = (), head: bool = False
) -> list[list[str]] | None:
    """The cells of the rows, cut and padded to columns; None if there are too many columns for the width.

    The columns in `right` are right-aligned; the last cell of a row is not padded, unless it is one of them. The first
    row is not cut if it is the `head`.
    """
    natural = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    least = [
        max(min(width_pair, MIN_COLUMN_WIDTH), width_of(cell) if head else 0)
        for width_pair, cell in zip(natural, rows[0], strict=True)
    ]
    widths = _widths(natural, least, width - GAP * (len(natural) - 1))
    if widths is None:
        return None
    return [[_cell(text, widths, at, right) for at, text in enumerate(row)] for row in rows]


def align_if_wide_enough(rows: Sequence[Sequence[str]], *, width: int, right: Collection[int] = ()) -> list[list[str]]:
    """The cells as columns if the width allows, otherwise unpadded, with control characters escaped."""
    return align_columns(rows, width=width, right=right) or [[escape_controls(cell) for cell in row] for row in rows]


def numeric_columns(rows: Sequence[Sequence[object]], *, first: int) -> list[int]:
    """The indexes of columns that contain only numbers or null, from `first` on."""
    columns = enumerate(zip(*rows, strict=True), first)
    return [at for at, column in columns if all(value is None or type(value) in (int, float) for value in column)]


def join_cells(cells: Sequence[str]) -> str:
    """The cells of a row as a line."""
    return (" " * GAP).join(cells).rstrip()


def _widths(natural: Sequence[int], least: Sequence[int], room: int) -> list[int] | None:
    """The widths of the columns: the widest are reduced until all fit."""
    if sum(least) > room:
        return None
    most = max(natural)
    while sum(_width(*width_pair, most) for width_pair in zip(natural, least, strict=True)) > room:
        most -= 1
    return [_width(*width_pair, most) for width_pair in zip(natural, least, strict=True)]


def _width(natural: int, least: int, most: int) -> int:
    return max(min(natural, most), least)


def _cell(text: str, widths: Sequence[int], at: int, right: Collection[int]) -> str:
    drawn = truncate(text, widths[at])
    blanks = " " * (widths[at] - width_of(drawn))
    if at in right:
        return blanks + drawn
    return drawn if at == len(widths) - 1 else drawn + blanks


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


def describe_clock_change(change: ClockChange, *, year: int) -> str:
    """A sentence about the run that a change of the clocks skips or doubles."""
    local, both = change.local, (change.before, change.after)
    when = f"{format_day(local, year=year)} {format_clock(local)}"
    if change.kind == "skipped":
        leap = " to ".join(format_clock(change.at.replace(tzinfo=None) + by) for by in both)
        return f"no run at {when}, which a clock change skips ({leap})"
    offsets = " and at ".join(format_offset(local.replace(tzinfo=timezone(by))) for by in both)
    return f"two runs at {when}, which occurs twice, at {offsets}"
