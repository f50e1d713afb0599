"""The operations on views by HTTP: what clients send and read, what takes long, stores, and the words of clients."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import MENU, RIDERS, SERVING, SOURCE, VECTORS
from trialrun.server.dialect import DialectName

TYPE = "type.googleapis.com/google.cloud.aiplatform"
NOON = "2026-03-01T12:00:00Z"
LOCATION = "projects/acme/locations/us"


@pytest.fixture
def client(tmp_path: Path) -> HttpClient:
    return HttpClient(tmp_path)


def test_a_view_is_created_synced_read_and_deleted(client: HttpClient) -> None:
    body = {"warehouseSource": SOURCE, "serviceAgentType": 1}
    created = client.send(
        "POST", f"/v1/{SERVING}/featureViews?feature_view_id=copy&runSyncImmediately=true", json=body
    ).json()
    name = f"{SERVING}/featureViews/copy"
    assert created["done"] is True
    assert created["response"]["@type"] == "type.googleapis.com/google.cloud.aiplatform.v1.FeatureView"
    assert (created["response"]["name"], created["response"]["serviceAgentType"]) == (
        name,
        "SERVICE_AGENT_TYPE_PROJECT",
    )
    assert client.send("GET", f"/ui/{created['name']}").json() == created
    values = client.send("POST", f"/v1/{name}:fetchFeatureValues", json={"dataKey": {"key": "ana"}, "dataFormat": 2})
    assert values.json()["protoStruct"]["trips"] == 12
    assert client.send("DELETE", f"/v1beta1/{name}").json()["response"] == {
        "@type": "type.googleapis.com/google.protobuf.Empty"
    }
    assert client.send("GET", f"/v1/{name}").status_code == 404


def test_a_refused_view_names_the_rule(client: HttpClient) -> None:
    body = {"warehouseSource": SOURCE, "syncConfig": {"cron": "0 25 * * *"}}
    response = client.send("POST", f"/v1/{SERVING}/featureViews?featureViewId=bad", json=body)
    info, bad_request = response.json()["error"]["details"]
    assert (response.status_code, info["reason"]) == (400, "cron-syntax")
    assert bad_request["fieldViolations"][0]["field"] == "featureView.syncConfig.cron"


def test_streams_are_lists(client: HttpClient) -> None:
    client.send("POST", f"/v1/{RIDERS}:sync", json={})
    answers = client.send(
        "POST", f"/v1beta1/{RIDERS}:streamingFetchFeatureValues", json=[{"dataKeys": [{"key": "ana"}, {"key": "no"}]}]
    ).json()
    assert [len(answer["data"]) for answer in answers] == [1, 0]
    assert answers[1]["status"]["code"] == 5


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("", [3, 2, 1]),
        ("?orderBy=create_time", [1, 2, 3]),
        ("?orderBy=createTime%20desc", [3, 2, 1]),
        ('?filter=create_time%20%3E%20"2026-03-01T12:00:00Z"', [3, 2]),
        ('?filter=create_time%20%3C%3D%20"2026-03-01T12:00:00Z"', [1]),
        ('?filter=create_time%20%3E%20"2026-03-01T12:00:00Z"&orderBy=create_time&pageSize=1', [2]),
    ],
)
def test_syncs_are_filtered_and_ordered_by_their_time(client: HttpClient, query: str, numbers: list[int]) -> None:
    for _ in range(3):
        client.send("POST", f"/v1/{RIDERS}:sync", json={})
        client.send("POST", "/trialrun/v1/clock", json={"advance": "60s"})
    syncs = client.send("GET", f"/v1/{RIDERS}/featureViewSyncs{query}").json()["featureViewSyncs"]
    assert [int(sync["name"].rpartition("/")[2]) for sync in syncs] == numbers


def test_syncs_are_filtered_and_ordered_by_nothing_else(client: HttpClient) -> None:
    for query in ("filter=finalStatus%3D1", "orderBy=run_time", "filter=create_time%3Dtoday"):
        assert client.send("GET", f"/v1/{RIDERS}/featureViewSyncs?{query}").status_code == 400


def test_a_parameter_that_is_sent_twice_is_refused(client: HttpClient) -> None:
    response = client.send("GET", f"/v1/{RIDERS}/featureViewSyncs?pageSize=1&page_size=2")
    assert response.status_code == 400
    assert response.json()["error"]["message"] == "pageSize: the query has it more than once; send it once"


def test_operations_are_listed_by_page_and_filter(client: HttpClient) -> None:
    names = [client.send("PATCH", f"/v1/{RIDERS}", json={"labels": {"a": "b"}}).json()["name"] for _ in range(3)]
    first = client.send("GET", f"/v1/{RIDERS}/operations?pageSize=2&filter=done%3Dtrue").json()
    path = f"/v1/{RIDERS}/operations?filter=done%3Dtrue&returnPartialSuccess=true&pageToken={first['nextPageToken']}"
    rest = client.send("GET", path).json()
    assert [one["name"] for one in (*first["operations"], *rest["operations"])] == names
    assert client.send("GET", f"/v1/{RIDERS}/operations?filter=done%3Dfalse").json()["operations"] == []


def test_a_version_that_there_is_not_is_named(client: HttpClient) -> None:
    response = client.send("GET", f"/v9/{RIDERS}")
    assert (response.status_code, response.json()["error"]["details"][0]["reason"]) == (404, "unknown-version")
    assert client.send("GET", f"/v1beta1/{RIDERS}").status_code == 200


@pytest.fixture
def vendor_client(tmp_path: Path) -> HttpClient:
    return HttpClient(tmp_path, dialect="vendor")


def create(client: HttpClient, body: dict[str, Any], version: str = "v1") -> Any:
    path = f"/{version}/{SERVING}/featureViews?featureViewId=copy&runSyncImmediately=true"
    return client.send("POST", path, json=body).json()


def test_metadata_have_the_types_of_the_version(vendor_client: HttpClient) -> None:
    operations = [
        create(vendor_client, {"bigQuerySource": SOURCE}, "v1beta1"),
        vendor_client.send("PATCH", f"/v1/{RIDERS}?updateMask=labels", json={}).json(),
        vendor_client.send("DELETE", f"/v1beta1/{RIDERS}").json(),
    ]
    assert [operation["metadata"]["@type"] for operation in operations] == [
        f"{TYPE}.v1beta1.CreateFeatureViewOperationMetadata",
        f"{TYPE}.v1.UpdateFeatureViewOperationMetadata",
        f"{TYPE}.v1beta1.DeleteOperationMetadata",
    ]
    assert operations[0]["metadata"]["genericMetadata"] == {"createTime": NOON, "updateTime": NOON}
    assert set(operations[0]["metadata"]) == {"@type", "genericMetadata"}


def test_a_first_sync_that_fails_is_a_partial_failure(vendor_client: HttpClient) -> None:
    operation = create(vendor_client, {"bigQuerySource": {**SOURCE, "uri": "bq://acme.serving.none"}})
    (failure,) = operation["metadata"]["genericMetadata"]["partialFailures"]
    assert (failure["code"], failure["details"][0]["@type"]) == (9, "type.googleapis.com/google.rpc.ErrorInfo")
    assert operation["response"]["name"].endswith("/copy")


def test_remarks_of_the_linter_are_in_the_dialect_of_the_specification(tmp_path: Path) -> None:
    operation = create(HttpClient(tmp_path), {"warehouseSource": SOURCE, "labels": {"1st": "x"}})
    assert operation["metadata"]["warnings"][0]["rule"] == "unportable-label"
    assert operation["metadata"]["featureViewSync"].endswith("/featureViewSyncs/1")


def test_stores_say_of_which_type_they_are(client: HttpClient) -> None:
    scaling = {"autoScaling": {"minNodeCount": 1, "maxNodeCount": 1}}
    times = {"createTime": "2026-03-01T12:00:00Z", "updateTime": "2026-03-01T12:00:00Z"}
    assert client.send("GET", f"/v1/{SERVING}?fields=name,state,createTime,updateTime,bigtable").json() == {
        "name": SERVING,
        "state": "STABLE",
        "bigtable": scaling,
        **times,
    }
    optimized = client.send("GET", f"/v1/{VECTORS}").json()
    assert (optimized["optimized"], optimized["dedicatedServingEndpoint"]) == (
        {},
        {"publicEndpointDomainName": "http://127.0.0.1:1"},
    )


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("orderBy=create_time%20desc,%20feature_online_store_id%20desc", [VECTORS, SERVING]),
        ("orderBy=updateTime", [SERVING, VECTORS]),
        ('filter=create_time%20%3E%20"2026-01-01T00:00:00Z"', [SERVING, VECTORS]),
        ('filter=update_time%20%3C%20"2026-01-01T00:00:00Z"', []),
        ("filter=labels.team:*", []),
    ],
)
def test_stores_are_filtered_and_ordered_as_clients_offer(client: HttpClient, query: str, names: list[str]) -> None:
    listed = client.send("GET", f"/v1/{LOCATION}/featureOnlineStores?{query}").json()["featureOnlineStores"]
    assert [store["name"] for store in listed] == names


@pytest.mark.parametrize(
    ("path", "code", "reason"),
    [
        (f"{LOCATION}/featureOnlineStores/servin", 404, "unknown-feature-online-store"),
        ("projects/acme/locations/-/featureOnlineStores", 400, "invalid-resource-name"),
        (f"{LOCATION}/featureOnlineStores/-/featureViews", 400, "invalid-resource-name"),
        (f"{LOCATION}/featureOnlineStores?filter=nothing%3D1", 400, "invalid-filter"),
        (f"{LOCATION}/featureOnlineStores?orderBy=size", 400, "invalid-order"),
    ],
)
def test_what_is_wrong_is_refused(client: HttpClient, path: str, code: int, reason: str) -> None:
    response = client.send("GET", f"/v1/{path}")
    assert (response.status_code, response.json()["error"]["details"][0]["reason"]) == (code, reason)


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
def events_client(tmp_path: Path) -> HttpClient:
    (tmp_path / "events.json").write_text(json.dumps(ROW), encoding="utf-8")
    source = {"uri": "bq://acme.serving.events", "entityIdColumns": ["id"]}
    return HttpClient(
        tmp_path,
        {"kind": "Source", "uri": source["uri"], "files": "events.json", "format": "JSON", "columns": COLUMNS},
        {"kind": "FeatureView", "name": EVENTS, "warehouseSource": source},
        dialect="vendor",
    )


def create_in_words(events_client: HttpClient, body: dict[str, Any], id_: str = "copy") -> Any:
    return events_client.send("POST", f"/v1/{SERVING}/featureViews?featureViewId={id_}", json=body).json()


@pytest.mark.parametrize("name", ["bigQuerySource", "big_query_source"])
def test_sources_have_the_names_of_the_vendor(events_client: HttpClient, name: str) -> None:
    labels = {"bigquerysource": "warehouse_source"}
    view = create_in_words(events_client, {name: SOURCE, "labels": labels})["response"]
    assert (view["bigQuerySource"], view["labels"]) == (SOURCE, labels)
    listed = events_client.send("GET", f"/v1/{SERVING}/featureViews").json()["featureViews"]
    assert all("bigQuerySource" in view and "warehouseSource" not in view for view in listed)


@pytest.mark.parametrize("name", ["warehouseSource", "warehouse_source"])
def test_a_name_of_the_specification_is_refused(events_client: HttpClient, name: str) -> None:
    error = create_in_words(events_client, {name: SOURCE})["error"]
    assert error["message"] == f'featureView.{name}: unknown field; did you mean "bigQuerySource"?'
    assert (error["code"], error["details"][0]["reason"]) == (400, "unknown-field")


def test_a_name_of_the_vendor_is_refused_in_the_dialect_of_the_specification(tmp_path: Path) -> None:
    error = create_in_words(HttpClient(tmp_path), {"bigQuerySource": SOURCE})["error"]
    assert '"warehouseSource"' in error["message"]
    assert error["details"][0]["reason"] == "unknown-field"


def test_refusals_have_the_words_of_the_client(events_client: HttpClient) -> None:
    both = {"bigQuerySource": SOURCE, "vertexRagSource": {"uri": "bq://x.y.z"}}
    error = create_in_words(events_client, both)["error"]
    fields = [violation["field"] for violation in error["details"][1]["fieldViolations"]]
    assert fields == ["featureView.vertexRagSource"]
    assert "bigQuerySource" in error["message"]
    assert "warehouse" not in json.dumps(error).lower()


def test_a_label_keeps_its_words_in_a_refusal(events_client: HttpClient) -> None:
    labels = {"warehouse_source": "x", "warehouse_Source": "x"}
    error = create_in_words(events_client, {"bigQuerySource": SOURCE, "labels": labels})["error"]
    (violation,) = error["details"][1]["fieldViolations"]
    assert violation["field"] == "featureView.labels.warehouse_Source"


@pytest.mark.parametrize(
    "mask", ["bigQuerySource.uri", "big_query_source.uri,labels", "big_query_source.entity_id_columns"]
)
def test_masks_have_the_names_of_the_vendor(events_client: HttpClient, mask: str) -> None:
    body = {"bigQuerySource": {**SOURCE, "uri": "bq://acme.serving.other"}}
    response = events_client.send("PATCH", f"/v1/{RIDERS}?updateMask={mask}", json=body).json()
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
def test_a_wrong_mask_is_refused_in_the_words_of_the_client(events_client: HttpClient, mask: str, message: str) -> None:
    error = events_client.send("PATCH", f"/v1/{RIDERS}?updateMask={mask}", json={}).json()["error"]
    assert error["message"] == f'updateMask: "{mask}": {message}'
    assert error["details"][0]["reason"] == "invalid-field-mask"


def fetch(events_client: HttpClient, **options: Any) -> Any:
    events_client.send("POST", f"/v1/{EVENTS}:sync", json={})
    body = {"data_key": {"key": "a"}, **options}
    return events_client.send("POST", f"/v1/{EVENTS}:fetchFeatureValues", json=body).json()


def test_timestamps_are_whole_numbers_of_microseconds(events_client: HttpClient) -> None:
    features = {feature["name"]: feature["value"] for feature in fetch(events_client)["keyValues"]["features"]}
    assert features["at"]["int64Value"] == str(EIGHT + 1)
    assert features["times"]["int64ArrayValue"] == {"values": [str(EIGHT)]}
    assert features["blobs"]["stringArrayValue"] == {"values": ["aGk="]}
    struct = fetch(events_client, data_format="PROTO_STRUCT")["protoStruct"]
    assert struct == {"at": EIGHT + 1, "times": [EIGHT], "blobs": ["aGk="]}


def write(events_client: HttpClient, *features: dict[str, Any]) -> Any:
    events_client.send("POST", f"/v1/{EVENTS}:sync", json={})
    body = [{"dataKeyAndFeatureValues": [{"dataKey": {"key": "a"}, "features": list(features)}]}]
    return events_client.send("POST", f"/v1/{EVENTS}:directWrite", json=body).json()


def test_values_are_written_as_they_are_read(events_client: HttpClient) -> None:
    answers = write(
        events_client,
        {"name": "at", "value": {"int64Value": str(EIGHT + 7)}},
        {"name": "times", "value": {"int64ArrayValue": {"values": [EIGHT, 0]}}},
        {"name": "blobs", "value_and_timestamp": {"value": {"string_array_value": {"values": ["AA=="]}}}},
    )
    assert [set(response) for response in answers[0]["writeResponses"]] == [{"dataKey", "onlineStoreWriteTime"}]
    assert fetch(events_client, dataFormat=2)["protoStruct"] == {
        "at": EIGHT + 7,
        "times": [EIGHT, 0],
        "blobs": ["AA=="],
    }


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"stringValue": "x"}, '"at" is TIMESTAMP: it takes int64Value, not stringValue'),
        ({"int64Value": str(2**62)}, '"at" takes microseconds since 1970, up to the year 9999'),
    ],
)
def test_a_time_that_is_none_is_not_written(events_client: HttpClient, value: dict[str, Any], message: str) -> None:
    (answer,) = write(events_client, {"name": "at", "value": value})
    assert answer["status"]["message"].endswith(message)
    assert answer["status"]["details"][0]["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"


def test_an_older_value_with_its_time_is_superseded(events_client: HttpClient) -> None:
    value = {"value": {"int64Value": "1"}, "timestamp": "2026-02-01T00:00:00Z"}
    write(events_client, {"name": "at", "value_and_timestamp": value})
    assert fetch(events_client, dataFormat=2)["protoStruct"]["at"] == EIGHT + 1


def test_syncs_and_searches_have_the_members_of_the_vendor_alone(events_client: HttpClient) -> None:
    sync = events_client.send("POST", f"/v1/{MENU}:sync", json={}).json()["featureViewSync"]
    record = events_client.send("GET", f"/v1/{sync}").json()
    assert set(record) == {"name", "createTime", "runTime", "finalStatus", "syncSummary"}
    assert record["syncSummary"] == {"rowSynced": "3"}
    body = {"query": {"embedding": {"value": [1, 0]}, "neighbor_count": 1}}
    assert set(events_client.send("POST", f"/v1/{MENU}:searchNearestEntities", json=body).json()) == {
        "nearestNeighbors"
    }


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
