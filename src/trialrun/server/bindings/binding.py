"""The services that the operations of a server belong to, and the values that paths have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.server.faults import FaultList
from trialrun.service.caller import Caller, Member
from trialrun.service.channel_config.service import ChannelConfigService
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.service.rpc import Api, Json
from trialrun.service.rpc import Rpc as Binding
from trialrun.service.rpc import StreamRpc as StreamBinding


@dataclass(frozen=True)
class Services:
    """The services of one server, and the faults that happen to calls of them.

    `members` are the callers by the digests of their tokens, None where access control is off.
    """

    feature_views: FeatureViewService
    channel_configs: ChannelConfigService
    faults: FaultList = field(default_factory=FaultList)
    members: Mapping[bytes, Member] | None = None

    def call(self, binding: Binding, request: Any, caller: Caller) -> Any:
        """What carries out an operation with a request, or a stream of them."""
        if binding.api is Api.CHANNEL_CONFIG:
            return binding.run(self.channel_configs, request)
        return binding.run(self.feature_views, request, caller)

    def require_operations(self, name: str, caller: Caller) -> None:
        """Refuse a caller who may not get the view that long-running operations of a name are on."""
        self.feature_views.access.require("featureViews.get", caller, resource=name.partition("/operations")[0])


def put_path_values(request: Json, values: Mapping[str, str]) -> Json:
    """The request with the values that its path has: `featureView.name` is a field of the resource in it."""
    for name, value in values.items():
        outer, _, inner = name.partition(".")
        if not inner:
            request[outer] = value
        elif isinstance(inside := request.setdefault(outer, {}), dict):
            inside[inner] = value
    return request


__all__ = ["Api", "Binding", "Json", "Services", "StreamBinding", "put_path_values"]
