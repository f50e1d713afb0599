"""The services of one server, and the operations of both endpoint tables, as their methods declare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.server.faults import FaultList
from trialrun.service.channel_config.service import ChannelConfigService
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.service.iam import Caller, Member
from trialrun.service.rpc import Api, Rpc, rpcs_of

RPCS: Final[tuple[Rpc, ...]] = (*rpcs_of(FeatureViewService), *rpcs_of(ChannelConfigService))
"""Every operation; HTTP, gRPC and the discovery document are made of this table alone."""


@dataclass(frozen=True)
class Services:
    """The services of one server, and the faults that happen to calls of them.

    `members` are the callers by the digests of their tokens, None where access control is off.
    """

    feature_views: FeatureViewService
    channel_configs: ChannelConfigService
    faults: FaultList = field(default_factory=FaultList)
    members: Mapping[bytes, Member] | None = None

    def call(self, rpc: Rpc, request: Any, caller: Caller) -> Any:
        """What carries out an operation with a request, or a stream of them."""
        if rpc.api is Api.CHANNEL_CONFIG:
            return rpc.run(self.channel_configs, request)
        return rpc.run(self.feature_views, request, caller)

    def require_operations(self, name: str, caller: Caller) -> None:
        """Refuse a caller who may not get the view that long-running operations of a name are on."""
        self.feature_views.access.require("featureViews.get", caller, resource=name.partition("/operations")[0])
