"""Messages of the service: forms of ProtoJSON, requests out of JSON, and errors with their details."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.cases import each_of
from tests.service.service_fixture import SERVING, run, service
from trialrun.service.error import ServiceError, Status
from trialrun.service.feature_view.messages import (
    CreateFeatureViewRequest,
    FetchFeatureValuesRequest,
    SearchNearestEntitiesRequest,
)
from trialrun.service.feature_view.values import FeatureValue
from trialrun.service.lint_request import parse_request
from trialrun.service.message import Double, Int64Number, Message

MOMENT = datetime(2026, 3, 1, 9, 30, 0, 500, UTC)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (FeatureValue(int64Value=2**63 - 1), {"int64Value": "9223372036854775807"}),
        (FeatureValue(doubleValue=-math.inf), {"doubleValue": "-Infinity"}),
        (FeatureValue(bytesValue=b"\x00\xff"), {"bytesValue": "AP8="}),
        (FeatureValue(boolValue=False), {"boolValue": False}),
        (FeatureValue(timestampValue=MOMENT), {"timestampValue": "2026-03-01T09:30:00.000500Z"}),
    ],
)
def test_a_value_and_its_json(value: FeatureValue, written: dict[str, object]) -> None:
    assert value.json_object() == written
    assert FeatureValue.model_validate(written) == value
    assert FeatureValue.model_validate_json(json.dumps(written)) == value


def test_arrays_have_the_forms_of_their_items() -> None:
    value = FeatureValue.model_validate({"int64ArrayValue": {"values": ["1", 2]}})
    assert value.json_object() == {"int64ArrayValue": {"values": ["1", "2"]}}


def test_an_offset_becomes_the_z_form() -> None:
    value = FeatureValue.model_validate({"timestampValue": "2026-03-01T10:30:00+01:00"})
    assert value.json_object() == {"timestampValue": "2026-03-01T09:30:00Z"}


@each_of(
    [
        {"int64Value": "9223372036854775808"},
        {"int64Value": 1.5},
        {"int64Value": True},
        {"doubleValue": "one"},
        {"boolValue": 1},
        {"bytesValue": "&"},
        {"timestampValue": "2026-03-01T09:30:00"},
        {"stringValue": "a", "boolValue": True},
        {"text": "a"},
    ],
)
def test_what_is_no_value(written: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        FeatureValue.model_validate(written)


class Counted(Message):
    count: Int64Number = 1
    size: Double = 1.0


@pytest.mark.parametrize(
    ("value", "count", "size"),
    [
        ({"count": "5", "size": "1.5"}, 5, 1.5),
        ({"count": 5.0, "size": "-2e3"}, 5, -2000.0),
        ({"count": "1e3", "size": "Infinity"}, 1000, math.inf),
    ],
)
def test_numbers_may_come_as_texts(value: dict[str, Any], count: int, size: float) -> None:
    parsed = Counted.model_validate(value)
    assert (parsed.count, parsed.size) == (count, size)


@each_of([{"count": " 5"}, {"count": True}, {"count": 5.5}, {"size": "1."}, {"size": "0x1"}, {"size": True}])
def test_what_is_no_number_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Counted.model_validate(value)


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


def test_an_error_reads_as_its_message() -> None:
    error = ServiceError(Status.NOT_FOUND, "there is no such view")
    assert (str(error), error.code) == ("there is no such view", 5)
