"""A server for tests of any framework: started, controlled and ended."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_process import write_workspace
from tests.service.service_fixture import RIDERS, SERVING, SOURCE
from trialrun.testing import RequestRefused, Server, ServerFailed, serve

pytest.importorskip("uvicorn")
START = "2026-03-01T12:00:00Z"
FETCH = f"/v1/{RIDERS}:fetchFeatureValues"
ANA = {"dataKey": {"key": "ana"}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of tests whose environment names a proxy and a token."""
    workspace = write_workspace(tmp_path_factory.mktemp("served") / "workspace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("http_proxy", "http://127.0.0.1:9")
        patch.setenv("TRIALRUN_TOKEN", "0123456789abcdef-secret")
        with serve(workspace, at=START) as server:
            server.request("POST", f"/v1/{RIDERS}:sync", {})
            yield server


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_server_is_there_for_its_block(tmp_path: Path) -> None:
    workspace = write_workspace(tmp_path / "workspace")
    before = {path.name for path in workspace.iterdir()}
    with serve(workspace, at=START, grpc=False) as server:
        assert server.request("GET", f"/v1/{RIDERS}")["name"] == RIDERS
        assert server.environment == {"TRIALRUN_ENDPOINT": server.http}
        assert server.grpc is None
        with pytest.raises(ServerFailed, match="does not listen for gRPC"):
            server.grpc_channel()
    assert not is_running(server.process_id)
    assert {path.name for path in workspace.iterdir()} == before


@pytest.mark.exhaustive
def test_an_exception_of_the_block_ends_the_server(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), serve(write_workspace(tmp_path / "workspace"), grpc=False) as server:
        _ = 1 / 0
    assert not is_running(server.process_id)


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(ServerFailed, match=r"exit code 2(.|\n)*nowhere is not a folder"), serve(tmp_path / "nowhere"):
        pass


def test_the_clock_is_advanced_and_set(server: Server) -> None:
    body = {"warehouseSource": SOURCE, "syncConfig": {"cron": "0 6 * * *"}}
    server.request("POST", f"/v1/{SERVING}/featureViews?featureViewId=daily", body)
    began = server.now()
    move = server.advance(timedelta(days=2))
    assert (move.now - began, move.sync_count, move.failed_count, move.is_complete) == (timedelta(days=2), 2, 0, True)
    assert move.syncs[0]["createTime"] == "2026-03-02T06:00:00Z"
    assert server.advance("12h").now == server.now()
    assert server.advance(0.5).sync_count == 0
    assert server.set_time(datetime(2026, 4, 1, tzinfo=UTC)).now == datetime(2026, 4, 1, tzinfo=UTC)
    with pytest.raises(RequestRefused, match="does not go back") as caught:
        server.set_time(START)
    assert caught.value.reason == "invalid-time"


def test_a_clock_flows_when_it_is_given_a_speed(server: Server) -> None:
    server.set_speed(3600)
    before = server.now()
    time.sleep(0.05)
    assert server.now() > before
    server.set_speed(0)
    assert server.now() == server.now()


def test_faults_happen_until_their_block_ends(server: Server) -> None:
    with server.fault("FetchFeatureValues", status="UNAVAILABLE", nth=2) as fault:
        assert server.request("POST", FETCH, ANA)
        with pytest.raises(RequestRefused) as caught:
            server.request("POST", FETCH, ANA)
        assert (caught.value.reason, fault.happened) == ("injected-fault", 1)
    with pytest.raises(RequestRefused, match="no fault"):
        fault.remove()
    server.fault(status="ABORTED")
    server.clear_faults()
    assert server.request("POST", FETCH, ANA)
    with pytest.raises(RequestRefused, match='did you mean "FetchFeatureValues"'):
        server.fault("FetchFeatureValue", status="ABORTED")


def test_options_for_clients(server: Server) -> None:
    pytest.importorskip("google.auth", reason="needs the vendor's client; run pip install '.[client-tests]'")
    options = server.rest_options()
    assert options["client_options"] == {"api_endpoint": server.http}
    assert options["transport"] == "rest"


def test_a_channel_for_clients_by_grpc(server: Server) -> None:
    grpc: Any = pytest.importorskip("grpc")
    with server.grpc_channel() as channel:
        grpc.channel_ready_future(channel).result(timeout=20)


def test_a_proxy_or_a_token_of_the_environment_is_not_for_it(server: Server) -> None:
    assert {"http_proxy", "TRIALRUN_TOKEN"} <= os.environ.keys()
    assert server.now()
