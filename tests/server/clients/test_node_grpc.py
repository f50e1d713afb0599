"""The vendor's client of npm by gRPC, unchanged, in both versions: operations, streams and refusals."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.service.service_fixture import RIDERS, SERVING, SOURCE

pytest.importorskip("grpc")
from tests.server.grpc_fixture import serve_grpc

pytestmark = pytest.mark.client
FOLDER = Path(__file__).parent / "npm"
NODE = shutil.which("node")
COPY = f"{SERVING}/featureViews/copy"


@pytest.fixture(scope="module", params=["v1", "v1beta1"])
def result(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the client got."""
    if NODE is None:
        pytest.skip("needs node; run .ci/clients")
    if not (FOLDER / "node_modules" / "@google-cloud").exists():
        pytest.skip("needs @google-cloud/aiplatform of npm; run .ci/clients")
    with serve_grpc(tmp_path_factory.mktemp("workspace")) as port:
        command = [NODE, str(FOLDER / "steps.mjs"), str(port), request.param]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found | {"version": request.param}


def test_a_view_lives_from_its_creation_to_its_end(result: dict[str, Any]) -> None:
    assert result["created"] == {"name": COPY, "uri": SOURCE["uri"], "agent": 1, "labels": {"team": "a"}}
    assert (result["polled"], result["updated"]) == (True, "0 4 * * *")
    assert (result["listed"], result["left"]) == ([COPY, RIDERS], [RIDERS])


def test_views_are_synced(result: dict[str, Any]) -> None:
    assert (result["synced"], result["syncs"]) == ({"rows": 2, "code": 0}, 1)


def test_values_are_read(result: dict[str, Any]) -> None:
    assert (result["fetched"], result["struct"]) == ({"trips": 12, "rating": 4.5}, 7)
    assert (result["near"], result["token"]) == (["1", "2"], True)


def test_streams_answer_in_order(result: dict[str, Any]) -> None:
    assert result["written"] == [0, 3]
    if result["version"] == "v1beta1":
        assert result["streamed"] == ["ben", "ana"] * 25


def test_refusals_have_their_reason(result: dict[str, Any]) -> None:
    assert result["refusals"] == {
        "cron": {"code": 3, "reason": "cron-syntax", "fields": ["featureView.syncConfig.cron"]},
        "missing": {"code": 5, "reason": "unknown-feature-view", "fields": []},
        "entity": {"code": 5, "reason": "unknown-entity", "fields": []},
    }
