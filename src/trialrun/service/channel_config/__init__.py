"""The operations on ChannelConfigs, and on the brands, stores and menus that they hang from (channel-config)."""

from trialrun.service.channel_config.service import ChannelConfigService

__all__ = ["ChannelConfigService"]
