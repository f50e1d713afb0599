"""How the server listens for gRPC, and how it ends."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.program import own_environment, run_process
from tests.server.server_process import start_server, write_workspace
from tests.service.service_fixture import RIDERS, SERVING, SOURCE

grpc = pytest.importorskip("grpc")
from tests.server.grpc_fixture import GrpcClient, reason_of  # noqa: E402

TOKEN = "0123456789abcdef-secret"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return write_workspace(tmp_path / "workspace")


def client_of(address: str | None, **metadata: str) -> GrpcClient:
    assert address
    return GrpcClient(int(address.rpartition(":")[2]), metadata=metadata.items())


def test_a_server_says_where_it_answers_by_grpc(workspace: Path) -> None:
    with start_server(workspace, grpc=True) as server:
        client = client_of(server.grpc)
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


def test_a_port_in_use_is_named(workspace: Path) -> None:
    with start_server(workspace, grpc=True) as server:
        port = str(server.grpc).rpartition(":")[2]
        ran = run_process(("serve", "--store", "other", "--grpc-port", port), workspace, own_environment(workspace))
    assert (ran.code, ran.out) == (2, "")
    assert f"--grpc-port: port {port} of 127.0.0.1 is in use" in ran.err


@pytest.mark.parametrize("metadata", [{"authorization": f"Bearer {TOKEN}"}, {"x-trialrun-token": TOKEN}])
def test_the_token_opens_the_server(workspace: Path, metadata: dict[str, str]) -> None:
    with start_server(workspace, grpc=True, environment={"TRIALRUN_TOKEN": TOKEN}) as server:
        assert client_of(server.grpc, **metadata).call("GetFeatureView", {"name": RIDERS})["name"] == RIDERS
        for name in ("GetFeatureView", "GetOperation"):
            with pytest.raises(grpc.RpcError) as refused:
                client_of(server.grpc).call(name, {"name": RIDERS})
            assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
            assert reason_of(refused.value) == "token-required"


def test_calls_are_logged_and_counted(workspace: Path) -> None:
    with start_server(workspace, "--verbose", grpc=True) as server:
        client = client_of(server.grpc)
        client.call("GetFeatureView", {"name": RIDERS})
        client.stream("FeatureViewDirectWrite", [])
        with pytest.raises(grpc.RpcError):
            client.call("GetFeatureView", {"name": f"{RIDERS}_none"})
        with pytest.raises(grpc.RpcError):
            client.send_bytes("/no/Method", b"")
        numbers = server.send("GET", "/metrics").text
        log = server.log
    service = "/google.cloud.aiplatform.v1.FeatureOnlineStoreAdminService"
    assert f"gRPC {service}/GetFeatureView OK " in log
    assert re.search(f"gRPC {service}/GetFeatureView NOT_FOUND .* ms GetFeatureView unknown-feature-view: ", log)
    count = 'trialrun_requests_total{operation="%s",protocol="grpc",status="%s"} 1.0'
    for operation, status in (("GetFeatureView", "OK"), ("GetFeatureView", "NOT_FOUND"), ("other", "UNIMPLEMENTED")):
        assert count % (operation, status) in numbers
    assert 'trialrun_streams_open{operation="FeatureViewDirectWrite"} 0.0' in numbers
    assert 'trialrun_requests_in_flight{protocol="grpc"} 0.0' in numbers


def test_an_operation_that_began_by_http_has_the_words_of_grpc(workspace: Path) -> None:
    view = {"warehouseSource": SOURCE}
    with start_server(workspace, grpc=True) as server:
        operation = server.send("POST", f"/v1/{SERVING}/featureViews?featureViewId=copy", json=view).json()
        read = client_of(server.grpc).call("GetOperation", {"name": operation["name"]})
    assert read["response"]["bigQuerySource"] == SOURCE


def test_a_server_without_grpc_does_not_load_it() -> None:
    program = (
        "import sys, trialrun.server.start, trialrun.server.http.app\n"
        "print([name for name in sys.modules if name.startswith(('grpc', 'google.protobuf'))])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
