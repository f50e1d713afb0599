"""The requests and responses of the operations on configs, brands and stores; the specification shows none.

They have the names of a public service of the same resources.
"""

from trialrun.service.channel_config.messages.brands import (
    CreateBrandRequest,
    CreateBrandResponse,
    DeleteBrandRequest,
    DeleteBrandResponse,
    GetBrandRequest,
    ListBrandsRequest,
    ListBrandsResponse,
    PatchBrandRequest,
    PatchBrandResponse,
)
from trialrun.service.channel_config.messages.configs import (
    CreateChannelConfigRequest,
    CreateChannelConfigResponse,
    DeleteChannelConfigRequest,
    DeleteChannelConfigResponse,
    GetChannelConfigRequest,
    ListChannelConfigsRequest,
    ListChannelConfigsResponse,
    PatchChannelConfigRequest,
    PatchChannelConfigResponse,
    PromoteChannelConfigRequest,
    PromoteChannelConfigResponse,
)
from trialrun.service.channel_config.messages.menus import GetMenuRequest, ListMenusRequest, ListMenusResponse
from trialrun.service.channel_config.messages.stores import (
    CreateStoreRequest,
    CreateStoreResponse,
    DeleteStoreRequest,
    DeleteStoreResponse,
    GetStoreRequest,
    ListStoresRequest,
    ListStoresResponse,
    PatchStoreRequest,
    PatchStoreResponse,
)

__all__ = [
    "CreateBrandRequest",
    "CreateBrandResponse",
    "CreateChannelConfigRequest",
    "CreateChannelConfigResponse",
    "CreateStoreRequest",
    "CreateStoreResponse",
    "DeleteBrandRequest",
    "DeleteBrandResponse",
    "DeleteChannelConfigRequest",
    "DeleteChannelConfigResponse",
    "DeleteStoreRequest",
    "DeleteStoreResponse",
    "GetBrandRequest",
    "GetChannelConfigRequest",
    "GetMenuRequest",
    "GetStoreRequest",
    "ListBrandsRequest",
    "ListBrandsResponse",
    "ListChannelConfigsRequest",
    "ListChannelConfigsResponse",
    "ListMenusRequest",
    "ListMenusResponse",
    "ListStoresRequest",
    "ListStoresResponse",
    "PatchBrandRequest",
    "PatchBrandResponse",
    "PatchChannelConfigRequest",
    "PatchChannelConfigResponse",
    "PatchStoreRequest",
    "PatchStoreResponse",
    "PromoteChannelConfigRequest",
    "PromoteChannelConfigResponse",
]
