"""Where the values and the indexes of views are kept, values of before, and errors of stores as a client sees them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import Lock
from typing import cast

from trialrun.errors import StoreError
from trialrun.model.feature_view import FeatureView
from trialrun.runtime.declaration import DeclaredResource
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.index.interface import NotSearchable
from trialrun.runtime.feature_view.search import SnapshotIndexes
from trialrun.runtime.feature_view.source.location import Unreadable
from trialrun.runtime.feature_view.store.interface import (
    EntityId,
    InvalidEntityId,
    NeverSynced,
    OnlineStore,
    RowLayout,
    RowLoad,
    ServedEntity,
    Snapshot,
    SyncRunning,
)
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.store.value_codec import to_microseconds
from trialrun.runtime.feature_view.trial_run import StoreLocations, ViewStores
from trialrun.service.error import Status, field_path, service_error
from trialrun.service.journal import refuse_unkept
from trialrun.values.resource_name import last_id


@contextmanager
def as_service_errors() -> Iterator[None]:
    """Report what the runtime refuses as an error of the service."""
    try:
        with refuse_unkept():
            yield
    except CannotSync as error:
        field = field_path(("featureView", *error.steps))
        raise service_error(Status.FAILED_PRECONDITION, "cannot-sync", str(error), field=field) from error
    except Unreadable as error:
        raise service_error(Status.FAILED_PRECONDITION, "unreadable-source", str(error)) from error
    except NotSearchable as error:
        raise service_error(Status.FAILED_PRECONDITION, "cannot-index", str(error)) from error
    except InvalidEntityId as error:  # the columns changed after the id was read
        raise service_error(Status.INVALID_ARGUMENT, "invalid-entity-id", str(error)) from error
    except NeverSynced as error:
        raise service_error(Status.FAILED_PRECONDITION, "never-synced", str(error)) from error
    except SyncRunning as error:
        message = str(error) or "another sync of this view is running; wait until it ends"
        raise service_error(Status.ABORTED, "sync-running", message) from error


MAX_ENTITIES = 5_000
"""Earlier values of larger views are not kept."""
MAX_ENTITIES_KEPT = 50_000
"""So many entities of all views together are kept; of more, the views that were synced least recently go first."""
READS_ARE_STALE: ContextVar[bool] = ContextVar("reads_are_stale", default=False)


@contextmanager
def stale_reads(is_stale: bool) -> Iterator[None]:
    """Have reads of this task, and of its threads, answer with the values before the last sync."""
    before = READS_ARE_STALE.set(is_stale)
    try:
        yield
    finally:
        READS_ARE_STALE.reset(before)


@dataclass(frozen=True)
class PreviousSnapshot:
    """What was served of a view; `entities` is None where they were too many to keep."""

    view: DeclaredResource[FeatureView]
    snapshot: Snapshot
    entities: Sequence[ServedEntity] | None


class ViewStorage(ViewStores):
    """The stores and the indexes of views; for reads that are to be stale, those of the values before the last sync.

    These are kept from when `keeps_previous` is set.
    """

    def __init__(self, locations: StoreLocations) -> None:
        super().__init__(locations)
        self.keeps_previous = False
        self._previous: dict[str, PreviousSnapshot | None] = {}  # the last synced at the end
        self._opened: dict[str, tuple[SqliteStore, SnapshotIndexes]] = {}
        self._unchanged: set[str] = set()
        self._lock = Lock()

    def store(self, view: str) -> OnlineStore:
        """The store that a view is served from; the views of a FeatureOnlineStore share one."""
        return self._open_previous(view)[0] if self._is_stale(view) else super().store(view)

    def indexes(self, view: str) -> SnapshotIndexes:
        """The indexes of a view."""
        return self._open_previous(view)[1] if self._is_stale(view) else super().indexes(view)

    def remove(self, view: str) -> None:
        """Forget the values and the indexes of a view. Raises SyncRunning."""
        self.store(view).remove(view)
        self._indexes.pop(view, None)
        with self._lock:
            self._forget_previous(view)
        folder = None if self.locations.is_remote else self.locations.indexes(view)
        if folder is not None:
            self.locations.guard.refuse_links(folder)
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def keeping_previous(self, view: DeclaredResource[FeatureView], store: OnlineStore) -> Iterator[None]:
        """Keep what is served of a view while it is synced; a sync that fails leaves what was kept before."""
        served = _served(view, store) if self.keeps_previous else None
        yield
        if not self.keeps_previous:
            return
        with self._lock:
            self._forget_previous(view.node.name or "")
            self._previous[view.node.name or ""] = served
            sizes = {name: len(kept.entities) for name, kept in self._previous.items() if kept and kept.entities}
            total = sum(sizes.values())
            for name, size in sizes.items():
                if total <= MAX_ENTITIES_KEPT:
                    break
                total -= size
                self._opened.pop(name, None)
                self._previous[name] = replace(cast("PreviousSnapshot", self._previous[name]), entities=None)

    def keep_current(self, view: str) -> None:
        """Take the values that are served as those before the last sync, which changed none."""
        if self.keeps_previous:
            with self._lock:
                self._forget_previous(view)
                self._unchanged.add(view)

    def _is_stale(self, view: str) -> bool:
        return READS_ARE_STALE.get() and view not in self._unchanged

    def _forget_previous(self, view: str) -> None:
        self._previous.pop(view, None)
        self._opened.pop(view, None)
        self._unchanged.discard(view)

    def _open_previous(self, view: str) -> tuple[SqliteStore, SnapshotIndexes]:
        """The values before the last sync in a store of their own, with indexes. Raises NeverSynced and StoreError."""
        with self._lock:
            previous = self._previous.get(view)
            if previous is None:
                raise NeverSynced(f'no values of the view "{last_id(view)}" are known from before its last sync')
            if view not in self._opened:
                self._opened[view] = _open(view, previous)
            return self._opened[view]


def _served(view: DeclaredResource[FeatureView], store: OnlineStore) -> PreviousSnapshot | None:
    """What is served of a view now; None before its first sync, and where it cannot be read."""
    name = view.node.name or ""
    try:
        snapshot = store.snapshot(name)
        if snapshot is None:
            return None
        if snapshot.entities > MAX_ENTITIES:
            return PreviousSnapshot(view, snapshot, None)
        ids = [cast("EntityId", row[0]) for row in store.scan(name, [])]
        entities = store.fetch(name, ids)
    except (StoreError, NeverSynced):
        return None
    return PreviousSnapshot(view, snapshot, [entity for entity in entities if entity])


def _open(view: str, previous: PreviousSnapshot) -> tuple[SqliteStore, SnapshotIndexes]:
    if previous.entities is None:
        raise StoreError(f"earlier values are kept of views of up to {MAX_ENTITIES:,} entities; take a smaller view")
    store, indexes, snapshot = SqliteStore(":memory:"), SnapshotIndexes(), previous.snapshot
    layout = RowLayout(snapshot.layout.keys, snapshot.layout.features)
    rows = [
        (
            *entity.id,
            None if entity.timestamp is None else to_microseconds(entity.timestamp),
            *(entity.values.get(feature.name) for feature in layout.features),
        )
        for entity in previous.entities
    ]
    store.load(view, RowLoad(layout, rows, snapshot.synced_at, lambda: None))
    make_index = indexes.before_serving(previous.view)
    if make_index:
        make_index(1, lambda features: store.scan(view, features))
    return store, indexes
