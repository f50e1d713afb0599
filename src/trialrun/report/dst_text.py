"""Describes a run that a clock change skips or repeats."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Literal

from trialrun.report.format_time import format_clock, format_day, format_offset


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
