"""What lies ahead of views as people read it: their next runs, the timeline, herds and changes of the clocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from trialrun.outputs.schedule import Outlook, Prospect
from trialrun.report.color import Paint
from trialrun.report.dst_text import clock_change_text
from trialrun.report.format_time import in_utc
from trialrun.report.schedule_table import Entry, Page, agenda
from trialrun.report.summary import counted
from trialrun.report.terminal_width import visible
from trialrun.report.timeline import Drawing, Lane, Sign, can_draw, timeline
from trialrun.report.wrap import wrapped
from trialrun.runtime.feature_view.schedule import Continuous, OnCron, OnDemand, Unreadable
from trialrun.runtime.feature_view.schedule_collisions import Herd
from trialrun.values.cron import ClockChange, describe

INDENT = "  "
MOST_LISTED = 4
"""How many equal troubles of one view are written out."""
MOST_HERDS = 10
MOST_NAMES = 12


def text(ahead: Outlook, width: int, paint: Paint, encoding: str | None) -> Iterator[str]:
    """Write all of it in `width` columns, the timeline in ASCII where the encoding lacks its signs."""
    if not ahead.prospects:
        yield "no views\n"
        return
    yield from agenda([_entry(one) for one in ahead.prospects], Page(ahead.now, width, paint))
    drawing = Drawing(width, paint, can_draw(encoding))
    herded = _herded(ahead)
    lanes = [_lane(one, herded.get(one.view.node.name or "", set()), ahead.now.year) for one in ahead.prospects]
    yield from timeline(lanes, ahead.now, ahead.end - ahead.now, drawing)
    for paragraph in (*_herds(ahead), *_changes(ahead)):
        yield "\n"
        first, *rest = paragraph
        for number, line in enumerate(wrapped(first, first=width, rest=width - len(INDENT))):
            yield paint(INDENT * bool(number) + line, "warning") + "\n"
        for sentence in rest:
            for number, line in enumerate(wrapped(sentence, first=width - 2, rest=width - 4)):
                yield INDENT * (1 + bool(number)) + line + "\n"


def _entry(one: Prospect) -> Entry:
    schedule, name = one.schedule, visible(one.label)
    match schedule:
        case OnCron():
            words = describe(replace(schedule.cron, zone=None))
            return Entry(name, words, schedule.zone, one.runs, note=_no_runs(one), style="error")
        case Continuous():
            return Entry(name, "continuous", "", note="synced whenever there are newer rows")
        case OnDemand():
            return Entry(name, "on demand only", "", note=schedule.reason)
        case Unreadable():
            return Entry(name, "cannot be read", "", note=visible(schedule.reason), style="error")


def _no_runs(one: Prospect) -> str:
    if one.runs:
        return ""
    return "never runs: no day of any year matches" if one.never else "runs no more before the end of the year 9999"


def _herded(ahead: Outlook) -> dict[str, set[datetime]]:
    """The moments at which each view is in a herd."""
    found: dict[str, set[datetime]] = defaultdict(set)
    for herd in ahead.herds:
        for name in herd.views:
            found[name].update(herd.minutes)
    return found


def _lane(one: Prospect, herded: set[datetime], year: int) -> Lane:
    doubled = {moment for change in one.changes for moment in _moments(change)}
    signs: list[tuple[datetime, Sign]] = [
        (run, "twice" if run in doubled else "herd" if run in herded else "run") for run in one.within
    ]
    signs += [(change.at, "lost") for change in one.changes if change.kind == "skipped"]
    return Lane(visible(one.label), signs, isinstance(one.schedule, Continuous), _lane_note(one, year))


def _moments(change: ClockChange) -> Iterator[datetime]:
    """The two moments at which a doubled run is."""
    if change.kind == "doubled":
        for by in (change.before, change.after):
            yield (change.local - by).replace(tzinfo=UTC)


def _lane_note(one: Prospect, year: int) -> str:
    match one.schedule:
        case OnDemand():
            return "on demand only"
        case Unreadable():
            return "cannot be read"
        case _ if one.runs:
            return f"→ {in_utc(one.runs[0], year=year)}"
        case _:
            return "never runs" if one.never else "no more runs"


def _herds(ahead: Outlook) -> Iterator[list[str]]:
    if not ahead.herds:
        return
    title = f"herds: more than {counted(max(1, ahead.most), 'view')} of a store in the same minute (sync-herd-size)"
    rest = len(ahead.herds) - MOST_HERDS
    more = [f"{counted(rest, 'more herd')}; --output-format json has all"] if rest > 0 else []
    yield [title, *(_herd(herd, ahead.now.year) for herd in ahead.herds[:MOST_HERDS]), *more]


def _herd(herd: Herd, year: int) -> str:
    names = [visible(name.rpartition("/")[2]) for name in herd.views[:MOST_NAMES]]
    if len(herd.views) > MOST_NAMES:
        names.append(f"{len(herd.views) - MOST_NAMES} more")
    more = f" and {counted(len(herd.minutes) - 1, 'more time')}" if len(herd.minutes) > 1 else ""
    when = f"{in_utc(herd.minutes[0], year=year)}{more}"
    return f"{when}: {len(herd.views)} views of {visible(herd.store_id)}: {', '.join(names)}"


def _changes(ahead: Outlook) -> Iterator[list[str]]:
    told = [line for one in ahead.prospects for line in _changes_of(one, ahead.now.year)]
    if told:
        yield ["changes of the clocks", *told]


def _changes_of(one: Prospect, year: int) -> Iterator[str]:
    for change in one.changes[:MOST_LISTED]:
        yield f"{visible(one.label)}: {_change(change, year)}"
    if len(one.changes) > MOST_LISTED:
        yield f"{visible(one.label)}: {len(one.changes) - MOST_LISTED} more"


def _change(change: ClockChange, year: int) -> str:
    return clock_change_text(
        change.kind, change.local, at=change.at, before=change.before, after=change.after, year=year
    )
