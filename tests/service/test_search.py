"""searchNearestEntities: by entity or by vector, filtered and crowded, or why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.service.service_fixture import MENU, RIDERS, run, service
from trialrun.runtime.feature_view.column import Column
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view.entity_values import parse_data_key
from trialrun.service.feature_view.messages import (
    SearchNearestEntitiesRequest,
    SearchNearestEntitiesResponse,
    SyncFeatureViewRequest,
)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> FeatureViewService:
    """A service with values; the searches of all tests change nothing of it."""
    made = service(tmp_path_factory.mktemp("synced"))
    for name in (MENU, RIDERS):
        run(made.sync(SyncFeatureViewRequest(featureView=name)))
    return made


def searched(
    here: FeatureViewService, view: str = MENU, full: bool = False, **query: Any
) -> SearchNearestEntitiesResponse:
    request = {"featureView": view, "query": query, "returnFullEntity": full}
    return run(here.search_nearest_entities(SearchNearestEntitiesRequest.model_validate(request)))


def found(here: FeatureViewService, **query: Any) -> list[str]:
    return [neighbor.entityId for neighbor in searched(here, **query).nearestNeighbors.neighbors]


def refusal(here: FeatureViewService, view: str = MENU, **query: Any) -> ServiceError:
    with pytest.raises(ServiceError) as told:
        searched(here, view, **query)
    return told.value


def vector(*values: float) -> dict[str, Any]:
    return {"value": list(values)}


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ({"embedding": vector(0, 1)}, ["3", "2", "1"]),
        ({"entityId": "1"}, ["1", "2", "3"]),
        ({"entityId": "1", "embedding": vector(0, 1)}, ["3", "2", "1"]),
        ({"entityId": "1", "neighborCount": 2}, ["1", "2"]),
        ({"entityId": "1", "neighborCount": 0}, ["1", "2", "3"]),
        ({"entityId": "1", "stringFilters": [{"name": "cuisine", "denyTokens": ["thai"]}]}, ["3"]),
        ({"entityId": "1", "stringFilters": [{"name": "cuisine", "allowTokens": ["thai"]}]}, ["1", "2"]),
        ({"entityId": "1", "numericFilters": [{"name": "price", "op": "LESS", "valueDouble": 9.5}]}, ["3"]),
        ({"entityId": "1", "numericFilters": [{"name": "price", "op": "NOT_EQUAL", "valueInt": "8"}]}, ["1", "2"]),
        ({"entityId": "1", "perCrowdingAttributeNeighborCount": 1}, ["1", "3"]),
        ({"entityId": "1", "parameters": {"leafNodesSearchFraction": 1.0}}, ["1", "2", "3"]),
    ],
)
def test_a_query(here: FeatureViewService, query: dict[str, Any], ids: list[str]) -> None:
    assert found(here, **query) == ids


def test_neighbors_have_their_distance_and_no_values_unless_asked(here: FeatureViewService) -> None:
    first = searched(here, embedding=vector(0, 1)).nearestNeighbors.neighbors[0]
    assert first.json_object() == {"entityId": "3", "distance": 0.0}


def test_full_entities_have_their_values(here: FeatureViewService) -> None:
    first = searched(here, full=True, entityId="3", neighborCount=1).nearestNeighbors.neighbors[0]
    assert first.entityKeyValues is not None
    values = first.entityKeyValues.json_object()
    assert values["dataKey"] == {"key": "3"}
    assert values["keyValues"]["features"][0] == {"name": "cuisine", "value": {"stringValue": "greek"}}


def test_the_answer_cites_the_assumptions_that_applied(here: FeatureViewService) -> None:
    assert "search-itself" in searched(here, entityId="1").assumptions


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ({}, "INVALID_ARGUMENT", "set entityId or embedding"),
        ({"entityId": "9"}, "NOT_FOUND", 'there is no entity "9" in the view "menu"'),
        ({"entityId": "x"}, "INVALID_ARGUMENT", "'x' is not an INT64"),
        ({"embedding": vector(1)}, "INVALID_ARGUMENT", "query: "),
        ({"entityId": "1", "stringFilters": [{"name": "vectr"}]}, "INVALID_ARGUMENT", "vectr"),
        ({"entityId": "1", "numericFilters": [{"name": "price", "op": "LESS"}]}, "INVALID_ARGUMENT", "with 0 values"),
        ({"entityId": "1", "neighborCount": -1}, "INVALID_ARGUMENT", "query: "),
    ],
)
def test_a_query_that_does_not_fit(here: FeatureViewService, query: dict[str, Any], status: str, message: str) -> None:
    error = refusal(here, **query)
    assert error.status.name == status and message in error.message


def test_a_view_without_an_index_cannot_be_searched(here: FeatureViewService) -> None:
    error = refusal(here, RIDERS, embedding=vector(0, 1))
    assert (error.status.name, error.reason) == ("INVALID_ARGUMENT", "not-searchable")
    assert "no indexConfig" in error.message


def test_a_view_that_was_never_synced_cannot_be_searched(tmp_path: Path) -> None:
    assert refusal(service(tmp_path), embedding=vector(0, 1)).reason == "never-synced"


@pytest.mark.parametrize("text", ['["ana"', '{"a": "ana"}', "[null, 7]", "[true, 7]", "[" * 100_000])
def test_what_is_no_entity_id_of_several_columns(text: str) -> None:
    columns = (Column("a", "STRING"), Column("b", "INT64"))
    with pytest.raises(ServiceError, match="is not an entity id of the columns a, b"):
        parse_data_key(text, columns)


def test_an_entity_id_of_several_columns_is_a_list() -> None:
    columns = (Column("a", "STRING"), Column("b", "INT64"))
    assert parse_data_key('["ana", 7]', columns).parts == parse_data_key('["ana", "7"]', columns).parts == ("ana", "7")
