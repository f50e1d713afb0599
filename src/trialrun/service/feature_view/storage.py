"""Where the values and the indexes of views are kept."""

from __future__ import annotations

import shutil
from pathlib import Path

from trialrun.runtime.feature_view.indexes import SnapshotIndexes, StoreLocations, open_indexes
from trialrun.runtime.feature_view.store.guard import TEMPORARY_GUARD, StoreGuard
from trialrun.runtime.feature_view.store.interface import OnlineStore
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.options import Options
from trialrun.service.feature_view.previous_values import READS_ARE_STALE, PreviousValues


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


class ViewStorage:
    """The stores and the indexes of views, each opened once."""

    def __init__(self, places: StoreLocations, options: Options) -> None:
        self._places = places
        self._stores: dict[str, OnlineStore] = {}
        self._indexes: dict[str, SnapshotIndexes] = {}
        self.previous = PreviousValues()

    @property
    def is_remote(self) -> bool:
        """Whether the values are on another machine."""
        return self._places.is_remote

    def store(self, view: str) -> OnlineStore:
        """The store that a view is served from; the views of a FeatureOnlineStore share one."""
        if READS_ARE_STALE.get() and not self.previous.is_current(view):
            return self.previous.open(view).store
        parent = view.rpartition("/featureViews/")[0]
        if parent not in self._stores:
            self._stores.setdefault(parent, self._places.store_of(view))
        return self._stores[parent]

    def indexes(self, view: str) -> SnapshotIndexes:
        """The indexes of a view."""
        if READS_ARE_STALE.get() and not self.previous.is_current(view):
            return self.previous.open(view).indexes
        if view not in self._indexes:
            self._indexes.setdefault(view, open_indexes(self._places, view))
        return self._indexes[view]

    def remove(self, view: str) -> None:
        """Forget the values and the indexes of a view. Raises SyncRunning."""
        self.store(view).remove(view)
        self._indexes.pop(view, None)
        self.previous.remove(view)
        folder = None if self._places.is_remote else self._places.indexes(view)
        if folder is not None:
            self._places.guard.refuse_links(folder)
            shutil.rmtree(folder, ignore_errors=True)
