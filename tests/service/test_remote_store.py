"""A service whose values are in Redis: what one service syncs and writes, another one serves and searches."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from benchmarks.redis_servers import Server
from tests.service.service_fixture import MENU, NOON, RIDERS, run, sent, service, stream
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.store.store_folder import RemoteStores
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view.messages import (
    DeleteFeatureViewRequest,
    DirectWriteRequest,
    FetchFeatureValuesRequest,
    GetFeatureViewSyncRequest,
    SearchNearestEntitiesRequest,
    SyncFeatureViewRequest,
)

PREFIXES = map("service{}".format, itertools.count())
NOBODY = "redis://127.0.0.1:1"


@pytest.fixture(params=["redis_server", pytest.param("redis_cluster", marks=pytest.mark.exhaustive)])
def address(request: pytest.FixtureRequest) -> str:
    nodes: Server | list[Server] = request.getfixturevalue(request.param)
    port = (nodes[0] if isinstance(nodes, list) else nodes).port
    return f"redis://127.0.0.1:{port}?prefix={next(PREFIXES)}"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Indexes go to a folder of the test."""
    monkeypatch.setenv("TRIALRUN_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def here(tmp_path: Path, address: str) -> FeatureViewService:
    """A service that has synced both views."""
    synced = remote(tmp_path, address)
    for name in (RIDERS, MENU):
        run(synced.sync(SyncFeatureViewRequest(featureView=name)))
    return synced


@pytest.fixture
def there(tmp_path: Path, address: str) -> FeatureViewService:
    """Another service of the same store."""
    return remote(tmp_path, address)


def remote(folder: Path, address: str) -> FeatureViewService:
    return service(folder, places=RemoteStores(address), clock=FixedClock(NOON))


def values(of: FeatureViewService, key: str) -> dict[str, Any] | None:
    request = {"featureView": RIDERS, "dataKey": {"key": key}, "dataFormat": "PROTO_STRUCT"}
    return run(of.fetch_feature_values(FetchFeatureValuesRequest.model_validate(request))).protoStruct


def write_trips(of: FeatureViewService, trips: str) -> None:
    feature = {"name": "trips", "value": {"int64Value": trips}}
    entry = {"dataKey": {"key": "ana"}, "features": [feature]}
    request = DirectWriteRequest.model_validate({"featureView": RIDERS, "dataKeyAndFeatureValues": [entry]})
    (answer,) = stream(of.direct_write(sent(request)))
    assert answer.status.code == 0


def search(of: FeatureViewService, **query: Any) -> list[str]:
    request = SearchNearestEntitiesRequest.model_validate({"featureView": MENU, "query": query})
    return [neighbor.entityId for neighbor in run(of.search_nearest_entities(request)).nearestNeighbors.neighbors]


def test_a_sync_is_on_record_and_its_values_are_fetched_elsewhere(
    here: FeatureViewService, there: FeatureViewService
) -> None:
    record = run(here.get_sync(GetFeatureViewSyncRequest(name=f"{RIDERS}/featureViewSyncs/1")))
    assert record.json_object()["syncSummary"]["rowSynced"] == "2"
    assert values(there, "ben") == values(here, "ben") == {"trips": 7, "rating": None}


def test_a_direct_write_is_served_elsewhere_and_survives_a_sync(
    here: FeatureViewService, there: FeatureViewService
) -> None:
    write_trips(there, "99")
    assert values(here, "ana") == {"trips": 99, "rating": 4.5}
    run(here.sync(SyncFeatureViewRequest(featureView=RIDERS)))
    assert values(there, "ana") == {"trips": 99, "rating": 4.5}


def test_a_search_finds_what_another_service_has_synced(here: FeatureViewService, there: FeatureViewService) -> None:
    assert search(there, embedding={"value": [0, 1]}) == search(here, embedding={"value": [0, 1]}) == ["3", "2", "1"]
    assert search(there, entityId="1", stringFilters=[{"name": "cuisine", "denyTokens": ["thai"]}]) == ["3"]


def test_a_view_that_is_deleted_is_gone_from_the_store(here: FeatureViewService, there: FeatureViewService) -> None:
    run(here.delete(DeleteFeatureViewRequest(name=RIDERS)))
    with pytest.raises(ServiceError) as refused:
        values(there, "ana")
    assert refused.value.reason == "never-synced"


def test_a_store_that_cannot_be_reached_is_an_error_of_the_service(tmp_path: Path) -> None:
    pytest.importorskip("redis")
    with pytest.raises(ServiceError) as refused:
        values(remote(tmp_path, NOBODY), "ana")
    assert (refused.value.status.name, "cannot be reached" in refused.value.message) == ("UNAVAILABLE", True)
