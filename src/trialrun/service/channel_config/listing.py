"""Lists of configs, brands and stores: what they may be filtered and ordered by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trialrun.service.channel_config import messages
from trialrun.service.channel_config.inventory import Documents
from trialrun.service.channel_config.kinds import BRAND
from trialrun.service.filter import Text, Texts, Time
from trialrun.service.filter.fields import Fields
from trialrun.service.listing import instant, listed
from trialrun.service.resource_names import parent_of, require_name
from trialrun.values.resource_name import last_id

Orders = Mapping[str, Callable[[Any], Any]]


def configs(documents: Documents, request: messages.ListChannelConfigsRequest) -> messages.ListChannelConfigsResponse:
    """The page of the configs of a brand that a request asks for."""
    documents.require_brand(request.parent, field="parent")
    seen = documents.seen_under(request.parent)
    chosen, token = listed(seen, request, OF_CONFIGS, CONFIG_ORDERS, tie="channel_config_id")
    return messages.ListChannelConfigsResponse(channelConfigs=chosen, nextPageToken=token)


def brands(documents: Documents, request: messages.ListBrandsRequest) -> messages.ListBrandsResponse:
    """The page of the brands of a location that a request asks for."""
    require_name(request.parent, pattern=BRAND.parent_format, field="parent")
    there = [one.brand for one in documents.brands.values() if parent_of(one.name) == request.parent]
    chosen, token = listed(there, request, OF_BRANDS, BRAND_ORDERS, tie="brand_id")
    return messages.ListBrandsResponse(brands=chosen, nextPageToken=token)


def stores(documents: Documents, request: messages.ListStoresRequest) -> messages.ListStoresResponse:
    """The page of the stores of a brand that a request asks for."""
    brand = documents.brand(request.parent, field="parent")
    there = [brand.store(name) for name in brand.stores]
    chosen, token = listed(there, request, OF_STORES, STORE_ORDERS, tie="store_id")
    return messages.ListStoresResponse(stores=chosen, nextPageToken=token)


def _id(resource: Any) -> str:
    return last_id(resource.name or "")


DISPLAY_NAME = Text(lambda one: one.displayName)
OF_CONFIGS: Fields = {
    "createTime": Time(lambda config: config.createTime),
    "updateTime": Time(lambda config: config.updateTime),
    "channelConfigId": Text(_id),
    "displayName": DISPLAY_NAME,
    "state": Text(lambda config: config.state),
    "type": Text(lambda config: config.type),
}
OF_BRANDS: Fields = {"brandId": Text(_id), "displayName": DISPLAY_NAME}
OF_STORES: Fields = {
    "storeId": Text(_id),
    "displayName": DISPLAY_NAME,
    "timeZone": Text(lambda store: store.timeZone),
    "tags": Texts(lambda store: store.tags),
}
BY_DISPLAY_NAME: Orders = {"display_name": lambda one: one.displayName or ""}
CONFIG_ORDERS: Orders = {
    "channel_config_id": _id,
    "create_time": lambda config: instant(config.createTime),
    "update_time": lambda config: instant(config.updateTime),
    **BY_DISPLAY_NAME,
}
BRAND_ORDERS: Orders = {"brand_id": _id, **BY_DISPLAY_NAME}
STORE_ORDERS: Orders = {"store_id": _id, **BY_DISPLAY_NAME}
