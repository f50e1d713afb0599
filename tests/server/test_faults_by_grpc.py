"""Faults on purpose by gRPC: by metadata for one call, and those that are set on the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import RIDERS

grpc = pytest.importorskip("grpc")
from tests.server.grpc_fixture import GrpcClient, reason_of, serve_grpc, serve_services, to_request  # noqa: E402

REQUEST = {"featureView": RIDERS, "dataKeys": [{"key": "ana"}]}


def test_a_fault_of_metadata_is_for_its_own_call(tmp_path: Path) -> None:
    with serve_grpc(tmp_path) as port:
        failing = GrpcClient(port, metadata=[("x-trialrun-fault", "ABORTED; reason=retry-me")])
        with pytest.raises(grpc.RpcError) as caught:
            failing.call("GetFeatureView", {"name": RIDERS})
        assert (caught.value.code(), reason_of(caught.value)) == (grpc.StatusCode.ABORTED, "retry-me")
        assert GrpcClient(port).call("GetFeatureView", {"name": RIDERS})["name"] == RIDERS


def test_a_stream_breaks_after_some_messages(tmp_path: Path) -> None:
    with serve_grpc(tmp_path) as port:
        sound = GrpcClient(port)
        sound.call("SyncFeatureView", {"featureView": RIDERS})
        assert len(sound.stream("StreamingFetchFeatureValues", [REQUEST, REQUEST])) == 2
        broken = GrpcClient(port, metadata=[("x-trialrun-fault", "breakAfter=1")])
        method = broken.methods["StreamingFetchFeatureValues"]
        call = broken.channel.stream_stream(method.path)
        message = to_request(REQUEST, method).SerializeToString()
        responses = call(iter([message, message]), metadata=broken.metadata, timeout=30)
        assert next(responses)
        with pytest.raises(grpc.RpcError) as caught:
            next(responses)
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


def test_a_fault_that_is_set_by_http_happens_to_calls_by_grpc(tmp_path: Path) -> None:
    by_http = HttpClient(tmp_path)
    with serve_services(by_http.services) as port:
        fault = {"operation": "GetFeatureView", "status": "RESOURCE_EXHAUSTED", "count": 1}
        assert by_http.send("POST", "/trialrun/v1/faults", json=fault).status_code == 200
        client = GrpcClient(port)
        with pytest.raises(grpc.RpcError) as caught:
            client.call("GetFeatureView", {"name": RIDERS})
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert client.call("GetFeatureView", {"name": RIDERS})["name"] == RIDERS
