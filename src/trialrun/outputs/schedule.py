"""What lies ahead of the views of a workspace: their runs, the herds among them, and what the clocks do to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.report.json_encoding import json_text
from trialrun.runtime.feature_view.schedule import (
    OnCron,
    OnDemand,
    Schedule,
    Unreadable,
    clock_changes,
    next_runs,
    schedule_of,
)
from trialrun.runtime.feature_view.schedule_collisions import Herd, herds
from trialrun.values.cron import ClockChange, never_fires
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, Declared
    from trialrun.workspace import Request

MOST_OF_A_STORE = "sync-herd-size"


@dataclass(frozen=True)
class Prospect:
    """A view, the name that a person knows it by, its next `runs`, and those `within` the time that is shown.

    `changes` are what the clocks do to its runs in that time and up to the last of the runs.
    """

    view: Declared[FeatureView]
    label: str
    schedule: Schedule
    runs: Sequence[datetime]
    within: Sequence[datetime]
    changes: Sequence[ClockChange]

    @property
    def trouble(self) -> bool:
        """Whether there is a schedule, and nobody can say of any moment that it runs then."""
        return isinstance(self.schedule, Unreadable) or self.never

    @property
    def never(self) -> bool:
        """Whether no day of any year matches the schedule."""
        return isinstance(self.schedule, OnCron) and never_fires(self.schedule.cron)


@dataclass(frozen=True)
class Outlook:
    """What lies ahead from `now` to `end` (exclusive); `most` is how many views of a store may run in a minute."""

    now: datetime
    end: datetime
    prospects: Sequence[Prospect]
    herds: Sequence[Herd]
    most: int


def outlook(
    request: Request, declared: Catalog, chosen: Sequence[Declared[FeatureView]], *, count: int, span: timedelta
) -> Outlook:
    """What lies ahead of the chosen views; the herds are those that they are in, with views that are not chosen."""
    from trialrun.lint.registry import load
    from trialrun.workspace.dry_run import options

    choices = options(request.profiles.settings.runtime)
    most = int(request.profiles.whole.options(load("sync-herd"))[MOST_OF_A_STORE])
    end = _later(request.now, span)
    stores = {_store(view) for view in chosen}
    near = [view for view in declared.views if _store(view) in stores]
    schedules = {id(view): schedule_of(view.node, choices) for view in near}
    within = {number: _within(schedule, request.now, end) for number, schedule in schedules.items()}
    prospects = []
    for view, label in zip(chosen, _labels(chosen), strict=True):
        schedule = schedules[id(view)]
        runs = list(islice(next_runs(schedule, after=request.now), count))
        changes = clock_changes(schedule, start=request.now, end=max([end, *runs]))
        prospects.append(Prospect(view, label, schedule, runs, within[id(view)], list(changes)))
    names = {view.node.name for view in chosen}
    found = herds([(view.node.name or "", within[id(view)]) for view in near], most=most)
    return Outlook(request.now, end, prospects, [herd for herd in found if names.intersection(herd.views)], most)


def _later(now: datetime, span: timedelta) -> datetime:
    return now + min(span, datetime.max.replace(tzinfo=UTC) - now)


def _within(schedule: Schedule, now: datetime, end: datetime) -> list[datetime]:
    found = []
    for run in next_runs(schedule, after=now):
        if run >= end:
            break
        found.append(run)
    return found


def _labels(views: Sequence[Declared[FeatureView]]) -> list[str]:
    """The id of each view; with its store where two share it, and with its place where they share that as well."""
    ids = [last_id(view.node.name or "") for view in views]
    longer = [f"{last_id(_store(view))}/{name}" for view, name in zip(views, ids, strict=True)]
    shared, still_shared = Counter(ids), Counter(longer)
    return [
        _label(view, name if shared[name] == 1 else long, known=bool(name), alone=still_shared[long] == 1)
        for view, name, long in zip(views, ids, longer, strict=True)
    ]


def _label(view: Declared[FeatureView], name: str, *, known: bool, alone: bool) -> str:
    if known and alone:
        return name
    place = f"{view.path}:{view.line()}"
    return f"{last_id(name)} ({place})" if known else place


def _store(view: Declared[FeatureView]) -> str:
    return (view.node.name or "").rpartition("/featureViews/")[0]


def as_json(ahead: Outlook) -> Iterator[str]:
    """The object of the contract, a line for each view, with the herds and what the clocks do beside."""
    lists = {
        "views": [_view(one) for one in ahead.prospects],
        "herds": [_herd(herd) for herd in ahead.herds],
        "clock_changes": [_change(one, change) for one in ahead.prospects for change in one.changes],
    }
    yield '{"version": 1'
    for name, objects in lists.items():
        yield f',\n "{name}": ['
        yield ",".join(f"\n  {json_text(one)}" for one in objects)
        yield "]"
    yield "}\n"


def _view(one: Prospect) -> dict[str, Any]:
    schedule = one.schedule
    written = schedule.written if isinstance(schedule, OnCron | OnDemand | Unreadable) else None
    sync = one.view.node.syncConfig
    return {
        "name": one.view.node.name,
        "path": one.view.path,
        "cron": written,
        "continuous": bool(sync and sync.continuous),
        "zone": zone_of(schedule),
        "runs": [rfc_3339(run) for run in one.runs],
    }


def zone_of(schedule: Schedule) -> str:
    """The zone of a schedule, also of one that is not carried out; UTC where none is named."""
    if isinstance(schedule, OnCron):
        return schedule.zone
    written = schedule.written if isinstance(schedule, OnDemand | Unreadable) else None
    if written is None:
        return "UTC"
    from trialrun.values.cron import parse

    token = parse(written).zone_token
    return token.text if token and token.text else "UTC"


def rfc_3339(moment: datetime) -> str:
    """A moment with its offset; in UTC where the offset, of a time long past, has seconds, which the form has not."""
    offset = moment.utcoffset() or timedelta()
    return (moment.astimezone(UTC) if offset % timedelta(minutes=1) else moment).isoformat()


def _herd(herd: Herd) -> dict[str, Any]:
    return {"store": herd.store, "views": list(herd.views), "minutes": [rfc_3339(at) for at in herd.minutes]}


def _change(one: Prospect, change: ClockChange) -> dict[str, Any]:
    return {
        "name": one.view.node.name,
        "path": one.view.path,
        "kind": change.kind,
        "local": change.local.isoformat(),
        "at": rfc_3339(change.at),
    }
