"""Views are created and patched: what is kept, what is refused, and where."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

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
    reason,
    refusal,
    run,
    service,
)
from trialrun.model.feature_view import FeatureView, WarehouseSource
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.trial_run import StoreFolder
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m
from trialrun.service.listing import GetRequest

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
    assert len({view.etag, got(here).etag, created(here, parent=VECTORS).featureView.etag}) == 3


def test_a_view_may_be_typed_and_its_store_be_declared_by_its_id_alone(here: FeatureViewService) -> None:
    source = WarehouseSource(uri=SOURCE["uri"], entityIdColumns=["rider_id"])
    view = created(here, FeatureView(warehouseSource=source), parent=VECTORS).featureView
    assert (view.warehouseSource, view.name) == (source, f"{VECTORS}/featureViews/new")


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


NO_CREATION = {
    "INVALID_ARGUMENT store-type-mismatch: featureView.indexConfig: indexConfig is for views of optimized stores, and "
    'the store "serving" is of type KEY_VALUE; remove it, or move the view (and 1 more)': {
        "featureView": {"warehouseSource": SOURCE, "indexConfig": {"embeddingColumn": "vector"}}
    },
    "INVALID_ARGUMENT unknown-column: featureView.warehouseSource.entityIdColumns[0]: there is no column "
    '"ridr_id" in "bq://acme.serving.riders"; did you mean "rider_id"?': {
        "featureView": {"warehouseSource": {**SOURCE, "entityIdColumns": ["ridr_id"]}}
    },
    "INVALID_ARGUMENT system-label: featureView.labels.acme.example/by: "
    '"acme.example/by" is a system label, which cannot be changed; remove it': {
        "featureView": {"warehouseSource": SOURCE, "labels": {"acme.example/by": "me"}}
    },
    'ALREADY_EXISTS duplicate-resource-name: there is a view "riders" already; patch it, or use another id': {
        "featureViewId": "riders"
    },
    "INVALID_ARGUMENT invalid-resource-name: "
    "featureViewId: the id is missing; set it, it becomes the last segment of the name": {"featureViewId": ""},
    'INVALID_ARGUMENT invalid-resource-name: featureViewId: "a/b" has a slash; remove it': {"featureViewId": "a/b"},
    'NOT_FOUND unknown-feature-online-store: there is no FeatureOnlineStore "servings"; did you mean "serving"?': {
        "parent": f"{SERVING}s"
    },
    'INVALID_ARGUMENT invalid-resource-name: parent: expected "projects", not "stores"': {"parent": "stores/serving"},
}


@pytest.mark.parametrize(("told", "request_"), NO_CREATION.items())
def test_a_creation_is_refused(here: FeatureViewService, told: str, request_: dict[str, Any]) -> None:
    assert reason(creating(here, **request_)) == told
    with pytest.raises(ServiceError, match='there is no FeatureView "new"'):
        got(here, f"{SERVING}/featureViews/new")


def test_what_is_no_error_is_a_warning_of_the_response(here: FeatureViewService) -> None:
    answer = created(here, {"warehouseSource": SOURCE, "syncConfig": {}})
    assert [(warning.rule, warning.field) for warning in answer.warnings] == [
        ("empty-sync-config", "featureView.syncConfig")
    ]


@pytest.mark.parametrize("id_", ["Any thing-1", "é", "x" * 100])
def test_an_id_is_any_text_without_a_slash(here: FeatureViewService, id_: str) -> None:
    assert created(here, featureViewId=id_).featureView.name == f"{SERVING}/featureViews/{id_}"


def test_a_first_sync_is_run_where_it_is_asked_for(here: FeatureViewService) -> None:
    answer = created(here, runSyncImmediately=True)
    assert answer.featureViewSync == f"{SERVING}/featureViews/new/featureViewSyncs/1"
    assert run(here.get_sync(GetRequest(name=answer.featureViewSync))).finalStatus.code == 0


def test_a_first_sync_that_fails_leaves_the_view_and_says_why(here: FeatureViewService) -> None:
    view = {"warehouseSource": {"uri": "bq://elsewhere", "entityIdColumns": ["id"]}}
    answer = created(here, view, runSyncImmediately=True)
    told = next(warning for warning in answer.warnings if warning.field == "runSyncImmediately")
    assert told.message.startswith("the view was created, and its first sync failed: ")
    assert answer.featureViewSync is not None
    assert run(here.get_sync(GetRequest(name=answer.featureViewSync))).finalStatus.code == 9


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


def of_labels(value: str) -> str:
    return f"wrong-type: featureView.labels: labels must be a mapping of texts, not {value}"


NO_ETAG = "wrong-type: featureView.etag: an etag must be text; send the one that get returned, or none"
NO_PATCH = [
    (
        ("warehouseSource.entityIdColumns", {}),
        'missing-field: featureView.warehouseSource: WarehouseSource needs "entityIdColumns"; add it',
    ),
    (
        (None, {"lables": {"a": "b"}}),
        'unknown-field: featureView.lables: FeatureView has no field "lables"; '
        'did you mean "labels", which is already set?',
    ),
    (
        (None, {"ragSource": {"uri": "bq://r"}, "warehouseSource": SOURCE}),
        'union-conflict: featureView.warehouseSource: "warehouseSource" conflicts with "ragSource": '
        "a view has at most one source; keep one",
    ),
    *[((None, {"etag": etag, "labels": {"team": "ads"}}), NO_ETAG) for etag in (5, ["x"], False)],
    *[
        (
            (None, {"name": SYSTEM["name"], "labels": {label: value}}),
            f"system-label: featureView.labels.{label}: "
            f'"{label}" is a system label, which cannot be changed; remove it',
        )
        for label, value in (("acme.example/by", "me"), ("acme.example/new", "x"))
    ],
    ((None, {"name": SYSTEM["name"], "labels": "team"}), of_labels('the text "team"')),
    ((None, {"name": SYSTEM["name"], "labels": ""}), of_labels('the text ""')),
    ((None, {"name": SYSTEM["name"], "labels": ["team"]}), of_labels("a list of texts")),
    ((None, {"name": SYSTEM["name"], "labels": 0}), of_labels("the number 0")),
]


@pytest.mark.parametrize(("patch", "told"), NO_PATCH)
def test_a_patch_is_refused_and_changes_nothing(
    here: FeatureViewService, patch: tuple[str | None, dict[str, Any]], told: str
) -> None:
    mask, view = patch
    names = [RIDERS, str(SYSTEM["name"])]
    before = [got(here, name) for name in names]
    assert reason(patching(here, mask, **view)) == f"INVALID_ARGUMENT {told}"
    assert [got(here, name) for name in names] == before


def test_a_patch_needs_a_name(here: FeatureViewService) -> None:
    told = "missing-name: featureView.name: the name of the resource to patch is missing; set it"
    request = m.PatchFeatureViewRequest(featureView={"labels": {}})
    assert reason(here.patch(request)) == f"INVALID_ARGUMENT {told}"


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
    assert patched(here, mask, name=SYSTEM["name"], labels=labels).featureView.labels == after


def test_what_the_mask_does_not_name_is_not_judged(here: FeatureViewService) -> None:
    assert patched(here, "labels", labels={"a": "b"}, syncConfig={"cron": "never"}).featureView.syncConfig is None


def test_a_path_of_what_the_service_sets_changes_nothing_and_is_told(here: FeatureViewService) -> None:
    before = got(here)
    answer = patched(here, "labels,createTime", createTime="2000-01-01T00:00:00Z")
    assert answer.featureView.createTime == before.createTime
    assert [(warning.rule, warning.field) for warning in answer.warnings] == [("output-only-field", "updateMask")]
