"""Syncs that are due by the clock of a service: those of views with a schedule, and of continuous ones."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.schedule import Scheduler
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.service.error import ServiceError, Status, service_error
from trialrun.service.feature_view.messages import FeatureViewSync
from trialrun.service.feature_view.storage import ViewStorage
from trialrun.service.feature_view.sync_records import SyncAttempt, SyncHistory

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.options import Options
    from trialrun.service.feature_view.view_store import ViewStore


class ScheduledSyncs:
    """Makes the syncs that are due, while views come, change and go; one thread at a time may use it.

    `sync` syncs the view of a name, as its schedule asks for it. What fails is in its record and stops no other sync.
    """

    def __init__(
        self,
        views: ViewStore,
        storage: ViewStorage,
        history: SyncHistory,
        sync: Callable[[str], SyncAttempt],
        clock: Clock,
        options: Options,
    ) -> None:
        self._views, self._storage, self._history, self._sync = views, storage, history, sync
        self._clock, self._options = clock, options
        self._done: dict[str, datetime] = {}
        self._scheduler: Scheduler[FeatureViewSync] | None = None
        self._version = -1

    def use_options(self, options: Options) -> None:
        """Make later syncs with other options."""
        self._options, self._version = options, -1

    def next_run(self) -> datetime | None:
        """The next moment at which a view is to be synced, which is now where one is; None where there is none."""
        return self._current_scheduler().next_run()

    def run_until(self, time: datetime) -> Generator[FeatureViewSync, None, None]:
        """Move the clock from run to run until a time, and tell the record of each sync when it is made.

        Whoever stops asking finds the clock at the last sync. Raises TypeError for a clock that cannot be moved.
        """
        try:
            yield from self._run_until(time)
        finally:
            self._history.flush()

    def _run_until(self, time: datetime) -> Iterator[FeatureViewSync]:
        is_unchanged = False
        while not is_unchanged:
            scheduler, version = self._current_scheduler(), self._version
            is_unchanged = True
            for outcome in scheduler.run_until(time):
                if outcome.report is not None:
                    yield outcome.report
                if self._views.version != version:  # whose runs are others now
                    is_unchanged = False
                    break

    def _current_scheduler(self) -> Scheduler[FeatureViewSync]:
        """The scheduler of the views that there are now."""
        version = self._views.version
        if self._scheduler is None or version != self._version:
            self._scheduler = Scheduler(
                self._views.catalog.views,
                self._make,
                self._clock,
                last_sync=self._last_sync,
                options=self._options,
                done=self._done,
            )
            self._version = version
        return self._scheduler

    def _last_sync(self, view: DeclaredResource[FeatureView]) -> datetime | None:
        """When a view was synced before its first run here."""
        name = view.node.name or ""
        if name in self._done:
            return None
        try:
            snapshot = self._storage.store(name).snapshot(name)
        except StoreError:  # which its sync will say
            return None
        return snapshot.synced_at if snapshot else None

    def _make(self, view: DeclaredResource[FeatureView]) -> FeatureViewSync:
        """The record of a sync. Raises CannotSync where the view is gone."""
        name = view.node.name or ""
        try:
            return self._sync(name).record
        except ServiceError as error:
            raise CannotSync(error.message) from error
        except Exception as error:  # noqa: BLE001 - an internal error in one sync does not stop the others
            message = f"internal error: {type(error).__name__}: {error}; please report it"
            failure = service_error(Status.INTERNAL, "internal-error", message)
            return self._history.fail(self._views.get(name), failure)
