"""Lists of views, of their syncs and of the online stores that documents declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from trialrun.service.feature_view.messages import (
    DedicatedServingEndpoint,
    FeatureViewSync,
    GetFeatureOnlineStoreRequest,
    ListFeatureOnlineStoresRequest,
    ListFeatureOnlineStoresResponse,
    ListFeatureViewsRequest,
    ListFeatureViewsResponse,
    ListFeatureViewSyncsRequest,
    ListFeatureViewSyncsResponse,
    OnlineStore,
)
from trialrun.service.feature_view.view_store import VIEW, ViewEntry, ViewStore
from trialrun.service.filter import LabelsField, TextField, TimeField
from trialrun.service.listing import Collection, id_of, list_page, timestamp_key
from trialrun.service.message import EPOCH
from trialrun.service.resource_names import parent_name, require_name
from trialrun.values.resource_name import last_id
from trialrun.values.timestamp import format_timestamp


def list_views(entries: Iterable[ViewEntry], request: ListFeatureViewsRequest) -> ListFeatureViewsResponse:
    """The page of some views that a request asks for."""
    chosen, token = VIEW.page((entry.view for entry in entries), request)
    return ListFeatureViewsResponse(featureViews=chosen, nextPageToken=token)


def list_syncs(
    records: Sequence[FeatureViewSync], request: ListFeatureViewSyncsRequest
) -> ListFeatureViewSyncsResponse:
    """The page of the syncs of a view that a request asks for, the newest first unless it says another order."""
    ordered = request if request.orderBy.strip() else request.model_copy(update={"orderBy": NEWEST_FIRST})
    chosen, token = list_page(records, ordered, SYNC_FIELDS, SYNC_ORDERS, tie="number")
    return ListFeatureViewSyncsResponse(featureViewSyncs=chosen, nextPageToken=token)


NEWEST_FIRST = "create_time desc, number desc"
SYNC_FIELDS = {"createTime": TimeField(lambda sync: format_timestamp(sync.createTime))}
SYNC_ORDERS: Mapping[str, Any] = {
    "create_time": lambda sync: (sync.createTime - EPOCH) // timedelta(microseconds=1),
    "number": lambda sync: int(last_id(sync.name)),
}


STORE = Collection[OnlineStore](
    "FeatureOnlineStore",
    "store",
    VIEW.parent_format,
    fields={
        "featureOnlineStoreId": TextField(id_of),
        "createTime": TimeField(lambda store: format_timestamp(store.createTime)),
        "updateTime": TimeField(lambda store: format_timestamp(store.updateTime)),
        "labels": LabelsField(lambda store: store.labels),
    },
    orders={
        "feature_online_store_id": id_of,
        "create_time": lambda store: timestamp_key(format_timestamp(store.createTime)),
        "update_time": lambda store: timestamp_key(format_timestamp(store.updateTime)),
    },
    tie="feature_online_store_id",
)
COLLECTION = "featureOnlineStores"
MESSAGES: Mapping[str, Any] = {
    "KEY_VALUE": {"bigtable": {"autoScaling": {"minNodeCount": 1, "maxNodeCount": 1}}},
    "OPTIMIZED": {"optimized": {}},
}
"""What says of which type a store is; clients know one for keys and values by its scaling alone."""


def get_store(views: ViewStore, request: GetFeatureOnlineStoreRequest, address: str) -> OnlineStore:
    """A store by its name, an optimized one with the address of its server. Raises INVALID_ARGUMENT and NOT_FOUND.

    A document that says an id alone is about the store of that id in every project.
    """
    require_name(request.name, pattern=STORE.format, field="name")
    return _to_response(request.name, views, address)


def list_stores(
    views: ViewStore, request: ListFeatureOnlineStoresRequest, address: str
) -> ListFeatureOnlineStoresResponse:
    """The page of the stores of a location that a request asks for."""
    STORE.require_parent_name(request.parent)
    stores = [_to_response(name, views, address) for name in _names_under(views, request.parent)]
    chosen, token = STORE.page(stores, request)
    return ListFeatureOnlineStoresResponse(featureOnlineStores=chosen, nextPageToken=token)


def _names_under(views: ViewStore, parent: str) -> list[str]:
    declared = [store.node.name for store in views.catalog.stores if store.node.name]
    whole = [name if "/" in name else f"{parent}/{COLLECTION}/{name}" for name in declared]
    return [name for name in dict.fromkeys(whole) if parent_name(name) == parent]


def _to_response(name: str, views: ViewStore, address: str) -> OnlineStore:
    message = MESSAGES.get(views.store(name).type or "", {})
    store = OnlineStore(name=name, createTime=views.began, updateTime=views.began, **message)
    if store.optimized is None or not address:
        return store
    endpoint = DedicatedServingEndpoint(publicEndpointDomainName=address)
    return store.model_copy(update={"dedicatedServingEndpoint": endpoint})
