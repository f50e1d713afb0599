"""Views are created and patched: what is kept, what is refused, and where."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.service.service_fixture import (
    NOON,
    RIDERS,
    SERVING,
    SOURCE,
    VECTORS,
    catalog,
    created,
    creating,
    fetching,
    got,
    patched,
    patching,
    refusal,
    run,
    service,
)
from trialrun.model.feature_view import FeatureView, WarehouseSource
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.store.store_folder import StoreFolder
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m

PREFIX = {"system-label-prefix": "acme.example"}
SYSTEM = {
    "kind": "FeatureView",
    "name": RIDERS.replace("riders", "system"),
    "labels": {"acme.example/by": "console", "team": "search"},
    "warehouseSource": SOURCE,
}


@pytest.fixture
def here(tmp_path: Path, clock: FixedClock) -> FeatureViewService:
    return service(tmp_path, SYSTEM, clock=clock, **PREFIX)


def test_the_service_sets_what_is_output_only(here: FeatureViewService) -> None:
    given = {"name": "x", "createTime": "x", "etag": "x", "satisfiesPzs": True, "warehouseSource": SOURCE}
    view = created(here, given).featureView
    assert (view.name, view.satisfiesPzs) == (f"{SERVING}/featureViews/new", None)
    assert view.createTime == view.updateTime == "2026-03-01T12:00:00Z"
    assert view.etag and view.etag != "x"
    assert got(here, view.name or "") == view


def test_a_typed_view_is_as_good_as_its_json(here: FeatureViewService) -> None:
    source = WarehouseSource(uri=SOURCE["uri"], entityIdColumns=["rider_id"])
    assert created(here, FeatureView(warehouseSource=source)).featureView.warehouseSource == source


def test_other_spellings_become_the_canonical_form(here: FeatureViewService) -> None:
    view = {"warehouse_source": {"uri": SOURCE["uri"], "entity_id_columns": ["rider_id"]}}
    answer = created(here, view)
    assert answer.featureView.warehouseSource == WarehouseSource(**SOURCE)
    assert {warning.rule for warning in answer.warnings} == {"non-canonical-form"}


def test_errors_of_the_linter_are_refused_with_rule_and_field(here: FeatureViewService) -> None:
    view = {"warehouseSource": {**SOURCE, "entityIdColumns": "rider_id"}, "syncConfig": {"cron": "0 25 * * *"}}
    error = refusal(creating(here, view))
    assert (error.status.name, error.code) == ("INVALID_ARGUMENT", 3)
    assert {(field_violation.reason, field_violation.field) for field_violation in error.field_violations} == {
        ("wrong-type", "featureView.warehouseSource.entityIdColumns"),
        ("cron-syntax", "featureView.syncConfig.cron"),
    }
    assert error.reason in {"wrong-type", "cron-syntax"}


def test_rules_across_documents_are_run_too(here: FeatureViewService) -> None:
    error = refusal(creating(here, {"warehouseSource": SOURCE, "indexConfig": {"embeddingColumn": "vector"}}))
    assert ("store-type-mismatch", "featureView.indexConfig") in [(o.reason, o.field) for o in error.field_violations]


def test_rules_that_read_schemas_are_run_too(here: FeatureViewService) -> None:
    error = refusal(creating(here, {"warehouseSource": {**SOURCE, "entityIdColumns": ["ridr_id"]}}))
    assert error.field_violations[0].description.endswith('did you mean "rider_id"?')
    assert error.field_violations[0].field == "featureView.warehouseSource.entityIdColumns[0]"


def test_what_is_no_error_is_a_warning_of_the_response(here: FeatureViewService) -> None:
    answer = created(here, {"warehouseSource": SOURCE, "syncConfig": {}})
    assert [(warning.rule, warning.field) for warning in answer.warnings] == [
        ("empty-sync-config", "featureView.syncConfig")
    ]


def test_a_refused_view_is_not_there(here: FeatureViewService) -> None:
    refusal(creating(here, {"warehouseSource": {}}))
    with pytest.raises(ServiceError, match='there is no FeatureView "new"'):
        got(here, f"{SERVING}/featureViews/new")


def test_a_name_is_taken_once(here: FeatureViewService) -> None:
    error = refusal(creating(here, featureViewId="riders"))
    assert (error.status.name, error.message) == (
        "ALREADY_EXISTS",
        'there is a view "riders" already; patch it, or use another id',
    )


@pytest.mark.parametrize("id_", ["Any thing-1", "é", "x" * 100])
def test_an_id_is_any_text_without_a_slash(here: FeatureViewService, id_: str) -> None:
    assert created(here, featureViewId=id_).featureView.name == f"{SERVING}/featureViews/{id_}"


@pytest.mark.parametrize(("id_", "message"), [("", "the id is missing"), ("a/b", '"a/b" has a slash')])
def test_what_is_no_id(here: FeatureViewService, id_: str, message: str) -> None:
    assert refusal(creating(here, featureViewId=id_)).message.startswith(f"featureViewId: {message}")


def test_an_unknown_store_is_told_with_its_near_name(here: FeatureViewService) -> None:
    error = refusal(creating(here, parent=f"{SERVING}s"))
    assert error.status.name == "NOT_FOUND"
    assert error.message == 'there is no FeatureOnlineStore "servings"; did you mean "serving"?'


def test_a_store_may_be_declared_by_its_id_alone(here: FeatureViewService) -> None:
    assert created(here, parent=VECTORS).featureView.name == f"{VECTORS}/featureViews/new"


def test_a_parent_that_is_no_store_name_is_refused(here: FeatureViewService) -> None:
    error = refusal(creating(here, parent="stores/serving"))
    assert (error.status.name, error.field_violations[0].field) == ("INVALID_ARGUMENT", "parent")


def test_system_labels_are_not_for_callers(tmp_path: Path) -> None:
    here = service(tmp_path, **{"system-label-prefix": "acme.example"})
    error = refusal(creating(here, {"warehouseSource": SOURCE, "labels": {"acme.example/by": "me"}}))
    assert (error.reason, error.field_violations[0].field) == ("system-label", "featureView.labels.acme.example/by")


def test_a_first_sync_is_run_where_it_is_asked_for(here: FeatureViewService) -> None:
    answer = created(here, runSyncImmediately=True)
    assert answer.featureViewSync == f"{SERVING}/featureViews/new/featureViewSyncs/1"
    assert run(here.get_sync(m.GetFeatureViewSyncRequest(name=answer.featureViewSync))).finalStatus.code == 0


def test_a_first_sync_that_fails_leaves_the_view_and_says_why(here: FeatureViewService) -> None:
    view = {"warehouseSource": {"uri": "bq://elsewhere", "entityIdColumns": ["id"]}}
    answer = created(here, view, runSyncImmediately=True)
    told = next(warning for warning in answer.warnings if warning.field == "runSyncImmediately")
    assert told.message.startswith("the view was created, and its first sync failed: ")
    assert answer.featureViewSync is not None
    assert run(here.get_sync(m.GetFeatureViewSyncRequest(name=answer.featureViewSync))).finalStatus.code == 9


def test_every_change_has_its_own_etag(here: FeatureViewService) -> None:
    etags = {created(here, featureViewId=id_).featureView.etag for id_ in ("one", "two")}
    assert len(etags | {got(here).etag}) == 3


def test_values_that_an_earlier_view_of_its_name_left_behind_are_not_served(tmp_path: Path) -> None:
    for is_first in (True, False):
        here = FeatureViewService(catalog(tmp_path), StoreFolder(tmp_path), clock=FixedClock(NOON))
        created(here, runSyncImmediately=is_first)
    with pytest.raises(ServiceError, match="was never synced"):
        run(fetching(here, view=f"{SERVING}/featureViews/new"))


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
    error = refusal(patching(here, etag=etag, labels={"team": "search"}))
    assert (error.status.name, error.reason) == ("ABORTED", "stale-etag")
    assert got(here).labels == {"team": "ads"}


@pytest.mark.parametrize("etag", [{}, {"etag": ""}])
def test_without_an_etag_it_is_a_blind_overwrite(here: FeatureViewService, etag: dict[str, str]) -> None:
    assert patched(here, labels={"team": "ads"}, **etag).featureView.labels == {"team": "ads"}


def test_the_whole_is_judged_and_not_only_the_part(here: FeatureViewService) -> None:
    error = refusal(patching(here, "warehouseSource.entityIdColumns"))
    assert (error.reason, error.field_violations[0].field) == ("missing-field", "featureView.warehouseSource")
    assert got(here).warehouseSource is not None


def test_what_the_mask_does_not_name_is_not_judged(here: FeatureViewService) -> None:
    assert patched(here, "labels", labels={"a": "b"}, syncConfig={"cron": "never"}).featureView.syncConfig is None


def test_an_unknown_field_without_a_mask_is_refused(here: FeatureViewService) -> None:
    error = refusal(patching(here, lables={"a": "b"}))
    assert (error.reason, error.field_violations[0].field) == ("unknown-field", "featureView.lables")


def test_a_path_of_what_the_service_sets_changes_nothing_and_is_told(here: FeatureViewService) -> None:
    before = got(here)
    answer = patched(here, "labels,createTime", createTime="2000-01-01T00:00:00Z")
    assert answer.featureView.createTime == before.createTime
    assert [(warning.rule, warning.field) for warning in answer.warnings] == [("output-only-field", "updateMask")]


def test_two_sources_in_one_request_are_refused(here: FeatureViewService) -> None:
    error = refusal(patching(here, ragSource={"uri": "bq://r"}, warehouseSource=SOURCE))
    assert "union-conflict" in {field_violation.reason for field_violation in error.field_violations}


def system(here: FeatureViewService, labels: dict[str, str], mask: str | None = None) -> dict[str, str] | None:
    view = {"name": SYSTEM["name"], "labels": labels}
    return patched(here, mask, **view).featureView.labels


@pytest.mark.parametrize(
    ("labels", "mask", "after"),
    [
        ({"team": "ads"}, None, {"acme.example/by": "console", "team": "ads"}),
        ({}, "labels", {"acme.example/by": "console"}),
        ({"acme.example/by": "console"}, None, {"acme.example/by": "console"}),
    ],
    ids=["left-out", "masked", "sent-back"],
)
def test_system_labels_stay(
    here: FeatureViewService, labels: dict[str, str], mask: str | None, after: dict[str, str]
) -> None:
    assert system(here, labels, mask) == after


@pytest.mark.parametrize("labels", [{"acme.example/by": "me"}, {"acme.example/new": "x"}])
def test_system_labels_cannot_be_changed(here: FeatureViewService, labels: dict[str, str]) -> None:
    with pytest.raises(ServiceError, match="is a system label, which cannot be changed"):
        system(here, labels)


def test_a_patch_needs_a_name(here: FeatureViewService) -> None:
    with pytest.raises(ServiceError, match=r"featureView\.name: the name of the resource to patch is missing"):
        run(here.patch(m.PatchFeatureViewRequest(featureView={"labels": {}})))


@pytest.mark.parametrize("labels", ["team", "", ["team"], 0])
def test_what_is_no_map_of_labels_is_refused_beside_system_labels(here: FeatureViewService, labels: object) -> None:
    error = refusal(patching(here, name=SYSTEM["name"], labels=labels))
    assert error.reason == "wrong-type" and "labels" in error.message
    assert got(here, str(SYSTEM["name"])).labels == SYSTEM["labels"]


@pytest.mark.parametrize("etag", [5, ["x"], False])
def test_an_etag_that_is_no_text_is_no_blind_overwrite(here: FeatureViewService, etag: object) -> None:
    error = refusal(patching(here, etag=etag, labels={"team": "ads"}))
    assert (error.reason, error.field_violations[0].field) == ("wrong-type", "featureView.etag")
