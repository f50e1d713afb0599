"""When views are synced: their schedules, the views of a store that are synced together, and the scheduler.

The scheduler runs the syncs that are due by the clock, one after the other, without threads of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.clock import MovableClock
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.direct_write import has_source
from trialrun.runtime.feature_view.store.interface import StoreError, SyncRunning
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.values import cron, time_zone, timestamp
from trialrun.values.cron import ClockChange, CronExpression, Semantics
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView, SyncConfig
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import DeclaredResource

Report = TypeVar("Report", covariant=True)
UTC_ZONE = "UTC"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_TIME = datetime.max.replace(tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MAX_CATCH_UP = timedelta(hours=3)
TICK = timedelta(minutes=1)
"""How often a continuous view is synced."""
_MINUTE = 60
Runs = tuple[str, Sequence[datetime]]
"""The resource name of a view, and when it is synced in the time that is looked at."""


@dataclass(frozen=True)
class CronSchedule:
    """Synced at the runs of a schedule; `text` is how it is written, the zone's prefix included."""

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
    """Synced only when somebody asks, and why; `text` is a schedule that is there all the same."""

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
    before = min(until, _MAX_TIME - _MICROSECOND) + _MICROSECOND
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


def find_collisions(views: Iterable[Runs], *, most: int) -> list[Collision]:
    """The minutes in which more than `most` views of a store are synced, by who they are; the earliest first.

    Two documents of one name are one view. A view whose name has no store collides with none.
    """
    names: dict[str, int] = {}
    views_by_minute: dict[tuple[str, int], int] = defaultdict(
        int
    )  # views as bits: sets of texts take ten times as long
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
        together = sorted(name for name, place in names.items() if bits >> place & 1)
        moments = (datetime.fromtimestamp(_MINUTE * minute, UTC) for minute in sorted(minutes))
        collisions.append(Collision(store, tuple(together), tuple(moments)))
    return sorted(collisions, key=lambda collision: (collision.minutes[0], collision.store, collision.views))


@dataclass(frozen=True)
class DueSync:
    """A view that is to be synced now, and the run that it is due to."""

    view: DeclaredResource[FeatureView]
    run: datetime


@dataclass(frozen=True)
class CompletedSync(Generic[Report]):
    """A due sync that was made, with its report."""

    due: DueSync
    report: Report


@dataclass(frozen=True)
class FailedSync:
    """A due sync that was not made: it `failed`, or another sync of the view was `running`; the old values stay.

    `error` is what the sync raised, where it did.
    """

    due: DueSync
    outcome: Literal["failed", "running"]
    reason: str
    error: CannotSync | StoreError | SyncRunning | None = None


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
        views: Sequence[DeclaredResource[FeatureView]],
        sync: Callable[[DeclaredResource[FeatureView]], Report],
        clock: Clock,
        *,
        last_sync: Callable[[DeclaredResource[FeatureView]], datetime | None],
        options: Options = DEFAULT_OPTIONS,
        done: dict[str, datetime] | None = None,
    ) -> None:
        self._sync, self._clock, self._last_sync = sync, clock, last_sync
        self._scheduled = {
            number: (view, schedule)
            for number, view in enumerate(views)
            if view.node.name
            and has_source(view.node)
            and isinstance(schedule := schedule_of(view.node, options), CronSchedule | Continuous)
        }
        self._done = {} if done is None else done
        self._waiting: dict[int, datetime] = {}  # before these moments, views need not be asked whether they are due

    def due(self) -> list[DueSync]:
        """The views that are to be synced now, those first whose run was first."""
        return sorted((due for _, due in self._due_views()), key=lambda due: due.run)

    def run_due(self) -> Iterator[CompletedSync[Report] | FailedSync]:
        """Make the syncs that are due now, and tell each when it is made."""
        for number, due in sorted(self._due_views(), key=lambda numbered_view: numbered_view[1].run):
            self._waiting.pop(number, None)
            yield from self._run(due, self._scheduled[number][1])

    def next_run(self) -> datetime | None:
        """The next moment at which a view will be due, which is now where one is; None where there is none."""
        if self.due():
            return self._clock.now()
        return min((moment for moment in self._waiting.values() if moment != _MAX_TIME), default=None)

    def run_until(self, moment: datetime) -> Iterator[CompletedSync[Report] | FailedSync]:
        """Move the clock, which must be a MovableClock, from run to run until a moment, and make all that is due."""
        clock = self._clock
        if not isinstance(clock, MovableClock):
            raise TypeError("only a clock that can be set is moved; use a FixedClock")
        while (following := self.next_run()) is not None and following <= moment:
            clock.set(max(following, clock.now()))
            yield from self.run_due()
        clock.set(max(moment, clock.now()))

    def _due_views(self) -> list[tuple[int, DueSync]]:
        now, due_views = self._clock.now(), []
        for number, (view, schedule) in self._scheduled.items():
            if self._waiting.get(number, now) > now:
                continue
            if run := self._due_run(view, schedule, now):
                due_views.append((number, DueSync(view, run)))
            elif isinstance(schedule, Continuous):
                before = self._done_until(view) or now
                self._waiting[number] = before + TICK if _MAX_TIME - before > TICK else _MAX_TIME
            else:
                self._waiting[number] = next(next_runs(schedule, after=now), _MAX_TIME)
        return due_views

    def _due_run(self, view: DeclaredResource[FeatureView], schedule: SyncSchedule, now: datetime) -> datetime | None:
        """The run that a view is due to now, None where it is not due."""
        before = self._done_until(view)
        if isinstance(schedule, Continuous):
            return now if before is None or now - before >= TICK else None
        run = last_run(schedule, until=now)
        return run if run is not None and (before is None or run > before) else None

    def _done_until(self, view: DeclaredResource[FeatureView]) -> datetime | None:
        """Up to when the runs of a view are done; a sync that is dated in the future has done none of them."""
        now, last_sync = self._clock.now(), self._last_sync(view)
        past_sync = last_sync if last_sync and last_sync <= now else None
        moments = self._done.get(view.node.name or ""), past_sync, created_at(view.node)
        return max((moment for moment in moments if moment), default=None)

    def _run(self, due: DueSync, schedule: SyncSchedule) -> Iterator[CompletedSync[Report] | FailedSync]:
        started = self._clock.now()
        outcome: CompletedSync[Report] | FailedSync
        try:
            outcome = CompletedSync(due, self._sync(due.view))
        except SyncRunning as error:
            outcome = FailedSync(due, "running", str(error), error)
        except (CannotSync, StoreError) as error:
            outcome = FailedSync(due, "failed", str(error), error)
        ended = self._clock.now()
        self._done[due.view.node.name or ""] = ended
        yield outcome
        reason = f"its sync since {timestamp.format_timestamp(started)} was running"
        for run in takewhile(lambda run: run <= ended, next_runs(schedule, after=started)):
            yield FailedSync(DueSync(due.view, run), "running", reason)
