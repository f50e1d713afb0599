"""Creating, reading, changing and deleting views."""

from __future__ import annotations

from pydantic import Field

from trialrun.model.feature_view import FeatureView
from trialrun.service.feature_view.messages.syncing import RpcStatus
from trialrun.service.lint_request import LintWarning
from trialrun.service.listing import ListRequest
from trialrun.service.message import Message
from trialrun.service.resource_json import Resource


class CreateFeatureViewRequest(Message):
    """create: a view under a store; its name is made of both ids."""

    parent: str
    featureViewId: str
    featureView: Resource
    runSyncImmediately: bool = False


class CreateFeatureViewResponse(Message):
    """The view as it was created, what the linter remarks, and the sync that was run, if one was, and how it ended."""

    featureView: FeatureView
    warnings: list[LintWarning] = Field(default_factory=list)
    featureViewSync: str | None = None
    syncStatus: RpcStatus | None = None


class GetFeatureViewRequest(Message):
    """get: one view."""

    name: str


class ListFeatureViewsRequest(ListRequest):
    """list: the views under a store."""


class ListFeatureViewsResponse(Message):
    """A page of views; `nextPageToken` is empty at the end."""

    featureViews: list[FeatureView]
    nextPageToken: str = ""


class PatchFeatureViewRequest(Message):
    """patch: the fields of `updateMask`, or those that the view sets if there is none; `*` is every field."""

    featureView: Resource
    updateMask: str | None = None


class PatchFeatureViewResponse(Message):
    """The view as it is now, and what the linter remarks."""

    featureView: FeatureView
    warnings: list[LintWarning] = Field(default_factory=list)


class DeleteFeatureViewRequest(Message):
    """delete: one view with all that is its own; with an etag only that version of it."""

    name: str
    etag: str | None = None


class DeleteFeatureViewResponse(Message):
    """Nothing is left."""
