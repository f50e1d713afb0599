"""The operations on FeatureViews by gRPC, with our own descriptors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.service_fixture import RIDERS, SERVING, STORES, VECTORS

grpc = pytest.importorskip("grpc")
from tests.server.grpc_fixture import GrpcClient, reason_of, serve_grpc  # noqa: E402
from trialrun.server.bindings import BINDINGS  # noqa: E402
from trialrun.server.bindings.binding import Api  # noqa: E402


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


def test_syncs_are_filtered_and_ordered(client: GrpcClient) -> None:
    name = client.call("SyncFeatureView", {"featureView": RIDERS})["featureViewSync"]
    asked = {"parent": RIDERS, "orderBy": "create_time desc", "filter": 'create_time >= "2026-01-01T00:00:00Z"'}
    assert [sync["name"] for sync in client.call("ListFeatureViewSyncs", asked)["featureViewSyncs"]] == [name]
    assert client.call("ListFeatureViewSyncs", {**asked, "filter": 'create_time < "2026-01-01T00:00:00Z"'}) == {}


def test_a_refusal_says_why(client: GrpcClient) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        client.call("GetFeatureView", {"name": f"{SERVING}/featureViews/none"})
    assert refused.value.code() is grpc.StatusCode.NOT_FOUND
    assert reason_of(refused.value) == "unknown-feature-view"


def test_operations_are_listed_by_page(client: GrpcClient) -> None:
    update = {"featureView": {"name": RIDERS, "labels": {"team": "new"}}, "updateMask": "labels"}
    names = [client.call("UpdateFeatureView", update)["name"] for _ in range(3)]
    first = client.call("ListOperations", {"name": RIDERS, "pageSize": 2})
    second = client.call("ListOperations", {"name": RIDERS, "pageSize": 2, "pageToken": first["nextPageToken"]})
    listed = [operation["name"] for operation in (*first["operations"], *second["operations"])]
    assert (listed, second.get("nextPageToken")) == (names, None)
    with pytest.raises(grpc.RpcError) as refused:
        client.call("ListOperations", {"name": RIDERS, "filter": "done"})
    assert reason_of(refused.value) == "invalid-filter"


def test_every_operation_on_views_has_a_method(client: GrpcClient) -> None:
    apis = (Api.FEATURE_STORE_ADMIN, Api.FEATURE_STORE_SERVING)
    operations = {binding.method for binding in BINDINGS if binding.api in apis}
    assert operations <= client.methods.keys()
    for method in (client.methods[name] for name in operations):
        with pytest.raises(grpc.RpcError) as refused:
            client.send_bytes(method.path, b"\xff")
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT, method.path


def test_stores_are_read(client: GrpcClient) -> None:
    store = client.call("GetFeatureOnlineStore", {"name": VECTORS})
    assert (store["name"], store["optimized"], store["state"]) == (VECTORS, {}, "STABLE")
    stores = client.call("ListFeatureOnlineStores", {"parent": STORES.rpartition("/")[0]})["featureOnlineStores"]
    assert [store["name"] for store in stores] == [SERVING, VECTORS]
