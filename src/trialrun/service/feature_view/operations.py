"""What the operations do when a caller may: one change at a time, while values are read and written beside."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from threading import RLock
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.direct_write import explain_no_values, has_source
from trialrun.runtime.feature_view.store.interface import NeverSynced, StoreError
from trialrun.runtime.feature_view.trial_run import TrialRun
from trialrun.service.error import Status, service_error
from trialrun.service.etag import require_current_etag
from trialrun.service.feature_view import messages
from trialrun.service.feature_view.entity_values import (
    KeyFailure,
    ValueReader,
    open_reader,
    open_reader_without_source,
    search_nearest,
    write_values,
)
from trialrun.service.feature_view.scheduled_syncs import ScheduledSyncs
from trialrun.service.feature_view.service_account import Grants, service_account_email
from trialrun.service.feature_view.storage import ViewStorage, as_service_errors
from trialrun.service.feature_view.sync_records import SyncAttempt, SyncHistory
from trialrun.service.feature_view.view_store import ViewMutations
from trialrun.service.lint_request import LintWarning
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.runtime.clock import Clock
    from trialrun.runtime.declaration import Catalog
    from trialrun.runtime.options import Options
    from trialrun.service.feature_view.values import DataKey
    from trialrun.service.feature_view.view_store import ViewEntry, ViewStore
    from trialrun.service.iam import Access, Policy
    from trialrun.service.journal import Record
    from trialrun.service.origin import Merge


class ViewOperations:
    """Carries out what may take a while; every method may be called from any thread."""

    def __init__(
        self,
        views: ViewStore,
        changes: ViewMutations,
        syncs: SyncHistory,
        storage: ViewStorage,
        clock: Clock,
        options: Options,
    ) -> None:
        self._views = views
        self._changes = changes
        self._syncs = syncs
        self._kept = storage
        self._clock = clock
        self._lock = RLock()
        self.scheduled = ScheduledSyncs(views, storage, syncs, self._sync_as_scheduled, clock, options)

    def create(self, request: messages.CreateFeatureViewRequest) -> messages.CreateFeatureViewResponse:
        """Create a view, and sync it where that is asked for; a view whose sync fails is there nevertheless.

        Values that an earlier view of its name left behind are not its own.
        """
        with self._lock:
            name, content, remarks = self._changes.prepare_create(request)
            with as_service_errors():
                self._kept.remove(name)
                view = self._views.put(name, content, self._clock.now()).view
        if not request.runSyncImmediately:
            return messages.CreateFeatureViewResponse(featureView=view, warnings=remarks)
        attempt = self.sync(name)
        return messages.CreateFeatureViewResponse(
            featureView=view,
            warnings=[*remarks, *_failed_sync_warnings(attempt)],
            featureViewSync=attempt.record.name,
            syncStatus=attempt.record.finalStatus,
        )

    def patch(self, request: messages.PatchFeatureViewRequest) -> messages.PatchFeatureViewResponse:
        """Put a view's new content in place of the old."""
        with self._lock:
            name, content, remarks = self._changes.prepare_patch(request)
            with as_service_errors():
                view = self._views.put(name, content, self._clock.now()).view
        return messages.PatchFeatureViewResponse(featureView=view, warnings=remarks)

    def delete(self, request: messages.DeleteFeatureViewRequest, access: Access, grants: Grants) -> None:
        """Forget a view and all that is its own. Raises ABORTED while a sync of it runs.

        Values go last: what is left of them by a disk that fails meanwhile is nobody's, and goes with the next view of
        the name.
        """
        with self._lock:
            entry = self._views.get(request.name)
            require_current_etag(request.etag, entry.view.etag or "", "the view")
            belongings = [*self._syncs.records(entry), *access.records(entry.name)]
            with as_service_errors():
                self._views.remove(entry, belongings, lambda: self._remove_values(entry.name))
            self._forget(entry, access, grants)

    def _remove_values(self, name: str) -> None:
        """Remove the values of a view that the journal has forgotten. Raises SyncRunning.

        What a failing disk leaves of them is nobody's, and goes before the next view of the name has values.
        """
        with suppress(StoreError):
            self._kept.remove(name)

    def _forget(self, entry: ViewEntry, access: Access, grants: Grants) -> None:
        self._syncs.remove_records(entry)
        access.remove_policy(entry.name)
        grants.remove_member(f"serviceAccount:{service_account_email(entry.name)}")

    def merge(
        self, catalog: Catalog, changes: ViewMutations, access: Access, grants: Grants, *, is_complete: bool
    ) -> Merge:
        """Take over the documents of a catalog and the rules for changes, all at once. Raises JournalError.

        The values of a view that goes stay in its store, for the time when its file is back.
        """
        with self._lock:
            before = {entry.name: entry for entry in self._views}

            def belongings(entry: ViewEntry) -> list[Record]:
                return [*self._syncs.records(entry), *access.records(entry.name)]

            merged = self._views.merge(catalog, self._clock.now(), is_complete=is_complete, belongings=belongings)
            self._changes = changes
            for name in merged.removed:
                if name in before:
                    self._forget(before[name], access, grants)
            return merged

    def use_options(self, options: Options) -> None:
        """Make later syncs with other options."""
        self._syncs.options = options
        self.scheduled.use_options(options)

    def set_policy(self, request: messages.SetIamPolicyRequest, access: Access) -> Policy:
        """Set the policy of a view, which goes with it."""
        with self._lock:
            name = self._views.get(request.resource, field="resource").name
            with as_service_errors():
                return access.set_policy(name, request.policy, request.updateMask)

    def run_until(self, time: datetime) -> list[messages.FeatureViewSync]:
        """Move the clock to a time, and make the syncs that are due until then, in order. Raises TypeError."""
        return list(self.scheduled.run_until(time))

    def sync(self, name: str, *, on_demand: bool = True) -> SyncAttempt:
        """Sync a view; nothing is kept of one that was deleted meanwhile, and one of its name stays as it was."""
        with self._lock:
            entry, catalog = self._views.get(name, field="featureView"), self._views.catalog
        attempt = self._syncs.attempt(
            entry, catalog, before_serving=lambda: self._require_not_deleted(entry), on_demand=on_demand
        )
        with self._lock:
            if not self._views.is_current(entry):
                self._syncs.forget(entry)
        return attempt

    def _sync_as_scheduled(self, name: str) -> SyncAttempt:
        return self.sync(name, on_demand=False)

    def _require_not_deleted(self, entry: ViewEntry) -> None:
        """Refuse to serve a view that was deleted; from then on its values are in the store, and go with the view."""
        with self._lock:
            if not self._views.is_current(entry):
                message = "the view was deleted during the sync; nothing is served"
                raise service_error(Status.ABORTED, "deleted-view", message)

    def fetch(
        self,
        name: str,
        keys: Sequence[DataKey],
        request: messages.FetchFeatureValuesRequest | messages.StreamingFetchFeatureValuesRequest,
        *,
        field: str | None = None,
    ) -> list[messages.FetchFeatureValuesResponse | KeyFailure]:
        """The values of some entities of a view; `field` is where a single key is in its request."""
        with as_service_errors():
            return self._reader(name, request).fetch(keys, request.dataFormat, field=field)

    def fetch_at_once(
        self, name: str, request: messages.FetchFeatureValuesRequest
    ) -> messages.FetchFeatureValuesResponse | None:
        """The values of an entity, None where that may take a while: far away, or to say why there are none."""
        if self._kept.locations.is_remote:
            return None
        with as_service_errors():
            return self._reader(name, request).fetch_at_once(request.dataKey, request.dataFormat)

    def write(
        self, name: str, request: messages.DirectWriteRequest
    ) -> tuple[list[messages.WriteResponse], list[KeyFailure]]:
        """Write values of some entities of a view; one without a source has the features that are written."""
        with as_service_errors():
            is_synced = has_source(self._views.get(name, field="featureView").view)
            target = self._reader(name, request) if is_synced else self._reader_without_source(name, request)
            self._syncs.values_changed(name)
            return write_values(target, request.dataKeyAndFeatureValues, now=self._clock.now())

    def search(
        self, entry: ViewEntry, request: messages.SearchNearestEntitiesRequest
    ) -> messages.SearchNearestEntitiesResponse:
        """The entities of a view that are nearest to a query."""
        with as_service_errors():
            trial = TrialRun(self._views.catalog, self._kept, self._clock, self._syncs.options)
            return search_nearest(entry, self._reader(entry.name, request), trial, request)

    def _reader_without_source(self, name: str, request: messages.ValuesRequest) -> ValueReader:
        return open_reader_without_source(name, self._kept.store(name), plain_values=request.plainValues)

    def _reader(self, name: str, request: messages.ValuesRequest) -> ValueReader:
        """The values of a view. Raises NeverSynced where there are none."""
        try:
            return open_reader(name, self._kept.store(name), plain_values=request.plainValues)
        except NeverSynced:
            view = self._views.get(name, field="featureView").view
            raise NeverSynced(explain_no_values(view, f'the view "{last_id(name)}"', "sync it")) from None


def _failed_sync_warnings(attempt: SyncAttempt) -> list[LintWarning]:
    if attempt.error is None:
        return []
    message = f"the view was created, and its first sync failed: {attempt.error.message}"
    return [LintWarning(rule=attempt.error.reason, severity="warning", field="runSyncImmediately", message=message)]
