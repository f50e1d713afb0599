"""Messages: the JSON forms of values, read and written."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from tests.cases import each_of
from trialrun.service.feature_view.values import FeatureValue
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
