"""Lists of views and of their syncs: what they may be filtered and ordered by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from trialrun.model.feature_view import FeatureView
from trialrun.service.error import invalid
from trialrun.service.feature_view.messages import (
    FeatureViewSync,
    ListFeatureViewsRequest,
    ListFeatureViewsResponse,
    ListFeatureViewSyncsRequest,
    ListFeatureViewSyncsResponse,
)
from trialrun.service.feature_view.views import Entry
from trialrun.service.filter import FilterError, Labels, Text, Time, predicate
from trialrun.service.message import EPOCH
from trialrun.service.page import Asked, order, page
from trialrun.values import timestamp
from trialrun.values.resource_name import last_id

FIELDS: Mapping[str, Time | Text | Labels] = {
    "createTime": Time(lambda view: view.createTime),
    "updateTime": Time(lambda view: view.updateTime),
    "featureViewId": Text(lambda view: last_id(view.name)),
    "labels": Labels(lambda view: view.labels),
}


def views(entries: Iterable[Entry], request: ListFeatureViewsRequest) -> ListFeatureViewsResponse:
    """The page of some views that a request asks for."""
    try:
        is_listed = predicate(request.filter, FIELDS)
    except FilterError as error:
        raise invalid("filter", "invalid-filter", str(error)) from error
    found = [entry.view for entry in entries if is_listed(entry.view)]
    asked = Asked(request.pageSize, request.pageToken, (request.parent, request.filter, request.orderBy))
    chosen, token = page(found, order(request.orderBy, ORDERS, tie="feature_view_id"), asked)
    return ListFeatureViewsResponse(featureViews=chosen, nextPageToken=token)


def syncs(records: Sequence[FeatureViewSync], request: ListFeatureViewSyncsRequest) -> ListFeatureViewSyncsResponse:
    """The page of the syncs of a view that a request asks for, the newest first."""
    asked = Asked(request.pageSize, request.pageToken, (request.parent,))
    chosen, token = page(records, order("create_time desc, number desc", OF_SYNCS, tie="number"), asked)
    return ListFeatureViewSyncsResponse(featureViewSyncs=chosen, nextPageToken=token)


def _instant(text: str | None) -> tuple[int, int]:
    read = timestamp.parse(text or "")
    return read.seconds, read.nanos


def _id(view: FeatureView) -> Any:
    return last_id(view.name or "")


ORDERS: Mapping[str, Any] = {
    "feature_view_id": _id,
    "create_time": lambda view: _instant(view.createTime),
    "update_time": lambda view: _instant(view.updateTime),
}
OF_SYNCS: Mapping[str, Any] = {
    "create_time": lambda sync: (sync.createTime - EPOCH) // timedelta(microseconds=1),
    "number": lambda sync: int(last_id(sync.name)),
}
