"""Servers for tests: started, controlled and ended by tests of any framework; with pytest, by the plugin's fixtures."""

import os
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.server.server_process import write_workspace
from tests.service.service_fixture import RIDERS, SERVING, SOURCE
from trialrun.testing import RequestRefused, Server, ServerFailed, serve
from trialrun.testing import server as server_module

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


@pytest.mark.exhaustive
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


pytest_plugins = "pytester"
ROOT = Path(__file__).parent.parent.parent
PLUGIN = ("-p", "trialrun.testing.plugin", "-p", "no:cacheprovider")
"""The plugin as its entry point loads it, without those of others."""
SETTINGS = """
[pytest]
trialrun_workspace = workspace
trialrun_at = 2026-03-01T12:00:00Z
"""


@contextmanager
def options_as_server(**options: Any) -> Iterator[SimpleNamespace]:
    """A server that is nothing but its options."""
    yield SimpleNamespace(**options, clear_faults=lambda: None)


@pytest.fixture
def repository(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # loading those of this installation takes a second
    write_workspace(pytester.path / "workspace")
    pytester.makefile(".ini", pytest=SETTINGS)
    return pytester


def run_tests(repository: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return repository.runpytest_subprocess(*PLUGIN, "--strict-markers", "--strict-config", *arguments, timeout=120)


def run_here(repository: pytest.Pytester) -> pytest.RunResult:
    """The same in the process of the test, which is quicker."""
    return repository.runpytest_inprocess(*PLUGIN, "--strict-markers", "--strict-config")


def test_it_is_an_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"trialrun": "trialrun.testing.plugin"}


@pytest.mark.exhaustive
def test_tests_share_a_server_whose_faults_end_with_each(repository: pytest.Pytester) -> None:
    repository.makepyfile(f"""
        import pytest

        addresses = set()

        @pytest.fixture(scope="session")
        def endpoint(trialrun_shared_server):
            return trialrun_shared_server.http

        def test_faults(trialrun_server, endpoint):
            addresses.add(trialrun_server.http)
            assert endpoint == trialrun_server.http
            assert trialrun_server.now().isoformat() == "2026-03-01T12:00:00+00:00"
            trialrun_server.fault(status="UNAVAILABLE")

        def test_no_faults(trialrun_server):
            addresses.add(trialrun_server.http)
            assert trialrun_server.request("GET", "/v1/{RIDERS}")["name"]
            assert len(addresses) == 1
    """)
    run_tests(repository).assert_outcomes(passed=2)


@pytest.mark.parametrize(("settings", "number"), [("", 1), ("trialrun_scope = function\n", 3)])
def test_which_tests_have_the_same_server(
    repository: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, settings: str, number: int
) -> None:
    monkeypatch.setattr(server_module, "serve", options_as_server)
    repository.makefile(".ini", pytest=f"{SETTINGS}{settings}")
    repository.makepyfile(f"""
        import pytest

        shared = []

        def test_first(trialrun_server):
            shared.append(trialrun_server)
            assert (trialrun_server.at, trialrun_server.speed) == ("2026-03-01T12:00:00Z", 0)

        @pytest.mark.trialrun(at="2026-06-01")
        def test_own(trialrun_server, trialrun_shared_server):
            shared.append(trialrun_shared_server)
            assert trialrun_server is not trialrun_shared_server
            assert trialrun_server.at == "2026-06-01"
            assert trialrun_server.workspace == trialrun_shared_server.workspace

        def test_last(trialrun_server):
            shared.append(trialrun_server)
            assert len(set(map(id, shared))) == {number}
    """)
    run_here(repository).assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("settings", "test", "message"),
    [
        ("trialrun_scope = galaxy\n", "def test(trialrun_server): ...", "*galaxy* is no scope*"),
        pytest.param(
            "trialrun_at = soon\n",
            "def test(trialrun_server): ...",
            "*--at*soon*",
            marks=pytest.mark.exhaustive,  # another test has a server that cannot start
        ),
    ],
)
def test_wrong_settings_are_named(repository: pytest.Pytester, settings: str, test: str, message: str) -> None:
    repository.makefile(".ini", pytest=f"[pytest]\ntrialrun_workspace = workspace\n{settings}")
    repository.makepyfile(test)
    result = run_here(repository)
    assert result.ret != 0
    result.stdout.fnmatch_lines([message])


def test_pytest_starts_without_anything_heavy(repository: pytest.Pytester) -> None:
    repository.makepyfile("""
        import sys

        def test_modules():
            loaded = {name for name in sys.modules if name.startswith("trialrun")}
            assert loaded == {"trialrun", "trialrun.version", "trialrun.testing", "trialrun.testing.plugin"}
            assert not {"pydantic", "yaml", "click", "starlette", "grpc", "urllib.request"} & set(sys.modules)
    """)
    run_tests(repository).assert_outcomes(passed=1)
