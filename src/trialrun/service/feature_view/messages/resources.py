"""Creating, reading, changing and deleting views."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from trialrun.model.feature_view import FeatureView
from trialrun.service.message import Message
from trialrun.service.verdict import Remark


def _json(value: object) -> object:
    """A resource as JSON has it: with keys that are texts, and lists for tuples."""
    if isinstance(value, FeatureView):
        return value.model_dump(mode="json", exclude_unset=True, exclude_none=True)
    try:
        return json.loads(json.dumps(value))
    except RecursionError as error:
        raise ValueError("nested too deeply; flatten it") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"no JSON: {str(error)[:1].lower()}{str(error)[1:]}") from error


Resource = Annotated[dict[str, Any], BeforeValidator(_json)]
"""A FeatureView, or the JSON of one, which is judged by the rules of the linter and not by its type alone."""


class CreateFeatureViewRequest(Message):
    """create: a view under a store; its name is made of both ids."""

    parent: str
    featureViewId: str
    featureView: Resource
    runSyncImmediately: bool = False


class CreateFeatureViewResponse(Message):
    """The view as it was created, what the linter remarks, and the sync that was run, if one was."""

    featureView: FeatureView
    warnings: list[Remark] = Field(default_factory=list)
    featureViewSync: str | None = None


class GetFeatureViewRequest(Message):
    """get: one view."""

    name: str


class ListFeatureViewsRequest(Message):
    """list: the views under a store."""

    parent: str
    pageSize: int | None = None
    pageToken: str = ""
    filter: str = ""
    orderBy: str = ""


class ListFeatureViewsResponse(Message):
    """A page of views; `nextPageToken` is empty at the end."""

    featureViews: list[FeatureView]
    nextPageToken: str = ""


class PatchFeatureViewRequest(Message):
    """patch: the fields of `updateMask`, or those that the view sets where there is none; `*` is every field."""

    featureView: Resource
    updateMask: str | None = None


class PatchFeatureViewResponse(Message):
    """The view as it is now, and what the linter remarks."""

    featureView: FeatureView
    warnings: list[Remark] = Field(default_factory=list)


class DeleteFeatureViewRequest(Message):
    """delete: one view with all that is its own; with an etag only that version of it."""

    name: str
    etag: str | None = None


class DeleteFeatureViewResponse(Message):
    """Nothing is left."""
