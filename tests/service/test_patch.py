"""patch: what a mask names, judged as a whole; etags, system labels and unions."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.service.service_fixture import MENU, NOON, RIDERS, SOURCE, run, service
from trialrun.model.feature_view import FeatureView
from trialrun.runtime.clock import FixedClock
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view.messages import (
    GetFeatureViewRequest,
    PatchFeatureViewRequest,
    PatchFeatureViewResponse,
)

PREFIX = {"system-label-prefix": "acme.example"}
SYSTEM = {
    "kind": "FeatureView",
    "name": RIDERS.replace("riders", "system"),
    "labels": {"acme.example/by": "console", "team": "search"},
    "warehouseSource": SOURCE,
}


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
def here(tmp_path: Path, clock: FixedClock) -> FeatureViewService:
    return service(tmp_path, SYSTEM, clock=clock, **PREFIX)


def patched(here: FeatureViewService, mask: str | None = None, **view: Any) -> PatchFeatureViewResponse:
    request = PatchFeatureViewRequest(featureView={"name": RIDERS, **view}, updateMask=mask)
    return run(here.patch(request))


def refusal(here: FeatureViewService, mask: str | None = None, **view: Any) -> ServiceError:
    with pytest.raises(ServiceError) as told:
        patched(here, mask, **view)
    return told.value


def got(here: FeatureViewService, name: str = RIDERS) -> FeatureView:
    return run(here.get(GetFeatureViewRequest(name=name)))


def test_a_patch_moves_update_time_and_etag_alone(here: FeatureViewService, clock: FixedClock) -> None:
    before = got(here)
    clock.advance(timedelta(seconds=1, milliseconds=500))
    after = patched(here, labels={"team": "ads"}).featureView
    assert (after.createTime, after.updateTime) == ("2026-03-01T12:00:00Z", "2026-03-01T12:00:01.500Z")
    assert after.etag != before.etag
    assert (after.labels, after.warehouseSource) == ({"team": "ads"}, before.warehouseSource)
    assert got(here) == after


def test_an_etag_that_is_current_is_taken_once(here: FeatureViewService) -> None:
    etag = got(here).etag
    patched(here, etag=etag, labels={"team": "ads"})
    error = refusal(here, etag=etag, labels={"team": "search"})
    assert (error.status.name, error.reason) == ("ABORTED", "stale-etag")
    assert got(here).labels == {"team": "ads"}


@pytest.mark.parametrize("etag", [{}, {"etag": ""}])
def test_without_an_etag_it_is_a_blind_overwrite(here: FeatureViewService, etag: dict[str, str]) -> None:
    assert patched(here, labels={"team": "ads"}, **etag).featureView.labels == {"team": "ads"}


def test_a_mask_clears_what_the_request_lacks(here: FeatureViewService) -> None:
    assert patched(here, "labels").featureView.labels is None


def test_the_whole_is_judged_and_not_only_the_part(here: FeatureViewService) -> None:
    error = refusal(here, "warehouseSource.entityIdColumns")
    assert (error.reason, error.field_violations[0].field) == ("missing-field", "featureView.warehouseSource")
    assert got(here).warehouseSource is not None


def test_what_the_mask_does_not_name_is_not_judged(here: FeatureViewService) -> None:
    assert patched(here, "labels", labels={"a": "b"}, syncConfig={"cron": "never"}).featureView.syncConfig is None


def test_an_unknown_field_without_a_mask_is_refused(here: FeatureViewService) -> None:
    error = refusal(here, lables={"a": "b"})
    assert (error.reason, error.field_violations[0].field) == ("unknown-field", "featureView.lables")


def test_an_unknown_path_of_the_mask_is_refused(here: FeatureViewService) -> None:
    error = refusal(here, "lables")
    assert error.message == 'updateMask: "lables": FeatureView has no field "lables"; did you mean "labels"?'


def test_a_path_of_what_the_service_sets_changes_nothing_and_is_told(here: FeatureViewService) -> None:
    before = got(here)
    answer = patched(here, "labels,createTime", createTime="2000-01-01T00:00:00Z")
    assert answer.featureView.createTime == before.createTime
    assert [(warning.rule, warning.field) for warning in answer.warnings] == [("output-only-field", "updateMask")]


def test_a_star_replaces_all_but_what_the_service_sets(here: FeatureViewService) -> None:
    after = patched(here, "*", warehouseSource=SOURCE).featureView
    assert (after.labels, after.createTime) == (None, "2026-03-01T12:00:00Z")


def test_another_source_takes_the_place_of_the_first(here: FeatureViewService) -> None:
    registry = {"featureGroups": [{"featureGroupId": "g", "featureIds": ["f"]}]}
    after = patched(here, "featureRegistrySource", featureRegistrySource=registry).featureView
    assert after.warehouseSource is None and after.featureRegistrySource is not None


def test_two_sources_in_one_request_are_refused(here: FeatureViewService) -> None:
    error = refusal(here, ragSource={"uri": "bq://r"}, warehouseSource=SOURCE)
    assert "union-conflict" in {field_violation.reason for field_violation in error.field_violations}


def test_a_nested_field_of_an_index_can_be_changed(here: FeatureViewService) -> None:
    view = {"name": MENU, "indexConfig": {"filterColumns": ["cuisine"]}}
    after = run(here.patch(PatchFeatureViewRequest(featureView=view))).featureView.indexConfig
    assert after is not None and (after.filterColumns, after.embeddingColumn) == (["cuisine"], "vector")


def system(here: FeatureViewService, labels: dict[str, str], mask: str | None = None) -> dict[str, str] | None:
    view = {"name": SYSTEM["name"], "labels": labels}
    return run(here.patch(PatchFeatureViewRequest(featureView=view, updateMask=mask))).featureView.labels


def test_system_labels_stay_where_a_request_leaves_them_out(here: FeatureViewService) -> None:
    assert system(here, {"team": "ads"}) == {"acme.example/by": "console", "team": "ads"}


def test_not_even_a_mask_takes_a_system_label_away(here: FeatureViewService) -> None:
    assert system(here, {}, "labels") == {"acme.example/by": "console"}


def test_system_labels_may_be_sent_back_as_they_are(here: FeatureViewService) -> None:
    assert system(here, {"acme.example/by": "console"}) == {"acme.example/by": "console"}


@pytest.mark.parametrize("labels", [{"acme.example/by": "me"}, {"acme.example/new": "x"}])
def test_system_labels_cannot_be_changed(here: FeatureViewService, labels: dict[str, str]) -> None:
    with pytest.raises(ServiceError, match="is a system label, which cannot be changed"):
        system(here, labels)


def test_a_patch_needs_a_name(here: FeatureViewService) -> None:
    with pytest.raises(ServiceError, match=r"featureView\.name: the name of the resource to patch is missing"):
        run(here.patch(PatchFeatureViewRequest(featureView={"labels": {}})))


@pytest.mark.parametrize("labels", ["team", "", ["team"], 0])
def test_what_is_no_map_of_labels_is_refused_beside_system_labels(here: FeatureViewService, labels: object) -> None:
    with pytest.raises(ServiceError, match="labels") as told:
        run(here.patch(PatchFeatureViewRequest(featureView={"name": SYSTEM["name"], "labels": labels})))
    assert told.value.reason == "wrong-type"
    assert got(here, str(SYSTEM["name"])).labels == SYSTEM["labels"]


@pytest.mark.parametrize("etag", [5, ["x"], False])
def test_an_etag_that_is_no_text_is_no_blind_overwrite(here: FeatureViewService, etag: object) -> None:
    error = refusal(here, etag=etag, labels={"team": "ads"})
    assert (error.reason, error.field_violations[0].field) == ("wrong-type", "featureView.etag")
