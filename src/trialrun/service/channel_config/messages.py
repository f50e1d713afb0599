"""The requests and responses of the operations on configs, brands, stores and menus; the specification shows none.

They have the names of a public service of the same resources.
"""

from __future__ import annotations

from pydantic import Field

from trialrun.model.channel_config import ChannelConfig
from trialrun.model.companion import Brand, Store
from trialrun.model.menu import Menu
from trialrun.service.lint_request import LintWarning
from trialrun.service.message import Message
from trialrun.service.resource import Resource


class CreateChannelConfigRequest(Message):
    """create: a config under a brand; without an id the service gives it one."""

    parent: str
    channelConfigId: str | None = None
    channelConfig: Resource


class CreateChannelConfigResponse(Message):
    """The config as it was created, and what the linter remarks."""

    channelConfig: ChannelConfig
    warnings: list[LintWarning] = Field(default_factory=list)


class ListChannelConfigsResponse(Message):
    """A page of configs; `nextPageToken` is empty at the end."""

    channelConfigs: list[ChannelConfig]
    nextPageToken: str = ""


class PatchChannelConfigRequest(Message):
    """patch: the fields of `updateMask`, or those that the config sets if there is none; `*` is every field."""

    channelConfig: Resource
    updateMask: str | None = None


class PatchChannelConfigResponse(Message):
    """The config as it is now, and what the linter remarks."""

    channelConfig: ChannelConfig
    warnings: list[LintWarning] = Field(default_factory=list)


class DeleteChannelConfigResponse(Message):
    """Nothing is left."""


class PromoteChannelConfigRequest(Message):
    """promote: one config; where `destinationBrand` is another brand, a copy is made there."""

    name: str
    destinationBrand: str | None = None


class PromoteChannelConfigResponse(Message):
    """The config that was promoted, the copy in the other brand where one was made, and what the linter remarks."""

    channelConfig: ChannelConfig
    channelConfigCopy: ChannelConfig | None = None
    warnings: list[LintWarning] = Field(default_factory=list)


class ListBrandsResponse(Message):
    """A page of brands; `nextPageToken` is empty at the end."""

    brands: list[Brand]
    nextPageToken: str = ""


class ListStoresResponse(Message):
    """A page of stores; `nextPageToken` is empty at the end."""

    stores: list[Store]
    nextPageToken: str = ""


class ListMenusResponse(Message):
    """A page of menus; `nextPageToken` is empty at the end."""

    menus: list[Menu]
    nextPageToken: str = ""
