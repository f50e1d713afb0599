"""Descriptions of schedules, time zones, timestamps and durations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

from trialrun.lsp.describe import code, plain, shortened
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import Node
from trialrun.report.format_value import (
    describe_clock_change,
    format_clock,
    format_day,
    format_duration,
    format_offset,
    format_time_until,
    format_utc,
    format_utc_beside,
    format_wall_clock,
)
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    CronSchedule,
    InvalidSchedule,
    OnDemand,
    SyncSchedule,
    UnknownSchedule,
    clock_changes,
    next_runs,
    schedule_of,
)
from trialrun.runtime.options import runtime_options
from trialrun.values import cron, time_zone, timestamp
from trialrun.values.cron import CronExpression, CronToken
from trialrun.values.cron.fields import FIELDS, set_bits
from trialrun.workspace.open_workspace import OpenWorkspace

RUNS = 5
LONGEST = 1_000
"""Maximum length of a schedule that is parsed during a request."""
AHEAD = timedelta(days=366)
"""How far ahead clock changes are shown."""
MAX_CHANGES = 4
_LAST = datetime.max.replace(tzinfo=UTC)


def schedule_of_view(view: Node, workspace: OpenWorkspace) -> SyncSchedule | None:
    """The schedule of a view; None for other documents, and for schedules that are too long."""
    if not isinstance(view, FeatureView) or (view.syncConfig and len(view.syncConfig.cron or "") > LONGEST):
        return None
    return schedule_of(view, runtime_options(workspace.request.profiles.settings.runtime))


def schedule_paragraphs(schedule: SyncSchedule, now: datetime) -> Iterator[str]:
    """The schedule of a view in paragraphs of Markdown."""
    match schedule:
        case CronSchedule():
            unnamed = "" if schedule.cron.zone_token else ", the default"
            yield f"Runs {plain(_words(schedule.cron))}, in the time zone {code(schedule.zone)}{unnamed}."
            yield _runs(schedule, now)
            yield from _clock_changes(schedule, now)
        case InvalidSchedule():
            yield f"The schedule cannot be read: {plain(schedule.reason)}"
        case UnknownSchedule():
            yield f"The schedule is not known: {plain(schedule.reason)}"
        case Continuous():
            yield "Synced whenever there are newer rows."
        case OnDemand():
            read = cron.parse(schedule.text).cron if schedule.text is not None else None
            written = f"; the schedule, {plain(_words(read))}, is ignored" if read else ""
            yield f"Synced on demand only: {plain(schedule.reason)}{written}."


def next_run_words(schedule: SyncSchedule, now: datetime, name: str = "") -> str | None:
    """The next sync of a view in a few words, after a name if there is a run; None if its schedule is invalid."""
    match schedule:
        case CronSchedule():
            run = next(next_runs(schedule, after=now), None)
            label = f"{name}: " if name else ""
            return _no_run(schedule) if run is None else f"{label}{format_wall_clock(run, year=now.year)}"
        case Continuous():
            return "continuously"
        case OnDemand():
            return "on demand only"
        case InvalidSchedule() | UnknownSchedule():
            return None


def _words(schedule: CronExpression) -> str:
    return cron.describe(schedule._replace(zone=None))


def _no_run(schedule: CronSchedule) -> str:
    return "never: no date matches" if cron.never_fires(schedule.cron) else "no more runs"


def _runs(schedule: CronSchedule, now: datetime) -> str:
    runs = list(islice(next_runs(schedule, after=now), RUNS))
    if not runs:
        return f"Next run: {_no_run(schedule)}."
    lines = [f"Next runs after {format_utc(now)}:", ""]
    for run in runs:
        beside = f" ({format_utc_beside(run)})" if run.utcoffset() else ""
        lines.append(f"- {format_wall_clock(run, year=now.year)}{beside}")
    return "\n".join(lines)


def _clock_changes(schedule: CronSchedule, now: datetime) -> Iterator[str]:
    """The runs that clock changes skip or repeat within the next year."""
    end = now + min(AHEAD, _LAST - now)
    changes = list(islice(clock_changes(schedule, start=now, end=end), MAX_CHANGES + 1))
    lines = ["Clock changes:", ""]
    lines += [f"- {describe_clock_change(change, year=now.year)}" for change in changes[:MAX_CHANGES]]
    if changes:
        yield "\n".join([*lines, *(["- and others"] if len(changes) > MAX_CHANGES else [])])


YEARS_AHEAD = 2


def zone_paragraphs(name: str, now: datetime) -> Iterator[str]:
    """The offset of a time zone now and after its next change; empty if the database does not have it."""
    if name in time_zone.zone_names():
        here = now.astimezone(time_zone.load_zone(name))
        short = here.tzname() or ""
        named = f" ({short})" if short.isalpha() else ""
        yield f"{code(name)}: UTC{format_offset(here)}{named} now; {_next_change(name, now)}."


def _next_change(name: str, now: datetime) -> str:
    at, last = now.astimezone(UTC).replace(tzinfo=None), min(now.year + YEARS_AHEAD, datetime.max.year)
    years = (time_zone.transitions_in_year(name, year) for year in range(at.year, last + 1))
    change = next((change for changes in years for change in changes if change.at > at), None)
    if change is None:
        return f"the clocks do not change before the end of {last}"
    change_time = change.at.replace(tzinfo=UTC)
    before, after = (change_time.astimezone(timezone(by)) for by in (change.before, change.after))
    put = "forward" if change.after > change.before else "back"
    when = f"{format_day(before, year=now.year)} {format_clock(before)}"
    return f"UTC{format_offset(after)} from {when}, when the clocks are put {put} to {format_clock(after)}"


_DURATION_PART = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)(h|ms|m|us|ns|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_LONGEST_DURATION = timedelta(days=36_500).total_seconds()


def cron_field_at(schedule: CronExpression, character: int) -> tuple[CronToken | None, str]:
    """The cron field at a character, and its values in words; None elsewhere, and in macros such as @daily."""
    if len({token.start for token in schedule.fields}) == len(FIELDS):
        for field, token, mask, star in zip(FIELDS, schedule.fields, schedule.masks, schedule.stars, strict=True):
            if token.start <= character < token.end:
                values = [field.words[bit - field.first] if field.words else str(bit) for bit in set_bits(mask)]
                asked = f"every {field.name}" if star else f"{field.name} {shortened(values)}"
                return token, f"{code(token.text)}: {asked}"
    return None, ""


def timestamp_paragraphs(text: str, now: datetime) -> Iterator[str]:
    """The weekday and time in UTC, relative to now; empty if the text is not a timestamp."""
    if timestamp.check(text):
        return
    read = timestamp.parse(text)
    time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=read.seconds)
    seconds = f":{time.second:02}" if time.second or read.nanos else ""
    shown = f"{format_day(time)} {format_clock(time)}{seconds} UTC" if seconds else format_utc(time)
    distance = (
        f"{format_time_until(now - time).removeprefix('in ')} ago" if time < now else format_time_until(time - now)
    )
    yield f"{code(text)}: {' '.join(shown.split())}, {distance}."


def duration_paragraphs(text: str) -> Iterator[str]:
    """A duration in days, hours and minutes; empty if the text is not a duration."""
    parts = _DURATION_PART.findall(text)
    if parts and not _DURATION_PART.sub("", text).strip("-"):
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
        is_short = seconds % 60 != 0 or seconds > _LONGEST_DURATION
        yield f"{code(text)}: {f'{seconds:,g} seconds' if is_short else format_duration(timedelta(seconds=seconds))}."
