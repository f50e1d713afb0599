"""The vendor's high-level SDK by REST: a view is read, synced and searched as in a team's own code."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.service_fixture import MENU, RIDERS, VECTORS

pytest.importorskip("vertexai.resources.preview", reason="needs the vendor's client; run pip install '.[client-tests]'")
pytestmark = pytest.mark.client


@pytest.fixture(scope="module")
def sdk(vendor_server: str) -> Any:
    """The module of the SDK, which knows the server."""
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import aiplatform
    from vertexai.resources import preview

    aiplatform.init(
        project="acme",
        location="us",
        credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        api_endpoint=vendor_server,
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


def test_neighbors_are_searched(sdk: Any) -> None:
    view = sdk.FeatureView(name=MENU)
    view.sync()
    found = view.search(embedding_value=[1.0, 0.0], neighbor_count=2, return_full_entity=True).to_dict()
    assert [neighbor["entity_id"] for neighbor in found["neighbors"]] == ["1", "2"]
    by_entity = view.search(entity_id="3", neighbor_count=1).to_dict()
    assert by_entity["neighbors"][0]["entity_id"] == "3"


def test_views_of_a_store_are_listed(sdk: Any) -> None:
    assert MENU in [view.resource_name for view in sdk.FeatureView.list(feature_online_store_id="vectors")]


def test_a_store_creates_and_deletes_views(sdk: Any) -> None:
    store = sdk.FeatureOnlineStore(name=VECTORS)
    source = sdk.FeatureViewBigQuerySource(uri="bq://acme.serving.menu", entity_id_columns=["dish"])
    view = store.create_feature_view(name="made_by_sdk", source=source, labels={"team": "menu"})
    assert view.labels == {"team": "menu"}
    view.delete()
    assert "made_by_sdk" not in [known.name for known in sdk.FeatureView.list(feature_online_store_id="vectors")]


def test_a_refusal_has_its_reason(sdk: Any) -> None:
    from google.api_core import exceptions

    view = sdk.FeatureView(name=RIDERS)
    view.sync()
    with pytest.raises(exceptions.NotFound) as refusal:
        view.read(key=["anna"]).to_dict()
    assert refusal.value.reason == "unknown-entity"
