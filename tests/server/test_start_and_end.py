"""How a server starts, what it says, and how it ends."""

import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.program import Ran, own_environment, run_here
from tests.server.server_process import RunningServer, connect_client, start_server, write_workspace
from tests.service.service_fixture import RIDERS
from trialrun.server.addresses import Addresses, ReadyFile, open_listeners, ready_json
from trialrun.server.http.routes import ChangeClockRequest
from trialrun.service.feature_view.messages import PatchFeatureViewResponse
from trialrun.service.message import build_messages

TOKEN = "0123456789abcdef-secret"
WITH_TOKEN = {"Authorization": f"Bearer {TOKEN}"}
HALF_SENT = (
    f"POST /v1/{RIDERS}:sync HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    f"Authorization: Bearer {TOKEN}\r\nContent-Length: 100\r\n\r\n{{"
).encode()


@dataclass(frozen=True)
class EndedServer:
    """A server that has ended: by which signal, with which code, in how many seconds, and where its ready file was."""

    signal: signal.Signals
    code: int
    seconds: float
    http: str
    log: str
    ready_files: tuple[bool, bool]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return write_workspace(tmp_path / "workspace")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(signal.SIGTERM, marks=pytest.mark.exhaustive),  # test_grpc_server ends one by it as well
        signal.SIGINT,
    ],
)
def ended_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> EndedServer:
    """A server with a token that other machines can reach, ended while requests of it are open and half-sent."""
    workspace = write_workspace(tmp_path_factory.mktemp("ended") / "workspace")
    with start_server(workspace, "--host", "0.0.0.0", environment={"TRIALRUN_TOKEN": TOKEN}) as server:
        had_ready_file = server.ready_file.exists()
        half = socket.create_connection(("127.0.0.1", server.port))
        half.sendall(HALF_SENT)
        with connect_client(server.http) as idle, half, socket.create_connection(("127.0.0.1", server.port)):
            assert idle.get("/healthz", headers=WITH_TOKEN).status_code == 200
            began = time.monotonic()
            code = server.stop(request.param)
            seconds = time.monotonic() - began
        ready_files = had_ready_file, server.ready_file.exists()
        return EndedServer(request.param, code, seconds, server.http, server.log, ready_files)


@pytest.fixture(scope="module")
def server_with_token_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server of a folder that the command line names, as the files beside it, of which anybody may read the token."""
    folder = tmp_path_factory.mktemp("token")
    write_workspace(folder / "workspace")
    (folder / "token").write_text(TOKEN)
    (folder / "token").chmod(0o644)
    with start_server(folder, "workspace", "--token-file", "token", "--store", "kept") as server:
        yield server


def serve(folder: Path, *arguments: str, **variables: str) -> Ran:
    """A command that starts no server."""
    return run_here(("serve", *arguments), folder, own_environment(folder) | variables)


def test_a_server_answers_once_it_has_written_its_addresses(server_with_token_file: RunningServer) -> None:
    server = server_with_token_file
    assert server.send("GET", "/healthz", headers=WITH_TOKEN).text == "ok\n"
    assert server.send("GET", f"/v1/{RIDERS}", headers=WITH_TOKEN).json()["name"] == RIDERS
    assert server.ready == {
        "version": 1,
        "pid": server.process.pid,
        "http": server.http,
        "grpc": None,
        "environment": {"TRIALRUN_ENDPOINT": server.http},
    }
    assert f"export TRIALRUN_ENDPOINT={server.http}\n" in server.log
    assert f'client_options={{"api_endpoint": "{server.http}"}}' in server.log


def test_a_server_ends_at_once_with_open_and_half_sent_requests(ended_server: EndedServer) -> None:
    code, last = (130, "interrupted\n") if ended_server.signal is signal.SIGINT else (0, "")
    assert ended_server.code == code
    assert ended_server.seconds < 1.5
    assert "Traceback" not in ended_server.log
    assert ended_server.log.partition("press Ctrl-C to stop\n")[2].endswith(last)


def test_the_ready_file_is_there_while_the_server_answers(ended_server: EndedServer) -> None:
    assert ended_server.ready_files == (True, False)


def test_a_ready_file_of_an_earlier_server_is_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "ready.json"
    path.write_text(ready_json(Addresses("http://127.0.0.1:1")))
    ReadyFile(path).prepare()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "notes", "{}", "[1]", '{"pid": 1}', "\xff"])
def test_a_file_that_is_no_ready_file_is_kept(workspace: Path, content: str) -> None:
    path = workspace / "notes.json"
    path.write_text(content)
    ran = serve(workspace, "--ready-file", "notes.json")
    assert (ran.code, path.read_text()) == (2, content)
    assert "notes.json is another file, which is kept; name one that is not there" in ran.err


def test_a_ready_file_that_another_server_has_written_since_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "ready.json"
    ready = ReadyFile(path)
    ready.write(Addresses("http://127.0.0.1:1"))
    other = ready_json(Addresses("http://127.0.0.1:2")).replace(str(os.getpid()), "1")
    path.write_text(other)
    ready.remove()
    assert path.read_text() == other


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


BOTH = [(socket.AF_INET6, ("::1", 0, 0, 0)), (socket.AF_INET, ("127.0.0.1", 0))]


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_a_host_is_listened_at_on_every_address_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(family, socket.SOCK_STREAM, 6, "", address) for family, address in BOTH]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with open_listeners("localhost", 0) as listeners:
        addresses = [listener.getsockname()[:2] for listener in listeners]
    port = addresses[0][1]
    assert addresses == [("127.0.0.1", port), ("::1", port)]


def test_an_address_that_this_machine_does_not_have_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = ("192.0.2.1", "127.0.0.1")
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 0)) for host in hosts]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with open_listeners("both", 0) as listeners:
        assert [listener.getsockname()[0] for listener in listeners] == ["127.0.0.1"]


@pytest.mark.parametrize(("platform", "is_exclusive"), [("win32", True), ("linux", False)])
def test_a_port_is_nobody_elses_while_a_server_has_it(
    monkeypatch: pytest.MonkeyPatch, platform: str, *, is_exclusive: bool
) -> None:
    exclusive = socket.SO_KEEPALIVE  # an option that this machine has, for the one of Windows
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", exclusive, raising=False)
    with open_listeners("127.0.0.1", 0) as (listener,):
        options = [bool(listener.getsockopt(socket.SOL_SOCKET, option)) for option in (exclusive, socket.SO_REUSEADDR)]
    assert options == [is_exclusive, not is_exclusive]


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_a_host_may_have_brackets(workspace: Path) -> None:
    with start_server(workspace, "--host", "[::1]") as server:
        assert server.http == f"http://[::1]:{server.port}"
        assert server.send("GET", "/healthz").text == "ok\n"


def test_the_first_requests_may_come_at_once(workspace: Path) -> None:
    with start_server(workspace) as server, ThreadPoolExecutor(16) as pool:
        body = {"labels": {"team": "search"}}
        answers = pool.map(lambda _: server.send("PATCH", f"/v1/{RIDERS}", json=body).status_code, range(16))
        assert set(answers) == {200}


def test_every_message_is_built_before_the_first_request() -> None:
    build_messages()
    assert PatchFeatureViewResponse.__pydantic_complete__
    assert ChangeClockRequest.__pydantic_complete__


@pytest.mark.parametrize("library", ["starlette", "uvicorn", "httptools", "prometheus_client", "numpy"])
def test_what_serve_needs_is_named(workspace: Path, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    ran = serve(workspace)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: serve needs {library}, which is not installed; ")
    assert "trialrun[serve]" in ran.err


def test_a_port_in_use_is_a_wrong_command(workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = serve(workspace, "--port", str(port))
    message = f"--port: port {port} of 127.0.0.1 is in use by another program; choose another, or 0 for a free one"
    assert (ran.code, ran.err) == (2, f"error: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--host", "no.such.host.invalid"), "--host: 'no.such.host.invalid' is not a known address; use one such as"),
        (("--host", "a..b"), "--host: 'a..b' is not a known address"),
        (("--host", "0.0.0.0"), "--host: 0.0.0.0 can be reached from other machines; set TRIALRUN_TOKEN or"),
        (("missing",), "missing is not a folder that can be entered"),
        (("--ready-file", "missing/ready.json"), "ready.json cannot be written: there is no such folder; create it"),
        (("--ready-file", "full"), "'full' is a directory"),
        (("--ready-file", "/proc/ready.json"), "--ready-file: /proc/ready.json cannot be written"),
        (("--speed", "nan"), "nan is not a number"),
        (("--token-file", "missing"), "--token-file: missing cannot be read; no such file or directory"),
        (("--token-file", "short"), "--token-file: the token is too short; use at least 16 random characters"),
        (("--token-file", "empty"), "--token-file: the token is too short"),
        (("--token-file", "control"), "--token-file: the token has blanks, control characters"),
    ],
)
def test_what_cannot_be_served_is_a_wrong_command(workspace: Path, arguments: tuple[str, ...], message: str) -> None:
    (workspace / "full").mkdir()
    for name, token in {"short": "abc", "empty": "\n", "control": "0123456789\x070123456789"}.items():
        (workspace / name).write_text(token)
        (workspace / name).chmod(0o600)
    ran = serve(workspace, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_files_of_the_command_line_are_those_of_the_folder_it_is_given_in(
    server_with_token_file: RunningServer,
) -> None:
    assert "each request needs the header" in server_with_token_file.log


def test_a_token_is_never_printed(ended_server: EndedServer) -> None:
    assert ended_server.http.startswith("http://127.0.0.1:")
    assert "Authorization: Bearer TOKEN" in ended_server.log
    assert TOKEN not in ended_server.log


@pytest.mark.skipif(os.name != "posix", reason="permissions of files")
def test_a_token_file_that_others_may_read_is_warned_of(server_with_token_file: RunningServer) -> None:
    log = server_with_token_file.log
    assert "warning: --token-file: other users may read token; run chmod 600 token\n" in log
