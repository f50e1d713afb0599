"""The operations on FeatureViews by gRPC, with our own descriptors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.service_fixture import RIDERS, SERVING

grpc = pytest.importorskip("grpc")
from tests.server.grpc_fixture import GrpcClient, reason_of, serve_grpc  # noqa: E402


@pytest.fixture
def client(tmp_path: Path) -> Iterator[GrpcClient]:
    with serve_grpc(tmp_path) as port:
        client = GrpcClient(port)
        yield client
        client.close()


def test_a_view_is_read(client: GrpcClient) -> None:
    assert client.call("GetFeatureView", {"name": RIDERS})["labels"] == {"team": "search"}
    views = client.call("ListFeatureViews", {"parent": SERVING, "pageSize": 5})["featureViews"]
    assert [view["name"] for view in views] == [RIDERS]


def test_values_are_fetched_after_a_sync(client: GrpcClient) -> None:
    sync = client.call("SyncFeatureView", {"featureView": RIDERS})["featureViewSync"]
    assert client.call("GetFeatureViewSync", {"name": sync})["syncSummary"]["rowSynced"] == "2"
    asked = {"featureView": RIDERS, "dataKey": {"key": "ana"}, "dataFormat": "PROTO_STRUCT"}
    assert client.call("FetchFeatureValues", asked)["protoStruct"]["trips"] == 12


def test_a_refusal_says_why(client: GrpcClient) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        client.call("GetFeatureView", {"name": f"{SERVING}/featureViews/none"})
    assert refused.value.code() is grpc.StatusCode.NOT_FOUND
    assert reason_of(refused.value) == "unknown-feature-view"
