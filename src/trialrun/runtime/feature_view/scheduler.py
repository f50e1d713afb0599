"""The scheduler: it runs the syncs that are due by the clock, one after the other, without threads of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.clock import MovableClock
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.direct_write import has_source
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    CronSchedule,
    SyncSchedule,
    created_at,
    last_run,
    next_runs,
    schedule_of,
)
from trialrun.runtime.feature_view.store.interface import StoreError, SyncRunning
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import DeclaredResource

Report = TypeVar("Report", covariant=True)
TICK = timedelta(minutes=1)
"""How often a continuous view is synced."""
_MICROSECOND = timedelta(microseconds=1)
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class DueSync:
    """A view that is to be synced now, and the run that it is due to; `earlier` are the runs that nobody made."""

    view: DeclaredResource[FeatureView]
    run: datetime
    earlier: Iterable[datetime] = field(default=(), repr=False, compare=False)

    @property
    def missed(self) -> int:
        """How many earlier runs nobody made, which takes a while where there were very many."""
        return sum(1 for _ in self.earlier)


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
        return min((moment for moment in self._waiting.values() if moment != _NEVER), default=None)

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
            if due := self._due(view, schedule, now):
                due_views.append((number, due))
            else:
                self._waiting[number] = self._next(view, schedule, now)
        return due_views

    def _due(self, view: DeclaredResource[FeatureView], schedule: SyncSchedule, now: datetime) -> DueSync | None:
        before = self._done_until(view)
        if isinstance(schedule, Continuous):
            return DueSync(view, now) if before is None or now - before >= TICK else None
        run = last_run(schedule, until=now)
        if run is None or (before is not None and run <= before):
            return None
        return DueSync(view, run, () if before is None else _RunsBetween(schedule, before, run))

    def _next(self, view: DeclaredResource[FeatureView], schedule: SyncSchedule, now: datetime) -> datetime:
        """When a view that is not due now may be."""
        if isinstance(schedule, Continuous):
            before = self._done_until(view) or now
            return before + TICK if _NEVER - before > TICK else _NEVER
        return next(next_runs(schedule, after=now), _NEVER)

    def _done_until(self, view: DeclaredResource[FeatureView]) -> datetime | None:
        """Up to when the runs of a view are done; a sync that is dated in the future has done none of them."""
        now, last_sync = self._clock.now(), self._last_sync(view)
        past_sync = last_sync if last_sync and last_sync <= now else None
        moments = self._done.get(view.node.name or ""), past_sync, created_at(view.node)
        return max((moment for moment in moments if moment), default=None)

    def _run(self, due: DueSync, schedule: SyncSchedule) -> Iterator[CompletedSync[Report] | FailedSync]:
        started = self._clock.now()
        outcome = self._sync_view(due)
        ended = self._clock.now()
        self._done[due.view.node.name or ""] = ended
        yield outcome
        for run in _runs(schedule, started, ended):
            yield FailedSync(
                DueSync(due.view, run), "running", f"its sync since {format_timestamp(started)} was running"
            )

    def _sync_view(self, due: DueSync) -> CompletedSync[Report] | FailedSync:
        try:
            return CompletedSync(due, self._sync(due.view))
        except SyncRunning as error:
            return FailedSync(due, "running", str(error), error)
        except (CannotSync, StoreError) as error:
            return FailedSync(due, "failed", str(error), error)


def _runs(schedule: SyncSchedule, after: datetime, until: datetime) -> Iterator[datetime]:
    for run in next_runs(schedule, after=after):
        if run > until:
            return
        yield run


@dataclass(frozen=True)
class _RunsBetween:
    """The runs after a moment and before a run, worked out when they are asked for."""

    schedule: SyncSchedule
    after: datetime
    run: datetime

    def __iter__(self) -> Iterator[datetime]:
        return _runs(self.schedule, self.after, self.run - _MICROSECOND)
