"""The section of feature views: source, sync, store and index of each, and when what runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import takewhile
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from trialrun.model.feature_view import IndexConfig
from trialrun.outputs.schedule import UpcomingRuns, UpcomingSchedule, rfc_3339, upcoming_schedule, zone_of
from trialrun.page.sources import PageSources
from trialrun.report.format_value import format_clock, format_day, format_offset
from trialrun.report.terminal_width import escape_controls
from trialrun.runtime.declaration import DeclaredResource
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    CronSchedule,
    InvalidSchedule,
    OnDemand,
    SyncSchedule,
    clock_changes,
    next_runs,
)
from trialrun.values.cron import describe
from trialrun.values.resource_name import last_id, shown_name
from trialrun.values.time_zone import is_at_end_of_calendar, load_zone, transitions_in_year

RUNS = 5
WEEK = timedelta(days=7)
MAX_MINUTES = 200
"""Minutes of herds that a page lists."""


def views_section(sources: PageSources) -> dict[str, Any] | None:
    """Every feature view with its way from the source to the index, and the schedule of a week; None without views."""
    if not sources.documents.views:
        return None
    ahead = week_schedule(sources)
    errors = Counter(diagnostic.resource for diagnostic in sources.checked.diagnostics)
    labels = Counter(view.label for view in ahead.views)
    return {
        "views": [_view(sources, view, number, labels, errors) for number, view in enumerate(ahead.views)],
        "schedule": {
            "from": rfc_3339(ahead.now),
            "to": rfc_3339(ahead.end),
            "week": week_drawing(ahead),
            "clock_changes": list(clock_change_drawings(ahead)),
            "herds": [
                {
                    "store": herd.store_id,
                    "views": [last_id(shown_name(view)) for view in herd.views],
                    "minutes": [rfc_3339(minute) for minute in herd.minutes[:MAX_MINUTES]],
                    "count": len(herd.minutes),
                }
                for herd in ahead.herds
            ],
        },
    }


def week_schedule(sources: PageSources) -> UpcomingSchedule:
    """What lies ahead of all views in a week."""
    documents = sources.documents
    return upcoming_schedule(sources.request, documents, list(documents.views), count=RUNS, span=WEEK)


def schedule_picture(sources: PageSources) -> str | None:
    """The schedule of a week as a file of its own, for a chat or a pull request; None without views."""
    return "".join(drawing_svg(week_drawing(week_schedule(sources)))) if sources.documents.views else None


def _view(
    sources: PageSources, upcoming: UpcomingRuns, number: int, labels: Mapping[str, int], errors: Mapping[str, int]
) -> dict[str, Any]:
    """A view; its address is its label, with its number where another view has that."""
    view, label = upcoming.view, upcoming.label
    node, name = view.node, view.node.name or ""
    declared = sources.documents.store_of(name)
    store = {"type": declared.node.type, "path": declared.path, "line": declared.line()} if declared else {}
    return {
        **({"data": sources.synced[name]} if name in sources.synced else {}),
        "id": label if labels[label] == 1 else f"{label}-{number}",
        "label": label,
        "name": node.name and shown_name(node.name),
        "path": view.path,
        "line": view.line("name") if name else view.line(),
        "labels": dict(node.labels or {}),
        "findings": errors.get(name, 0) if name else 0,
        "source": _source(sources, view),
        "sync": _sync(upcoming.schedule),
        "zone": zone_of(upcoming.schedule),
        "store": {"id": last_id(name.rpartition("/featureViews/")[0]), **store},
        "index": _index(node.indexConfig or node.vectorSearchConfig),
        "runs": [rfc_3339(run) for run in upcoming.runs],
        "changes": [{"kind": each.kind, "local": each.local.isoformat()} for each in upcoming.changes[:MAX_MINUTES]],
    }


def _source(sources: PageSources, view: DeclaredResource[Any]) -> dict[str, Any]:
    warehouse, registry, rag = view.node.warehouseSource, view.node.featureRegistrySource, view.node.ragSource
    if warehouse is not None:
        tables = [_table(sources, warehouse.uri)]
        return {"kind": "warehouse", "tables": tables, "entity": list(warehouse.entityIdColumns or ())}
    if registry is not None:
        tables = []
        for group in registry.featureGroups or ():
            id = group.featureGroupId or ""
            declared = sources.documents.group(id, registry.projectNumber)
            table = _table(sources, declared.node.uri if declared else None)
            tables.append({"group": id, "features": list(group.featureIds or ()), **table})
        return {"kind": "registry", "tables": tables}
    if rag is not None:
        corpus = {} if rag.ragCorpusId is None else {"corpus": str(rag.ragCorpusId)}
        return {"kind": "RAG", "tables": [_table(sources, rag.uri)], **corpus}
    return {"kind": "none", "tables": []}


def _table(sources: PageSources, uri: str | None) -> dict[str, Any]:
    declared = sources.documents.source(uri) if uri else None
    if declared is None:
        return {"uri": uri}
    rows = declared.node.files or declared.node.database
    return {"uri": uri, "rows": rows, "path": declared.path, "line": declared.line()}


def _sync(schedule: SyncSchedule) -> dict[str, Any]:
    if isinstance(schedule, CronSchedule):
        return {"kind": "schedule", "text": describe(schedule.cron), "cron": schedule.text}
    if isinstance(schedule, Continuous):
        return {"kind": "continuous", "text": "synced continuously"}
    kind = {InvalidSchedule: "invalid", OnDemand: "on demand"}.get(type(schedule), "not known")
    return {"kind": kind, "text": schedule.reason, **({} if schedule.text is None else {"cron": schedule.text})}


def _index(config: IndexConfig | None) -> dict[str, Any] | None:
    if config is None:
        return None
    tree = config.treeAhConfig
    leaf = {} if tree is None or tree.leafNodeEmbeddingCount is None else {"leaf": tree.leafNodeEmbeddingCount}
    return {
        "column": config.embeddingColumn,
        "dimension": config.embeddingDimension,
        "distance": config.distanceMeasureType,
        "algorithm": "brute force" if config.bruteForceConfig is not None else "tree-AH",
        "filters": list(config.filterColumns or ()),
        "crowding": config.crowdingColumn,
        **leaf,
    }


MAX_ROWS = 60
"""Views of a drawing; the table of the page has all."""
MAX_ZONES = 12
AHEAD = timedelta(days=366)
"""How far ahead a change of clocks is looked for."""
LABEL, PLOT, RIGHT, ROW, HEAD, FOOT = 236, 840, 24, 20, 46, 42
WIDTH = LABEL + PLOT + RIGHT
MAX_LABEL = 34
MARK = 2
"""Width of the mark of a run."""
NAME = 32
"""Half of the width of the name of a day, which must not be on the name of a zone."""
Shape = Sequence[Any]
"""`["rect", class, x, y, width, height, title]`, `["line", class, x1, y1, x2, y2]` or `["text", class, x, y, text]`."""
Drawing = dict[str, Any]
"""`width`, `height`, `shapes`, and as `label` what it shows in words; the style gives classes their colors."""
NAMES = {"rect": ("x", "y", "width", "height"), "line": ("x1", "y1", "x2", "y2"), "text": ("x", "y")}
STYLE = """\
svg { background: #ffffff; font: 12px system-ui, sans-serif; }
text { fill: #1c2430; } .tick, .faint { fill: #566274; font-size: 11px; } .end { text-anchor: end; }
.middle { text-anchor: middle; } .title { font-size: 14px; font-weight: 600; }
.grid { stroke: #d9dde3; } .strong { stroke: #8b95a3; } .row { fill: #f6f7f9; }
.run { fill: #0b5cad; } .gap { fill: #fdeceb; } .herd { fill: #b3261e; } .skipped { fill: none; stroke: #b3261e; }
.doubled { fill: #b3261e; }
"""


def week_drawing(ahead: UpcomingSchedule) -> Drawing:
    """The runs of all views in the time of a schedule, with the herds below them."""
    views = [view for view in ahead.views if isinstance(view.schedule, CronSchedule)][:MAX_ROWS]
    zones = [view.schedule.zone for view in views if isinstance(view.schedule, CronSchedule)]
    counts = Counter(zone for zone in zones if zone != "UTC")  # that of the most schedules; UTC is always drawn
    zone = min(counts, key=lambda zone: (-counts[zone], zone)) if counts else "UTC"
    scale = _Scale(ahead.now, ahead.end)
    bottom, y = HEAD + ROW * (len(views) + 1), HEAD + ROW * len(views)
    shapes = [
        *_days(scale, load_zone(zone), zone, 18, ("grid", 26, bottom)),
        ["line", "strong", LABEL, bottom, LABEL + PLOT, bottom],
        *_days(scale, UTC, "UTC", bottom + 18, ("strong", bottom, bottom + 6)),
    ]
    for number, (view, own_zone) in enumerate(zip(views, zones, strict=True)):
        shapes += _row(number, view.label, own_zone, view.within, scale)
    shapes.append(["text", "faint", 8, y + 14, "herds" if ahead.herds else "no herds"])
    for herd in ahead.herds:
        names = ", ".join(last_id(shown_name(view)) for view in herd.views[:10])
        for minute in herd.minutes:
            title = f"{len(herd.views)} views at {format_clock(minute)} UTC: {names}"
            shapes.append(["rect", "herd", scale.x(minute) - 1, y + 4, 4, ROW - 8, title])
    runs = sum(len(view.within) for view in views)
    days = format_day(ahead.now.astimezone(UTC)), format_day(ahead.end.astimezone(UTC))
    label = f"{runs} runs of {len(views)} views from {days[0]} to {days[1]}, {len(ahead.herds)} herds"
    return {"width": WIDTH, "height": bottom + FOOT, "label": label, "shapes": shapes}


def clock_change_drawings(ahead: UpcomingSchedule) -> Iterator[Drawing]:
    """For each zone of a schedule: the day on which its clocks change next."""
    by_zone: dict[str, list[UpcomingRuns]] = {}
    for view in ahead.views:
        if isinstance(view.schedule, CronSchedule):
            by_zone.setdefault(view.schedule.zone, []).append(view)
    until = ahead.now + min(AHEAD, datetime.max.replace(tzinfo=UTC) - ahead.now)
    years = range(ahead.now.year, until.year + 1)
    for zone in sorted(by_zone)[:MAX_ZONES]:
        for change in (one for year in years for one in transitions_in_year(zone, year)):
            at = change.at.replace(tzinfo=UTC)
            if ahead.now <= at < until and abs(change.after - change.before) >= timedelta(minutes=1):
                yield _clock_change_day(zone, at, by_zone[zone][:MAX_ROWS])
                break


class _Scale:
    """From times to the pixels of a drawing."""

    def __init__(self, start: datetime, end: datetime) -> None:
        self.start, self.end = start.astimezone(UTC), end.astimezone(UTC)
        self._seconds = (end - start).total_seconds()

    def x(self, time: datetime) -> float:
        """The place of a time, to a tenth of a pixel."""
        return round(LABEL + PLOT * (time - self.start).total_seconds() / self._seconds, 1)


def _row(number: int, label: str, zone: str, runs: Sequence[datetime], scale: _Scale) -> Iterator[Shape]:
    """The runs of a view: a mark for each; those that would touch are one."""
    y = HEAD + ROW * number
    if number % 2 == 0:
        yield ["rect", "row", 0, y, WIDTH, ROW]
    yield ["text", "label", 8, y + 14, label if len(label) <= MAX_LABEL else f"…{label[-MAX_LABEL:]}"]
    marks: list[list[datetime]] = []
    for run in runs:
        if marks and scale.x(run) <= scale.x(marks[-1][-1]) + MARK + 1:
            marks[-1].append(run)
        else:
            marks.append([run])
    for mark in marks:
        first, last = mark[0], mark[-1]
        title = f"{format_day(first, year=first.year)} {format_clock(first)}"
        title += f" {zone}" if first == last else f" to {format_clock(last)} {zone}, many runs"
        width = round(scale.x(last) + MARK - scale.x(first), 1)
        yield ["rect", "run", scale.x(first), y + 4, width, ROW - 8, title]


def _days(scale: _Scale, clocks: tzinfo, name: str, y: int, line: tuple[str, int, int]) -> Iterator[Shape]:
    """The days of a zone in a row of its own, and a line of a style from and to a height at each midnight."""
    style, top, foot = line
    yield ["text", "tick end", LABEL - 12, y, name]
    if is_at_end_of_calendar(scale.start):
        return
    day = scale.start.astimezone(clocks).replace(hour=0, minute=0, second=0, microsecond=0)
    while (midnight := day.astimezone(UTC)) < scale.end:
        if midnight >= scale.start:
            yield ["line", style, scale.x(midnight), top, scale.x(midnight), foot]
        noon = day.replace(hour=12).astimezone(UTC)
        if LABEL + NAME <= scale.x(noon) < LABEL + PLOT:
            yield ["text", "tick middle", scale.x(noon), y, format_day(day, year=day.year)]
        day = (day.replace(tzinfo=None) + timedelta(days=1)).replace(tzinfo=clocks)


def _clock_change_day(zone: str, change: datetime, views: Sequence[UpcomingRuns]) -> Drawing:
    """The day of a change, from midnight to midnight by the clocks of the zone, with what it skips and doubles."""
    clocks = load_zone(zone)
    local = (change - timedelta(seconds=1)).astimezone(clocks)
    start = local.replace(hour=0, minute=0, second=0, microsecond=0)
    stop = (start.replace(tzinfo=None) + timedelta(days=1)).replace(tzinfo=clocks)
    scale = _Scale(start, stop.astimezone(UTC))
    bottom = HEAD + ROW * len(views)
    after = change.astimezone(clocks)
    words = f"{format_clock(local + timedelta(seconds=1))} {format_offset(local)} becomes {format_clock(after)}"
    hours = (stop.astimezone(UTC) - start.astimezone(UTC)).total_seconds() / 3600
    title = f"{format_day(start)} in {zone}: {words} {format_offset(after)}, a day of {hours:g} hours"
    shapes: list[Shape] = [["text", "title", 8, 14, title], *_hour_lines(scale, clocks, bottom)]
    shapes.append(["rect", "herd", scale.x(change) - 1, 42, 2, bottom - 42, words])
    begin, end = start.astimezone(UTC), stop.astimezone(UTC)
    for number, view in enumerate(views):
        runs = next_runs(view.schedule, after=begin - timedelta(microseconds=1))
        shapes += _row(number, view.label, zone, list(takewhile(lambda run: run < end, runs)), scale)
        shapes += _changed(view, number, change, scale)
    return {"width": WIDTH, "height": bottom + FOOT, "label": title, "shapes": shapes}


def _changed(view: UpcomingRuns, number: int, change: datetime, scale: _Scale) -> Iterator[Shape]:
    """The runs that the clocks leap over, or come by twice."""
    y = HEAD + ROW * number
    near = clock_changes(view.schedule, start=change, end=change + timedelta(seconds=1))
    for place, found in enumerate(near):
        is_skipped = found.kind == "skipped"
        at = found.local.replace(tzinfo=UTC) - (found.before if is_skipped else found.after)
        words = f"{format_clock(found.local)} is {'skipped' if is_skipped else 'run twice'}"
        yield ["rect", found.kind, scale.x(at) - 2, y + 2, 6, ROW - 4, words]
        if place == 0:
            yield ["text", "faint", scale.x(at) + 8, y + 14, words]


def _hour_lines(scale: _Scale, clocks: tzinfo, bottom: int) -> Iterator[Shape]:
    """The hours of the zone above the rows, those of UTC below them."""
    yield ["text", "tick end", LABEL - 28, 36, "local"]
    yield ["text", "tick end", LABEL - 28, bottom + 18, "UTC"]
    yield ["line", "strong", LABEL, bottom, LABEL + PLOT, bottom]
    hour, number = scale.start, 0
    while hour < scale.end:
        x = scale.x(hour)
        yield ["line", "grid", x, 42, x, bottom]
        if number % 2 == 0:
            yield ["text", "tick middle", x, 36, format_clock(hour.astimezone(clocks))]
            yield ["text", "tick middle", x, bottom + 18, format_clock(hour)]
        hour, number = hour + timedelta(hours=1), number + 1


def drawing_svg(drawing: Drawing) -> Iterator[str]:
    """An SVG file with a drawing."""
    width, height = drawing["width"], drawing["height"]
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
    yield f"<!-- trialrun report -->\n<style>\n{STYLE}</style>\n"
    yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
    yield f'<g transform="translate(0 0)">\n<title>{_text(drawing["label"])}</title>\n'
    for tag, style, *numbers in drawing["shapes"]:
        names = NAMES[tag]
        attributes = "".join(f' {name}="{number:g}"' for name, number in zip(names, numbers, strict=False))
        content = _text(str(numbers[len(names)])) if len(numbers) > len(names) else ""
        inner = f"<title>{content}</title>" if content and tag != "text" else content
        yield f"<{tag} class={quoteattr(style)}{attributes}>{inner}</{tag}>\n"
    yield "</g>\n</svg>\n"


def _text(text: str) -> str:
    """A text of a workspace: nothing in it is markup, and control characters are shown by their numbers."""
    return escape(escape_controls(text))
