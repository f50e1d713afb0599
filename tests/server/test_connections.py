"""What arrives on the wire of a server: broken, half-sent, endless and abandoned requests."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.server.server_process import RunningServer, start_server, write_workspace
from tests.service.service_fixture import RIDERS

SYNC = f"/v1/{RIDERS}:sync"
HEAD = f"POST {SYNC} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
MB = 1024 * 1024


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with start_server(write_workspace(tmp_path_factory.mktemp("connections") / "workspace")) as running:
        yield running
        assert "Traceback" not in running.log


@pytest.fixture(autouse=True)
def still_answers(server: RunningServer) -> Iterator[None]:
    yield
    assert server.send("GET", "/healthz").status_code == 200


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
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


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
def test_ten_thousand_idle_connections_keep_nobody_out(server: RunningServer) -> None:
    idle = []
    try:
        for _ in range(10_500):
            idle.append(connect(server))
        began = time.monotonic()
        for _ in range(20):
            assert server.send("GET", "/healthz").status_code == 200
        assert time.monotonic() - began < 5
    finally:
        for connection in idle:
            connection.close()


@pytest.mark.exhaustive
def test_ten_thousand_half_sent_bodies_keep_nobody_out(server: RunningServer) -> None:
    half = []
    try:
        for _ in range(10_500):
            connection = connect(server)
            connection.sendall(f"{HEAD}Content-Length: 100\r\n\r\n{{".encode())
            half.append(connection)
        assert server.send("GET", "/healthz").status_code == 200
    finally:
        for connection in half:
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
