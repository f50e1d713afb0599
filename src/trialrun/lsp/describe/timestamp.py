"""Descriptions of timestamps and durations, relative to now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from trialrun.lsp.describe.markdown import code
from trialrun.report.format_time import format_clock, format_day, format_duration, format_time_until, format_utc

_PART = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)(h|ms|m|us|ns|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_LONGEST = timedelta(days=36_500).total_seconds()


def timestamp_paragraphs(text: str, now: datetime) -> Iterator[str]:
    """The weekday and the time in UTC, and how long it is until then or since; nothing for what is no moment."""
    from trialrun.values import timestamp

    if timestamp.check(text):
        return
    read = timestamp.parse(text)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=read.seconds)
    seconds = f":{moment.second:02}" if moment.second or read.nanos else ""
    shown = f"{format_day(moment)} {format_clock(moment)}{seconds} UTC" if seconds else format_utc(moment)
    yield f"{code(text)}: {' '.join(shown.split())}, {_distance(moment - now)}."


def duration_paragraphs(text: str) -> Iterator[str]:
    """A span of time as CEL writes it, in days, hours and minutes; nothing for what is none."""
    parts = _PART.findall(text)
    if parts and not _PART.sub("", text).strip("-"):
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
        is_short = seconds % 60 != 0 or seconds > _LONGEST
        yield f"{code(text)}: {f'{seconds:,g} seconds' if is_short else format_duration(timedelta(seconds=seconds))}."


def _distance(span: timedelta) -> str:
    if span >= timedelta(0):
        return format_time_until(span)
    return f"{format_time_until(-span).removeprefix('in ')} ago"
