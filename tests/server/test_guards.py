"""Requests that are refused before anything happens, and broken, half-sent and abandoned ones on the wire."""

import asyncio
import json
import os
import socket
import time
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from tests.server.server_fixture import HttpClient
from tests.server.server_process import RunningServer, start_server, write_workspace
from tests.service.service_fixture import RIDERS
from trialrun.server.dialect import DIALECTS
from trialrun.server.http.guards import BodyReader, GuardedApp, Guards
from trialrun.server.http.routes import build_app
from trialrun.server.monitoring import Monitoring, RequestLog
from trialrun.server.operations import LongRunningOperations, Operations, Services
from trialrun.service.error import ServiceError
from trialrun.service.journal import Journal

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
        *["user@localhost", "localhost:80@evil.example", "localhost.", "127.0.0.1.:80", "localhost:", "localhost:http"],
        *["localhost:99999", "[::1", "::1", "[::1]x", "[localhost]", "localhost/"],
        *("localhost, evil.example", " localhost"),
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


@pytest.mark.parametrize("path", ["/", "/v1", "//", "/favicon.ico", "/v1/", "/v1/%2F..%2F", f"/v1/{RIDERS}:dance"])
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


def test_an_error_of_the_server_itself_is_answered_in_json(client: GuardedClient) -> None:
    broken: Any = Services(cast("Any", None), cast("Any", None))
    operations = Operations(broken, LongRunningOperations(Journal(), client.clock), DIALECTS["specification"])
    app: Any = GuardedApp(build_app(operations), Guards(), client.monitoring, BodyReader())
    client.app = app
    response = client.send("POST", FETCH, json={"dataKey": {"key": "ana"}})
    assert (response.status_code, reason(response)) == (500, "internal-error")


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


HEAD = f"POST {SYNC} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
MB = 1024 * 1024


@pytest.fixture(scope="module")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with start_server(write_workspace(tmp_path_factory.mktemp("connections") / "workspace")) as running:
        yield running
        assert "Traceback" not in running.log


@pytest.fixture
def server(running_server: RunningServer) -> Iterator[RunningServer]:
    """A server that still answers after the test."""
    yield running_server
    assert running_server.send("GET", "/healthz").status_code == 200


def connect(server: RunningServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def answer(server: RunningServer, sent: bytes) -> bytes:
    """All that comes back until the server closes the connection."""
    with connect(server) as connection:
        with suppress(OSError):  # it has closed before all was sent
            connection.sendall(sent)
        return received(connection)


def received(connection: socket.socket) -> bytes:
    parts = []
    with suppress(ConnectionResetError):
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\xff\xfe\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n",
        b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET http://evil.example/healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET http://me@localhost/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64,
    ],
)
def test_what_is_no_good_request_is_refused(server: RunningServer, sent: bytes) -> None:
    status = answer(server, sent).partition(b"\r\n")[0]
    assert status.startswith(b"HTTP/1.1 4"), status


def test_the_host_of_a_whole_url_counts(server: RunningServer) -> None:
    sent = b"GET http://localhost/healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert answer(server, sent).startswith(b"HTTP/1.1 200 ")


def test_heads_are_bounded(server: RunningServer) -> None:
    assert answer(server, b"GET /" + b"a" * MB).startswith(b"HTTP/1.1 431 ")
    headers = b"".join(b"X-%d: %s\r\n" % (number, b"a" * 1000) for number in range(2000))
    assert answer(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + headers).startswith(b"HTTP/1.1 431 ")


def test_trailers_are_left_out(server: RunningServer) -> None:
    trailers = b"".join(b"X-%d: 1\r\n" % number for number in range(1000))
    sent = f"{HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n".encode() + trailers
    assert answer(server, sent + b"\r\n").startswith(b"HTTP/1.1 200 ")


def test_a_body_that_is_too_large_is_refused_while_it_comes(server: RunningServer) -> None:
    with connect(server) as connection:
        connection.sendall(f"{HEAD}Content-Length: {100 * MB}\r\n\r\n".encode())
        assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")
        for _ in range(100):
            connection.sendall(b" " * MB)
        connection.sendall(HEALTH)
        # The text of the refusal may come in a packet of its own, after its head.
        assert received(connection).count(b"HTTP/1.1 200 ") == 1


def test_a_body_that_nobody_waited_for_is_not_sent(server: RunningServer) -> None:
    sent = f"{HEAD}Expect: 100-continue\r\nContent-Length: {100 * MB}\r\n\r\n".encode()
    assert answer(server, sent).startswith(b"HTTP/1.1 413 ")


def test_clients_may_leave_at_any_time(server: RunningServer) -> None:
    whole = f"{HEAD}Content-Length: 2\r\n\r\n{{}}".encode()
    for end in range(0, len(whole) + 1, 7):
        with connect(server) as connection:
            connection.sendall(whole[:end])


def test_requests_may_be_sent_one_after_the_other_without_waiting(server: RunningServer) -> None:
    kept = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert answer(server, kept * 500 + HEALTH).count(b"HTTP/1.1 200 ") == 501


def memory(server: RunningServer) -> int:
    """The bytes that a server has in memory, on Linux."""
    return int(Path(f"/proc/{server.process.pid}/status").read_text().partition("VmRSS:")[2].split()[0]) * 1024


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads /proc")
def test_a_body_without_length_takes_no_more_memory_than_the_bound(server: RunningServer) -> None:
    before = memory(server)
    with connect(server) as connection:
        connection.sendall(f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(100):
            connection.sendall(b"%x\r\n%s\r\n" % (MB, b" " * MB))
        connection.sendall(b"0\r\n\r\n" + HEALTH)
        answers = received(connection)
    assert answers.startswith(b"HTTP/1.1 413 ")
    assert b"HTTP/1.1 200 " in answers
    assert memory(server) < before + 100 * MB


@pytest.mark.exhaustive
@pytest.mark.parametrize("sent", ["", f"{HEAD}Content-Length: 100\r\n\r\n{{"], ids=["idle", "half-sent"])
def test_ten_thousand_open_connections_keep_nobody_out(server: RunningServer, sent: str) -> None:
    connections = []
    try:
        for _ in range(10_500):
            connections.append(connect(server))
            connections[-1].sendall(sent.encode())
        began = time.monotonic()
        for _ in range(20):
            assert server.send("GET", "/healthz").status_code == 200
        assert time.monotonic() - began < 5
    finally:
        for connection in connections:
            connection.close()


@pytest.mark.exhaustive
def test_a_body_byte_by_byte_is_refused(server: RunningServer) -> None:
    with connect(server) as connection:
        connection.sendall(f"{HEAD}Content-Length: 100000\r\n\r\n".encode())
        connection.settimeout(1)
        end = time.monotonic() + 60
        answered = b""
        while not answered and time.monotonic() < end:
            connection.sendall(b" ")
            try:
                answered = connection.recv(65536)
            except TimeoutError:
                continue
    assert answered.startswith(b"HTTP/1.1 408 ")
