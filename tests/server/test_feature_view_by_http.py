"""The operations on FeatureViews by HTTP and JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import MENU, RIDERS, SERVING, SOURCE


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
