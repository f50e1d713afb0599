"""The plugin of pytest, in the repository of somebody else."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.server.server_process import write_workspace
from tests.service.service_fixture import RIDERS
from trialrun.testing import server as server_module

pytest.importorskip("uvicorn")
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


def run(repository: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return repository.runpytest_subprocess(*PLUGIN, "--strict-markers", "--strict-config", *arguments, timeout=120)


def run_here(repository: pytest.Pytester) -> pytest.RunResult:
    """The same in the process of the test, which is quicker."""
    return repository.runpytest_inprocess(*PLUGIN, "--strict-markers", "--strict-config")


def test_it_is_an_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"trialrun": "trialrun.testing.plugin"}


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
    run(repository).assert_outcomes(passed=2)


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


@pytest.mark.exhaustive
def test_a_marker_gives_a_test_a_server_of_its_own(repository: pytest.Pytester) -> None:
    repository.makepyfile("""
        import pytest

        @pytest.mark.trialrun(at="2026-06-01")
        def test_own(trialrun_server, trialrun_shared_server):
            assert trialrun_server.http != trialrun_shared_server.http
            assert trialrun_server.advance("1d").now.isoformat() == "2026-06-02T00:00:00+00:00"

        def test_shared(trialrun_server):
            assert trialrun_server.now().month == 3
    """)
    run(repository).assert_outcomes(passed=2)


@pytest.mark.exhaustive
def test_every_test_may_have_its_own(repository: pytest.Pytester) -> None:
    repository.makefile(".ini", pytest=f"{SETTINGS}trialrun_scope = function\n")
    repository.makepyfile("""
        addresses = set()

        def test_first(trialrun_server):
            addresses.add(trialrun_server.process_id)

        def test_second(trialrun_server):
            assert trialrun_server.process_id not in addresses
    """)
    run(repository).assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("settings", "test", "message"),
    [
        ("trialrun_scope = galaxy\n", "def test(trialrun_server): ...", "*galaxy* is no scope*"),
        pytest.param(
            "trialrun_at = soon\n",
            "def test(trialrun_server): ...",
            "*--at*soon*",
            marks=pytest.mark.exhaustive,  # tests/testing/test_server.py has a server that cannot start
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
    run(repository).assert_outcomes(passed=1)
