"""`check`, the runner of scenarios and the service agree on how searches are asked, and on patched indexes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program import Run
from tests.service.service_fixture import INDEX, MENU, service
from tests.service.service_fixture import run as answer
from trialrun.model.json_schema import combined_json_schema
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view.messages import (
    PatchFeatureViewRequest,
    SearchNearestEntitiesRequest,
    SyncFeatureViewRequest,
)

SCENARIO = """\
kind: Scenario
name: A search
steps:
  - search: {{view: menu, vector: [0, 1], {field}, expect: {{refused: asked for}}}}
"""


@pytest.fixture
def here(tmp_path: Path) -> FeatureViewService:
    made = service(tmp_path)
    answer(made.sync(SyncFeatureViewRequest(featureView=MENU)))
    return made


def searched(here: FeatureViewService, count: int, candidates: int | None = None) -> list[str]:
    query: dict[str, Any] = {"embedding": {"value": [0, 1]}, "neighborCount": count}
    if candidates is not None:
        query["parameters"] = {"approximateNeighborCandidates": candidates}
    request = {"featureView": MENU, "query": query}
    response = answer(here.search_nearest_entities(SearchNearestEntitiesRequest.model_validate(request)))
    return [neighbor.entityId for neighbor in response.nearestNeighbors.neighbors]


def refusal(here: FeatureViewService, count: int, candidates: int | None = None) -> ServiceError:
    with pytest.raises(ServiceError) as told:
        searched(here, count, candidates)
    return told.value


@pytest.mark.parametrize("candidates", [1, 2, 3, 1000])
def test_the_service_answers_with_fewer_and_more_candidates_than_neighbors(
    here: FeatureViewService, candidates: int
) -> None:
    assert searched(here, 2, candidates) == ["3", "2"]


def test_no_document_can_say_how_many_candidates() -> None:
    text = json.dumps(combined_json_schema()).casefold()
    assert "percrowdingattribute" in text
    assert "candidates" not in text


def test_check_and_the_runner_refuse_the_field_in_a_scenario(run: Run, tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(SCENARIO.format(field="approximateNeighborCandidates: 1"))
    checked = run("check", "--output-format", "json", cwd=tmp_path)
    assert "unknown-field" in [diagnostic["rule"] for diagnostic in json.loads(checked.out)["diagnostics"]]
    assert run("test", cwd=tmp_path).code == 1


def test_check_and_the_service_refuse_a_search_for_no_neighbors(
    run: Run, tmp_path: Path, here: FeatureViewService
) -> None:
    (tmp_path / "scenario.yaml").write_text(SCENARIO.format(field="count: 0"))
    checked = run("check", "scenario.yaml", "--output-format", "json", cwd=tmp_path)
    rules = [(diagnostic["rule"], diagnostic["severity"]) for diagnostic in json.loads(checked.out)["diagnostics"]]
    assert ("out-of-range", "error") in rules
    assert run("test", "scenario.yaml", cwd=tmp_path).code == 1
    assert refusal(here, -1).status.name == "INVALID_ARGUMENT"
    assert len(searched(here, 0)) == len(searched(here, 10)), "0 is how clients write an unset number"
    assert refusal(here, 1, 0).status.name == "INVALID_ARGUMENT"


def test_a_patched_index_is_sound_for_check_and_searched_after_the_next_sync(
    run: Run, tmp_path: Path, here: FeatureViewService
) -> None:
    patched = {**INDEX, "distanceMeasureType": "COSINE_DISTANCE"}
    patch = {"name": MENU, "indexConfig": patched}
    done = answer(here.patch(PatchFeatureViewRequest(featureView=patch)))
    assert [warning for warning in done.warnings if warning.severity == "error"] == []
    assert refusal(here, 2).reason == "not-searchable"
    answer(here.sync(SyncFeatureViewRequest(featureView=MENU)))
    assert searched(here, 1) == ["3"]
    view = {
        "kind": "FeatureView",
        "name": MENU,
        "warehouseSource": {"uri": "bq://acme.serving.menu", "entityIdColumns": ["dish"]},
        "indexConfig": patched,
    }
    (tmp_path / "view.json").write_text(json.dumps(view))
    checked = run("check", "view.json", "--output-format", "json", cwd=tmp_path)
    assert json.loads(checked.out)["summary"]["errors"] == 0
