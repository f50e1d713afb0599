"""When views are synced: by a cron schedule, all the time, or only when somebody asks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.options import DEFAULTS, Options
from trialrun.values import cron, time_zone, timestamp
from trialrun.values.cron import ClockChange, Cron, Semantics

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView, SyncConfig

UTC_ZONE = "UTC"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)
_MOMENT = timedelta(microseconds=1)
_MOST_MADE_UP = timedelta(hours=3)


@dataclass(frozen=True)
class OnCron:
    """Synced at the runs of a schedule; `written` is its text, the zone's prefix included."""

    written: str
    cron: Cron
    semantics: Semantics = "wall-clock"

    @property
    def zone(self) -> str:
        """The zone by whose wall clock it runs: that of the prefix, else UTC."""
        return self.cron.zone or UTC_ZONE


@dataclass(frozen=True)
class Continuous:
    """Synced whenever there are newer rows."""


@dataclass(frozen=True)
class OnDemand:
    """Synced only when somebody asks, and why; `written` is a schedule that is there all the same."""

    reason: str
    written: str | None = None


@dataclass(frozen=True)
class Unreadable:
    """Nobody can say when it is synced: what is wrong, and the steps that lead there from the view."""

    reason: str
    steps: tuple[str, ...]
    written: str | None = None


Schedule = OnCron | Continuous | OnDemand | Unreadable


def schedule_of(view: FeatureView, options: Options = DEFAULTS) -> Schedule:
    """When a view is synced. A RAG source is synced on demand only, whatever its syncConfig says."""
    sync = view.syncConfig
    written = sync.cron if sync else None
    if view.has("ragSource"):
        return OnDemand("its source is a RAG source", written)
    if sync is None:
        if view.has("syncConfig"):
            return Unreadable("its syncConfig cannot be read", ("syncConfig",))
        return OnDemand("it has no syncConfig")
    return _configured(sync, options)


def _configured(sync: SyncConfig, options: Options) -> Schedule:
    for name in ("cron", "continuous"):
        if sync.has(name) and getattr(sync, name) is None:
            return Unreadable(f"its {name} cannot be read", ("syncConfig", name))
    if sync.cron is not None and sync.continuous:
        reason = "it has both a cron schedule and continuous; keep one"
        return Unreadable(reason, ("syncConfig", "continuous"), sync.cron)
    if sync.cron is not None:
        return _on_cron(sync.cron, options)
    return Continuous() if sync.continuous else OnDemand("its syncConfig sets neither cron nor continuous")


def _on_cron(written: str, options: Options) -> Schedule:
    steps = ("syncConfig", "cron")
    read = cron.parse(written)
    if read.cron is None:
        return Unreadable(next(one.message for one in read.problems if one.code == "syntax"), steps, written)
    wrong = time_zone.check(read.cron.zone) if read.cron.zone is not None else None
    if wrong and wrong.code == "unknown":
        return Unreadable(wrong.message, steps, written)
    return OnCron(written, read.cron, options.cron_semantics)


def next_runs(schedule: Schedule, *, after: datetime) -> Iterator[datetime]:
    """The scheduled runs strictly after a moment, lazily, each with the offset of its zone; none without a cron."""
    if isinstance(schedule, OnCron):
        yield from cron.next_runs(schedule.cron, after=after, semantics=schedule.semantics)


def last_run(schedule: Schedule, *, until: datetime) -> datetime | None:
    """The newest scheduled run at or before a moment, None where there is none."""
    if not isinstance(schedule, OnCron):
        return None
    before = min(until, _LAST - _MOMENT) + _MOMENT
    runs = cron.previous_runs(schedule.cron, before=before, semantics=schedule.semantics)
    return next(runs, None)


def created_at(view: FeatureView) -> datetime | None:
    """When a view was created, before which it had no runs; None where it does not say, to the microsecond."""
    if not view.createTime:
        return None
    try:
        created = timestamp.parse(view.createTime)
    except ValueError:  # which `invalid-timestamp` tells
        return None
    return _EPOCH + timedelta(seconds=created.seconds, microseconds=created.nanos // 1000)


def clock_changes(schedule: Schedule, *, start: datetime, end: datetime) -> Iterator[ClockChange]:
    """The runs that changes of the clocks from `start` to `end` (exclusive) take away or double.

    Under `vixie` fixed times are made up for after a gap and run once in an overlap, so nothing is told of them.
    """
    if not isinstance(schedule, OnCron):
        return
    fixed = schedule.semantics == "vixie" and not any(schedule.cron.leading_stars[:2])
    for change in cron.clock_changes(schedule.cron, start=start, end=end):
        if not (fixed and (change.kind == "doubled" or change.after - change.before <= _MOST_MADE_UP)):
            yield change
