"""Lists of configs, brands and stores: what they may be filtered and ordered by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trialrun.service.channel_config import messages
from trialrun.service.channel_config.inventory import Documents
from trialrun.service.channel_config.kinds import BRAND
from trialrun.service.filter import TextField, TextListField, TimeField
from trialrun.service.filter.fields import Fields
from trialrun.service.listing import list_page, timestamp_key
from trialrun.service.resource_names import parent_name, require_name
from trialrun.values.resource_name import last_id

Orders = Mapping[str, Callable[[Any], Any]]


def list_configs(
    documents: Documents, request: messages.ListChannelConfigsRequest
) -> messages.ListChannelConfigsResponse:
    """The page of the configs of a brand that a request asks for."""
    documents.require_brand(request.parent, field="parent")
    seen = documents.responses_under(request.parent)
    chosen, token = list_page(seen, request, CONFIG_FIELDS, CONFIG_ORDERS, tie="channel_config_id")
    return messages.ListChannelConfigsResponse(channelConfigs=chosen, nextPageToken=token)


def list_brands(documents: Documents, request: messages.ListBrandsRequest) -> messages.ListBrandsResponse:
    """The page of the brands of a location that a request asks for."""
    require_name(request.parent, pattern=BRAND.parent_format, field="parent")
    brands = [brand.brand for brand in documents.brands.values() if parent_name(brand.name) == request.parent]
    chosen, token = list_page(brands, request, BRAND_FIELDS, BRAND_ORDERS, tie="brand_id")
    return messages.ListBrandsResponse(brands=chosen, nextPageToken=token)


def list_stores(documents: Documents, request: messages.ListStoresRequest) -> messages.ListStoresResponse:
    """The page of the stores of a brand that a request asks for."""
    brand = documents.brand(request.parent, field="parent")
    stores = [brand.store(name) for name in brand.stores]
    chosen, token = list_page(stores, request, STORE_FIELDS, STORE_ORDERS, tie="store_id")
    return messages.ListStoresResponse(stores=chosen, nextPageToken=token)


def _id(resource: Any) -> str:
    return last_id(resource.name or "")


DISPLAY_NAME = TextField(lambda resource: resource.displayName)
CONFIG_FIELDS: Fields = {
    "createTime": TimeField(lambda config: config.createTime),
    "updateTime": TimeField(lambda config: config.updateTime),
    "channelConfigId": TextField(_id),
    "displayName": DISPLAY_NAME,
    "state": TextField(lambda config: config.state),
    "type": TextField(lambda config: config.type),
}
BRAND_FIELDS: Fields = {"brandId": TextField(_id), "displayName": DISPLAY_NAME}
STORE_FIELDS: Fields = {
    "storeId": TextField(_id),
    "displayName": DISPLAY_NAME,
    "timeZone": TextField(lambda store: store.timeZone),
    "tags": TextListField(lambda store: store.tags),
}
BY_DISPLAY_NAME: Orders = {"display_name": lambda resource: resource.displayName or ""}
CONFIG_ORDERS: Orders = {
    "channel_config_id": _id,
    "create_time": lambda config: timestamp_key(config.createTime),
    "update_time": lambda config: timestamp_key(config.updateTime),
    **BY_DISPLAY_NAME,
}
BRAND_ORDERS: Orders = {"brand_id": _id, **BY_DISPLAY_NAME}
STORE_ORDERS: Orders = {"store_id": _id, **BY_DISPLAY_NAME}
