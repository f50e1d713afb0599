"""The discovery client, with the vendor's own document and with those that the server makes of its table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.service.service_fixture import MENU, RIDERS, SERVING, SOURCE

pytest.importorskip("googleapiclient.discovery", reason="needs trialrun[client-tests]")
pytestmark = pytest.mark.client


def build(document: dict[str, Any], address: str) -> Any:
    """The client of a discovery document, pointed at a server."""
    import httplib2
    from googleapiclient import discovery

    return discovery.build_from_document({**document, "rootUrl": f"{address}/"}, http=httplib2.Http())


@pytest.fixture(scope="module", params=["v1", "v1beta1"])
def views(vendor_server: str, request: pytest.FixtureRequest) -> Any:
    """The views of the vendor's discovery document."""
    from googleapiclient.discovery_cache import DISCOVERY_DOC_DIR

    document = json.loads(Path(DISCOVERY_DOC_DIR, f"aiplatform.{request.param}.json").read_text(encoding="utf-8"))
    return build(document, vendor_server).projects().locations().featureOnlineStores().featureViews()


def test_views_are_created_patched_and_deleted(views: Any) -> None:
    body = {"bigQuerySource": SOURCE, "labels": {"by": "discovery"}}
    created = views.create(parent=SERVING, featureViewId="discovered", body=body).execute()
    name = created["response"]["name"]
    assert views.operations().get(name=created["name"]).execute()["done"]
    patched = views.patch(name=name, updateMask="labels", body={"labels": {}}).execute()["response"]
    assert "by" not in patched.get("labels", {})
    assert name in [view["name"] for view in views.list(parent=SERVING, pageSize=100).execute()["featureViews"]]
    assert views.delete(name=name).execute()["done"]


def test_values_are_written_by_a_list_of_requests(views: Any) -> None:
    views.sync(featureView=RIDERS, body={}).execute()
    features = [{"name": "trips", "value": {"int64Value": "40"}}]
    write = {"dataKeyAndFeatureValues": [{"dataKey": {"key": "zoe"}, "features": features}]}
    views.directWrite(featureView=RIDERS, body=[write]).execute()
    body = {"dataKey": {"key": "zoe"}, "dataFormat": "PROTO_STRUCT"}
    assert views.fetchFeatureValues(featureView=RIDERS, body=body).execute()["protoStruct"]["trips"] == 40


def test_neighbors_are_searched(views: Any) -> None:
    views.sync(featureView=MENU, body={}).execute()
    body = {"query": {"embedding": {"value": [1, 0]}, "neighborCount": 1}}
    found = views.searchNearestEntities(featureView=MENU, body=body).execute()
    assert found["nearestNeighbors"]["neighbors"][0]["entityId"] == "1"


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
