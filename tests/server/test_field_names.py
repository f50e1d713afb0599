"""Names of fields in either spelling, as a reader of ProtoJSON takes them, in both dialects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.server_fixture import HttpClient
from tests.service.service_fixture import MENU, RIDERS, SERVING, SOURCE
from trialrun.server.dialect import DialectName

DIALECTS: tuple[DialectName, ...] = ("specification", "vendor")


@pytest.fixture(params=DIALECTS)
def client(tmp_path: Path, request: pytest.FixtureRequest) -> HttpClient:
    return HttpClient(tmp_path, dialect=request.param)


def test_fields_may_be_in_snake_case_and_keys_of_maps_stay(client: HttpClient) -> None:
    body = {"labels": {"sync_config": "x"}, "sync_config": {"cron": "0 4 * * *"}, "etag": None}
    response = client.send("PATCH", f"/v1/{RIDERS}?update_mask=sync_config,labels", json=body).json()["response"]
    assert (response["labels"], response["syncConfig"]) == ({"sync_config": "x"}, {"cron": "0 4 * * *"})


def test_null_is_unset(client: HttpClient) -> None:
    client.send("POST", f"/v1/{MENU}:sync", json={})
    query = {"embedding": {"value": [1, 0]}, "entityId": None, "string_filters": None, "neighborCount": None}
    response = client.send("POST", f"/v1/{MENU}:searchNearestEntities", json={"query": query, "returnFullEntity": None})
    assert len(response.json()["nearestNeighbors"]["neighbors"]) == 3


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"dataKey": {"key": "ana"}, "data_key": {"key": "ana"}}, "data_key"),
        ({"dataKey": {"composite_key": {"parts": ["ana"]}, "compositeKey": None}}, "dataKey.compositeKey"),
    ],
)
def test_two_spellings_of_a_field_are_refused(client: HttpClient, body: dict[str, object], field: str) -> None:
    error = client.send("POST", f"/v1/{RIDERS}:fetchFeatureValues", json=body).json()["error"]
    assert error["details"][0]["reason"] == "duplicate-key"
    assert error["details"][1]["fieldViolations"][0]["field"] == field


@pytest.mark.parametrize("value", [None, 1])
def test_an_unknown_field_is_refused_whatever_its_value(client: HttpClient, value: object) -> None:
    error = client.send(
        "POST", f"/v1/{RIDERS}:fetchFeatureValues", json={"dataKey": {"key": "ana"}, "data_kee": value}
    ).json()["error"]
    assert error["details"][0]["reason"] == "unknown-field"


def test_a_source_in_two_spellings_is_refused(tmp_path: Path) -> None:
    body = {"warehouseSource": SOURCE, "warehouse_source": SOURCE}
    client = HttpClient(tmp_path)
    error = client.send("POST", f"/v1/{SERVING}/featureViews?featureViewId=x", json=body).json()["error"]
    assert error["details"][0]["reason"] == "duplicate-key"
