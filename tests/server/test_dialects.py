"""The words of clients: the names of fields in either spelling, and those of the vendor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import MENU, RIDERS, SERVING, SOURCE
from trialrun.server.dialect import DialectName

EVENTS = f"{SERVING}/featureViews/events"
COLUMNS = [
    {"name": "id", "type": "STRING"},
    {"name": "at", "type": "TIMESTAMP"},
    {"name": "times", "type": "TIMESTAMP", "mode": "REPEATED"},
    {"name": "blobs", "type": "BYTES", "mode": "REPEATED"},
]
ROW = {"id": "a", "at": "2026-03-01T08:00:00.000001Z", "times": ["2026-03-01T08:00:00Z"], "blobs": ["aGk="]}
EIGHT = 1772352000000000
"""Eight o'clock of that day, in microseconds."""
DIALECTS: tuple[DialectName, ...] = ("specification", "vendor")


@pytest.fixture
def client(tmp_path: Path) -> HttpClient:
    (tmp_path / "events.json").write_text(json.dumps(ROW), encoding="utf-8")
    source = {"uri": "bq://acme.serving.events", "entityIdColumns": ["id"]}
    return HttpClient(
        tmp_path,
        {"kind": "Source", "uri": source["uri"], "files": "events.json", "format": "JSON", "columns": COLUMNS},
        {"kind": "FeatureView", "name": EVENTS, "warehouseSource": source},
        dialect="vendor",
    )


def create(client: HttpClient, body: dict[str, Any], id_: str = "copy") -> Any:
    return client.send("POST", f"/v1/{SERVING}/featureViews?featureViewId={id_}", json=body).json()


@pytest.mark.parametrize("name", ["bigQuerySource", "big_query_source"])
def test_sources_have_the_names_of_the_vendor(client: HttpClient, name: str) -> None:
    labels = {"bigquerysource": "warehouse_source"}
    view = create(client, {name: SOURCE, "labels": labels})["response"]
    assert (view["bigQuerySource"], view["labels"]) == (SOURCE, labels)
    listed = client.send("GET", f"/v1/{SERVING}/featureViews").json()["featureViews"]
    assert all("bigQuerySource" in view and "warehouseSource" not in view for view in listed)


@pytest.mark.parametrize("name", ["warehouseSource", "warehouse_source"])
def test_a_name_of_the_specification_is_refused(client: HttpClient, name: str) -> None:
    error = create(client, {name: SOURCE})["error"]
    assert error["message"] == f'featureView.{name}: unknown field; did you mean "bigQuerySource"?'
    assert (error["code"], error["details"][0]["reason"]) == (400, "unknown-field")


def test_a_name_of_the_vendor_is_refused_in_the_dialect_of_the_specification(tmp_path: Path) -> None:
    error = create(HttpClient(tmp_path), {"bigQuerySource": SOURCE})["error"]
    assert '"warehouseSource"' in error["message"]
    assert error["details"][0]["reason"] == "unknown-field"


def test_refusals_have_the_words_of_the_client(client: HttpClient) -> None:
    both = {"bigQuerySource": SOURCE, "vertexRagSource": {"uri": "bq://x.y.z"}}
    error = create(client, both)["error"]
    fields = [violation["field"] for violation in error["details"][1]["fieldViolations"]]
    assert fields == ["featureView.vertexRagSource"]
    assert "bigQuerySource" in error["message"]
    assert "warehouse" not in json.dumps(error).lower()


def test_the_path_of_a_missing_field_has_the_words_of_the_client(client: HttpClient) -> None:
    error = create(client, {"big_query_source": {"uri": "bq://x.y.z"}})["error"]
    assert error["details"][1]["fieldViolations"][0]["field"] == "featureView.bigQuerySource"


def test_a_label_keeps_its_words_in_a_refusal(client: HttpClient) -> None:
    labels = {"warehouse_source": "x", "warehouse_Source": "x"}
    error = create(client, {"bigQuerySource": SOURCE, "labels": labels})["error"]
    (violation,) = error["details"][1]["fieldViolations"]
    assert violation["field"] == "featureView.labels.warehouse_Source"


@pytest.mark.parametrize(
    "mask", ["bigQuerySource.uri", "big_query_source.uri,labels", "big_query_source.entity_id_columns"]
)
def test_masks_have_the_names_of_the_vendor(client: HttpClient, mask: str) -> None:
    body = {"bigQuerySource": {**SOURCE, "uri": "bq://acme.serving.other"}}
    response = client.send("PATCH", f"/v1/{RIDERS}?updateMask={mask}", json=body).json()
    uri = "bq://acme.serving.other" if "uri" in mask else SOURCE["uri"]
    assert response["response"]["bigQuerySource"]["uri"] == uri


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        ("warehouseSource.uri", 'FeatureView has no field "warehouseSource"; did you mean "bigQuerySource"?'),
        ("warehouse_source", 'FeatureView has no field "warehouse_source"; did you mean "bigQuerySource"?'),
        ("bigQuerySource.url", 'BigQuerySource has no field "url"; did you mean "uri"?'),
    ],
)
def test_a_wrong_mask_is_refused_in_the_words_of_the_client(client: HttpClient, mask: str, message: str) -> None:
    error = client.send("PATCH", f"/v1/{RIDERS}?updateMask={mask}", json={}).json()["error"]
    assert error["message"] == f'updateMask: "{mask}": {message}'
    assert error["details"][0]["reason"] == "invalid-field-mask"


def fetch(client: HttpClient, **options: Any) -> Any:
    client.send("POST", f"/v1/{EVENTS}:sync", json={})
    body = {"data_key": {"key": "a"}, **options}
    return client.send("POST", f"/v1/{EVENTS}:fetchFeatureValues", json=body).json()


def test_timestamps_are_whole_numbers_of_microseconds(client: HttpClient) -> None:
    features = {feature["name"]: feature["value"] for feature in fetch(client)["keyValues"]["features"]}
    assert features["at"]["int64Value"] == str(EIGHT + 1)
    assert features["times"]["int64ArrayValue"] == {"values": [str(EIGHT)]}
    assert features["blobs"]["stringArrayValue"] == {"values": ["aGk="]}
    struct = fetch(client, data_format="PROTO_STRUCT")["protoStruct"]
    assert struct == {"at": EIGHT + 1, "times": [EIGHT], "blobs": ["aGk="]}


def write(client: HttpClient, *features: dict[str, Any]) -> Any:
    client.send("POST", f"/v1/{EVENTS}:sync", json={})
    body = [{"dataKeyAndFeatureValues": [{"dataKey": {"key": "a"}, "features": list(features)}]}]
    return client.send("POST", f"/v1/{EVENTS}:directWrite", json=body).json()


def test_values_are_written_as_they_are_read(client: HttpClient) -> None:
    answers = write(
        client,
        {"name": "at", "value": {"int64Value": str(EIGHT + 7)}},
        {"name": "times", "value": {"int64ArrayValue": {"values": [EIGHT, 0]}}},
        {"name": "blobs", "value_and_timestamp": {"value": {"string_array_value": {"values": ["AA=="]}}}},
    )
    assert [set(response) for response in answers[0]["writeResponses"]] == [{"dataKey", "onlineStoreWriteTime"}]
    assert fetch(client, dataFormat=2)["protoStruct"] == {"at": EIGHT + 7, "times": [EIGHT, 0], "blobs": ["AA=="]}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"stringValue": "x"}, '"at" is TIMESTAMP: it takes int64Value, not stringValue'),
        ({"int64Value": str(2**62)}, '"at" takes microseconds since 1970, up to the year 9999'),
    ],
)
def test_a_time_that_is_none_is_not_written(client: HttpClient, value: dict[str, Any], message: str) -> None:
    (answer,) = write(client, {"name": "at", "value": value})
    assert answer["status"]["message"].endswith(message)
    assert answer["status"]["details"][0]["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"


def test_an_older_value_with_its_time_is_superseded(client: HttpClient) -> None:
    value = {"value": {"int64Value": "1"}, "timestamp": "2026-02-01T00:00:00Z"}
    write(client, {"name": "at", "value_and_timestamp": value})
    assert fetch(client, dataFormat=2)["protoStruct"]["at"] == EIGHT + 1


def test_a_member_that_the_vendor_does_not_have_is_refused(client: HttpClient) -> None:
    error = write(client, {"name": "at", "value": {"timestampValue": "2026-03-01T08:00:00Z"}})["error"]
    assert error["message"].endswith('value.timestampValue: unknown field; did you mean "int64Value"?')


def test_syncs_and_searches_have_the_members_of_the_vendor_alone(client: HttpClient) -> None:
    sync = client.send("POST", f"/v1/{MENU}:sync", json={}).json()["featureViewSync"]
    record = client.send("GET", f"/v1/{sync}").json()
    assert set(record) == {"name", "createTime", "runTime", "finalStatus", "syncSummary"}
    assert record["syncSummary"] == {"rowSynced": "3"}
    body = {"query": {"embedding": {"value": [1, 0]}, "neighbor_count": 1}}
    assert set(client.send("POST", f"/v1/{MENU}:searchNearestEntities", json=body).json()) == {"nearestNeighbors"}


def test_a_field_of_our_own_is_unknown(client: HttpClient) -> None:
    assert "unknown field" in fetch(client, plainValues=False)["error"]["message"]


@pytest.fixture(params=DIALECTS)
def any_client(tmp_path: Path, request: pytest.FixtureRequest) -> HttpClient:
    return HttpClient(tmp_path, dialect=request.param)


def test_fields_may_be_in_snake_case_and_keys_of_maps_stay(any_client: HttpClient) -> None:
    body = {"labels": {"sync_config": "x"}, "sync_config": {"cron": "0 4 * * *"}, "etag": None}
    response = any_client.send("PATCH", f"/v1/{RIDERS}?update_mask=sync_config,labels", json=body).json()["response"]
    assert (response["labels"], response["syncConfig"]) == ({"sync_config": "x"}, {"cron": "0 4 * * *"})


def test_null_is_unset(any_client: HttpClient) -> None:
    any_client.send("POST", f"/v1/{MENU}:sync", json={})
    query = {"embedding": {"value": [1, 0]}, "entityId": None, "string_filters": None, "neighborCount": None}
    response = any_client.send(
        "POST", f"/v1/{MENU}:searchNearestEntities", json={"query": query, "returnFullEntity": None}
    )
    assert len(response.json()["nearestNeighbors"]["neighbors"]) == 3


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"dataKey": {"key": "ana"}, "data_key": {"key": "ana"}}, "data_key"),
        ({"dataKey": {"composite_key": {"parts": ["ana"]}, "compositeKey": None}}, "dataKey.compositeKey"),
    ],
)
def test_two_spellings_of_a_field_are_refused(any_client: HttpClient, body: dict[str, object], field: str) -> None:
    error = any_client.send("POST", f"/v1/{RIDERS}:fetchFeatureValues", json=body).json()["error"]
    assert error["details"][0]["reason"] == "duplicate-key"
    assert error["details"][1]["fieldViolations"][0]["field"] == field


@pytest.mark.parametrize("value", [None, 1])
def test_an_unknown_field_is_refused_whatever_its_value(any_client: HttpClient, value: object) -> None:
    error = any_client.send(
        "POST", f"/v1/{RIDERS}:fetchFeatureValues", json={"dataKey": {"key": "ana"}, "data_kee": value}
    ).json()["error"]
    assert error["details"][0]["reason"] == "unknown-field"


def test_a_source_in_two_spellings_is_refused(tmp_path: Path) -> None:
    body = {"warehouseSource": SOURCE, "warehouse_source": SOURCE}
    any_client = HttpClient(tmp_path)
    error = any_client.send("POST", f"/v1/{SERVING}/featureViews?featureViewId=x", json=body).json()["error"]
    assert error["details"][0]["reason"] == "duplicate-key"
