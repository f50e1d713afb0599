"""The operations on ChannelConfigs (specification: channel-config, section 4), and on what they hang from."""

from __future__ import annotations

from trialrun.server.bindings.binding import Api, Binding
from trialrun.service.channel_config import messages

LOCATION = "projects/*/locations/*"
BRAND = f"{LOCATION}/brands/*"
CONFIG = f"{BRAND}/channelConfigs/*"
STORE = f"{BRAND}/stores/*"
MENU = f"{LOCATION}/menus/*"
API = Api.CHANNEL_CONFIG

CHANNEL_CONFIG_BINDINGS: tuple[Binding, ...] = (
    Binding(
        "CreateChannelConfig",
        API,
        "POST",
        f"{{parent={BRAND}}}/channelConfigs",
        messages.CreateChannelConfigRequest,
        lambda services, request, caller: services.channel_configs.create(request),
        body="channelConfig",
        response_field="channelConfig",
    ),
    Binding(
        "GetChannelConfig",
        API,
        "GET",
        f"{{name={CONFIG}}}",
        messages.GetChannelConfigRequest,
        lambda services, request, caller: services.channel_configs.get(request),
    ),
    Binding(
        "ListChannelConfigs",
        API,
        "GET",
        f"{{parent={BRAND}}}/channelConfigs",
        messages.ListChannelConfigsRequest,
        lambda services, request, caller: services.channel_configs.list(request),
    ),
    Binding(
        "UpdateChannelConfig",
        API,
        "PATCH",
        f"{{channelConfig.name={CONFIG}}}",
        messages.PatchChannelConfigRequest,
        lambda services, request, caller: services.channel_configs.patch(request),
        body="channelConfig",
        response_field="channelConfig",
    ),
    Binding(
        "DeleteChannelConfig",
        API,
        "DELETE",
        f"{{name={CONFIG}}}",
        messages.DeleteChannelConfigRequest,
        lambda services, request, caller: services.channel_configs.delete(request),
    ),
    Binding(
        "PromoteChannelConfig",
        API,
        "POST",
        f"{{name={CONFIG}}}:promote",
        messages.PromoteChannelConfigRequest,
        lambda services, request, caller: services.channel_configs.promote(request),
        body="*",
    ),
    Binding(
        "CreateBrand",
        API,
        "POST",
        f"{{parent={LOCATION}}}/brands",
        messages.CreateBrandRequest,
        lambda services, request, caller: services.channel_configs.create_brand(request),
        body="brand",
        response_field="brand",
    ),
    Binding(
        "GetBrand",
        API,
        "GET",
        f"{{name={BRAND}}}",
        messages.GetBrandRequest,
        lambda services, request, caller: services.channel_configs.get_brand(request),
    ),
    Binding(
        "ListBrands",
        API,
        "GET",
        f"{{parent={LOCATION}}}/brands",
        messages.ListBrandsRequest,
        lambda services, request, caller: services.channel_configs.list_brands(request),
    ),
    Binding(
        "UpdateBrand",
        API,
        "PATCH",
        f"{{brand.name={BRAND}}}",
        messages.PatchBrandRequest,
        lambda services, request, caller: services.channel_configs.patch_brand(request),
        body="brand",
        response_field="brand",
    ),
    Binding(
        "DeleteBrand",
        API,
        "DELETE",
        f"{{name={BRAND}}}",
        messages.DeleteBrandRequest,
        lambda services, request, caller: services.channel_configs.delete_brand(request),
    ),
    Binding(
        "CreateStore",
        API,
        "POST",
        f"{{parent={BRAND}}}/stores",
        messages.CreateStoreRequest,
        lambda services, request, caller: services.channel_configs.create_store(request),
        body="store",
        response_field="store",
    ),
    Binding(
        "GetStore",
        API,
        "GET",
        f"{{name={STORE}}}",
        messages.GetStoreRequest,
        lambda services, request, caller: services.channel_configs.get_store(request),
    ),
    Binding(
        "ListStores",
        API,
        "GET",
        f"{{parent={BRAND}}}/stores",
        messages.ListStoresRequest,
        lambda services, request, caller: services.channel_configs.list_stores(request),
    ),
    Binding(
        "UpdateStore",
        API,
        "PATCH",
        f"{{store.name={STORE}}}",
        messages.PatchStoreRequest,
        lambda services, request, caller: services.channel_configs.patch_store(request),
        body="store",
        response_field="store",
    ),
    Binding(
        "DeleteStore",
        API,
        "DELETE",
        f"{{name={STORE}}}",
        messages.DeleteStoreRequest,
        lambda services, request, caller: services.channel_configs.delete_store(request),
    ),
    Binding(
        "GetMenu",
        API,
        "GET",
        f"{{name={MENU}}}",
        messages.GetMenuRequest,
        lambda services, request, caller: services.channel_configs.get_menu(request),
    ),
    Binding(
        "ListMenus",
        API,
        "GET",
        f"{{parent={LOCATION}}}/menus",
        messages.ListMenusRequest,
        lambda services, request, caller: services.channel_configs.list_menus(request),
    ),
)
