"""When views are synced: their schedules, the views of a store that are synced together, and the scheduler.

The scheduler runs the syncs that are due by the clock, one after the other, without threads of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from trialrun.errors import StoreError
from trialrun.runtime.clock import Clock
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.direct_write import has_source
from trialrun.runtime.feature_view.store.interface import SyncRunning
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.values import cron, time_zone, timestamp
from trialrun.values.cron import ClockChange, CronExpression, Semantics
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource

    View = DeclaredResource[FeatureView]

Report = TypeVar("Report", covariant=True)
_MAX_TIME = datetime.max.replace(tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MAX_CATCH_UP = timedelta(hours=3)
TICK = timedelta(minutes=1)
"""How often a continuous view is synced."""
_MINUTE = 60


@dataclass(frozen=True)
class CronSchedule:
    """Synced at the runs of a schedule; `text` is how it is written, the zone's prefix included."""

    text: str
    cron: CronExpression
    semantics: Semantics = "wall-clock"

    @property
    def zone(self) -> str:
        """The zone by whose wall clock it runs: that of the prefix, else UTC."""
        return self.cron.zone or "UTC"


@dataclass(frozen=True)
class Continuous:
    """Synced whenever there are newer rows."""


@dataclass(frozen=True)
class OnDemand:
    """Synced only when somebody asks, and why; `text` is a schedule that is there all the same."""

    reason: str
    text: str | None = None


@dataclass(frozen=True)
class InvalidSchedule:
    """Nobody can say when it is synced: what is wrong, and the steps that lead there from the view."""

    reason: str
    steps: tuple[str, ...]
    text: str | None = None


@dataclass(frozen=True)
class UnknownSchedule:
    """It may be synced by a schedule that only Terraform knows."""

    reason: str
    text: str | None = None


SyncSchedule = CronSchedule | Continuous | OnDemand | InvalidSchedule | UnknownSchedule


def schedule_of(view: FeatureView, options: Options = DEFAULT_OPTIONS) -> SyncSchedule:
    """When a view is synced. A RAG source is synced on demand only, whatever its syncConfig says."""
    sync = view.syncConfig
    unknown = view.unknown_value("syncConfig")
    if view.has("ragSource"):
        return OnDemand("its source is a RAG source", sync.cron if sync else None)
    if sync is not None:
        unknown = sync.unknown_value("cron") or sync.unknown_value("continuous")
    if unknown is not None:
        return UnknownSchedule(f"its {unknown.words}")
    if sync is None:
        if view.has("syncConfig"):
            return InvalidSchedule("its syncConfig cannot be read", ("syncConfig",))
        return OnDemand("it has no syncConfig")
    for name in ("cron", "continuous"):
        if sync.has(name) and getattr(sync, name) is None:
            return InvalidSchedule(f"its {name} cannot be read", ("syncConfig", name))
    written = sync.cron
    if written is None:
        return Continuous() if sync.continuous else OnDemand("its syncConfig sets neither cron nor continuous")
    if sync.continuous:
        reason = "it has both a cron schedule and continuous; keep one"
        return InvalidSchedule(reason, ("syncConfig", "continuous"), written)
    steps, read = ("syncConfig", "cron"), cron.parse(written)
    if read.cron is None:
        reason = next(problem.message for problem in read.problems if problem.code == "syntax")
        return InvalidSchedule(reason, steps, written)
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
    before = min(until, _MAX_TIME - _MICROSECOND) + _MICROSECOND
    runs = cron.previous_runs(schedule.cron, before=before, semantics=schedule.semantics)
    return next(runs, None)


def created_at(view: FeatureView) -> datetime | None:
    """When a view was created, before which it had no runs; None where it does not say, to the microsecond."""
    if not view.createTime:
        return None
    try:
        return timestamp.parse(view.createTime).to_datetime()
    except ValueError:  # which `invalid-timestamp` tells
        return None


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


@dataclass(frozen=True)
class Collision:
    """The names of views of a store that are synced together, and the minutes at which they are, in UTC."""

    store: str
    views: tuple[str, ...]
    minutes: tuple[datetime, ...]

    @property
    def store_id(self) -> str:
        """The id at the end of the store's name."""
        return last_id(self.store)


def find_collisions(views: Iterable[tuple[str, Sequence[datetime]]], *, most: int) -> list[Collision]:
    """The minutes in which more than `most` views of a store are synced, by who they are; the earliest first.

    Each view is its resource name, and when it is synced in the time that is looked at. Two documents of one name are
    one view. A view whose name has no store collides with none.
    """
    names: dict[str, int] = {}
    views_by_minute: dict[tuple[str, int], int] = defaultdict(int)  # views as bits, since sets of texts are slow
    for name, runs in views:
        store = name.rpartition("/featureViews/")[0]
        bit = 1 << names.setdefault(name, len(names))
        for run in runs if store else ():
            views_by_minute[store, int(run.timestamp()) // _MINUTE] |= bit
    views_by_run: dict[tuple[str, int], list[int]] = defaultdict(list)
    for (store, minute), bits in views_by_minute.items():
        if bits.bit_count() > max(1, most):
            views_by_run[store, bits].append(minute)
    collisions = []
    for (store, bits), minutes in views_by_run.items():
        together = tuple(sorted(name for name, place in names.items() if bits >> place & 1))
        moments = tuple(datetime.fromtimestamp(_MINUTE * minute, UTC) for minute in sorted(minutes))
        collisions.append(Collision(store, together, moments))
    return sorted(collisions, key=lambda collision: (collision.minutes[0], collision.store, collision.views))


@dataclass(frozen=True)
class ScheduledSync(Generic[Report]):
    """What became of a sync of a view that was due to a run: its report, or why it was not made; old values stay then.

    Then it `failed`, or another sync of the view was `running`.
    """

    view: View
    run: datetime
    outcome: Literal["synced", "failed", "running"]
    report: Report | None = None
    reason: str = ""


class Scheduler(Generic[Report]):
    """Runs the syncs of views when they are due.

    A run that was missed, because nothing ran then, is made up for once, however many were: the values are those of
    now in any case. A run that falls into a sync of the same view is left out and reported. A sync that fails is
    reported, and made again at the view's next run. Views on demand, those with a RAG source among them, and
    views without a source are never run.

    `sync` syncs one view, and may raise CannotSync, StoreError and SyncRunning. `last_sync` says when a view was
    synced last, before this scheduler was there. `done` has until when the runs of views are done, for a scheduler that
    takes the place of another one.
    """

    def __init__(
        self,
        views: Iterable[View],
        sync: Callable[[View], Report],
        clock: Clock,
        *,
        last_sync: Callable[[View], datetime | None],
        options: Options = DEFAULT_OPTIONS,
        done: dict[str, datetime] | None = None,
    ) -> None:
        self._sync, self._clock, self._last_sync = sync, clock, last_sync
        scheduled = ((view, schedule_of(view.node, options)) for view in views if view.node.name)
        self._scheduled = [
            (view, schedule)
            for view, schedule in scheduled
            if has_source(view.node) and isinstance(schedule, CronSchedule | Continuous)
        ]
        self._done = {} if done is None else done
        self._waiting: dict[int, datetime] = {}  # before these moments, views need not be asked whether they are due

    def due(self) -> list[tuple[View, datetime]]:
        """The views that are to be synced now, each with the run that it is due to, those first whose run was first."""
        return [(self._scheduled[number][0], run) for number, run in self._due_views()]

    def run_due(self) -> Iterator[ScheduledSync[Report]]:
        """Make the syncs that are due now, and tell each when it is made, then the runs that fell into it."""
        for number, due_run in self._due_views():
            self._waiting.pop(number, None)
            view, schedule = self._scheduled[number]
            started = self._clock.now()
            try:
                outcome = ScheduledSync(view, due_run, "synced", self._sync(view))
            except SyncRunning as error:
                outcome = ScheduledSync(view, due_run, "running", reason=str(error))
            except (CannotSync, StoreError) as error:
                outcome = ScheduledSync(view, due_run, "failed", reason=str(error))
            ended = self._clock.now()
            self._done[view.node.name or ""] = ended
            yield outcome
            reason = f"its sync since {timestamp.format_timestamp(started)} was running"
            for run in next_runs(schedule, after=started):
                if run > ended:
                    break
                yield ScheduledSync(view, run, "running", reason=reason)

    def next_run(self) -> datetime | None:
        """The next moment at which a view will be due, which is now where one is; None where there is none."""
        if self._due_views():
            return self._clock.now()
        return min((moment for moment in self._waiting.values() if moment != _MAX_TIME), default=None)

    def run_until(self, moment: datetime) -> Iterator[ScheduledSync[Report]]:
        """Move the clock, a FixedClock, from run to run until a moment, and make all that is due."""
        clock = self._clock
        while (following := self.next_run()) is not None and following <= moment:
            clock.set(max(following, clock.now()))
            yield from self.run_due()
        clock.set(max(moment, clock.now()))

    def _due_views(self) -> list[tuple[int, datetime]]:
        """The numbers of the views that are to be synced now, with the runs that they are due to."""
        now, due_views = self._clock.now(), []
        for number, (view, schedule) in enumerate(self._scheduled):
            if self._waiting.get(number, now) > now:
                continue
            done, following = self._done_until(view, now), _MAX_TIME
            if isinstance(schedule, Continuous):
                run = now if done is None or now - done >= TICK else None
                if done is not None and _MAX_TIME - done > TICK:
                    following = done + TICK
            else:
                run = last_run(schedule, until=now)
                if run is None or (done is not None and run <= done):
                    run, following = None, next(next_runs(schedule, after=now), _MAX_TIME)
            if run is None:
                self._waiting[number] = following
            else:
                due_views.append((number, run))
        return sorted(due_views, key=lambda due_view: due_view[1])

    def _done_until(self, view: View, now: datetime) -> datetime | None:
        """Up to when the runs of a view are done; a sync that is dated in the future has done none of them."""
        last_sync = self._last_sync(view)
        past_sync = last_sync if last_sync and last_sync <= now else None
        moments = self._done.get(view.node.name or ""), past_sync, created_at(view.node)
        return max((moment for moment in moments if moment), default=None)
