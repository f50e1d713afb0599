"""The fourteen operations on FeatureViews: who may call them, and what they answer."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING

from trialrun.lint.selection import Selection, default_selection
from trialrun.model.feature_view import FeatureView
from trialrun.runtime.clock import Clock, SystemClock
from trialrun.runtime.feature_view.trial_run import InMemoryStorage, StoreLocations
from trialrun.runtime.options import Options
from trialrun.service.caller import OWNER, Caller
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import listing, messages
from trialrun.service.feature_view.authorization import Authorizer
from trialrun.service.feature_view.entity_values import KeyFailure, combined_status
from trialrun.service.feature_view.operations import ViewOperations
from trialrun.service.feature_view.scheduled_syncs import ScheduledSyncs
from trialrun.service.feature_view.service_account import Grants
from trialrun.service.feature_view.storage import ViewStorage
from trialrun.service.feature_view.sync_records import SyncHistory, to_rpc_status
from trialrun.service.feature_view.view_store import ViewMutations, ViewStore, companions
from trialrun.service.iam import AccessControl, AccessDisabled, Policy, require_version
from trialrun.service.journal import Journal, MemoryJournal
from trialrun.service.lint_request import RequestLinter
from trialrun.service.origin import Merge
from trialrun.service.rpc import LOCATION, Api, Json, rpc
from trialrun.service.token import Signer, read_signer

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.runtime.declaration import Catalog
    from trialrun.service.feature_view.values import DataKey

ADMIN, SERVING = Api.FEATURE_STORE_ADMIN, Api.FEATURE_STORE_SERVING
STORE = f"{LOCATION}/featureOnlineStores/*"
VIEW = f"{STORE}/featureViews/*"
SYNC = f"{VIEW}/featureViewSyncs/*"
RESOURCE = "featureView"
CREATED = ("FeatureView", "CreateFeatureViewOperationMetadata")
UPDATED = ("FeatureView", "UpdateFeatureViewOperationMetadata")
DATA_FORMAT_UNSPECIFIED = "FEATURE_VIEW_DATA_FORMAT_UNSPECIFIED"


def prepare_format(request: Json) -> Json:
    """The data format by its present name; unspecified is the default."""
    request = dict(request)
    old = request.pop("format", None)
    chosen = request.pop("dataFormat", None) or old
    return request if chosen in (None, "", DATA_FORMAT_UNSPECIFIED) else {**request, "dataFormat": chosen}


def prepare_fetch(request: Json) -> Json:
    """The key of the entity, which older clients send as `id`."""
    request = prepare_format(request)
    old = request.pop("id", None)
    return request if "dataKey" in request or not old else {**request, "dataKey": {"key": old}}


def prepare_policy_version(request: Json) -> Json:
    """The policy version out of the options that clients put it in."""
    request = dict(request)
    options = request.pop("options", None)
    version = options.get("requestedPolicyVersion") if isinstance(options, dict) else None
    return {**request, "requestedPolicyVersion": version} if version else request


class FeatureViewService:
    """Carries out operations on the views of a workspace and on those that requests create.

    `catalog` are the documents of the workspace; nothing is written back to them. Values and indexes are in `places`,
    such as a StoreFolder; in memory without. What clients did is in `journal`, which ends with the process without one.
    `selection` are the rules for requests, `access` is who may call what, `grants` what the accounts of views may read,
    and `signer` signs access tokens, with a key of the journal without one. Of a catalog that `is_complete` not, since
    files cannot be read, the views that the journal has beside stay. Every operation raises ServiceError where it is
    refused; then it has changed nothing. `first_merge` says what became of views that the journal had.
    `serving_address` is where a server answers: clients that read from an optimized store ask for it.
    """

    def __init__(
        self,
        catalog: Catalog,
        places: StoreLocations | None = None,
        *,
        clock: Clock | None = None,
        options: Options | None = None,
        selection: Selection | None = None,
        access: AccessControl | None = None,
        grants: Grants | None = None,
        signer: Signer | None = None,
        journal: Journal | None = None,
        is_complete: bool = True,
    ) -> None:
        journal = journal or MemoryJournal()
        self.serving_address = ""
        self._clock = clock or SystemClock()
        self._views = ViewStore(journal, self._clock.now())
        self._grants = grants or Grants()
        storage = ViewStorage(places or InMemoryStorage())
        self._syncs = SyncHistory(storage, self._grants, self._clock, options or Options(), journal)
        self._storage = storage
        self._guard = Authorizer(
            access or AccessDisabled(), signer or read_signer(journal), self._views, self._clock, journal
        )
        self.access = self._guard.access
        selection = selection or default_selection()
        self._operations = ViewOperations(
            self._views, self._mutations(catalog, selection), self._syncs, storage, self._clock, options or Options()
        )
        self.first_merge = self.replace_documents(catalog, selection, is_complete=is_complete)

    def replace_documents(
        self, catalog: Catalog, selection: Selection, *, options: Options | None = None, is_complete: bool = True
    ) -> Merge:
        """Serve the documents of another catalog under other rules, all at once; what became of views.

        `options` are those of later syncs, as they were without any. Raises JournalError where that cannot be kept;
        then the documents are as before.
        """
        changes = self._mutations(catalog, selection)
        access, grants = self._guard.access, self._grants
        merged = self._operations.merge(catalog, changes, access, grants, is_complete=is_complete)
        if options is not None:
            self._operations.use_options(options)
        return merged

    def _mutations(self, catalog: Catalog, selection: Selection) -> ViewMutations:
        request_linter = RequestLinter(selection, companions(catalog), now=self._clock.now)
        return ViewMutations(self._views, request_linter, selection.option_values.get("system-label-prefix"))

    async def run_until(self, time: datetime) -> Sequence[messages.FeatureViewSync]:
        """Move the service's clock, a FixedClock, to a time, and make the syncs that are due until then, in order.

        Views with a schedule and continuous ones are synced as their syncConfig says; the answer has the record of each
        sync. Raises TypeError for a clock that cannot be moved.
        """
        return await to_thread(self._operations.run_until, time)

    @property
    def scheduled(self) -> ScheduledSyncs:
        """The syncs that are due by the clock, for whoever makes them one by one."""
        return self._operations.scheduled

    def on_view_change(self, notify: Callable[[], None]) -> None:
        """Have a function called, from any thread, whenever a view was added, changed or removed."""
        self._views.on_change = notify

    def on_sync(self, notify: Callable[[messages.FeatureViewSync], None]) -> None:
        """Have a function called, from any thread, with the record of each sync that was made or failed."""
        self._syncs.on_record = notify

    def keep_previous_values(self) -> None:
        """Keep from now on what each sync takes the place of, for reads that are to be stale."""
        self._storage.previous.is_on = True

    def names(self, caller: Caller = OWNER) -> list[str]:
        """The names of the views that a caller may get, of every store: what a person chooses from."""
        return [entry.name for entry in self._views if self._guard.is_permitted("get", caller, entry.name)]

    def grant(self, uri: str, member: str) -> None:
        """Let a member, such as `serviceAccount:EMAIL`, read a source, as the role roles/dataViewer does."""
        self._grants.grant(uri, member)

    def revoke(self, uri: str, member: str) -> None:
        """Let a member read a source no more."""
        self._grants.revoke(uri, member)

    @rpc(ADMIN, "GET", f"{{name={STORE}}}")
    async def get_store(
        self, request: messages.GetFeatureOnlineStoreRequest, caller: Caller = OWNER
    ) -> messages.OnlineStore:
        """Get an online store, as its document declares it."""
        self._guard.require("list", caller, request.name)
        return listing.get_store(self._views, request, self.serving_address)

    @rpc(ADMIN, "GET", f"{{parent={LOCATION}}}/featureOnlineStores")
    async def list_stores(
        self, request: messages.ListFeatureOnlineStoresRequest, caller: Caller = OWNER
    ) -> messages.ListFeatureOnlineStoresResponse:
        """List the online stores of a project in a location, page by page."""
        self._guard.require("list", caller, request.parent)
        return await to_thread(listing.list_stores, self._views, request, self.serving_address)

    @rpc(ADMIN, "POST", f"{{parent={STORE}}}/featureViews", resource=RESOURCE, operation=CREATED)
    async def create(
        self, request: messages.CreateFeatureViewRequest, caller: Caller = OWNER
    ) -> messages.CreateFeatureViewResponse:
        """Create a view under a store, and sync it at once where that is asked for."""
        self._guard.require("create", caller, request.parent)
        return await to_thread(self._operations.create, request)

    @rpc(ADMIN, "GET", f"{{name={VIEW}}}")
    async def get(self, request: messages.GetFeatureViewRequest, caller: Caller = OWNER) -> FeatureView:
        """Get a view."""
        return self._guard.authorized_view("get", caller, request.name, field="name").view

    @rpc(ADMIN, "GET", f"{{parent={STORE}}}/featureViews")
    async def list(
        self, request: messages.ListFeatureViewsRequest, caller: Caller = OWNER
    ) -> messages.ListFeatureViewsResponse:
        """List the views under a store, page by page."""
        self._guard.require("list", caller, request.parent)
        self._views.require_parent(request.parent)
        return await to_thread(listing.list_views, self._views.list_under(request.parent), request)

    @rpc(ADMIN, "PATCH", f"{{featureView.name={VIEW}}}", name="UpdateFeatureView", resource=RESOURCE, operation=UPDATED)
    async def patch(
        self, request: messages.PatchFeatureViewRequest, caller: Caller = OWNER
    ) -> messages.PatchFeatureViewResponse:
        """Update the fields of a view that a mask names, or that the request sets."""
        self._guard.require("patch", caller, str(request.featureView.get("name") or ""))
        return await to_thread(self._operations.patch, request)

    @rpc(ADMIN, "DELETE", f"{{name={VIEW}}}", operation=("Empty", "DeleteOperationMetadata"))
    async def delete(
        self, request: messages.DeleteFeatureViewRequest, caller: Caller = OWNER
    ) -> messages.DeleteFeatureViewResponse:
        """Delete a view with its values, its index, its policy and its tokens."""
        self._guard.require("delete", caller, request.name)
        await to_thread(self._operations.delete, request, self._guard.access, self._grants)
        return messages.DeleteFeatureViewResponse()

    @rpc(ADMIN, "POST", f"{{featureView={VIEW}}}:sync")
    async def sync(
        self, request: messages.SyncFeatureViewRequest, caller: Caller = OWNER
    ) -> messages.SyncFeatureViewResponse:
        """Sync a view now, and answer when that is done."""
        name = self._guard.authorized_view("sync", caller, request.featureView).name
        attempt = await to_thread(self._operations.sync, name)
        if attempt.error is not None:
            raise attempt.error
        return messages.SyncFeatureViewResponse(featureViewSync=attempt.record.name)

    @rpc(ADMIN, "GET", f"{{name={SYNC}}}")
    async def get_sync(
        self, request: messages.GetFeatureViewSyncRequest, caller: Caller = OWNER
    ) -> messages.FeatureViewSync:
        """Get a sync of a view: how it went and what it found."""
        entry = self._guard.authorized_view(
            "get", caller, request.name.rpartition("/featureViewSyncs/")[0], field="name"
        )
        return self._syncs.get(entry, request.name)

    @rpc(ADMIN, "GET", f"{{parent={VIEW}}}/featureViewSyncs")
    async def list_syncs(
        self, request: messages.ListFeatureViewSyncsRequest, caller: Caller = OWNER
    ) -> messages.ListFeatureViewSyncsResponse:
        """List the syncs of a view since the service began, the newest first."""
        entry = self._guard.authorized_view("get", caller, request.parent, field="parent")
        return await to_thread(listing.list_syncs, self._syncs.records_of(entry), request)

    @rpc(SERVING, "POST", f"{{featureView={VIEW}}}:fetchFeatureValues", prepare=prepare_fetch)
    async def fetch_feature_values(
        self, request: messages.FetchFeatureValuesRequest, caller: Caller = OWNER
    ) -> messages.FetchFeatureValuesResponse:
        """Fetch the values of an entity."""
        name = self._guard.readable_view("fetchFeatureValues", caller, request.featureView).name
        at_once = self._operations.fetch_at_once(name, request)
        if at_once is not None:
            return at_once
        (response,) = await to_thread(self._operations.fetch, name, [request.dataKey], request, field="dataKey")
        if isinstance(response, KeyFailure):
            raise response.error
        return response

    @rpc(SERVING, "POST", f"{{featureView={VIEW}}}:streamingFetchFeatureValues", prepare=prepare_format, is_stream=True)
    async def streaming_fetch_feature_values(
        self, requests: AsyncIterator[messages.StreamingFetchFeatureValuesRequest], caller: Caller = OWNER
    ) -> AsyncGenerator[messages.StreamingFetchFeatureValuesResponse]:
        """Fetch the values of entities, request by request; the stream goes on after what fails."""
        async for request in requests:
            try:
                name = self._guard.readable_view("streamingFetchFeatureValues", caller, request.featureView).name
                responses = await to_thread(self._operations.fetch, name, request.dataKeys, request)
            except ServiceError as error:
                yield messages.StreamingFetchFeatureValuesResponse(
                    status=to_rpc_status(error), dataKeysWithError=request.dataKeys
                )
                continue
            failures = [key_failure for key_failure in responses if isinstance(key_failure, KeyFailure)]
            data = [response for response in responses if not isinstance(response, KeyFailure)]
            if data or not failures:
                yield messages.StreamingFetchFeatureValuesResponse(data=data)
            if failures:
                keys = [failure.key for failure in failures]
                yield messages.StreamingFetchFeatureValuesResponse(
                    status=combined_status(failures), dataKeysWithError=keys
                )

    @rpc(SERVING, "POST", f"{{featureView={VIEW}}}:directWrite", name="FeatureViewDirectWrite", is_stream=True)
    async def direct_write(
        self, requests: AsyncIterator[messages.DirectWriteRequest], caller: Caller = OWNER
    ) -> AsyncGenerator[messages.DirectWriteResponse]:
        """Write values, request by request; a failure is reported in a response, and the stream goes on."""
        async for request in requests:
            try:
                name = self._guard.authorized_view("directWrite", caller, request.featureView).name
                written, failures = await to_thread(self._operations.write, name, request)
            except ServiceError as error:
                yield _not_written(
                    to_rpc_status(error),
                    [datakeyandfeaturevalue.dataKey for datakeyandfeaturevalue in request.dataKeyAndFeatureValues],
                )
                continue
            if written or not failures:
                yield messages.DirectWriteResponse(writeResponses=written)
            if failures:
                yield _not_written(combined_status(failures), [failure.key for failure in failures])

    @rpc(SERVING, "POST", f"{{featureView={VIEW}}}:searchNearestEntities")
    async def search_nearest_entities(
        self, request: messages.SearchNearestEntitiesRequest, caller: Caller = OWNER
    ) -> messages.SearchNearestEntitiesResponse:
        """Search the entities nearest to another one or to a vector."""
        entry = self._guard.readable_view("searchNearestEntities", caller, request.featureView)
        return await to_thread(self._operations.search, entry, request)

    @rpc(SERVING, "POST", f"{{featureView={VIEW}}}:generateFetchAccessToken")
    async def generate_fetch_access_token(
        self, request: messages.GenerateFetchAccessTokenRequest, caller: Caller = OWNER
    ) -> messages.GenerateFetchAccessTokenResponse:
        """Generate a token by which the values of a view can be read for a while."""
        entry = self._guard.authorized_view("generateFetchAccessToken", caller, request.featureView)
        token, expires = self._guard.signer.sign(entry.name, entry.uid, now=self._clock.now())
        return messages.GenerateFetchAccessTokenResponse(accessToken=token, expireTime=expires)

    @rpc(ADMIN, "POST", f"{{resource={VIEW}}}:getIamPolicy", prepare=prepare_policy_version)
    async def get_iam_policy(self, request: messages.GetIamPolicyRequest, caller: Caller = OWNER) -> Policy:
        """Get the policy of a view; an empty one where none was set."""
        name = self._guard.authorized_view("getIamPolicy", caller, request.resource, field="resource").name
        require_version(request.requestedPolicyVersion, field="options.requestedPolicyVersion")
        return self._guard.access.policy(name)

    @rpc(ADMIN, "POST", f"{{resource={VIEW}}}:setIamPolicy")
    async def set_iam_policy(self, request: messages.SetIamPolicyRequest, caller: Caller = OWNER) -> Policy:
        """Set the policy of a view."""
        self._guard.require("setIamPolicy", caller, request.resource)
        return await to_thread(self._operations.set_policy, request, self._guard.access)

    @rpc(ADMIN, "POST", f"{{resource={VIEW}}}:testIamPermissions")
    async def test_iam_permissions(
        self, request: messages.TestIamPermissionsRequest, caller: Caller = OWNER
    ) -> messages.TestIamPermissionsResponse:
        """Test which of some permissions the caller has on a view; everybody may ask, but not whether it exists."""
        granted = self._guard.access.filter_permissions(request.permissions, caller, resource=request.resource)
        if self._guard.is_permitted("get", caller, request.resource):
            self._views.get(request.resource, field="resource")
        return messages.TestIamPermissionsResponse(permissions=granted)


def _not_written(status: messages.RpcStatus, keys: Sequence[DataKey]) -> messages.DirectWriteResponse:
    return messages.DirectWriteResponse(
        status=status, writeResponses=[messages.WriteResponse(dataKey=key) for key in keys]
    )
