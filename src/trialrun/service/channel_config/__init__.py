"""The operations on ChannelConfigs, and on the brands and stores they hang from (specification: channel-config)."""

from trialrun.service.channel_config.service import ChannelConfigService

__all__ = ["ChannelConfigService"]
