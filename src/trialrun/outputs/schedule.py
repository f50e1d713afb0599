"""What `schedule` prints as JSON: upcoming runs of views, with collisions and clock changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import Moment
from trialrun.report.json import json_text
from trialrun.runtime.feature_view.schedule import (
    Collision,
    CronSchedule,
    InvalidSchedule,
    OnDemand,
    SyncSchedule,
    clock_changes,
    find_collisions,
    next_runs,
    schedule_of,
)
from trialrun.serialization import FilePath
from trialrun.values import cron
from trialrun.values.resource_name import last_id, shown_name
from trialrun.values.time_zone import IANA_VERSION

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.workspace import CheckRequest


class ScheduledView(TypedDict):
    """When a view is synced next."""

    name: str | None
    path: FilePath
    cron: Annotated[str | None, Field(description="as written in the document")]
    continuous: bool
    zone: Annotated[str, Field(description="the time zone of the schedule; default UTC")]
    runs: Annotated[list[Moment], Field(description="strictly after --at, with the offset of the zone")]


class SyncHerd(TypedDict):
    """Views of one store that sync in the same minutes."""

    store: str
    views: list[str]
    minutes: list[Moment]


class ClockChange(TypedDict):
    """A run that a clock change skips or repeats."""

    name: str | None
    path: FilePath
    kind: str
    local: Annotated[str, Field(description="the wall clock time, without an offset")]
    at: Moment


class Schedule(TypedDict):
    """`trialrun schedule --output-format json`."""

    version: Literal[1]
    tzdata: Annotated[str, Field(description="the release of the time zone data, such as 2026f")]
    views: list[ScheduledView]
    herds: list[SyncHerd]
    clock_changes: list[ClockChange]


@dataclass(frozen=True)
class UpcomingRuns:
    """A view, the name that a person knows it by, its next `runs`, and those `within` the time that is shown.

    `changes` are what the clocks do to its runs in that time and up to the last of the runs.
    """

    view: DeclaredResource[FeatureView]
    label: str
    schedule: SyncSchedule
    runs: Sequence[datetime]
    within: Sequence[datetime]
    changes: Sequence[cron.ClockChange]

    @property
    def is_unschedulable(self) -> bool:
        """Whether there is a schedule, and nobody can say of any time that it runs then."""
        return isinstance(self.schedule, InvalidSchedule) or self.never_fires

    @property
    def never_fires(self) -> bool:
        """Whether no date matches the schedule."""
        return isinstance(self.schedule, CronSchedule) and cron.never_fires(self.schedule.cron)


@dataclass(frozen=True)
class UpcomingSchedule:
    """What lies ahead from `now` to `end` (exclusive); `max_per_minute` views of a store may run in one."""

    now: datetime
    end: datetime
    views: Sequence[UpcomingRuns]
    herds: Sequence[Collision]
    max_per_minute: int


def upcoming_schedule(
    request: CheckRequest,
    declared: Catalog,
    chosen: Sequence[DeclaredResource[FeatureView]],
    *,
    count: int,
    span: timedelta,
) -> UpcomingSchedule:
    """What lies ahead of the chosen views; the herds are those that they are in, with views that are not chosen."""
    from trialrun.lint.registry import load
    from trialrun.runtime.options import runtime_options

    choices = runtime_options(request.profiles.settings.runtime)
    max_per_minute = int(request.profiles.whole.options(load("sync-herd"))["sync-herd-size"])
    end = request.now + min(span, datetime.max.replace(tzinfo=UTC) - request.now)
    stores = {_store(view) for view in chosen}
    near = [view for view in declared.views if _store(view) in stores]
    schedules = {id(view): schedule_of(view.node, choices) for view in near}
    within = {
        number: list(takewhile(lambda run: run < end, next_runs(schedule, after=request.now)))
        for number, schedule in schedules.items()
    }
    prospects = []
    for view, label in zip(chosen, _labels(chosen), strict=True):
        schedule = schedules[id(view)]
        runs = list(islice(next_runs(schedule, after=request.now), count))
        changes = clock_changes(schedule, start=request.now, end=max([end, *runs]))
        prospects.append(UpcomingRuns(view, label, schedule, runs, within[id(view)], list(changes)))
    names = {view.node.name for view in chosen}
    collisions = find_collisions([(view.node.name or "", within[id(view)]) for view in near], most=max_per_minute)
    return UpcomingSchedule(
        request.now, end, prospects, [herd for herd in collisions if names.intersection(herd.views)], max_per_minute
    )


def _labels(views: Sequence[DeclaredResource[FeatureView]]) -> list[str]:
    """The id of each view; with its store where two share it, and with its place where they share that as well."""
    ids = [last_id(shown_name(view.node.name or "")) for view in views]
    longer = [f"{last_id(_store(view))}/{name}" for view, name in zip(views, ids, strict=True)]
    shared, still_shared = Counter(ids), Counter(longer)
    return [
        _label(view, name if shared[name] == 1 else long, known=bool(name), alone=still_shared[long] == 1)
        for view, name, long in zip(views, ids, longer, strict=True)
    ]


def _label(view: DeclaredResource[FeatureView], name: str, *, known: bool, alone: bool) -> str:
    if known and alone:
        return name
    place = f"{view.path}:{view.line()}"
    return f"{last_id(name)} ({place})" if known else place


def _store(view: DeclaredResource[FeatureView]) -> str:
    return (view.node.name or "").rpartition("/featureViews/")[0]


def schedule_object(ahead: UpcomingSchedule) -> Schedule:
    """What lies ahead, as `schedule` prints it."""
    changes = [(view.view, change) for view in ahead.views for change in view.changes]
    return {
        "version": 1,
        "tzdata": IANA_VERSION,
        "views": [_view(view) for view in ahead.views],
        "herds": [
            {
                "store": herd.store,
                "views": list(map(shown_name, herd.views)),
                "minutes": [rfc_3339(minute) for minute in herd.minutes],
            }
            for herd in ahead.herds
        ],
        "clock_changes": [
            {
                "name": view.node.name and shown_name(view.node.name),
                "path": view.path,
                "kind": change.kind,
                "local": change.local.isoformat(),
                "at": rfc_3339(change.at),
            }
            for view, change in changes
        ],
    }


def schedule_json(schedule: Schedule) -> Iterator[str]:
    """The text of a schedule, with a line for each view, herd and clock change."""
    yield f'{{"version": 1,\n "tzdata": {json_text(schedule["tzdata"])}'
    for name in ("views", "herds", "clock_changes"):
        lines = ",".join(f"\n  {json_text(item)}" for item in schedule[name])
        yield f',\n "{name}": [{lines}]'
    yield "}\n"


def _view(upcoming: UpcomingRuns) -> ScheduledView:
    schedule, view = upcoming.schedule, upcoming.view
    return {
        "name": view.node.name and shown_name(view.node.name),
        "path": view.path,
        "cron": schedule.text if isinstance(schedule, CronSchedule | OnDemand | InvalidSchedule) else None,
        "continuous": bool(view.node.syncConfig and view.node.syncConfig.continuous),
        "zone": zone_of(schedule),
        "runs": [rfc_3339(run) for run in upcoming.runs],
    }


def zone_of(schedule: SyncSchedule) -> str:
    """The zone of a schedule, also of one that is not carried out; UTC where none is named."""
    if isinstance(schedule, CronSchedule):
        return schedule.zone
    written = schedule.text if isinstance(schedule, OnDemand | InvalidSchedule) else None
    if written is None:
        return "UTC"
    token = cron.parse(written).zone_token
    return token.text if token and token.text else "UTC"


def rfc_3339(time: datetime) -> str:
    """A time with its offset; in UTC where the offset, of a time long past, has seconds, which the form has not."""
    offset = time.utcoffset() or timedelta()
    return (time.astimezone(UTC) if offset % timedelta(minutes=1) else time).isoformat()
