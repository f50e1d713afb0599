"""searchNearestEntities: by entity or by vector, filtered and crowded, or why not; `check` and scenarios agree."""

import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.program import Run
from tests.service.service_fixture import INDEX, MENU, RIDERS, refusal, run, service, synced
from trialrun.model.json_schema import combined_json_schema
from trialrun.runtime.feature_view.column import Column
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m
from trialrun.service.feature_view.entity_values import parse_data_key


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> FeatureViewService:
    """A service with values; the searches of all tests change nothing of it."""
    made = service(tmp_path_factory.mktemp("synced"))
    for name in (MENU, RIDERS):
        synced(made, name)
    return made


def searching(
    here: FeatureViewService, view: str = MENU, full: bool = False, **query: Any
) -> Coroutine[Any, Any, m.SearchNearestEntitiesResponse]:
    request = {"featureView": view, "query": query, "returnFullEntity": full}
    return here.search_nearest_entities(m.SearchNearestEntitiesRequest.model_validate(request))


def found(here: FeatureViewService, **query: Any) -> list[str]:
    return [neighbor.entityId for neighbor in run(searching(here, **query)).nearestNeighbors.neighbors]


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
        ({"entityId": "1", "parameters": {"approximateNeighborCandidates": 1}, "neighborCount": 2}, ["1", "2"]),
        ({"entityId": "1", "parameters": {"approximateNeighborCandidates": 9}, "neighborCount": 2}, ["1", "2"]),
    ],
)
def test_a_query(here: FeatureViewService, query: dict[str, Any], ids: list[str]) -> None:
    assert found(here, **query) == ids


def test_neighbors_have_their_distance_and_no_values_unless_asked(here: FeatureViewService) -> None:
    first = run(searching(here, embedding=vector(0, 1))).nearestNeighbors.neighbors[0]
    assert first.json_object() == {"entityId": "3", "distance": 0.0}


def test_full_entities_have_their_values(here: FeatureViewService) -> None:
    first = run(searching(here, full=True, entityId="3", neighborCount=1)).nearestNeighbors.neighbors[0]
    assert first.entityKeyValues is not None
    values = first.entityKeyValues.json_object()
    assert values["dataKey"] == {"key": "3"}
    assert values["keyValues"]["features"][0] == {"name": "cuisine", "value": {"stringValue": "greek"}}


def test_the_answer_cites_the_assumptions_that_applied(here: FeatureViewService) -> None:
    assert "search-itself" in run(searching(here, entityId="1")).assumptions


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
    error = refusal(searching(here, **query))
    assert error.status.name == status and message in error.message


@pytest.mark.parametrize("query", [{"embedding": vector(0, 1)}, {"entityId": "nobody"}])
def test_a_view_without_an_index_cannot_be_searched(here: FeatureViewService, query: dict[str, Any]) -> None:
    error = refusal(searching(here, RIDERS, **query))
    assert (error.status.name, error.reason) == ("INVALID_ARGUMENT", "not-searchable")
    assert "no indexConfig" in error.message


def test_a_view_that_was_never_synced_cannot_be_searched(tmp_path: Path) -> None:
    assert refusal(searching(service(tmp_path), embedding=vector(0, 1))).reason == "never-synced"


@pytest.mark.parametrize("text", ['["ana"', '{"a": "ana"}', "[null, 7]", "[true, 7]", "[" * 100_000])
def test_what_is_no_entity_id_of_several_columns(text: str) -> None:
    columns = (Column("a", "STRING"), Column("b", "INT64"))
    with pytest.raises(ServiceError, match="is not an entity id of the columns a, b"):
        parse_data_key(text, columns)


def test_an_entity_id_of_several_columns_is_a_list() -> None:
    columns = (Column("a", "STRING"), Column("b", "INT64"))
    assert parse_data_key('["ana", 7]', columns).parts == parse_data_key('["ana", "7"]', columns).parts == ("ana", "7")


SCENARIO = """\
kind: Scenario
name: A search
steps:
  - search: {{view: menu, vector: [0, 1], {field}, expect: {{refused: asked for}}}}
"""


@pytest.fixture
def patchable(tmp_path: Path) -> FeatureViewService:
    """A service with values, for tests that change it, or that check the documents of its folder."""
    made = service(tmp_path)
    synced(made, MENU)
    return made


@pytest.fixture
def program(run: Run) -> Run:
    """The command line."""
    return run


def count(number: int, candidates: int | None = None) -> dict[str, Any]:
    """The query for a number of neighbors."""
    more = {} if candidates is None else {"parameters": {"approximateNeighborCandidates": candidates}}
    return {"embedding": vector(0, 1), "neighborCount": number, **more}


def test_no_document_can_say_how_many_candidates() -> None:
    text = json.dumps(combined_json_schema()).casefold()
    assert "percrowdingattribute" in text
    assert "candidates" not in text


def test_check_and_the_runner_refuse_the_field_in_a_scenario(program: Run, tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(SCENARIO.format(field="approximateNeighborCandidates: 1"))
    checked = program("check", "--output-format", "json", cwd=tmp_path)
    assert "unknown-field" in [diagnostic["rule"] for diagnostic in json.loads(checked.out)["diagnostics"]]
    assert program("test", cwd=tmp_path).code == 1


def test_check_and_the_service_refuse_a_search_for_no_neighbors(
    program: Run, tmp_path: Path, patchable: FeatureViewService
) -> None:
    (tmp_path / "scenario.yaml").write_text(SCENARIO.format(field="count: 0"))
    checked = program("check", "scenario.yaml", "--output-format", "json", cwd=tmp_path)
    rules = [(diagnostic["rule"], diagnostic["severity"]) for diagnostic in json.loads(checked.out)["diagnostics"]]
    assert ("out-of-range", "error") in rules
    assert program("test", "scenario.yaml", cwd=tmp_path).code == 1
    assert refusal(searching(patchable, **count(-1))).status.name == "INVALID_ARGUMENT"
    assert len(found(patchable, **count(0))) == len(found(patchable, **count(10))), (
        "0 is how clients write an unset number"
    )
    assert refusal(searching(patchable, **count(1, 0))).status.name == "INVALID_ARGUMENT"


def test_a_patched_index_is_sound_for_check_and_searched_after_the_next_sync(
    program: Run, tmp_path: Path, patchable: FeatureViewService
) -> None:
    patched = {**INDEX, "distanceMeasureType": "COSINE_DISTANCE"}
    done = run(patchable.patch(m.PatchFeatureViewRequest(featureView={"name": MENU, "indexConfig": patched})))
    assert [warning for warning in done.warnings if warning.severity == "error"] == []
    assert refusal(searching(patchable, **count(2))).reason == "not-searchable"
    synced(patchable, MENU)
    assert found(patchable, **count(1)) == ["3"]
    view = {
        "kind": "FeatureView",
        "name": MENU,
        "warehouseSource": {"uri": "bq://acme.serving.menu", "entityIdColumns": ["dish"]},
        "indexConfig": patched,
    }
    (tmp_path / "view.json").write_text(json.dumps(view))
    checked = program("check", "view.json", "--output-format", "json", cwd=tmp_path)
    assert json.loads(checked.out)["summary"]["errors"] == 0
