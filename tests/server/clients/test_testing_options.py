"""The vendor's Python clients with the options of `trialrun.testing`: both ways in, the clock, and faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.server_process import write_workspace
from tests.service.service_fixture import RIDERS
from trialrun.testing import Server, serve

pytest.importorskip("grpc")
vendor = pytest.importorskip(
    "google.cloud.aiplatform_v1", reason="needs the vendor's client; run pip install '.[client-tests]'"
)
from google.api_core import exceptions  # noqa: E402

pytestmark = pytest.mark.client
REQUEST = {"feature_view": RIDERS, "data_key": {"key": "ana"}}
METADATA = [("x-trialrun-fault", "UNAVAILABLE; reason=one-call")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    workspace = write_workspace(tmp_path_factory.mktemp("served") / "workspace")
    with serve(workspace, at="2026-03-01T12:00:00Z", dialect="vendor") as server:
        server.request("POST", f"/v1/{RIDERS}:sync", {})
        yield server


@pytest.fixture(params=["rest", "grpc"])
def client(server: Server, request: pytest.FixtureRequest) -> vendor.FeatureOnlineStoreServiceClient:
    kind = vendor.FeatureOnlineStoreServiceClient
    if request.param == "rest":
        return kind(**server.rest_options())
    return kind(transport=kind.get_transport_class("grpc")(channel=server.grpc_channel()))


def test_values_are_fetched(client: vendor.FeatureOnlineStoreServiceClient) -> None:
    features = client.fetch_feature_values(request=REQUEST).key_values.features
    assert {feature.name: feature.value.int64_value for feature in features}["trips"] == 12


def test_a_fault_is_an_exception_with_its_reason(
    server: Server, client: vendor.FeatureOnlineStoreServiceClient
) -> None:
    with server.fault("FetchFeatureValues", status="RESOURCE_EXHAUSTED", reason="too-busy") as fault:
        with pytest.raises(exceptions.TooManyRequests) as caught:
            client.fetch_feature_values(request=REQUEST, retry=None)
        assert (caught.value.reason, fault.happened) == ("too-busy", 1)
    assert client.fetch_feature_values(request=REQUEST)


def test_a_fault_of_one_call(client: vendor.FeatureOnlineStoreServiceClient) -> None:
    with pytest.raises(exceptions.ServiceUnavailable) as caught:
        client.fetch_feature_values(request=REQUEST, retry=None, metadata=METADATA)
    assert caught.value.reason == "one-call"
    assert client.fetch_feature_values(request=REQUEST)


def test_a_client_that_retries_gets_over_a_fault(
    server: Server, client: vendor.FeatureOnlineStoreServiceClient
) -> None:
    from google.api_core.retry import Retry

    with server.fault("FetchFeatureValues", status="UNAVAILABLE", count=2) as fault:
        retry = Retry(initial=0.01, maximum=0.01, timeout=10)
        assert client.fetch_feature_values(request=REQUEST, retry=retry)
        assert fault.happened == 2
