"""The fourteen operations on FeatureViews: who may call them, and what they do.

One change is made at a time, while values are read and written beside.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from threading import RLock

from trialrun.errors import StoreError
from trialrun.lint.selection import Selection, default_selection
from trialrun.model.feature_view import FeatureView
from trialrun.runtime.clock import Clock, SystemClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.direct_write import explain_no_values, has_source
from trialrun.runtime.feature_view.store.interface import NeverSynced, RowLayout
from trialrun.runtime.feature_view.trial_run import StoreLocations, TrialRun
from trialrun.runtime.options import Options
from trialrun.service.error import ServiceError, Status, service_error
from trialrun.service.feature_view import messages as m
from trialrun.service.feature_view.entity_values import (
    KeyFailure,
    ValueReader,
    combined_status,
    open_reader,
    search_nearest,
    write_values,
)
from trialrun.service.feature_view.feature_value import DataKey, prepare_fetch, prepare_format
from trialrun.service.feature_view.storage import ViewStorage, as_service_errors
from trialrun.service.feature_view.syncs import ScheduledSyncs, SyncHistory, list_syncs, to_rpc_status
from trialrun.service.feature_view.view_store import STORE as STORES
from trialrun.service.feature_view.view_store import VIEW as VIEWS
from trialrun.service.feature_view.view_store import ViewEntry, ViewStore
from trialrun.service.iam import (
    OWNER,
    ROLES,
    Access,
    AccessEnabled,
    Caller,
    Grants,
    Policy,
    Signer,
    prepare_policy_version,
    read_signer,
    require_version,
    service_account_email,
    wrong_token,
)
from trialrun.service.journal import Journal, Record
from trialrun.service.lint_request import LintWarning
from trialrun.service.listing import GetRequest, ListRequest, require_name
from trialrun.service.resource import Merge, require_current_etag
from trialrun.service.rpc import LOCATION, Api, in_thread, rpc
from trialrun.values.resource_name import last_id

ADMIN, SERVING = Api.FEATURE_STORE_ADMIN, Api.FEATURE_STORE_SERVING
STORE = f"{LOCATION}/featureOnlineStores/*"
VIEW = f"{STORE}/featureViews/*"
SYNC = f"{VIEW}/featureViewSyncs/*"
RESOURCE = "featureView"
CREATED = ("FeatureView", "CreateFeatureViewOperationMetadata")
UPDATED = ("FeatureView", "UpdateFeatureViewOperationMetadata")
STREAMING_FETCH = "streamingFetchFeatureValues"


class FeatureViewService:
    """Carries out operations on the views of a workspace and on those that requests create.

    `catalog` are the documents of the workspace, which stay as they are; where it `is_complete` not, views that the
    journal has beside stay. Values and indexes are in `places`, such as a StoreFolder, and what clients did in
    `journal`, both in memory without. `selection` are the rules for requests, `access` is who may call what (everybody
    everything without it), `grants` which sources the accounts of views may read, and `signer` signs access tokens.
    Every operation raises ServiceError where it is refused; then it has changed nothing. `first_merge` says what became
    of views that the journal had, `scheduled` are the syncs that are due by the clock, for whoever makes them one by
    one, and `serving_address` is where a server answers, which clients of optimized stores ask for.
    """

    def __init__(
        self,
        catalog: Catalog,
        places: StoreLocations | None = None,
        *,
        clock: Clock | None = None,
        options: Options | None = None,
        selection: Selection | None = None,
        access: AccessEnabled | None = None,
        grants: Grants | None = None,
        signer: Signer | None = None,
        journal: Journal | None = None,
        is_complete: bool = True,
    ) -> None:
        journal = journal or Journal()
        self.serving_address = ""
        self._lock = RLock()
        self._clock = clock or SystemClock()
        self._views = ViewStore(journal, self._clock)
        self.grants = grants or Grants()
        self.storage = ViewStorage(places or StoreLocations())
        self._syncs = SyncHistory(self.storage, self.grants, self._clock, options or Options(), journal)
        self._signer = signer or read_signer(journal)
        self.access = Access(access, ROLES, journal)
        self.scheduled = ScheduledSyncs(
            self._views, self.storage, self._syncs, lambda name: self._sync(name, on_demand=False), self._clock
        )
        self.first_merge = self.replace_documents(catalog, selection or default_selection(), is_complete=is_complete)

    def replace_documents(
        self, catalog: Catalog, selection: Selection, *, options: Options | None = None, is_complete: bool = True
    ) -> Merge:
        """Serve the documents of another catalog under other rules, all at once; what became of views.

        `options` are those of later syncs, as they were without any. Raises StoreError where that cannot be kept;
        then the documents are as before. The values of a view that goes stay in its store, for the time when its file
        is back.
        """
        with self._lock:
            before = {entry.name: entry for entry in self._views}
            merged = self._views.merge(catalog, selection, self._belongings, is_complete=is_complete)
            for name in merged.removed:
                if name in before:
                    self._forget(before[name])
        if options is not None:
            self._syncs.options = options
        return merged

    async def run_until(self, time: datetime) -> Sequence[m.FeatureViewSync]:
        """Move the service's clock, a FixedClock, to a time, and make the syncs that are due until then, in order.

        Views with a schedule and continuous ones are synced as their syncConfig says; the answer has the record of each
        sync. Raises TypeError for a clock that cannot be moved.
        """
        return await to_thread(lambda: list(self.scheduled.run_until(time)))

    def on_view_change(self, notify: Callable[[], None]) -> None:
        """Have a function called, from any thread, whenever a view was added, changed or removed."""
        self._views.on_change = notify

    def on_sync(self, notify: Callable[[m.FeatureViewSync], None]) -> None:
        """Have a function called, from any thread, with the record of each sync that was made or failed."""
        self._syncs.on_record = notify

    def names(self, caller: Caller = OWNER) -> list[str]:
        """The names of the views that a caller may get, of every store: what a person chooses from."""
        return [entry.name for entry in self._views if self._is_permitted("get", caller, entry.name)]

    @rpc(ADMIN, "GET", f"{{name={STORE}}}", name="GetFeatureOnlineStore")
    async def get_store(self, request: GetRequest, caller: Caller = OWNER) -> m.OnlineStore:
        """Get an online store, as its document declares it."""
        self._require("list", caller, request.name)
        require_name(request.name, pattern=STORES.format, field="name")
        return self._views.store(request.name, self.serving_address)

    @rpc(ADMIN, "GET", f"{{parent={LOCATION}}}/featureOnlineStores", name="ListFeatureOnlineStores")
    @in_thread
    def list_stores(self, request: ListRequest, caller: Caller = OWNER) -> m.ListFeatureOnlineStoresResponse:
        """List the online stores of a project in a location, page by page."""
        self._require("list", caller, request.parent)
        STORES.require_parent_name(request.parent)
        stores = self._views.stores_under(request.parent, self.serving_address)
        chosen, token = STORES.page(stores, request)
        return m.ListFeatureOnlineStoresResponse(featureOnlineStores=chosen, nextPageToken=token)

    @rpc(ADMIN, "POST", f"{{parent={STORE}}}/featureViews", resource=RESOURCE, operation=CREATED)
    @in_thread
    def create(self, request: m.CreateFeatureViewRequest, caller: Caller = OWNER) -> m.CreateFeatureViewResponse:
        """Create a view under a store, and sync it at once where that is asked for.

        A view whose sync fails is there nevertheless; values that an earlier one of its name left are not its own.
        """
        self._require("create", caller, request.parent)
        with self._lock:
            name, content, warnings = self._views.prepare_create(request)
            with as_service_errors():
                self.storage.remove(name)
                view = self._views.put(name, content)
        if not request.runSyncImmediately:
            return m.CreateFeatureViewResponse(featureView=view, warnings=warnings)
        record, error = self._sync(name)
        if error is not None:
            message = f"the view was created, and its first sync failed: {error.message}"
            field = "runSyncImmediately"
            warnings.append(LintWarning(rule=error.reason, severity="warning", field=field, message=message))
        return m.CreateFeatureViewResponse(
            featureView=view, warnings=warnings, featureViewSync=record.name, syncStatus=record.finalStatus
        )

    @rpc(ADMIN, "GET", f"{{name={VIEW}}}", name="GetFeatureView", summary="one view.")
    async def get(self, request: GetRequest, caller: Caller = OWNER) -> FeatureView:
        """Get a view."""
        return self._permitted_view("get", caller, request.name, field="name").view

    @rpc(ADMIN, "GET", f"{{parent={STORE}}}/featureViews", name="ListFeatureViews", summary="the views under a store.")
    @in_thread
    def list(self, request: ListRequest, caller: Caller = OWNER) -> m.ListFeatureViewsResponse:
        """List the views under a store, page by page."""
        self._require("list", caller, request.parent)
        chosen, token = VIEWS.page(self._views.list_under(request.parent), request)
        return m.ListFeatureViewsResponse(featureViews=chosen, nextPageToken=token)

    @rpc(ADMIN, "PATCH", f"{{featureView.name={VIEW}}}", name="UpdateFeatureView", resource=RESOURCE, operation=UPDATED)
    @in_thread
    def patch(self, request: m.PatchFeatureViewRequest, caller: Caller = OWNER) -> m.PatchFeatureViewResponse:
        """Update the fields of a view that a mask names, or that the request sets."""
        self._require("patch", caller, str(request.featureView.get("name") or ""))
        with self._lock:
            name, content, warnings = self._views.prepare_patch(request)
            with as_service_errors():
                view = self._views.put(name, content)
        return m.PatchFeatureViewResponse(featureView=view, warnings=warnings)

    @rpc(ADMIN, "DELETE", f"{{name={VIEW}}}", operation=("Empty", "DeleteOperationMetadata"))
    @in_thread
    def delete(self, request: m.DeleteFeatureViewRequest, caller: Caller = OWNER) -> m.DeleteFeatureViewResponse:
        """Delete a view with its values, its index, its policy and its tokens; ABORTED while a sync of it runs.

        Values go last: what is left of them by a disk that fails meanwhile is nobody's, and goes with the next view of
        the name.
        """
        self._require("delete", caller, request.name)
        with self._lock:
            entry = self._views.get(request.name)
            require_current_etag(request.etag, entry.view.etag or "", "the view")
            belongings = self._belongings(entry)

            def remove_values() -> None:
                with suppress(StoreError):
                    self.storage.remove(entry.name)

            with as_service_errors():
                self._views.remove(entry, belongings, remove_values)
            self._forget(entry)
        return m.DeleteFeatureViewResponse()

    @rpc(ADMIN, "POST", f"{{featureView={VIEW}}}:sync")
    async def sync(self, request: m.SyncFeatureViewRequest, caller: Caller = OWNER) -> m.SyncFeatureViewResponse:
        """Sync a view now, and answer when that is done."""
        record, error = await to_thread(self._sync, self._permitted_view("sync", caller, request.featureView).name)
        if error is not None:
            raise error
        return m.SyncFeatureViewResponse(featureViewSync=record.name)

    @rpc(ADMIN, "GET", f"{{name={SYNC}}}", name="GetFeatureViewSync")
    async def get_sync(self, request: GetRequest, caller: Caller = OWNER) -> m.FeatureViewSync:
        """Get a sync of a view: how it went and what it found."""
        view = request.name.rpartition("/featureViewSyncs/")[0]
        return self._syncs.get(self._permitted_view("get", caller, view, field="name"), request.name)

    @rpc(ADMIN, "GET", f"{{parent={VIEW}}}/featureViewSyncs", name="ListFeatureViewSyncs")
    @in_thread
    def list_syncs(self, request: ListRequest, caller: Caller = OWNER) -> m.ListFeatureViewSyncsResponse:
        """List the syncs of a view since the service began, the newest first."""
        entry = self._permitted_view("get", caller, request.parent, field="parent")
        return list_syncs(self._syncs.records_of(entry), request)

    @rpc(SERVING, "POST", f"{{featureView={VIEW}}}:fetchFeatureValues", prepare=prepare_fetch)
    async def fetch_feature_values(
        self, request: m.FetchFeatureValuesRequest, caller: Caller = OWNER
    ) -> m.FetchFeatureValuesResponse:
        """Fetch the values of an entity."""
        name = self._readable_view("fetchFeatureValues", caller, request.featureView).name
        keys, response = [request.dataKey], None
        if not self.storage.locations.is_remote:  # where it takes no while, without a thread
            with as_service_errors(), suppress(NeverSynced):
                store = self.storage.store(name)
                reader = ValueReader(name, store, RowLayout((), ()), plain_values=request.plainValues)
                (response,) = reader.fetch(keys, request.dataFormat, field="dataKey", suggests=False)
        if response is None or isinstance(response, KeyFailure):
            (response,) = await to_thread(self._fetch, name, keys, request, field="dataKey")
        if isinstance(response, KeyFailure):
            raise response.error
        return response

    @rpc(SERVING, "POST", f"{{featureView={VIEW}}}:{STREAMING_FETCH}", prepare=prepare_format, is_stream=True)
    async def streaming_fetch_feature_values(
        self, requests: AsyncIterator[m.StreamingFetchFeatureValuesRequest], caller: Caller = OWNER
    ) -> AsyncGenerator[m.StreamingFetchFeatureValuesResponse]:
        """Fetch the values of entities, request by request; the stream goes on after what fails."""
        response = m.StreamingFetchFeatureValuesResponse
        async for request in requests:
            try:
                name = self._readable_view(STREAMING_FETCH, caller, request.featureView).name
                found = await to_thread(self._fetch, name, request.dataKeys, request)
            except ServiceError as error:
                yield response(status=to_rpc_status(error), dataKeysWithError=request.dataKeys)
                continue
            failures = [one for one in found if isinstance(one, KeyFailure)]
            data = [one for one in found if not isinstance(one, KeyFailure)]
            if data or not failures:
                yield response(data=data)
            if failures:
                keys = [failure.key for failure in failures]
                yield response(status=combined_status(failures), dataKeysWithError=keys)

    @rpc(SERVING, "POST", f"{{featureView={VIEW}}}:directWrite", name="FeatureViewDirectWrite", is_stream=True)
    async def direct_write(
        self, requests: AsyncIterator[m.DirectWriteRequest], caller: Caller = OWNER
    ) -> AsyncGenerator[m.DirectWriteResponse]:
        """Write values, request by request; a failure is reported in a response, and the stream goes on.

        A view without a source has the features that are written.
        """

        def write(name: str, request: m.DirectWriteRequest) -> tuple[list[m.WriteResponse], list[KeyFailure]]:
            with as_service_errors():
                is_synced = has_source(self._views.get(name, field="featureView").view)
                reader = self._reader(name, request, needs_values=is_synced)
                self._syncs.values_changed(name)
                return write_values(reader, request.dataKeyAndFeatureValues, now=self._clock.now())

        def not_written(status: m.RpcStatus, keys: Sequence[DataKey]) -> m.DirectWriteResponse:
            responses = [m.WriteResponse(dataKey=key) for key in keys]
            return m.DirectWriteResponse(status=status, writeResponses=responses)

        async for request in requests:
            try:
                name = self._permitted_view("directWrite", caller, request.featureView).name
                written, failures = await to_thread(write, name, request)
            except ServiceError as error:
                yield not_written(to_rpc_status(error), [one.dataKey for one in request.dataKeyAndFeatureValues])
                continue
            if written or not failures:
                yield m.DirectWriteResponse(writeResponses=written)
            if failures:
                yield not_written(combined_status(failures), [failure.key for failure in failures])

    @rpc(SERVING, "POST", f"{{featureView={VIEW}}}:searchNearestEntities")
    @in_thread
    def search_nearest_entities(
        self, request: m.SearchNearestEntitiesRequest, caller: Caller = OWNER
    ) -> m.SearchNearestEntitiesResponse:
        """Search the entities nearest to another one or to a vector."""
        entry = self._readable_view("searchNearestEntities", caller, request.featureView)
        with as_service_errors():
            trial = TrialRun(self._views.catalog, self.storage, self._clock, self._syncs.options)
            return search_nearest(entry.declared, self._reader(entry.name, request), trial, request)

    @rpc(SERVING, "POST", f"{{featureView={VIEW}}}:generateFetchAccessToken")
    async def generate_fetch_access_token(
        self, request: m.GenerateFetchAccessTokenRequest, caller: Caller = OWNER
    ) -> m.GenerateFetchAccessTokenResponse:
        """Generate a token by which the values of a view can be read for a while."""
        entry = self._permitted_view("generateFetchAccessToken", caller, request.featureView)
        token, expires = self._signer.sign(entry.name, entry.uid, now=self._clock.now())
        return m.GenerateFetchAccessTokenResponse(accessToken=token, expireTime=expires)

    @rpc(ADMIN, "POST", f"{{resource={VIEW}}}:getIamPolicy", prepare=prepare_policy_version)
    async def get_iam_policy(self, request: m.GetIamPolicyRequest, caller: Caller = OWNER) -> Policy:
        """Get the policy of a view; an empty one where none was set."""
        name = self._permitted_view("getIamPolicy", caller, request.resource, field="resource").name
        require_version(request.requestedPolicyVersion, field="options.requestedPolicyVersion")
        return self.access.policy(name)

    @rpc(ADMIN, "POST", f"{{resource={VIEW}}}:setIamPolicy")
    @in_thread
    def set_iam_policy(self, request: m.SetIamPolicyRequest, caller: Caller = OWNER) -> Policy:
        """Set the policy of a view, which goes with it."""
        self._require("setIamPolicy", caller, request.resource)
        with self._lock:
            name = self._views.get(request.resource, field="resource").name
            with as_service_errors():
                return self.access.set_policy(name, request.policy, request.updateMask)

    @rpc(ADMIN, "POST", f"{{resource={VIEW}}}:testIamPermissions")
    async def test_iam_permissions(
        self, request: m.TestIamPermissionsRequest, caller: Caller = OWNER
    ) -> m.TestIamPermissionsResponse:
        """Test which of some permissions the caller has on a view; everybody may ask, but not whether it exists."""
        granted = self.access.filter_permissions(request.permissions, caller, resource=request.resource)
        if self._is_permitted("get", caller, request.resource):
            self._views.get(request.resource, field="resource")
        return m.TestIamPermissionsResponse(permissions=granted)

    def _require(self, operation: str, caller: Caller, resource: str) -> None:
        """Refuse a caller who may not do this; it is asked first, so that a refusal tells nothing of what there is."""
        self.access.require(f"featureViews.{operation}", caller, resource=resource)

    def _is_permitted(self, operation: str, caller: Caller, resource: str) -> bool:
        return f"featureViews.{operation}" in self.access.permissions(caller, resource=resource)

    def _permitted_view(self, operation: str, caller: Caller, name: str, *, field: str = "featureView") -> ViewEntry:
        """The view that a caller may do this to."""
        self._require(operation, caller, name)
        return self._views.get(name, field=field)

    def _readable_view(self, operation: str, caller: Caller, name: str) -> ViewEntry:
        """The view whose values a caller may read: by an access token, else by a permission."""
        if caller.access_token is None or self.access.control is None:
            return self._permitted_view(operation, caller, name)
        version = self._signer.verify(caller.access_token, name, now=self._clock.now())
        entry = self._views.get(name, field="featureView")
        if version != entry.uid:
            raise wrong_token(f"is for a {name} that was deleted; generate one for the new one")
        return entry

    def _belongings(self, entry: ViewEntry) -> Sequence[Record]:
        return [*self._syncs.records(entry), *self.access.records(entry.name)]

    def _forget(self, entry: ViewEntry) -> None:
        self._syncs.remove_records(entry)
        self.access.remove_policy(entry.name)
        self.grants.remove_member(f"serviceAccount:{service_account_email(entry.name)}")

    def _sync(self, name: str, *, on_demand: bool = True) -> tuple[m.FeatureViewSync, ServiceError | None]:
        """Sync a view; nothing is kept of one that was deleted meanwhile, and one of its name stays as it was."""
        with self._lock:
            entry, catalog = self._views.get(name, field="featureView"), self._views.catalog

        def require_not_deleted() -> None:
            """From then on the values of the view are in the store, and go with it."""
            with self._lock:
                if not self._views.is_current(entry):
                    message = "the view was deleted during the sync; nothing is served"
                    raise service_error(Status.ABORTED, "deleted-view", message)

        attempt = self._syncs.attempt(entry, catalog, before_serving=require_not_deleted, on_demand=on_demand)
        with self._lock:
            if not self._views.is_current(entry):
                self._syncs.forget(entry)
        return attempt

    def _fetch(
        self,
        name: str,
        keys: Sequence[DataKey],
        request: m.FetchFeatureValuesRequest | m.StreamingFetchFeatureValuesRequest,
        *,
        field: str | None = None,
    ) -> Sequence[m.FetchFeatureValuesResponse | KeyFailure]:
        """The values of some entities of a view; `field` is where a single key is in its request."""
        with as_service_errors():
            return self._reader(name, request).fetch(keys, request.dataFormat, field=field)

    def _reader(self, name: str, request: m.ValuesRequest, *, needs_values: bool = True) -> ValueReader:
        """The values of a view. Raises NeverSynced where there are none, unless a first write may bring columns."""
        store = self.storage.store(name)
        if not needs_values:
            snapshot = store.snapshot(name)
            layout = snapshot.layout if snapshot else RowLayout((), ())
            return ValueReader(name, store, layout, accepts_new_features=True, plain_values=request.plainValues)
        try:
            return open_reader(name, store, plain_values=request.plainValues)
        except NeverSynced:
            view = self._views.get(name, field="featureView").view
            raise NeverSynced(explain_no_values(view, f'the view "{last_id(name)}"', "sync it")) from None
