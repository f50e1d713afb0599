"""A list with a null is null with a finding, by HTTP, by gRPC and in streams; other entities and views are served."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import RIDERS, SERVING

grpc = pytest.importorskip("grpc")
from tests.server.grpc_fixture import TIMEOUT, GrpcClient, serve_grpc, to_json, to_request  # noqa: E402

TAGS = f"{SERVING}/featureViews/tags"
DOCUMENTS: list[dict[str, Any]] = [
    {"kind": "Source", "uri": "bq://p.d.tags", "files": "tags.jsonl", "format": "JSON"},
    {"kind": "FeatureView", "name": TAGS, "warehouseSource": {"uri": "bq://p.d.tags", "entityIdColumns": ["id"]}},
]
KEYS = [{"key": "a"}, {"key": "b"}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"id": "a", "tags": ["x", None]}, {"id": "b", "tags": ["x"]}]
    (tmp_path / "tags.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def test_by_http_in_both_formats_and_in_a_stream(folder: Path) -> None:
    client = HttpClient(folder, *DOCUMENTS)
    for view in (TAGS, RIDERS):
        assert client.send("POST", f"/v1/{view}:sync", json={}).status_code == 200
    values, struct, other = (
        client.send("POST", f"/v1/{view}:fetchFeatureValues", json={"dataKey": {"key": key}, "dataFormat": format})
        for view, key, format in ((TAGS, "a", 1), (TAGS, "a", 2), (RIDERS, "ana", 2))
    )
    assert values.json()["keyValues"]["features"] == [{"name": "tags"}]
    assert (struct.json()["protoStruct"], other.json()["protoStruct"]["trips"]) == ({"tags": None}, 12)
    (answer,) = client.send("POST", f"/v1/{TAGS}:streamingFetchFeatureValues", json=[{"dataKeys": KEYS}]).json()
    assert [len(data["keyValues"]["features"]) for data in answer["data"]] == [1, 1]


def test_by_grpc_and_in_a_stream(folder: Path) -> None:
    with serve_grpc(folder, *DOCUMENTS) as port:
        client = GrpcClient(port)
        client.call("SyncFeatureView", {"featureView": TAGS})
        values = client.call("FetchFeatureValues", {"featureView": TAGS, "dataKey": {"key": "a"}})
        method = client.methods["StreamingFetchFeatureValues"]
        request = to_request({"featureView": TAGS, "dataKeys": KEYS}, method).SerializeToString()
        (streamed,) = client.channel.stream_stream(method.path)(iter([request]), timeout=TIMEOUT)
        client.close()
    assert values["keyValues"]["features"] == [{"name": "tags"}]
    answer = to_json(method.response.FromString(streamed))
    assert answer["data"][1]["keyValues"]["features"][0]["value"]["stringArrayValue"] == {"values": ["x"]}
