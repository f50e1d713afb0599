"""Where the values and the indexes of views are kept."""

from __future__ import annotations

import shutil

from trialrun.runtime.feature_view.search import SnapshotIndexes
from trialrun.runtime.feature_view.store.interface import OnlineStore
from trialrun.runtime.feature_view.trial_run import StoreLocations, ViewStores
from trialrun.service.feature_view.previous_values import READS_ARE_STALE, PreviousValues


class ViewStorage(ViewStores):
    """The stores and the indexes of views; for reads that are to be stale, those of the values before."""

    def __init__(self, locations: StoreLocations) -> None:
        super().__init__(locations)
        self.previous = PreviousValues()

    def store(self, view: str) -> OnlineStore:
        """The store that a view is served from; the views of a FeatureOnlineStore share one."""
        if READS_ARE_STALE.get() and not self.previous.is_current(view):
            return self.previous.open(view).store
        return super().store(view)

    def indexes(self, view: str) -> SnapshotIndexes:
        """The indexes of a view."""
        if READS_ARE_STALE.get() and not self.previous.is_current(view):
            return self.previous.open(view).indexes
        return super().indexes(view)

    def remove(self, view: str) -> None:
        """Forget the values and the indexes of a view. Raises SyncRunning."""
        self.store(view).remove(view)
        self._indexes.pop(view, None)
        self.previous.remove(view)
        folder = None if self.locations.is_remote else self.locations.indexes(view)
        if folder is not None:
            self.locations.guard.refuse_links(folder)
            shutil.rmtree(folder, ignore_errors=True)
