"""What long-running operations tell beside their response."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import RIDERS, SERVING, SOURCE

TYPE = "type.googleapis.com/google.cloud.aiplatform"
NOON = "2026-03-01T12:00:00Z"


@pytest.fixture
def client(tmp_path: Path) -> HttpClient:
    return HttpClient(tmp_path, dialect="vendor")


def create(client: HttpClient, body: dict[str, Any], version: str = "v1") -> Any:
    path = f"/{version}/{SERVING}/featureViews?featureViewId=copy&runSyncImmediately=true"
    return client.send("POST", path, json=body).json()


def test_metadata_have_the_types_of_the_version(client: HttpClient) -> None:
    operations = [
        create(client, {"bigQuerySource": SOURCE}, "v1beta1"),
        client.send("PATCH", f"/v1/{RIDERS}?updateMask=labels", json={}).json(),
        client.send("DELETE", f"/v1beta1/{RIDERS}").json(),
    ]
    assert [operation["metadata"]["@type"] for operation in operations] == [
        f"{TYPE}.v1beta1.CreateFeatureViewOperationMetadata",
        f"{TYPE}.v1.UpdateFeatureViewOperationMetadata",
        f"{TYPE}.v1beta1.DeleteOperationMetadata",
    ]
    assert operations[0]["metadata"]["genericMetadata"] == {"createTime": NOON, "updateTime": NOON}
    assert set(operations[0]["metadata"]) == {"@type", "genericMetadata"}


def test_a_first_sync_that_fails_is_a_partial_failure(client: HttpClient) -> None:
    operation = create(client, {"bigQuerySource": {**SOURCE, "uri": "bq://acme.serving.none"}})
    (failure,) = operation["metadata"]["genericMetadata"]["partialFailures"]
    assert (failure["code"], failure["details"][0]["@type"]) == (9, "type.googleapis.com/google.rpc.ErrorInfo")
    assert operation["response"]["name"].endswith("/copy")


def test_remarks_of_the_linter_are_in_the_dialect_of_the_specification(tmp_path: Path) -> None:
    client = HttpClient(tmp_path)
    operation = create(client, {"warehouseSource": SOURCE, "labels": {"1st": "x"}})
    assert operation["metadata"]["warnings"][0]["rule"] == "unportable-label"
    assert operation["metadata"]["featureViewSync"].endswith("/featureViewSyncs/1")
