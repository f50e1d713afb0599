"""Requests that are refused before anything happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import RIDERS
from trialrun.server.http.guards import BodyReader, GuardedApp, Guards
from trialrun.server.monitoring import Monitoring, RequestLog
from trialrun.service.error import ServiceError

TOKEN = "0123456789abcdef"
FETCH = f"/v1/{RIDERS}:fetchFeatureValues"
SYNC = f"/v1/{RIDERS}:sync"
OWN = "127.0.0.1:8080"


class GuardedClient(HttpClient):
    """Sends requests to the guarded application of a server, in this process."""

    def __init__(self, folder: Path, guards: Guards | None = None, bodies: BodyReader | None = None) -> None:
        super().__init__(folder)
        self.monitoring = Monitoring(RequestLog())
        inner: Any = self.app
        guarded: Any = GuardedApp(inner, guards or Guards(), self.monitoring, bodies or BodyReader())
        self.app = guarded


@pytest.fixture
def client(tmp_path: Path) -> GuardedClient:
    return GuardedClient(tmp_path)


def reason(response: httpx.Response) -> str:
    found: str = response.json()["error"]["details"][0]["reason"]
    return found


@pytest.mark.parametrize("host", [OWN, "localhost", "LOCALHOST:1", "[::1]:80", "127.8.9.1", "page.localhost:80"])
def test_names_of_this_machine_are_answered(client: GuardedClient, host: str) -> None:
    assert client.send("GET", "/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil:80", "[::2]", "10.0.0.1"])
def test_requests_for_another_name_are_refused(client: GuardedClient, host: str) -> None:
    response = client.send("POST", SYNC, headers={"Host": host}, json={})
    assert (response.status_code, reason(response)) == (403, "unknown-host")


@pytest.mark.parametrize(
    "host",
    [
        "user@localhost",
        "localhost:80@evil.example",
        "localhost.",
        "127.0.0.1.:80",
        "localhost:",
        "localhost:http",
        "localhost:99999",
        "[::1",
        "::1",
        "[::1]x",
        "[localhost]",
        "localhost/",
        "localhost, evil.example",
        " localhost",
    ],
)
@pytest.mark.parametrize("hosts", [frozenset[str](), None])
def test_a_host_that_is_no_name_with_a_port_is_refused(tmp_path: Path, host: str, hosts: frozenset[str] | None) -> None:
    with pytest.raises(ServiceError) as refused:
        Guards(hosts=hosts).check("GET", "/healthz", [(b"host", host.encode())])
    assert refused.value.reason == "invalid-host"


def test_a_request_has_one_host() -> None:
    with pytest.raises(ServiceError, match="host twice"):
        Guards().check("GET", "/healthz", [(b"host", b"localhost"), (b"host", b"evil.example")])


def test_a_server_for_other_machines_has_any_name(tmp_path: Path) -> None:
    client = GuardedClient(tmp_path, Guards(TOKEN, None))
    headers = {"Host": "build-7.internal", "X-Trialrun-Token": TOKEN}
    assert client.send("GET", "/healthz", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "https://127.0.0.1:8080"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_requests_of_foreign_pages_are_refused(client: GuardedClient, method: str, headers: dict[str, str]) -> None:
    response = client.send(method, f"/v1/{RIDERS}", headers={"Host": OWN, **headers})
    assert (response.status_code, reason(response)) == (403, "foreign-origin")
    assert client.send("GET", f"/v1/{RIDERS}").status_code == 200


def test_requests_of_a_page_of_this_server_are_answered(client: GuardedClient) -> None:
    headers = {"Host": OWN, "Origin": f"http://{OWN}", "Sec-Fetch-Site": "same-origin"}
    assert client.send("GET", "/healthz", headers=headers).status_code == 200


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
def test_bodies_of_other_types_are_refused(client: GuardedClient, content_type: str) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    response = client.send("POST", SYNC, headers=headers, content=b"{}")
    assert (response.status_code, reason(response)) == (415, "content-type")
    assert client.send("GET", f"/v1/{RIDERS}/featureViewSyncs").json()["featureViewSyncs"] == []


def test_a_body_of_json_may_have_parameters(client: GuardedClient) -> None:
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert client.send("POST", SYNC, headers=headers, content=b"{}").status_code == 200


def test_requests_without_a_body_need_no_type(client: GuardedClient) -> None:
    assert client.send("POST", SYNC).status_code == 200


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 403),
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
        ({"Authorization": f"bearer  {TOKEN}"}, 200),
        ({"X-Trialrun-Token": TOKEN}, 200),
        ({"Authorization": "Bearer ya29.credentials-of-the-cloud", "X-Trialrun-Token": TOKEN}, 200),
        ({"Authorization": f"Basic {TOKEN}"}, 403),
        ({"X-Trialrun-Token": f"{TOKEN}0"}, 403),
        ({"X-Trialrun-Token": TOKEN[:-1]}, 403),
        ({"X-Trialrun-Token": ""}, 403),
        ({"X-Trialrun-Token": "\xfc" * 16}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/trialrun/v1/clock", f"/v1/{RIDERS}"])
def test_a_server_with_a_token_demands_it(tmp_path: Path, path: str, headers: dict[str, str], code: int) -> None:
    client = GuardedClient(tmp_path, Guards(TOKEN))
    sent = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    response = client.send("GET", path, headers=sent)
    assert response.status_code == code
    if code == 403:
        assert (reason(response), response.json()["error"]["status"]) == ("token-required", "PERMISSION_DENIED")


def test_whether_a_server_answers_may_be_asked_without_its_token(tmp_path: Path) -> None:
    client = GuardedClient(tmp_path, Guards(TOKEN))
    assert client.send("GET", "/healthz").text == "ok\n"
    assert client.send("POST", "/healthz").status_code == 403
    assert client.send("GET", "/healthz", headers={"Host": "evil.example"}).status_code == 403


@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_refused(client: GuardedClient, method: str) -> None:
    response = client.send(method, f"/v1/{RIDERS}")
    assert (response.status_code, reason(response)) == (405, "method")


@pytest.mark.parametrize("path", ["/", "/v1", "//", "/favicon.ico", "/v1/"])
def test_an_unknown_path_is_refused_in_json(client: GuardedClient, path: str) -> None:
    response = client.send("GET", path)
    assert (response.status_code, reason(response)) == (404, "unknown-method")


def test_an_announced_body_that_is_too_large_is_not_read(client: GuardedClient) -> None:
    headers = {"Content-Type": "application/json", "Content-Length": str(2**25 + 1)}
    response = client.send("POST", SYNC, headers=headers)
    assert (response.status_code, reason(response)) == (413, "body-too-large")


class Sender:
    """Sends a body in parts, without saying how long it is, and counts the parts that are taken."""

    def __init__(self, part: bytes, seconds: float = 0.0) -> None:
        self.taken = 0
        self._part = part
        self._seconds = seconds

    async def receive(self) -> MutableMapping[str, Any]:
        self.taken += 1
        await asyncio.sleep(self._seconds)
        return {"type": "http.request", "body": self._part, "more_body": True}


def send_parts(client: GuardedClient, sender: Sender) -> tuple[int, str]:
    """The status code and the reason of a refusal."""
    answers: list[MutableMapping[str, Any]] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        answers.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")]
    scope = {"type": "http", "method": "POST", "path": SYNC, "raw_path": SYNC.encode(), "headers": headers}
    app: Any = client.app
    asyncio.run(app({**scope, "query_string": b"", "http_version": "1.1"}, sender.receive, send))
    return answers[0]["status"], json.loads(answers[1]["body"])["error"]["details"][0]["reason"]


def test_a_body_of_unknown_length_is_read_up_to_the_bound(tmp_path: Path) -> None:
    client, sender = GuardedClient(tmp_path, bodies=BodyReader(most=1000)), Sender(b"x" * 100)
    assert send_parts(client, sender) == (413, "body-too-large")
    assert sender.taken == 11


def test_bodies_together_are_bounded(tmp_path: Path) -> None:
    client = GuardedClient(tmp_path, bodies=BodyReader(most=1000, most_buffered=300))
    assert send_parts(client, Sender(b"x" * 100)) == (429, "too-many-bodies")
    assert client.send("POST", SYNC, json={}).status_code == 200


def test_a_body_that_comes_too_slowly_is_refused(tmp_path: Path) -> None:
    client = GuardedClient(tmp_path, bodies=BodyReader(seconds=0.05))
    assert send_parts(client, Sender(b" ", seconds=0.02)) == (408, "slow-body")
