"""The operations on ChannelConfigs (specification: channel-config, section 4), and reads of what they hang from."""

from __future__ import annotations

from trialrun.server.bindings.binding import Api, Binding
from trialrun.service.channel_config import messages

LOCATION = "projects/*/locations/*"
BRAND = f"{LOCATION}/brands/*"
CONFIG = f"{BRAND}/channelConfigs/*"
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
)
