"""Faults on purpose: which calls they happen to, what happens, how they are set, listed and taken back."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import MENU, RIDERS, ROWS

FAULTS = "/trialrun/v1/faults"
ANA = {"dataKey": {"key": "ana"}, "dataFormat": "PROTO_STRUCT"}
HEADER = "x-trialrun-fault"


@pytest.fixture(scope="module")
def unsynced(tmp_path_factory: pytest.TempPathFactory) -> HttpClient:
    """A server for requests that change nothing of it."""
    return HttpClient(tmp_path_factory.mktemp("unsynced"))


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> HttpClient:
    """A server with values, for tests that change no more of it than its faults."""
    here = HttpClient(tmp_path_factory.mktemp("synced"))
    sync(here, RIDERS)
    return here


@pytest.fixture
def client(synced: HttpClient) -> HttpClient:
    """A server with values and without faults."""
    synced.send("DELETE", FAULTS)
    return synced


@pytest.fixture
def changing_client(tmp_path: Path) -> HttpClient:
    """A server with values, for a test that changes them."""
    here = HttpClient(tmp_path)
    sync(here, RIDERS)
    return here


def sync(client: HttpClient, view: str) -> None:
    assert client.send("POST", f"/v1/{view}:sync", json={}).status_code == 200


def set_fault(client: HttpClient, **fault: object) -> str:
    response = client.send("POST", FAULTS, json=fault)
    assert response.status_code == 200, response.text
    return str(response.json()["id"])


def fetch(client: HttpClient, fault: str = "") -> Any:
    headers = {HEADER: fault} if fault else {}
    return client.send("POST", f"/v1/{RIDERS}:fetchFeatureValues", json=ANA, headers=headers)


def statuses(client: HttpClient, calls: int) -> list[int]:
    return [fetch(client).status_code for _ in range(calls)]


def stream(client: HttpClient, *keys: str, **headers: str) -> Any:
    body = [{"dataKeys": [{"key": key}]} for key in keys]
    return client.send("POST", f"/v1beta1/{RIDERS}:streamingFetchFeatureValues", json=body, headers=headers)


def counts(client: HttpClient) -> list[tuple[int, int]]:
    return [(fault["callCount"], fault["happenedCount"]) for fault in client.send("GET", FAULTS).json()["faults"]]


def test_a_fault_fails_every_call_until_it_is_taken_back(client: HttpClient) -> None:
    id_ = set_fault(
        client, operation="fetchFeatureValues", status="UNAVAILABLE", message="out to lunch", reason="LUNCH"
    )
    error = fetch(client).json()["error"]
    assert (error["code"], error["status"], error["message"]) == (503, "UNAVAILABLE", "out to lunch")
    assert error["details"][0]["reason"] == "LUNCH"
    assert client.send("GET", f"/v1/{RIDERS}").status_code == 200
    assert counts(client) == [(1, 1)]
    assert client.send("DELETE", f"{FAULTS}/{id_}").status_code == 200
    assert fetch(client).status_code == 200
    assert client.send("DELETE", f"{FAULTS}/{id_}").status_code == 404


def test_all_faults_are_taken_back(client: HttpClient) -> None:
    set_fault(client, status="INTERNAL")
    second = set_fault(client, status=14)
    listed = client.send("GET", FAULTS).json()["faults"]
    assert [(fault["operation"], fault["status"]) for fault in listed] == [("*", "INTERNAL"), ("*", "UNAVAILABLE")]
    assert client.send("GET", f"{FAULTS}/{second}").json() == listed[1]
    assert statuses(client, 1) == [500]
    client.send("DELETE", FAULTS)
    assert (statuses(client, 1), client.send("GET", FAULTS).json()) == ([200], {"faults": []})


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ({"nth": 2}, [200, 503, 200, 200]),
        ({"nth": 2, "count": 2}, [200, 503, 503, 200]),
        ({"count": 1}, [503, 200, 200, 200]),
        ({"share": 1}, [503, 503, 503, 503]),
    ],
)
def test_which_calls_a_fault_happens_to(client: HttpClient, which: dict[str, Any], expected: list[int]) -> None:
    set_fault(client, status="UNAVAILABLE", **which)
    assert statuses(client, 4) == expected
    assert counts(client) == [(4, expected.count(503))]


def test_a_share_is_the_same_for_the_same_seed(client: HttpClient) -> None:
    runs = []
    for seed in (7, 7, 8):
        client.send("DELETE", FAULTS)
        set_fault(client, status="ABORTED", share=0.3, seed=seed)
        runs.append(statuses(client, 30))
    assert runs[0] == runs[1] != runs[2]
    assert 0 < runs[0].count(409) < 20


def test_a_delay_is_waited_for(client: HttpClient) -> None:
    set_fault(client, operation="FetchFeatureValues", delay="0.2s", count=1)
    began = time.perf_counter()
    assert fetch(client).status_code == 200
    assert time.perf_counter() - began >= 0.2


def test_a_call_may_be_carried_out_and_its_response_lost(changing_client: HttpClient) -> None:
    client = changing_client
    set_fault(client, operation="DeleteFeatureView", status="DEADLINE_EXCEEDED", afterCall=True)
    assert client.send("DELETE", f"/v1/{RIDERS}").status_code == 504
    assert client.send("GET", f"/v1/{RIDERS}").status_code == 404


def test_a_stream_breaks_in_the_middle(client: HttpClient) -> None:
    set_fault(client, operation="StreamingFetchFeatureValues", breakAfter=1, status="RESOURCE_EXHAUSTED", count=1)
    first, second = stream(client, "ana", "ben").json()
    assert first["data"][0]["dataKey"] == {"key": "ana"}
    assert second["error"]["status"] == "RESOURCE_EXHAUSTED"
    assert len(stream(client, "ana", "ben").json()) == 2
    broken = stream(client, "ana", **{HEADER: "breakAfter=0"})
    assert (broken.status_code, broken.json()["error"]["status"]) == (503, "UNAVAILABLE")
    assert len(stream(client, "ana", **{HEADER: "breakAfter=2"}).json()) == 1


def test_stale_reads_have_the_values_before_the_last_sync(changing_client: HttpClient, tmp_path: Path) -> None:
    client = changing_client
    table = tmp_path / "riders.json"
    table.write_text("".join(f"{json.dumps({**row, 'trips': 99})}\n" for row in ROWS), encoding="utf-8")
    sync(client, RIDERS)
    stale = fetch(client, "staleReads")
    assert (stale.status_code, stale.json()["protoStruct"]["trips"]) == (200, 12)
    assert fetch(client).json()["protoStruct"]["trips"] == 99
    streamed = stream(client, "ana", **{HEADER: "staleReads"}).json()
    assert "12" in json.dumps(streamed[0]["data"]) and "99" not in json.dumps(streamed[0]["data"])


def test_stale_searches_are_among_the_rows_before_the_last_sync(changing_client: HttpClient, tmp_path: Path) -> None:
    client = changing_client
    sync(client, MENU)
    (tmp_path / "menu.json").write_text(
        json.dumps({"dish": 9, "cuisine": "thai", "price": 1.0, "vector": [1.0, 0.0]}) + "\n", encoding="utf-8"
    )
    sync(client, MENU)

    def nearest(**headers: str) -> list[str]:
        query = {"embedding": {"value": [1, 0]}, "neighborCount": 2}
        answer = client.send("POST", f"/v1/{MENU}:searchNearestEntities", json={"query": query}, headers=headers)
        return [neighbor["entityId"] for neighbor in answer.json()["nearestNeighbors"]["neighbors"]]

    assert nearest(**{HEADER: "staleReads"}) == ["1", "2"]
    assert nearest() == ["9"]


def test_before_its_second_sync_a_view_has_no_stale_values(client: HttpClient) -> None:
    assert fetch(client, "staleReads").json()["error"]["details"][0]["reason"] == "never-synced"


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("UNAVAILABLE", 503),
        ("status=NOT_FOUND; reason=gone", 404),
        ('{"status": "ABORTED", "message": "try again"}', 409),
        ("delay=1ms", 200),
        ("UNAVAILABL", 400),
        ("delay=2h", 400),
        ("nth=1; UNAVAILABLE", 400),
        ("{", 400),
        ("=", 400),
        ("reason=x", 400),
        ("x" * 5000, 400),
    ],
)
def test_a_header_is_for_its_own_call_alone(client: HttpClient, fault: str, code: int) -> None:
    assert (fetch(client, fault).status_code, fetch(client).status_code) == (code, 200)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({}, "nothing would happen"),
        ({"operation": "FetchFeatureValue", "status": "ABORTED"}, 'did you mean "FetchFeatureValues"'),
        ({"status": "UNAVAILABEL"}, 'did you mean "UNAVAILABLE"'),
        ({"status": "OK"}, "no status"),
        ({"statuss": "ABORTED"}, 'did you mean "status"'),
        ({"delay": "61s"}, "at most a minute"),
        ({"delay": 5}, "delay"),
        ({"status": "ABORTED", "nth": 0}, "nth"),
        ({"status": "ABORTED", "share": 1.5}, "share"),
        ({"status": "ABORTED", "share": 0.5, "nth": 1}, "one of them"),
        ({"operation": "GetFeatureView", "breakAfter": 1}, "no stream"),
        ({"operation": "GetFeatureView", "staleReads": True}, "reads no values"),
        ({"status": "ABORTED", "message": "x" * 2000}, "message"),
        ({"status": "ABORTED", "reason": "a b"}, "reason"),
    ],
)
def test_what_is_no_fault_is_refused(unsynced: HttpClient, fault: dict[str, Any], message: str) -> None:
    response = unsynced.send("POST", FAULTS, json=fault)
    assert (response.status_code, response.json()["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert message in response.json()["error"]["message"]
    assert unsynced.send("GET", FAULTS).json() == {"faults": []}


def test_faults_are_bounded(client: HttpClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialrun.server.faults.MAX_FAULTS", 2)
    for _ in range(2):
        set_fault(client, delay="1ms")
    assert client.send("POST", FAULTS, json={"delay": "1ms"}).status_code == 429
