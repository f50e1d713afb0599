"""The operations on views, by HTTP: what clients send and read, operations that take long, and online stores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import MENU, RIDERS, SERVING, SOURCE, VECTORS

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


def test_operations_are_listed_by_page_and_filter(client: HttpClient) -> None:
    names = [client.send("PATCH", f"/v1/{RIDERS}", json={"labels": {"a": "b"}}).json()["name"] for _ in range(3)]
    first = client.send("GET", f"/v1/{RIDERS}/operations?pageSize=2&filter=done%3Dtrue").json()
    path = f"/v1/{RIDERS}/operations?filter=done%3Dtrue&returnPartialSuccess=true&pageToken={first['nextPageToken']}"
    rest = client.send("GET", path).json()
    assert [one["name"] for one in (*first["operations"], *rest["operations"])] == names
    assert client.send("GET", f"/v1/{RIDERS}/operations?filter=done%3Dfalse").json()["operations"] == []


def test_a_search_with_a_count_of_zero_takes_the_default(client: HttpClient) -> None:
    client.send("POST", f"/v1/{MENU}:sync", json={})
    query = {"embedding": {"value": [1, 0]}, "neighborCount": 0}
    neighbors = client.send("POST", f"/v1/{MENU}:searchNearestEntities", json={"query": query}).json()
    assert len(neighbors["nearestNeighbors"]["neighbors"]) == 3


def test_a_version_that_there_is_not_is_named(client: HttpClient) -> None:
    response = client.send("GET", f"/v9/{RIDERS}")
    assert (response.status_code, response.json()["error"]["details"][0]["reason"]) == (404, "unknown-version")
    assert client.send("GET", f"/v1beta1/{RIDERS}").status_code == 200


@pytest.mark.parametrize("path", ["/v1/projects/a", "/v1/", "/v1/%2F..%2F", f"/v1/{RIDERS}:dance"])
def test_what_is_no_operation_is_not_found(client: HttpClient, path: str) -> None:
    assert client.send("GET", path).status_code == 404


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
    vendor_client = HttpClient(tmp_path)
    operation = create(vendor_client, {"warehouseSource": SOURCE, "labels": {"1st": "x"}})
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


def test_stores_are_listed_page_by_page(client: HttpClient) -> None:
    page = client.send("GET", f"/v1/{LOCATION}/featureOnlineStores?pageSize=1").json()
    rest = client.send("GET", f"/v1/{LOCATION}/featureOnlineStores?pageToken={page['nextPageToken']}").json()
    names = [store["name"] for store in (*page["featureOnlineStores"], *rest["featureOnlineStores"])]
    assert (names, rest["nextPageToken"]) == ([SERVING, VECTORS], "")


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
        (f"{LOCATION}/featureOnlineStores?filter=nothing%3D1", 400, "invalid-filter"),
        (f"{LOCATION}/featureOnlineStores?orderBy=size", 400, "invalid-order"),
    ],
)
def test_what_is_wrong_is_refused(client: HttpClient, path: str, code: int, reason: str) -> None:
    response = client.send("GET", f"/v1/{path}")
    assert (response.status_code, response.json()["error"]["details"][0]["reason"]) == (code, reason)
