"""Where the values and the indexes of views are kept."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Protocol

from trialrun.runtime.feature_view.indexes import SnapshotIndexes
from trialrun.runtime.feature_view.store.guard import TEMPORARY_GUARD, StoreGuard
from trialrun.runtime.feature_view.store.interface import OnlineStore
from trialrun.runtime.feature_view.store.sqlite import SqliteStore


class StorageLocations(Protocol):
    """Says where the values of a view are, and its indexes: None for in memory. A Folder is one."""

    guard: StoreGuard
    """What is asked before files are used."""

    def store_of(self, view: str) -> OnlineStore:
        """The store that a view of this resource name is served from."""
        ...

    def indexes(self, view: str) -> Path | None:
        """The folder for the indexes of a view."""
        ...


class InMemoryStorage:
    """Keeps everything until the program ends."""

    guard = TEMPORARY_GUARD

    def store_of(self, view: str) -> OnlineStore:
        """A store of its own."""
        return SqliteStore(":memory:")

    def indexes(self, view: str) -> Path | None:
        """No folder."""
        return None


class ViewStorage:
    """The stores and the indexes of views, each opened once."""

    def __init__(self, places: StorageLocations) -> None:
        self._places = places
        self._stores: dict[str, OnlineStore] = {}
        self._indexes: dict[str, SnapshotIndexes] = {}

    def store(self, view: str) -> OnlineStore:
        """The store that a view is served from; the views of a FeatureOnlineStore share one."""
        parent = view.rpartition("/featureViews/")[0]
        if parent not in self._stores:
            self._stores.setdefault(parent, self._places.store_of(view))
        return self._stores[parent]

    def indexes(self, view: str) -> SnapshotIndexes:
        """The indexes of a view."""
        if view not in self._indexes:
            self._indexes.setdefault(view, SnapshotIndexes(self._places.indexes(view), guard=self._places.guard))
        return self._indexes[view]

    def remove(self, view: str) -> None:
        """Forget the values and the indexes of a view. Raises SyncRunning."""
        self.store(view).remove(view)
        self._indexes.pop(view, None)
        folder = self._places.indexes(view)
        if folder is not None:
            self._places.guard.refuse_links(folder)
            shutil.rmtree(folder, ignore_errors=True)
