"""The vendor's high-level SDK, the discovery client, and clients with the options of `trialrun.testing`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.clients.conftest import BRAND
from tests.server.server_process import RunningServer, write_workspace
from tests.service.service_fixture import MENU, RIDERS, SERVING, SOURCE, VECTORS
from trialrun.testing import Server, serve

REASON = "needs the vendor's client; run pip install '.[client-tests]'"
for package in ("grpc", "googleapiclient.discovery", "vertexai.resources.preview"):
    pytest.importorskip(package, reason=REASON)
vendor = pytest.importorskip("google.cloud.aiplatform_v1", reason=REASON)
from google.api_core import exceptions  # noqa: E402

LOCATION = "projects/acme/locations/us"
pytestmark = pytest.mark.client


@pytest.fixture(scope="module")
def sdk(vendor_server: RunningServer) -> Any:
    """The module of the SDK, which knows the server."""
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import aiplatform
    from vertexai.resources import preview

    aiplatform.init(
        project="acme",
        location="us",
        credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        api_endpoint=vendor_server.http,
        api_transport="rest",
    )
    return preview


def test_a_view_is_synced_and_its_syncs_are_listed(sdk: Any) -> None:
    view = sdk.FeatureView(name=RIDERS)
    sync = view.sync()
    assert sync.resource_name.startswith(f"{RIDERS}/featureViewSyncs/")
    assert view.get_sync(name=sync.name).gca_resource.sync_summary.row_synced == 2
    assert sync.resource_name in [known.resource_name for known in view.list_syncs()]


def test_values_are_read_from_a_store_for_keys_and_values(sdk: Any) -> None:
    view = sdk.FeatureView(name=RIDERS)
    view.sync()
    features = {feature["name"]: feature.get("value") for feature in view.read(key=["ana"]).to_dict()["features"]}
    assert (features["trips"]["int64_value"], features["rating"]["double_value"]) == ("12", 4.5)


def test_values_are_read_from_an_optimized_store(sdk: Any) -> None:
    view = sdk.FeatureView(name=MENU)
    view.sync()
    features = {feature["name"]: feature.get("value") for feature in view.read(key=["3"]).to_dict()["features"]}
    assert features["cuisine"]["string_value"] == "greek"


def test_neighbors_are_searched_by_the_sdk(sdk: Any) -> None:
    view = sdk.FeatureView(name=MENU)
    view.sync()
    found = view.search(embedding_value=[1.0, 0.0], neighbor_count=2, return_full_entity=True).to_dict()
    assert [neighbor["entity_id"] for neighbor in found["neighbors"]] == ["1", "2"]
    assert view.search(entity_id="3", neighbor_count=1).to_dict()["neighbors"][0]["entity_id"] == "3"


def test_a_store_creates_and_deletes_views(sdk: Any) -> None:
    store = sdk.FeatureOnlineStore(name=VECTORS)
    source = sdk.FeatureViewBigQuerySource(uri="bq://acme.serving.menu", entity_id_columns=["dish"])
    view = store.create_feature_view(name="made_by_sdk", source=source, labels={"team": "menu"})
    assert view.labels == {"team": "menu"}
    view.delete()
    assert "made_by_sdk" not in [known.name for known in sdk.FeatureView.list(feature_online_store_id="vectors")]


def build(document: dict[str, Any], address: str) -> Any:
    """The client of a discovery document, pointed at a server."""
    import httplib2
    from googleapiclient import discovery

    return discovery.build_from_document({**document, "rootUrl": f"{address}/"}, http=httplib2.Http())


@pytest.fixture(scope="module", params=["v1", "v1beta1"])
def views(vendor_server: RunningServer, request: pytest.FixtureRequest) -> Any:
    """The views of the vendor's discovery document."""
    from googleapiclient.discovery_cache import DISCOVERY_DOC_DIR

    document = json.loads(Path(DISCOVERY_DOC_DIR, f"aiplatform.{request.param}.json").read_text(encoding="utf-8"))
    return build(document, vendor_server.http).projects().locations().featureOnlineStores().featureViews()


def test_views_are_created_patched_and_deleted(views: Any) -> None:
    body = {"bigQuerySource": SOURCE, "labels": {"by": "discovery"}}
    created = views.create(parent=SERVING, featureViewId="discovered", body=body).execute()
    name = created["response"]["name"]
    assert views.operations().get(name=created["name"]).execute()["done"]
    patched = views.patch(name=name, updateMask="labels", body={"labels": {}}).execute()["response"]
    assert "by" not in patched.get("labels", {})
    assert name in [view["name"] for view in views.list(parent=SERVING, pageSize=100).execute()["featureViews"]]
    assert views.delete(name=name).execute()["done"]


def test_calls_are_sent_as_a_batch(vendor_server: RunningServer) -> None:
    from googleapiclient.discovery_cache import DISCOVERY_DOC_DIR

    document = json.loads(Path(DISCOVERY_DOC_DIR, "aiplatform.v1.json").read_text(encoding="utf-8"))
    client = build(document, vendor_server.http)
    views = client.projects().locations().featureOnlineStores().featureViews()
    found: dict[str, Any] = {}
    batch = client.new_batch_http_request(lambda name, response, error: found.update({name: error or response["name"]}))
    batch.add(views.get(name=RIDERS), request_id="first")
    batch.add(views.get(name=f"{RIDERS}-none"), request_id="second")
    batch.add(views.patch(name=RIDERS, updateMask="labels", body={"labels": {"team": "search"}}), request_id="third")
    batch.execute()
    assert (found["first"], found["second"].status_code) == (RIDERS, 404)
    assert "/operations/" in found["third"]


def test_policies_and_permissions_are_asked_for(views: Any) -> None:
    assert views.getIamPolicy(resource=RIDERS, options_requestedPolicyVersion=3).execute()["version"] == 1
    answer = views.testIamPermissions(resource=RIDERS, permissions=["featureViews.get", "featureViews.list"]).execute()
    assert answer["permissions"] == ["featureViews.get", "featureViews.list"]


def test_a_refusal_has_its_reason(views: Any) -> None:
    from googleapiclient.errors import HttpError

    body = {"syncConfig": {"cron": "0 25 * * *"}}
    with pytest.raises(HttpError) as refusal:
        views.create(parent=SERVING, featureViewId="bad", body=body).execute()
    assert (refusal.value.status_code, refusal.value.error_details[0]["reason"]) == (400, "cron-syntax")


@pytest.fixture(scope="module")
def own(specification_server: str) -> Any:
    """The locations of the document that the server makes of its own operations."""
    import httpx

    document = httpx.get(f"{specification_server}/$discovery/rest?version=v1").json()
    assert document["rootUrl"] == f"{specification_server}/"
    return build(document, specification_server).projects().locations()


def test_the_agent_is_configured_by_our_own_document(own: Any) -> None:
    configs = own.brands().channelConfigs()
    body = {"displayName": "Kiosk", "type": "AGENT_CUSTOMIZATION"}
    name = configs.create(parent=BRAND, channelConfigId="own", body=body).execute()["name"]
    assert configs.get(name=name).execute()["state"] == "DRAFT"
    changed = configs.patch(name=name, updateMask="displayName", body={"displayName": "Kiosks"}).execute()
    assert changed["displayName"] == "Kiosks"
    assert configs.promote(name=name, body={}).execute()["channelConfig"]["state"] == "PROMOTED"
    assert name in [config["name"] for config in configs.list(parent=BRAND).execute()["channelConfigs"]]
    assert configs.delete(name=name).execute() == {}
    assert own.brands().stores().list(parent=BRAND).execute()["stores"][0]["displayName"] == "Berlin"
    assert own.menus().list(parent=LOCATION, pageSize=1).execute()["menus"][0]["brand"] == "smash"


def test_pages_follow_each_other_by_our_own_document(own: Any) -> None:
    brands = own.brands()
    first = brands.list(parent=LOCATION, pageSize=1)
    second = brands.list_next(first, first.execute())
    assert [brand["displayName"] for brand in second.execute()["brands"]] == ["Tacos"]


def test_views_are_served_by_our_own_document(own: Any) -> None:
    views = own.featureOnlineStores().featureViews()
    operation = views.create(parent=SERVING, featureViewId="own", body={"warehouseSource": SOURCE}).execute()
    assert views.operations().get(name=operation["name"]).execute()["done"]
    name = operation["response"]["name"]
    sync = views.sync(featureView=name, body={}).execute()["featureViewSync"]
    assert views.featureViewSyncs().get(name=sync).execute()["syncSummary"]["rowSynced"] == "2"
    features = [{"name": "trips", "value": {"int64Value": "40"}}]
    write = {"dataKeyAndFeatureValues": [{"dataKey": {"key": "zoe"}, "features": features}]}
    views.directWrite(featureView=name, body=[write]).execute()
    body = {"dataKey": {"key": "zoe"}, "dataFormat": "PROTO_STRUCT"}
    assert views.fetchFeatureValues(featureView=name, body=body).execute()["protoStruct"]["trips"] == 40
    views.testIamPermissions(resource=name, body={"permissions": ["featureViews.get"]}).execute()
    asked = views.testIamPermissions(resource=name, permissions=["featureViews.get", "featureViews.list"]).execute()
    assert asked == {"permissions": ["featureViews.get", "featureViews.list"]}
    assert views.getIamPolicy(resource=name, options_requestedPolicyVersion=3).execute()["bindings"] == []
    assert views.delete(name=name).execute()["done"]


REQUEST = {"feature_view": RIDERS, "data_key": {"key": "ana"}}


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


def test_a_fault_is_an_exception_with_its_reason(
    server: Server, client: vendor.FeatureOnlineStoreServiceClient
) -> None:
    with server.fault("FetchFeatureValues", status="RESOURCE_EXHAUSTED", reason="too-busy") as fault:
        with pytest.raises(exceptions.TooManyRequests) as caught:
            client.fetch_feature_values(request=REQUEST, retry=None)
        assert (caught.value.reason, fault.happened) == ("too-busy", 1)
    assert client.fetch_feature_values(request=REQUEST)


def test_a_client_that_retries_gets_over_a_fault(
    server: Server, client: vendor.FeatureOnlineStoreServiceClient
) -> None:
    from google.api_core.retry import Retry

    with server.fault("FetchFeatureValues", status="UNAVAILABLE", count=2) as fault:
        assert client.fetch_feature_values(request=REQUEST, retry=Retry(initial=0.01, maximum=0.01, timeout=10))
        assert fault.happened == 2
