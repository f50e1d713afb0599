"""Lists of views and of their syncs: what they may be filtered and ordered by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from trialrun.model.feature_view import FeatureView
from trialrun.service.feature_view.messages import (
    FeatureViewSync,
    ListFeatureViewsRequest,
    ListFeatureViewsResponse,
    ListFeatureViewSyncsRequest,
    ListFeatureViewSyncsResponse,
)
from trialrun.service.feature_view.view_store import Entry
from trialrun.service.filter import Labels, Text, Time
from trialrun.service.listing import instant, listed
from trialrun.service.message import EPOCH
from trialrun.service.pagination import Asked, order, page
from trialrun.values.resource_name import last_id

FIELDS: Mapping[str, Time | Text | Labels] = {
    "createTime": Time(lambda view: view.createTime),
    "updateTime": Time(lambda view: view.updateTime),
    "featureViewId": Text(lambda view: last_id(view.name)),
    "labels": Labels(lambda view: view.labels),
}


def views(entries: Iterable[Entry], request: ListFeatureViewsRequest) -> ListFeatureViewsResponse:
    """The page of some views that a request asks for."""
    chosen, token = listed((entry.view for entry in entries), request, FIELDS, ORDERS, tie="feature_view_id")
    return ListFeatureViewsResponse(featureViews=chosen, nextPageToken=token)


def syncs(records: Sequence[FeatureViewSync], request: ListFeatureViewSyncsRequest) -> ListFeatureViewSyncsResponse:
    """The page of the syncs of a view that a request asks for, the newest first."""
    asked = Asked(request.pageSize, request.pageToken, (request.parent,))
    chosen, token = page(records, order("create_time desc, number desc", OF_SYNCS, tie="number"), asked)
    return ListFeatureViewSyncsResponse(featureViewSyncs=chosen, nextPageToken=token)


def _id(view: FeatureView) -> Any:
    return last_id(view.name or "")


ORDERS: Mapping[str, Any] = {
    "feature_view_id": _id,
    "create_time": lambda view: instant(view.createTime),
    "update_time": lambda view: instant(view.updateTime),
}
OF_SYNCS: Mapping[str, Any] = {
    "create_time": lambda sync: (sync.createTime - EPOCH) // timedelta(microseconds=1),
    "number": lambda sync: int(last_id(sync.name)),
}
