"""Reading online stores, which documents declare and requests do not change."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from trialrun.service.listing import ListRequest
from trialrun.service.message import Message, Timestamp


class DedicatedServingEndpoint(Message):
    """Where the values of a store are served."""

    publicEndpointDomainName: str = ""


class OnlineStore(Message):
    """A store: `bigtable` is there in one for keys and values, `optimized` in one for searches too.

    Documents declare stores without times and labels: the times are those at which the service began.
    """

    name: str
    createTime: Timestamp
    updateTime: Timestamp
    labels: dict[str, str] = Field(default_factory=dict)
    state: str = "STABLE"
    bigtable: dict[str, Any] | None = None
    optimized: dict[str, Any] | None = None
    dedicatedServingEndpoint: DedicatedServingEndpoint | None = None


class GetFeatureOnlineStoreRequest(Message):
    """One store."""

    name: str


class ListFeatureOnlineStoresRequest(ListRequest):
    """The stores of a project in a location."""


class ListFeatureOnlineStoresResponse(Message):
    """A page of stores; `nextPageToken` is empty at the end."""

    featureOnlineStores: list[OnlineStore]
    nextPageToken: str = ""
