"""Online stores as the documents of a workspace declare them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trialrun.service.feature_view.messages import (
    GetFeatureOnlineStoreRequest,
    ListFeatureOnlineStoresRequest,
    ListFeatureOnlineStoresResponse,
    OnlineStore,
)
from trialrun.service.feature_view.view_store import VIEW_KIND, ViewStore
from trialrun.service.filter import LabelsField, TextField, TimeField
from trialrun.service.filter.fields import Fields
from trialrun.service.listing import list_page, timestamp_key
from trialrun.service.resource_names import parent_name, require_name
from trialrun.values.resource_name import last_id
from trialrun.values.timestamp import format_timestamp

STORE_FORMAT = VIEW_KIND.parent_format
COLLECTION = "featureOnlineStores"
MESSAGES: Mapping[str, Any] = {
    "KEY_VALUE": {"bigtable": {"autoScaling": {"minNodeCount": 1, "maxNodeCount": 1}}},
    "OPTIMIZED": {"optimized": {}},
}
"""What says of which type a store is; clients know one for keys and values by its scaling alone."""


def get_store(views: ViewStore, request: GetFeatureOnlineStoreRequest) -> OnlineStore:
    """A store by its name. Raises INVALID_ARGUMENT and NOT_FOUND.

    A document that says an id alone is about the store of that id in every project.
    """
    require_name(request.name, pattern=STORE_FORMAT, field="name")
    return _to_response(request.name, views)


def list_stores(views: ViewStore, request: ListFeatureOnlineStoresRequest) -> ListFeatureOnlineStoresResponse:
    """The page of the stores of a location that a request asks for."""
    require_name(request.parent, pattern=parent_name(STORE_FORMAT), field="parent")
    stores = [_to_response(name, views) for name in _names_under(views, request.parent)]
    chosen, token = list_page(stores, request, FIELDS, ORDERS, tie="feature_online_store_id")
    return ListFeatureOnlineStoresResponse(featureOnlineStores=chosen, nextPageToken=token)


def _names_under(views: ViewStore, parent: str) -> list[str]:
    declared = [store.node.name for store in views.catalog.stores if store.node.name]
    whole = [name if "/" in name else f"{parent}/{COLLECTION}/{name}" for name in declared]
    return [name for name in dict.fromkeys(whole) if parent_name(name) == parent]


def _to_response(name: str, views: ViewStore) -> OnlineStore:
    message = MESSAGES.get(views.store(name).type or "", {})
    return OnlineStore(name=name, createTime=views.began, updateTime=views.began, **message)


def _id(store: OnlineStore) -> str:
    return last_id(store.name)


FIELDS: Fields = {
    "featureOnlineStoreId": TextField(_id),
    "createTime": TimeField(lambda store: format_timestamp(store.createTime)),
    "updateTime": TimeField(lambda store: format_timestamp(store.updateTime)),
    "labels": LabelsField(lambda store: store.labels),
}
ORDERS: Mapping[str, Any] = {
    "feature_online_store_id": _id,
    "create_time": lambda store: timestamp_key(format_timestamp(store.createTime)),
    "update_time": lambda store: timestamp_key(format_timestamp(store.updateTime)),
}
