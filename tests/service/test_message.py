"""Messages: the JSON forms of values, read and written."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from trialrun.service.feature_view.values import FeatureValue

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


@pytest.mark.parametrize(
    "written",
    [
        {"int64Value": "9223372036854775808"},
        {"int64Value": 1.5},
        {"int64Value": True},
        {"doubleValue": "1"},
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
