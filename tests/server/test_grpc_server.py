"""How the server listens for gRPC, and how it ends."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.program import own_environment, run_here
from tests.server.server_process import RunningServer, start_server, write_workspace
from tests.server.test_reload import wait_until
from tests.service.service_fixture import RIDERS, SERVING, SOURCE

grpc = pytest.importorskip("grpc")
from tests.server.grpc_fixture import GrpcClient, reason_of  # noqa: E402

TOKEN = "0123456789abcdef-secret"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return write_workspace(tmp_path / "workspace")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with a token, for the tests that do not end it."""
    workspace = write_workspace(tmp_path_factory.mktemp("grpc") / "workspace")
    with start_server(workspace, "--verbose", grpc=True, environment={"TRIALRUN_TOKEN": TOKEN}) as running:
        yield running


def client_of(address: str | None, **metadata: str) -> GrpcClient:
    assert address
    return GrpcClient(int(address.rpartition(":")[2]), metadata=metadata.items())


def test_a_server_says_where_it_answers_by_grpc(server: RunningServer) -> None:
    client = client_of(server.grpc, **BEARER)
    assert client.call("GetFeatureView", {"name": RIDERS})["name"] == RIDERS
    assert server.ready["environment"]["TRIALRUN_GRPC_ENDPOINT"] == server.grpc
    assert f'grpc.insecure_channel("{server.grpc}")' in server.log


def test_a_server_ends_at_once_while_a_stream_is_open(workspace: Path) -> None:
    with start_server(workspace, grpc=True) as server:
        client = client_of(server.grpc)
        method = client.methods["FeatureViewDirectWrite"]
        stream = client.channel.stream_stream(method.path)(_endless(), timeout=60)
        client.call("GetFeatureView", {"name": RIDERS})
        begin = time.monotonic()
        assert server.stop(signal.SIGTERM) == 0
        assert time.monotonic() - begin < 5
        stream.cancel()
        assert "Traceback" not in server.log and "Task was destroyed" not in server.log


def _endless() -> object:
    while True:
        time.sleep(0.1)
        yield b""


def test_a_port_in_use_is_named(server: RunningServer, workspace: Path) -> None:
    port = str(server.grpc).rpartition(":")[2]
    ran = run_here(("serve", "--grpc-port", port), workspace, own_environment(workspace))
    assert (ran.code, ran.out) == (2, "")
    assert f"--grpc-port: port {port} of 127.0.0.1 is in use" in ran.err


@pytest.mark.parametrize("metadata", [BEARER, {"x-trialrun-token": TOKEN}])
def test_the_token_opens_the_server(server: RunningServer, metadata: dict[str, str]) -> None:
    assert client_of(server.grpc, **metadata).call("GetFeatureView", {"name": RIDERS})["name"] == RIDERS
    for name in ("GetFeatureView", "GetOperation"):
        with pytest.raises(grpc.RpcError) as refused:
            client_of(server.grpc).call(name, {"name": RIDERS})
        assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
        assert reason_of(refused.value) == "token-required"


def number_of_calls(numbers: str, operation: str, status: str) -> float:
    """How many calls of an operation ended with a status, as the metrics of a server say."""
    count = f'trialrun_requests_total{{operation="{operation}",protocol="grpc",status="{status}"}} '
    return sum(float(line.removeprefix(count)) for line in numbers.splitlines() if line.startswith(count))


def wait_for_calls(server: RunningServer) -> str:
    """The metrics of a server once no call is in flight: calls are counted after their answers."""
    idle = 'trialrun_requests_in_flight{protocol="grpc"} 0.0'
    wait_until(lambda: idle in server.send("GET", "/metrics", headers=BEARER).text)
    return server.send("GET", "/metrics", headers=BEARER).text


def test_calls_are_logged_and_counted(server: RunningServer) -> None:
    client = client_of(server.grpc, **BEARER)
    client.call("GetFeatureView", {"name": RIDERS})
    before, logged_before = wait_for_calls(server), len(server.log)
    client.call("GetFeatureView", {"name": RIDERS})
    client.stream("FeatureViewDirectWrite", [])
    with pytest.raises(grpc.RpcError):
        client.call("GetFeatureView", {"name": f"{RIDERS}_none"})
    with pytest.raises(grpc.RpcError):
        client.send_bytes("/no/Method", b"")
    numbers = wait_for_calls(server)
    log = server.log[logged_before:]
    service = "/google.cloud.aiplatform.v1.FeatureOnlineStoreAdminService"
    assert f"gRPC {service}/GetFeatureView OK " in log
    assert re.search(f"gRPC {service}/GetFeatureView NOT_FOUND .* ms GetFeatureView unknown-feature-view: ", log)
    for operation, status in (("GetFeatureView", "OK"), ("GetFeatureView", "NOT_FOUND"), ("other", "UNIMPLEMENTED")):
        assert number_of_calls(numbers, operation, status) - number_of_calls(before, operation, status) == 1
    assert 'trialrun_streams_open{operation="FeatureViewDirectWrite"} 0.0' in numbers
    assert 'trialrun_requests_in_flight{protocol="grpc"} 0.0' in numbers


def test_an_operation_that_began_by_http_has_the_words_of_grpc(server: RunningServer) -> None:
    view = {"warehouseSource": SOURCE}
    path = f"/v1/{SERVING}/featureViews?featureViewId=copy"
    operation = server.send("POST", path, json=view, headers=BEARER).json()
    read = client_of(server.grpc, **BEARER).call("GetOperation", {"name": operation["name"]})
    assert read["response"]["bigQuerySource"] == SOURCE


def test_a_server_without_grpc_does_not_load_it() -> None:
    program = (
        "import sys, trialrun.server.start, trialrun.server.http.routes\n"
        "print([name for name in sys.modules if name.startswith(('grpc', 'google.protobuf'))])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
