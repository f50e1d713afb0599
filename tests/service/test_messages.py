"""Messages of the service: forms of ProtoJSON, requests out of JSON, and errors with their details."""

import gc
import json
import math
import weakref
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.cases import each_of
from tests.service.service_fixture import NOON, RIDERS, SERVING, SOURCE, run, service
from trialrun.lint.selection import default_selection
from trialrun.model.feature_view import FeatureView
from trialrun.service.error import ServiceError, Status
from trialrun.service.feature_view.feature_value import FeatureValue
from trialrun.service.feature_view.messages import (
    CreateFeatureViewRequest,
    FetchFeatureValuesRequest,
    SearchNearestEntitiesRequest,
)
from trialrun.service.lint_request import RequestLinter, parse_request
from trialrun.service.message import Double, Int64Number, Message
from trialrun.service.resource import to_document, update_fields

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
    ]
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


CURRENT = {
    "labels": {"team": "search", "tier": "gold"},
    "syncConfig": {"cron": "0 4 * * *"},
    "warehouseSource": {"uri": "bq://a", "entityIdColumns": ["id"]},
    "indexConfig": {"embeddingColumn": "vector", "treeAhConfig": {"leafNodeEmbeddingCount": "500"}},
}


def after(given: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    return update_fields(CURRENT, given, text, FeatureView)[0]


def changed(given: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    """What differs after the update, None for what is gone."""
    result = after(given, text)
    return {name: result.get(name) for name in {*CURRENT, *result} if result.get(name) != CURRENT.get(name)}


SCHEDULE, RAG = {"cron": "0 5 * * *"}, {"uri": "bq://r"}
UPDATES: dict[str, tuple[dict[str, Any], str | None, dict[str, Any]]] = {
    "only-what-the-mask-names": ({"labels": {"a": "b"}, "syncConfig": SCHEDULE}, "labels", {"labels": {"a": "b"}}),
    "snake-case": ({"sync_config": SCHEDULE}, "sync_config.cron", {"syncConfig": SCHEDULE}),
    "a-nested-field-leaves-its-siblings": (
        {"warehouseSource": {"uri": "bq://b"}},
        "warehouseSource.uri",
        {"warehouseSource": {"uri": "bq://b", "entityIdColumns": ["id"]}},
    ),
    "a-message-is-replaced-whole": (
        {"indexConfig": {"embeddingColumn": "v"}}, "indexConfig", {"indexConfig": {"embeddingColumn": "v"}}
    ),
    "what-the-request-lacks-is-cleared": (
        {}, "labels,warehouseSource.uri", {"labels": None, "warehouseSource": {"entityIdColumns": ["id"]}}
    ),
    "clearing-what-is-not-there": ({}, "optimizedConfig.automaticResources.minReplicaCount", {}),
    "a-label-by-its-key": (
        {"labels": {"team": "ads", "a.b": "x"}},
        "labels.team,labels.`a.b`",
        {"labels": {"team": "ads", "tier": "gold", "a.b": "x"}},
    ),
    "without-a-mask-the-fields-that-are-set": (
        {"indexConfig": {"filterColumns": ["city"]}, "labels": {"team": "ads"}, "optimizedConfig": None},
        None,
        {"indexConfig": {**CURRENT["indexConfig"], "filterColumns": ["city"]}, "labels": {"team": "ads"}},
    ),
    "without-a-mask-messages-without-fields": (
        {"syncConfig": {}, "indexConfig": {"treeAhConfig": {}}, "optimizedConfig": {}}, None, {"optimizedConfig": {}}
    ),
    "a-member-of-a-union-takes-the-place-of-the-others": (
        {"ragSource": RAG, "syncConfig": {"continuous": True}},
        None,
        {"ragSource": RAG, "warehouseSource": None, "syncConfig": {"continuous": True}},
    ),
    "what-only-the-service-sets": (
        {"updateTime": "2026-01-01T00:00:00Z", "name": "n", "satisfiesPzs": True}, None, {}
    ),
}  # fmt: skip


@each_of(UPDATES)
def test_what_an_update_changes(given: dict[str, Any], mask: str | None, expected: dict[str, Any]) -> None:
    assert changed(given, mask) == expected


def test_without_a_mask_a_message_without_fields_is_set_all_the_same() -> None:
    given = {"indexConfig": {"bruteForceConfig": {}}}
    assert after(given)["indexConfig"] == {"embeddingColumn": "vector", "bruteForceConfig": {}}


@pytest.mark.parametrize("text", [None, "syncConfig.cron"])
def test_a_field_in_two_spellings_is_refused(text: str | None) -> None:
    given = {"sync_config": {"cron": "0 5 * * *"}, "syncConfig": {"cron": "0 6 * * *"}}
    with pytest.raises(ServiceError, match='"syncConfig" is another spelling of "sync_config"'):
        after(given, text)


def test_a_star_replaces_everything() -> None:
    assert after({"name": "n", "etag": "e", "labels": {}, "createTime": "t"}, "*") == {"labels": {}}


def test_two_members_of_one_request_both_stay_for_the_linter_to_refuse() -> None:
    given = {"indexConfig": {"bruteForceConfig": {}, "treeAhConfig": {}}}
    assert after(given)["indexConfig"] == {"embeddingColumn": "vector", "bruteForceConfig": {}, "treeAhConfig": {}}


def test_what_only_the_service_sets_is_left_out_and_told() -> None:
    mask = "updateTime,kvStoreMetadata.readAppProfile,name,etag,labels"
    result, warnings = update_fields(CURRENT, {}, mask, FeatureView)
    assert result == {name: value for name, value in CURRENT.items() if name != "labels"}
    told = '"{}" is set by the service; remove it from the mask'
    assert [one.message for one in warnings] == [told.format(name) for name in mask.split(",")[:-1]]


@each_of(
    [
        ("label", 'FeatureView has no field "label"; did you mean "labels"?'),
        ("syncConfig.crn", 'SyncConfig has no field "crn"; did you mean "cron"?'),
        ("source", '"source" is a union; name one of its members: warehouseSource, featureRegistrySource, ragSource'),
        ("etag.x", '"etag" has no fields that a mask can name'),
        ("featureRegistrySource.featureGroups.featureIds", '"featureGroups" has no fields that a mask can name'),
        ("labels.a.b", '"a" has no fields that a mask can name'),
        (".labels", "write fields with dots between them"),
        ("labels.`a", "write fields with dots between them"),
        ("labels..a", "write fields with dots between them"),
    ]
)
def test_a_path_that_leads_nowhere_is_refused(text: str, message: str) -> None:
    with pytest.raises(ServiceError) as told:
        update_fields({}, {}, text, FeatureView)
    assert told.value.message.startswith(f'updateMask: "{text}": {message}')


def test_a_resource_that_is_gone_is_forgotten() -> None:
    judge = RequestLinter(default_selection(), (), now=lambda: NOON)
    judged, other = (to_document("FeatureView", f"{RIDERS}{number}", {"warehouseSource": SOURCE}) for number in (1, 2))
    judge.check(judged, [other], field="featureView")
    gone = weakref.ref(other)
    del other
    judge.check(judged, [], field="featureView")
    gc.collect()
    assert gone() is None
