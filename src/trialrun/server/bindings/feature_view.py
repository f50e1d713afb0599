"""The operations on FeatureViews (specification: feature-view, section 4)."""

from __future__ import annotations

from trialrun.model.feature_view import FeatureView
from trialrun.server.bindings.binding import Api, Binding, Json, Services, StreamBinding
from trialrun.service.caller import Caller
from trialrun.service.feature_view import messages
from trialrun.service.iam.policy import Policy

LOCATION = "projects/*/locations/*"
STORE = f"{LOCATION}/featureOnlineStores/*"
VIEW = f"{STORE}/featureViews/*"
SYNC = f"{VIEW}/featureViewSyncs/*"
ADMIN, SERVING = Api.FEATURE_STORE_ADMIN, Api.FEATURE_STORE_SERVING
DATA_FORMAT_UNSPECIFIED = "FEATURE_VIEW_DATA_FORMAT_UNSPECIFIED"


def _prepare_format(request: Json) -> Json:
    """The data format by its present name; unspecified is the default."""
    request = dict(request)
    old = request.pop("format", None)
    chosen = request.pop("dataFormat", None) or old
    return request if chosen in (None, "", DATA_FORMAT_UNSPECIFIED) else {**request, "dataFormat": chosen}


def _prepare_fetch(request: Json) -> Json:
    """The key of the entity, which older clients send as `id`."""
    request = _prepare_format(request)
    old = request.pop("id", None)
    return request if "dataKey" in request or not old else {**request, "dataKey": {"key": old}}


def _prepare_policy_version(request: Json) -> Json:
    """The policy version out of the options that clients put it in."""
    request = dict(request)
    options = request.pop("options", None)
    version = options.get("requestedPolicyVersion") if isinstance(options, dict) else None
    return {**request, "requestedPolicyVersion": version} if version else request


async def _get_store(
    services: Services, request: messages.GetFeatureOnlineStoreRequest, caller: Caller
) -> messages.OnlineStore:
    return _with_endpoint(await services.feature_views.get_store(request, caller), services)


async def _list_stores(
    services: Services, request: messages.ListFeatureOnlineStoresRequest, caller: Caller
) -> messages.ListFeatureOnlineStoresResponse:
    response = await services.feature_views.list_stores(request, caller)
    stores = [_with_endpoint(store, services) for store in response.featureOnlineStores]
    return response.model_copy(update={"featureOnlineStores": stores})


def _with_endpoint(store: messages.OnlineStore, services: Services) -> messages.OnlineStore:
    """The store, with the address of this server where clients ask an optimized store for its own."""
    if store.optimized is None or not services.http_address:
        return store
    endpoint = messages.DedicatedServingEndpoint(publicEndpointDomainName=services.http_address)
    return store.model_copy(update={"dedicatedServingEndpoint": endpoint})


FEATURE_VIEW_BINDINGS: tuple[Binding | StreamBinding, ...] = (
    Binding(
        "GetFeatureOnlineStore",
        ADMIN,
        "GET",
        f"{{name={STORE}}}",
        messages.GetFeatureOnlineStoreRequest,
        messages.OnlineStore,
        _get_store,
    ),
    Binding(
        "ListFeatureOnlineStores",
        ADMIN,
        "GET",
        f"{{parent={LOCATION}}}/featureOnlineStores",
        messages.ListFeatureOnlineStoresRequest,
        messages.ListFeatureOnlineStoresResponse,
        _list_stores,
    ),
    Binding(
        "CreateFeatureView",
        ADMIN,
        "POST",
        f"{{parent={STORE}}}/featureViews",
        messages.CreateFeatureViewRequest,
        messages.CreateFeatureViewResponse,
        lambda services, request, caller: services.feature_views.create(request, caller),
        body="featureView",
        response_field="featureView",
        operation_type="FeatureView",
        metadata_type="CreateFeatureViewOperationMetadata",
    ),
    Binding(
        "GetFeatureView",
        ADMIN,
        "GET",
        f"{{name={VIEW}}}",
        messages.GetFeatureViewRequest,
        FeatureView,
        lambda services, request, caller: services.feature_views.get(request, caller),
    ),
    Binding(
        "ListFeatureViews",
        ADMIN,
        "GET",
        f"{{parent={STORE}}}/featureViews",
        messages.ListFeatureViewsRequest,
        messages.ListFeatureViewsResponse,
        lambda services, request, caller: services.feature_views.list(request, caller),
    ),
    Binding(
        "UpdateFeatureView",
        ADMIN,
        "PATCH",
        f"{{featureView.name={VIEW}}}",
        messages.PatchFeatureViewRequest,
        messages.PatchFeatureViewResponse,
        lambda services, request, caller: services.feature_views.patch(request, caller),
        body="featureView",
        response_field="featureView",
        operation_type="FeatureView",
        metadata_type="UpdateFeatureViewOperationMetadata",
    ),
    Binding(
        "DeleteFeatureView",
        ADMIN,
        "DELETE",
        f"{{name={VIEW}}}",
        messages.DeleteFeatureViewRequest,
        messages.DeleteFeatureViewResponse,
        lambda services, request, caller: services.feature_views.delete(request, caller),
        operation_type="Empty",
        metadata_type="DeleteOperationMetadata",
    ),
    Binding(
        "SyncFeatureView",
        ADMIN,
        "POST",
        f"{{featureView={VIEW}}}:sync",
        messages.SyncFeatureViewRequest,
        messages.SyncFeatureViewResponse,
        lambda services, request, caller: services.feature_views.sync(request, caller),
        body="*",
    ),
    Binding(
        "GetFeatureViewSync",
        ADMIN,
        "GET",
        f"{{name={SYNC}}}",
        messages.GetFeatureViewSyncRequest,
        messages.FeatureViewSync,
        lambda services, request, caller: services.feature_views.get_sync(request, caller),
    ),
    Binding(
        "ListFeatureViewSyncs",
        ADMIN,
        "GET",
        f"{{parent={VIEW}}}/featureViewSyncs",
        messages.ListFeatureViewSyncsRequest,
        messages.ListFeatureViewSyncsResponse,
        lambda services, request, caller: services.feature_views.list_syncs(request, caller),
    ),
    Binding(
        "FetchFeatureValues",
        SERVING,
        "POST",
        f"{{featureView={VIEW}}}:fetchFeatureValues",
        messages.FetchFeatureValuesRequest,
        messages.FetchFeatureValuesResponse,
        lambda services, request, caller: services.feature_views.fetch_feature_values(request, caller),
        body="*",
        prepare=_prepare_fetch,
    ),
    StreamBinding(
        "StreamingFetchFeatureValues",
        SERVING,
        f"{{featureView={VIEW}}}:streamingFetchFeatureValues",
        messages.StreamingFetchFeatureValuesRequest,
        messages.StreamingFetchFeatureValuesResponse,
        lambda services, requests, caller: services.feature_views.streaming_fetch_feature_values(requests, caller),
        prepare=_prepare_format,
    ),
    StreamBinding(
        "FeatureViewDirectWrite",
        SERVING,
        f"{{featureView={VIEW}}}:directWrite",
        messages.DirectWriteRequest,
        messages.DirectWriteResponse,
        lambda services, requests, caller: services.feature_views.direct_write(requests, caller),
    ),
    Binding(
        "SearchNearestEntities",
        SERVING,
        "POST",
        f"{{featureView={VIEW}}}:searchNearestEntities",
        messages.SearchNearestEntitiesRequest,
        messages.SearchNearestEntitiesResponse,
        lambda services, request, caller: services.feature_views.search_nearest_entities(request, caller),
        body="*",
    ),
    Binding(
        "GenerateFetchAccessToken",
        SERVING,
        "POST",
        f"{{featureView={VIEW}}}:generateFetchAccessToken",
        messages.GenerateFetchAccessTokenRequest,
        messages.GenerateFetchAccessTokenResponse,
        lambda services, request, caller: services.feature_views.generate_fetch_access_token(request, caller),
        body="*",
    ),
    Binding(
        "GetIamPolicy",
        ADMIN,
        "POST",
        f"{{resource={VIEW}}}:getIamPolicy",
        messages.GetIamPolicyRequest,
        Policy,
        lambda services, request, caller: services.feature_views.get_iam_policy(request, caller),
        body="*",
        prepare=_prepare_policy_version,
    ),
    Binding(
        "SetIamPolicy",
        ADMIN,
        "POST",
        f"{{resource={VIEW}}}:setIamPolicy",
        messages.SetIamPolicyRequest,
        Policy,
        lambda services, request, caller: services.feature_views.set_iam_policy(request, caller),
        body="*",
    ),
    Binding(
        "TestIamPermissions",
        ADMIN,
        "POST",
        f"{{resource={VIEW}}}:testIamPermissions",
        messages.TestIamPermissionsRequest,
        messages.TestIamPermissionsResponse,
        lambda services, request, caller: services.feature_views.test_iam_permissions(request, caller),
        body="*",
    ),
)
