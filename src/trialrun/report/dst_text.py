"""A run that a change of the clocks takes away or doubles, in a sentence."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Literal

from trialrun.report.format_time import clock, day, offset


def clock_change_text(
    kind: Literal["skipped", "doubled"],
    local: datetime,
    *,
    at: datetime,
    before: timedelta,
    after: timedelta,
    year: int,
) -> str:
    """What becomes of the run at the wall clock time `local`, where the clocks change from one offset to another."""
    when = f"{day(local, year=year)} {clock(local)}"
    if kind == "skipped":
        moment = at.replace(tzinfo=None)
        leap = f"{clock(moment + before)} to {clock(moment + after)}"
        return f"no run at {when}, which the clocks leap over, from {leap}"
    offsets = " and at ".join(offset(local.replace(tzinfo=timezone(by))) for by in (before, after))
    return f"two runs at {when}, which comes twice, at {offsets}"
