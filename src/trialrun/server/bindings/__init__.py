"""The operations of both endpoint tables, as the methods of the services declare them."""

from trialrun.server.bindings.binding import Binding, Services, StreamBinding
from trialrun.service.channel_config.service import ChannelConfigService
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.service.rpc import rpcs_of

BINDINGS: tuple[Binding, ...] = (*rpcs_of(FeatureViewService), *rpcs_of(ChannelConfigService))
"""Every operation; HTTP, gRPC and the discovery document are made of this table alone."""

__all__ = ["BINDINGS", "Binding", "Services", "StreamBinding"]
