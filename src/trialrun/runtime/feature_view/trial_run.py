"""A trial run of the views of a catalog: the one object through which they are planned, synced, read and searched.

Command line, library, page, scenarios, `plan` and the service all hold one, over stores and a clock of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.as_of import PointInTime, restore_as_of
from trialrun.runtime.feature_view.plan import SyncPlan, build_plan
from trialrun.runtime.feature_view.schedule import DueSync, Scheduler
from trialrun.runtime.feature_view.search import OnDemandIndexes, SearchRequest, SearchResult, SnapshotIndexes, search
from trialrun.runtime.feature_view.store.guard import TEMPORARY_GUARD, StoreGuard
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import Progress, SyncReport, sync_view
from trialrun.runtime.feature_view.sync_size import SyncSize, sync_size
from trialrun.runtime.options import Options

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore, Scan, ServedEntity, Snapshot

    View = DeclaredResource[FeatureView]

Report = TypeVar("Report")


class StoreLocations(Protocol):
    """Where values and indexes of views are kept: a folder of files, a store elsewhere, or the memory."""

    guard: StoreGuard
    is_remote: bool

    def store_of(self, view: str) -> OnlineStore:
        """The store that a view of this resource name is served from."""
        ...

    def indexes(self, view: str) -> Path | None:
        """The folder for the indexes of a view; None for in memory."""
        ...


class InMemoryStorage:
    """Keeps everything until the program ends."""

    guard: StoreGuard = TEMPORARY_GUARD
    is_remote = False

    def store_of(self, view: str) -> OnlineStore:
        """A store of its own."""
        return SqliteStore(":memory:")

    def indexes(self, view: str) -> Path | None:
        """No folder."""
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
            guard = self.locations.guard
            opened = (
                OnDemandIndexes(self.store(view), folder, guard=guard)
                if self.locations.is_remote
                else SnapshotIndexes(folder, guard=guard)
            )
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

    def size(self, view: View, plan: SyncPlan) -> SyncSize:
        """How large a planned sync of a view would be; no row is read."""
        try:
            snapshot = self.snapshot(view)
        except StoreError:  # which a sync will say
            snapshot = None
        return sync_size(plan, self.options, served=snapshot.entities if snapshot else None)

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
        past = ViewStores(InMemoryStorage())
        name = view.node.name or ""
        found = restore_as_of(
            view,
            self.catalog,
            self.store(view),
            moment,
            into=past.store(name),
            ids=ids,
            options=self.options,
            before_serving=past.indexes(name).before_serving(view) if with_index else None,
        )
        return found, TrialRun(self.catalog, past, self.clock, self.options) if found.is_replayed else self

    def due(self) -> list[DueSync]:
        """The syncs that are due by the clock, those first whose run was first. Raises StoreError."""
        return self.scheduler(self.sync).due()

    def scheduler(
        self,
        sync: Callable[[View], Report],
        *,
        views: Sequence[View] | None = None,
        last_sync: Callable[[View], datetime | None] | None = None,
        done: dict[str, datetime] | None = None,
    ) -> Scheduler[Report]:
        """What makes the syncs of some views by the clock, each by `sync`; of all views where none are given.

        Without `last_sync`, a view was synced last when what it serves was made.
        """

        def snapshot_time(view: View) -> datetime | None:
            snapshot = self.snapshot(view)
            return snapshot.synced_at if snapshot else None

        return Scheduler(
            self.catalog.views if views is None else views,
            sync,
            self.clock,
            last_sync=last_sync or snapshot_time,
            options=self.options,
            done=done,
        )
