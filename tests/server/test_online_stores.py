"""Online stores by HTTP, as documents declare them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import SERVING, VECTORS

LOCATION = "projects/acme/locations/us"


@pytest.fixture
def client(tmp_path: Path) -> HttpClient:
    return HttpClient(tmp_path)


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
