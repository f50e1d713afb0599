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
from trialrun.service.feature_view.view_store import ViewEntry
from trialrun.service.filter import LabelsField, TextField, TimeField
from trialrun.service.listing import list_page, timestamp_key
from trialrun.service.message import EPOCH
from trialrun.values.resource_name import last_id
from trialrun.values.timestamp import format_timestamp

VIEW_FIELDS: Mapping[str, TimeField | TextField | LabelsField] = {
    "createTime": TimeField(lambda view: view.createTime),
    "updateTime": TimeField(lambda view: view.updateTime),
    "featureViewId": TextField(lambda view: last_id(view.name)),
    "labels": LabelsField(lambda view: view.labels),
}


def list_views(entries: Iterable[ViewEntry], request: ListFeatureViewsRequest) -> ListFeatureViewsResponse:
    """The page of some views that a request asks for."""
    chosen, token = list_page(
        (entry.view for entry in entries), request, VIEW_FIELDS, VIEW_ORDERS, tie="feature_view_id"
    )
    return ListFeatureViewsResponse(featureViews=chosen, nextPageToken=token)


def list_syncs(
    records: Sequence[FeatureViewSync], request: ListFeatureViewSyncsRequest
) -> ListFeatureViewSyncsResponse:
    """The page of the syncs of a view that a request asks for, the newest first unless it says another order."""
    ordered = request if request.orderBy.strip() else request.model_copy(update={"orderBy": NEWEST_FIRST})
    chosen, token = list_page(records, ordered, SYNC_FIELDS, SYNC_ORDERS, tie="number")
    return ListFeatureViewSyncsResponse(featureViewSyncs=chosen, nextPageToken=token)


def _view_id(view: FeatureView) -> Any:
    return last_id(view.name or "")


VIEW_ORDERS: Mapping[str, Any] = {
    "feature_view_id": _view_id,
    "create_time": lambda view: timestamp_key(view.createTime),
    "update_time": lambda view: timestamp_key(view.updateTime),
}
NEWEST_FIRST = "create_time desc, number desc"
SYNC_FIELDS = {"createTime": TimeField(lambda sync: format_timestamp(sync.createTime))}
SYNC_ORDERS: Mapping[str, Any] = {
    "create_time": lambda sync: (sync.createTime - EPOCH) // timedelta(microseconds=1),
    "number": lambda sync: int(last_id(sync.name)),
}
