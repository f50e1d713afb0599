"""One operation as clients call it: verb and path by HTTP, names by gRPC, and the function that carries it out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import field
from enum import Enum
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node
from trialrun.server.bindings.path_template import PathTemplate
from trialrun.server.faults import FaultList
from trialrun.service.caller import Caller, Member
from trialrun.service.channel_config.service import ChannelConfigService
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.service.message import Message

Json = dict[str, Any]


class Api(Enum):
    """The services that operations belong to, by the names that their gRPC methods have."""

    FEATURE_STORE_ADMIN = "FeatureOnlineStoreAdminService"
    FEATURE_STORE_SERVING = "FeatureOnlineStoreService"
    CHANNEL_CONFIG = "ChannelConfigService"


@dataclass(frozen=True)
class Services:
    """The services of one server, and the faults that happen to calls of them.

    `http_address` is where the server answers: clients that read from an optimized store ask for it. `members` are the
    callers by the digests of their tokens, None where access control is off.
    """

    feature_views: FeatureViewService
    channel_configs: ChannelConfigService
    faults: FaultList = field(default_factory=FaultList)
    http_address: str = ""
    members: Mapping[bytes, Member] | None = None

    def require_operations(self, name: str, caller: Caller) -> None:
        """Refuse a caller who may not get the view that long-running operations of a name are on."""
        self.feature_views.access.require("featureViews.get", caller, resource=name.partition("/operations")[0])


def keep_request(request: Json) -> Json:
    """The request as it came."""
    return request


@dataclass(frozen=True)
class Binding:
    """An operation with one request and one response.

    `path` is a template of google.api.http, `body` the field that the HTTP body is (`*` for the whole request, empty
    for none). `request` and `response` are the messages of the service, and `prepare` makes the fields of a request of
    those that clients send. `response_field` is the member of the service's response that clients get (empty for all of
    it). An operation with an `operation_type` answers a long-running operation whose response has this type, and its
    metadata `metadata_type`.
    """

    method: str
    api: Api
    verb: str
    path: str
    request: type[Message]
    response: type[BaseModel] | type[Node]
    call: Callable[[Services, Any, Caller], Awaitable[Any]]
    body: str = ""
    response_field: str = ""
    operation_type: str = ""
    metadata_type: str = ""
    prepare: Callable[[Json], Json] = keep_request

    @cached_property
    def template(self) -> PathTemplate:
        """The path, read once."""
        return PathTemplate(self.path)


@dataclass(frozen=True)
class StreamBinding:
    """An operation with streams of requests and responses; by HTTP each is one JSON list."""

    method: str
    api: Api
    path: str
    request: type[Message]
    response: type[BaseModel] | type[Node]
    call: Callable[[Services, AsyncIterator[Any], Caller], AsyncGenerator[Any]]
    prepare: Callable[[Json], Json] = keep_request
    verb: str = "POST"
    body: str = "*"

    @cached_property
    def template(self) -> PathTemplate:
        """The path, read once."""
        return PathTemplate(self.path)


def put_path_values(request: Json, values: Mapping[str, str]) -> Json:
    """The request with the values that its path has: `featureView.name` is a field of the resource in it."""
    for name, value in values.items():
        outer, _, inner = name.partition(".")
        if not inner:
            request[outer] = value
        elif isinstance(inside := request.setdefault(outer, {}), dict):
            inside[inner] = value
    return request
