"""Whatever a request says, it is answered or refused in the way of the service: nothing else is raised."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from tests.service.service_fixture import NOON, RIDERS, SERVING, run, service
from trialrun.model.feature_view import FeatureView
from trialrun.service.error import ServiceError
from trialrun.service.feature_view.messages import (
    CreateFeatureViewRequest,
    ListFeatureViewsRequest,
    PatchFeatureViewRequest,
)
from trialrun.service.filter import FilterError, LabelsField, TextField, TimeField, compile_filter
from trialrun.service.iam import Signer

FIELDS = {
    "createTime": TimeField(lambda _: None),
    "id": TextField(lambda _: "x"),
    "labels": LabelsField(lambda _: {"a": "b"}),
}
WORDS = [
    "labels",
    "create_time",
    "id",
    "AND",
    "OR",
    "NOT",
    "-",
    "(",
    ")",
    ".",
    ":",
    "=",
    "!=",
    "<",
    '"a"',
    "*",
    "a",
    " ",
]
NAMES = [*FeatureView.model_fields, "uri", "cron", "continuous", "entityIdColumns", "treeAhConfig", "source", "x"]
LEAVES = some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=5)
JSON = some.recursive(
    LEAVES,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.sampled_from(NAMES), inner, max_size=4),
    max_leaves=8,
)
VIEWS = some.dictionaries(some.sampled_from(NAMES), JSON, max_size=5)
MASKS = some.none() | some.lists(some.sampled_from([*NAMES, "*", ".", "`", ",", "labels.a"]), max_size=6).map("".join)
HERE = service(Path(tempfile.mkdtemp(prefix="trialrun-test-")))


@given(some.lists(some.sampled_from(WORDS), max_size=12).map("".join) | some.text())
def test_any_filter(text: str) -> None:
    try:
        assert compile_filter(text, FIELDS)(None) in (True, False)
    except FilterError as error:
        assert 1 <= error.at <= len(text) + 1


@given(VIEWS)
def test_any_view_can_be_asked_to_be_created(view: dict[str, Any]) -> None:
    request = CreateFeatureViewRequest(parent=SERVING, featureViewId="riders2", featureView=view)
    try:
        run(HERE.create(request))
    except ServiceError as error:
        assert error.reason and error.message


@given(VIEWS, MASKS)
def test_any_view_and_mask_can_be_asked_for_in_a_patch(view: dict[str, Any], mask: str | None) -> None:
    request = PatchFeatureViewRequest(featureView={**view, "name": RIDERS}, updateMask=mask)
    try:
        assert run(HERE.patch(request)).featureView.name == RIDERS
    except ServiceError as error:
        assert error.reason and error.message


@given(some.text(), some.text(), some.integers())
def test_any_page(token: str, by: str, size: int) -> None:
    request = ListFeatureViewsRequest(parent=SERVING, pageToken=token, orderBy=by, pageSize=size)
    try:
        run(HERE.list(request))
    except ServiceError as error:
        assert error.status.name == "INVALID_ARGUMENT"


@given(some.text())
def test_any_token(token: str) -> None:
    try:
        Signer(b"key").verify(token, "views/a", now=NOON)
    except ServiceError as error:
        assert error.reason == "invalid-token"
