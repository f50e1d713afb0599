"""Description of a time zone: its offset, and its next clock change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timezone
from typing import TYPE_CHECKING

from trialrun.lsp.describe.markdown import code
from trialrun.report.format_time import format_clock, format_day, format_offset
from trialrun.values import time_zone

if TYPE_CHECKING:
    from trialrun.values.time_zone import Transition

YEARS_AHEAD = 2


def zone_paragraphs(name: str, now: datetime) -> Iterator[str]:
    """The offset of a time zone now and after its next change; empty if the database does not have it."""
    if name not in time_zone.zone_names():
        return
    here = now.astimezone(time_zone.load_zone(name))
    short = here.tzname() or ""
    named = f" ({short})" if short.isalpha() else ""
    yield f"{code(name)}: UTC{format_offset(here)}{named} now; {_next(name, now)}."


def _next(name: str, now: datetime) -> str:
    last = min(now.year + YEARS_AHEAD, datetime.max.year)
    change = next(_changes(name, now, last), None)
    if change is None:
        return f"the clocks do not change before the end of {last}"
    change_time = change.at.replace(tzinfo=UTC)
    before, after = (change_time.astimezone(timezone(by)) for by in (change.before, change.after))
    put = "forward" if change.after > change.before else "back"
    when = f"{format_day(before, year=now.year)} {format_clock(before)}"
    return f"UTC{format_offset(after)} from {when}, when the clocks are put {put} to {format_clock(after)}"


def _changes(name: str, now: datetime, last: int) -> Iterator[Transition]:
    at = now.astimezone(UTC).replace(tzinfo=None)
    for year in range(at.year, last + 1):
        yield from (change for change in time_zone.transitions_in_year(name, year) if change.at > at)
