"""When views are synced: by a cron schedule, all the time, or only when somebody asks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.values import cron, time_zone, timestamp
from trialrun.values.cron import ClockChange, CronExpression, Semantics

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView, SyncConfig

UTC_ZONE = "UTC"
RUNS_COMPARED = 50
"""Runs of a schedule that are looked at for the shortest time between two."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_TIME = datetime.max.replace(tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_MAX_CATCH_UP = timedelta(hours=3)


@dataclass(frozen=True)
class CronSchedule:
    """Synced at the runs of a schedule; `written` is its text, the zone's prefix included."""

    text: str
    cron: CronExpression
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
    text: str | None = None


@dataclass(frozen=True)
class InvalidSchedule:
    """Nobody can say when it is synced: what is wrong, and the steps that lead there from the view."""

    reason: str
    steps: tuple[str, ...]
    text: str | None = None


SyncSchedule = CronSchedule | Continuous | OnDemand | InvalidSchedule


def schedule_of(view: FeatureView, options: Options = DEFAULT_OPTIONS) -> SyncSchedule:
    """When a view is synced. A RAG source is synced on demand only, whatever its syncConfig says."""
    sync = view.syncConfig
    written = sync.cron if sync else None
    if view.has("ragSource"):
        return OnDemand("its source is a RAG source", written)
    if sync is None:
        if view.has("syncConfig"):
            return InvalidSchedule("its syncConfig cannot be read", ("syncConfig",))
        return OnDemand("it has no syncConfig")
    return _from_config(sync, options)


def _from_config(sync: SyncConfig, options: Options) -> SyncSchedule:
    for name in ("cron", "continuous"):
        if sync.has(name) and getattr(sync, name) is None:
            return InvalidSchedule(f"its {name} cannot be read", ("syncConfig", name))
    if sync.cron is not None and sync.continuous:
        reason = "it has both a cron schedule and continuous; keep one"
        return InvalidSchedule(reason, ("syncConfig", "continuous"), sync.cron)
    if sync.cron is not None:
        return _from_cron(sync.cron, options)
    return Continuous() if sync.continuous else OnDemand("its syncConfig sets neither cron nor continuous")


def _from_cron(written: str, options: Options) -> SyncSchedule:
    steps = ("syncConfig", "cron")
    read = cron.parse(written)
    if read.cron is None:
        return InvalidSchedule(
            next(problem.message for problem in read.problems if problem.code == "syntax"), steps, written
        )
    wrong = time_zone.check(read.cron.zone) if read.cron.zone is not None else None
    if wrong and wrong.code == "unknown":
        return InvalidSchedule(wrong.message, steps, written)
    return CronSchedule(written, read.cron, options.cron_semantics)


def next_runs(schedule: SyncSchedule, *, after: datetime) -> Iterator[datetime]:
    """The scheduled runs strictly after a moment, lazily, each with the offset of its zone; none without a cron."""
    if isinstance(schedule, CronSchedule):
        yield from cron.next_runs(schedule.cron, after=after, semantics=schedule.semantics)


def last_run(schedule: SyncSchedule, *, until: datetime) -> datetime | None:
    """The newest scheduled run at or before a moment, None where there is none."""
    if not isinstance(schedule, CronSchedule):
        return None
    before = min(until, _MAX_TIME - _TICK) + _TICK
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


def clock_changes(schedule: SyncSchedule, *, start: datetime, end: datetime) -> Iterator[ClockChange]:
    """The runs that changes of the clocks from `start` to `end` (exclusive) take away or double.

    Under `vixie` fixed times are made up for after a gap and run once in an overlap, so nothing is reported of them.
    """
    if not isinstance(schedule, CronSchedule):
        return
    fixed = schedule.semantics == "vixie" and not any(schedule.cron.leading_stars[:2])
    for change in cron.clock_changes(schedule.cron, start=start, end=end):
        if not (fixed and (change.kind == "doubled" or change.after - change.before <= _MAX_CATCH_UP)):
            yield change
