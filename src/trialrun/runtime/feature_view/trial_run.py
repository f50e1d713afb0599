"""A trial run of the views of a catalog: the one object through which they are planned, synced, read and searched.

Command line, library, page, scenarios, `plan` and the service all hold one, over stores and a clock of their own.
What was served at a moment is the newest sync by then, made again in a store of its own: the tables are read anew, so a
row counts by its own moment, and not by when it was written into the table. Values are kept in the folder of the
workspace, in a store at an address, or in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from trialrun.cache_dir import private_cache_dir
from trialrun.errors import StoreError
from trialrun.extras import missing_libraries
from trialrun.model.feature_view import FeatureView
from trialrun.runtime.clock import Clock
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.data_finding import DataFinding
from trialrun.runtime.feature_view.direct_write import has_source
from trialrun.runtime.feature_view.index.interface import SearchRequest
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan, open_engine_of
from trialrun.runtime.feature_view.row_checks import Progress, RowChecks
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    OnDemand,
    Scheduler,
    created_at,
    last_run,
    next_runs,
    schedule_of,
)
from trialrun.runtime.feature_view.search import SearchResult, SnapshotIndexes, search
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.source.table_size import SyncEstimate
from trialrun.runtime.feature_view.store.guard import FILE_GUARD, TEMPORARY_GUARD, StoreGuard
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    EntityId,
    InvalidWrite,
    NeverSynced,
    OnlineStore,
    RowLoad,
    Scan,
    ServedEntity,
    Snapshot,
)
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.store.view_file import file_name
from trialrun.runtime.feature_view.sync import SyncReport, estimate_sync, sync_view
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    View = DeclaredResource[FeatureView]
    from trialrun.runtime.feature_view.store.redis.store import RedisStore


ROWS, RUN, NO_MOMENT, WRITES = "as-of-rows", "as-of-run", "as-of-no-moment", "as-of-writes"


RunKind = Literal["recorded", "scheduled", "continuous", "written"]
"""Where the values of a view were from: a sync on record, a scheduled one, a continuous one, or writes alone."""


@dataclass(frozen=True)
class PointInTime:
    """What was served at a moment: `store` has it, as of a run of some kind `at` its time.

    `is_replayed` says that the sync was made again in a store of its own; where it was not, `store` is the one that
    still serves that very run, with its indexes. The `assumptions` are ids of docs/assumptions.md.
    """

    store: OnlineStore
    at: datetime
    kind: RunKind
    is_replayed: bool
    findings: tuple[DataFinding, ...] = ()
    assumptions: tuple[str, ...] = ()


def _restore_writes(name: str, store: OnlineStore, past: OnlineStore, moment: datetime) -> PointInTime:
    """What a view without a source served: the values that were written by then. Raises NeverSynced."""
    snapshot, writes = store.snapshot(name), store.history(name).writes
    written = [write for write in writes if write.at <= moment]
    if snapshot is None or not written:
        raise NeverSynced(f'"{name}" has no source, and nothing was written into it by {format_timestamp(moment)}')
    run = max(direct_write.at for direct_write in written)
    if len(written) == len(writes):
        return PointInTime(store, run, "written", is_replayed=False, assumptions=(WRITES,))
    past.extend(name, snapshot.layout, now=moment)
    _write(past, name, written, moment)
    return PointInTime(past, run, "written", is_replayed=True, assumptions=(WRITES,))


def newest_run(
    view: View, store: OnlineStore, moment: datetime, options: Options = DEFAULT_OPTIONS
) -> tuple[datetime, RunKind]:
    """The newest sync of a view at or before a moment, on record or by its schedule. Raises NeverSynced."""
    created, schedule = created_at(view.node), schedule_of(view.node, options)
    recorded = max((at for at in store.history(view.node.name or "").syncs if at <= moment), default=None)
    is_continuous = isinstance(schedule, Continuous)
    scheduled = moment if is_continuous else last_run(schedule, until=moment)
    if scheduled and (created is None or scheduled >= created) and (recorded is None or scheduled > recorded):
        return scheduled, "continuous" if is_continuous else "scheduled"
    if recorded is not None:
        return recorded, "recorded"
    start = max(moment, created or moment)
    if following := next(next_runs(schedule, after=start), None):
        advice = f"its first run by schedule is at {format_timestamp(following)}"
    elif is_continuous:
        advice = f"it is synced continuously since it was created, at {format_timestamp(start)}"
    elif isinstance(schedule, OnDemand):
        advice = f"it is synced on demand only, since {schedule.reason}: sync it at an earlier time"
    else:
        advice = "sync it at an earlier time"
    raise NeverSynced(f'"{view.node.name}" was not synced by {format_timestamp(moment)}; {advice}')


def _write(past: OnlineStore, view: str, writes: Sequence[DirectWrite], moment: datetime) -> None:
    """Put direct writes into what was served then; those whose feature has gone or changed are left out."""
    try:
        past.write(view, writes, now=moment)
    except InvalidWrite:  # none was made: those that fit are, one by one
        for write in writes if len(writes) > 1 else ():
            _write(past, view, [write], moment)


class StoreLocations:
    """Where values and indexes of views are kept: here in memory; a folder or a store elsewhere are others."""

    guard: StoreGuard = TEMPORARY_GUARD
    is_remote: bool = False

    def store_of(self, view: str) -> OnlineStore:
        """The store that a view of this resource name is served from; in memory one of its own."""
        return SqliteStore(":memory:")

    def indexes(self, view: str) -> Path | None:
        """The folder for the indexes of a view; None for in memory."""
        return None


class ViewStores:
    """The stores and the indexes of views, each opened once; `keeps_indexes` says whether these outlive the process."""

    def __init__(self, locations: StoreLocations, *, keeps_indexes: bool = True) -> None:
        self.locations, self._keeps_indexes = locations, keeps_indexes
        self._stores: dict[str, OnlineStore] = {}
        self._indexes: dict[str, SnapshotIndexes] = {}

    def store(self, view: str) -> OnlineStore:
        """The store that a view is served from; the views of a FeatureOnlineStore share one. Raises StoreError."""
        parent = view.rpartition("/featureViews/")[0]
        if parent not in self._stores:
            self._stores.setdefault(parent, self.locations.store_of(view))
        return self._stores[parent]

    def indexes(self, view: str) -> SnapshotIndexes:
        """The indexes of a view; those of a store that other machines sync are made when they are asked for."""
        if view not in self._indexes:
            folder = self.locations.indexes(view) if self._keeps_indexes else None
            remote_store = self.store(view) if self.locations.is_remote else None
            opened = SnapshotIndexes(folder, guard=self.locations.guard, remote_store=remote_store)
            self._indexes.setdefault(view, opened)
        return self._indexes[view]


@dataclass(frozen=True)
class TrialRun:
    """Carries out what is asked of the views of a catalog, at the time of a clock, in some stores."""

    catalog: Catalog
    stores: ViewStores
    clock: Clock
    options: Options

    def store(self, view: View) -> OnlineStore:
        """The store that a view is served from. Raises StoreError."""
        return self.stores.store(view.node.name or "")

    def snapshot(self, view: View) -> Snapshot | None:
        """What is served of a view; None before its first sync or write. Raises StoreError."""
        return self.store(view).snapshot(view.node.name or "")

    def plan(self, view: View, *, cutoff: datetime | None = None) -> SyncPlan:
        """What a sync of a view at a time, or now, would do; only schemas are read. Raises CannotSync."""
        return build_plan(view, self.catalog, cutoff=cutoff or self.clock.now(), options=self.options)

    def size(self, view: View, plan: SyncPlan) -> SyncEstimate:
        """How large a planned sync of a view would be; no row is read."""
        try:
            snapshot = self.snapshot(view)
        except StoreError:  # which a sync will say
            snapshot = None
        return estimate_sync(plan, self.options, served=snapshot.entities if snapshot else None)

    def sync(
        self,
        view: View,
        *,
        with_index: bool = True,
        before_serving: Callable[[], None] | None = None,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Serve the latest values that the tables of a view have now, and make its index.

        `before_serving` is called when all rows are read, before the index is made; it may refuse to serve them, while
        nobody else can change what is served. Raises CannotSync, NotSearchable, StoreError and SyncRunning.
        """
        make_index = self.stores.indexes(view.node.name or "").before_serving(view) if with_index else None

        def before(number: int, scan: Scan) -> None:
            if before_serving:
                before_serving()
            if make_index:
                make_index(number, scan)

        return sync_view(
            view,
            self.catalog,
            self.store(view),
            clock=self.clock,
            options=self.options,
            before_serving=before if before_serving or make_index else None,
            progress=progress,
        )

    def fetch(self, view: View, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
        """What is served for entities of a view, None for one that is not. Raises NeverSynced and StoreError."""
        return self.store(view).fetch(view.node.name or "", ids)

    def search(self, view: View, request: SearchRequest) -> SearchResult:
        """The nearest entities of a view. Raises NeverSynced, NotSearchable and StoreError."""
        return search(view, self.store(view), self.stores.indexes(view.node.name or ""), request)

    def at(
        self, view: View, moment: datetime, *, ids: Sequence[EntityId] | None = None, with_index: bool = False
    ) -> tuple[PointInTime, TrialRun]:
        """What a view served at a moment, of some entities or of all, and the trial run that reads and searches it.

        Raises NeverSynced where there was no sync by then, CannotSync and StoreError.
        """
        name, store, stores = view.node.name or "", self.store(view), ViewStores(StoreLocations())
        past, history = stores.store(name), store.history(name)
        trial = TrialRun(self.catalog, stores, self.clock, self.options)
        if not has_source(view.node):
            found = _restore_writes(name, store, past, moment)
            return found, trial if found.is_replayed else self
        (run, kind), writes, served = (
            newest_run(view, store, moment, self.options),
            history.writes,
            store.snapshot(name),
        )
        is_still_served = kind == "recorded" and served is not None and served.synced_at == run
        if is_still_served and all(write.at <= moment for write in writes):
            return PointInTime(store, run, kind, is_replayed=False, assumptions=(WRITES,) if writes else ()), self
        make_index = stores.indexes(name).before_serving(view) if with_index else None
        with closing(EngineCache(self.options)) as engines:
            plan = build_plan(view, self.catalog, cutoff=run, ids=ids, options=self.options, engine=engines)
            checks = RowChecks(plan)  # of the rows that are served alone
            with open_engine_of(plan, engines) as engine:
                rows = checks.check(engine.latest(plan.statement), None)
                past.load(name, RowLoad(plan.layout, rows, run, lambda: None, plan.digest, before_serving=make_index))
        asked = None if ids is None else set(ids)
        by_then = [write for write in writes if write.at <= moment and (asked is None or write.id in asked)]
        _write(past, name, by_then, moment)
        has_moments = all(selection.moment for selection in plan.selections)
        rests_on = {ROWS: True, RUN: kind == "scheduled", NO_MOMENT: not has_moments, WRITES: bool(writes)}
        assumptions = dict.fromkeys([*(row for row, applies in rests_on.items() if applies), *plan.assumptions])
        findings = (*plan.findings, *checks.findings())
        return PointInTime(past, run, kind, is_replayed=True, findings=findings, assumptions=tuple(assumptions)), trial

    def due(self) -> list[tuple[View, datetime]]:
        """The views whose syncs are due by the clock, with their runs, the first run first. Raises StoreError."""

        def snapshot_time(view: View) -> datetime | None:
            snapshot = self.snapshot(view)
            return snapshot.synced_at if snapshot else None

        views = self.catalog.views
        return Scheduler(views, self.sync, self.clock, last_sync=snapshot_time, options=self.options).due()


FOLDER_NAME = ".trialrun"


class StoreFolder(StoreLocations):
    """The folder `.trialrun` of a workspace, or another `folder`. It is made when something is stored, and git ignores
    what is in it.

    It is only used where this user made it; `is_tracked` says whether git tracks files of it. A `temporary` one is of
    this process alone.
    """

    def __init__(
        self,
        root: str | Path,
        *,
        folder: Path | None = None,
        is_tracked: Callable[[Path], bool] | None = None,
        temporary: bool = False,
    ) -> None:
        self.path = folder or Path(root) / FOLDER_NAME
        self.guard = TEMPORARY_GUARD if temporary else StoreGuard(self.path, is_tracked=is_tracked)
        self._store = SqliteStore(self.path, guard=self.guard)

    def store_of(self, view: str) -> SqliteStore:
        """The store that all views are served from."""
        return self._store

    def indexes(self, view: str) -> Path:
        """The folder for the indexes of a view; it may not be there yet."""
        return self.path / "indexes" / file_name(view)


class RemoteStores(StoreLocations):
    """Where values are kept in a store at an address; indexes are in the user's cache, made when one is asked for.

    It stands for the folder of a workspace. Raises StoreError for an address that cannot be used.
    """

    guard = FILE_GUARD
    is_remote = True

    def __init__(self, address: str) -> None:
        self._store = open_store(address)
        self._digest = sha256(str(self._store.address).encode()).hexdigest()[:20]

    def store_of(self, view: str) -> OnlineStore:
        """The store that all views are served from."""
        return self._store

    def indexes(self, view: str) -> Path | None:
        """The folder for the indexes of a view, in the user's cache; None where there is no such folder."""
        folder = private_cache_dir()
        return Path(folder) / "indexes" / self._digest if folder else None


def open_store(address: str) -> RedisStore:
    """The store at an address such as `redis://HOST:PORT`; nothing is connected to yet. Raises StoreError."""
    if missing := missing_libraries("a store in Redis", "redis", "redis"):
        raise StoreError(missing)
    from trialrun.runtime.feature_view.store.redis.nodes import parse_address
    from trialrun.runtime.feature_view.store.redis.store import RedisStore

    return RedisStore(parse_address(address))
