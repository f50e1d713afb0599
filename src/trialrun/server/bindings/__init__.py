"""The operations of both endpoint tables: how each is called from outside, and what carries it out."""

from trialrun.server.bindings.binding import Binding, Services, StreamBinding
from trialrun.server.bindings.channel_config import CHANNEL_CONFIG_BINDINGS
from trialrun.server.bindings.feature_view import FEATURE_VIEW_BINDINGS

BINDINGS: tuple[Binding | StreamBinding, ...] = (*FEATURE_VIEW_BINDINGS, *CHANNEL_CONFIG_BINDINGS)
"""Every operation; HTTP, gRPC and the discovery document are made of this table alone."""

__all__ = ["BINDINGS", "Binding", "Services", "StreamBinding"]
