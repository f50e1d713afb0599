"""JSON that is no request is refused with every field that is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.service.service_fixture import SERVING, run, service
from trialrun.service.error import ServiceError
from trialrun.service.feature_view.messages import (
    CreateFeatureViewRequest,
    FetchFeatureValuesRequest,
    SearchNearestEntitiesRequest,
)
from trialrun.service.message import Message
from trialrun.service.parse_request import parse_request


@pytest.mark.parametrize(
    ("model", "value", "violations"),
    [
        (FetchFeatureValuesRequest, {}, [("featureView", "missing-field"), ("dataKey", "missing-field")]),
        (FetchFeatureValuesRequest, {"featureView": 7, "dataKey": {"key": "a"}}, [("featureView", "wrong-type")]),
        (FetchFeatureValuesRequest, {"featureView": "v", "dataKey": {}}, [("dataKey", "wrong-type")]),
        (
            SearchNearestEntitiesRequest,
            {"featureView": "v", "query": {"numericFilters": [{"name": "a", "op": "LESS_THAN"}]}},
            [("query.numericFilters[0].op", "wrong-type")],
        ),
        (FetchFeatureValuesRequest, [], [("", "wrong-type")]),
    ],
)
def test_what_is_no_request(model: type[Message], value: Any, violations: list[tuple[str, str]]) -> None:
    with pytest.raises(ServiceError) as told:
        parse_request(model, value)
    assert [
        (field_violation.field, field_violation.reason) for field_violation in told.value.field_violations
    ] == violations
    assert told.value.status.name == "INVALID_ARGUMENT"


def test_an_unknown_field_is_told_with_its_near_name() -> None:
    with pytest.raises(ServiceError, match='dataKeys: unknown field; did you mean "dataKey"'):
        parse_request(FetchFeatureValuesRequest, {"featureView": "v", "dataKey": {"key": "a"}, "dataKeys": []})


def test_what_is_a_request_is_read() -> None:
    assert parse_request(FetchFeatureValuesRequest, {"featureView": "v", "dataKey": {"key": "a"}}).dataKey.parts == (
        "a",
    )


def nested(depth: int) -> dict[str, Any]:
    return {"labels": nested(depth - 1)} if depth else {}


@pytest.mark.parametrize(
    ("view", "message"),
    [({"labels": {"a": b"x"}}, "invalid JSON: object of type bytes"), (nested(900), "nested deeper than")],
)
def test_a_view_that_is_no_json_is_refused(tmp_path: Path, view: dict[str, Any], message: str) -> None:
    with pytest.raises(ServiceError, match=message):
        value = {"parent": SERVING, "featureViewId": "new", "featureView": view}
        run(service(tmp_path).create(parse_request(CreateFeatureViewRequest, value)))


def test_keys_of_a_view_are_texts_as_in_json() -> None:
    value = {"parent": "p", "featureViewId": "v", "featureView": {"labels": {1: "x"}}}
    assert parse_request(CreateFeatureViewRequest, value).featureView == {"labels": {"1": "x"}}
