"""Views are created, changed, listed, read and deleted, and a view without a source serves what is written into it."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.service.service_fixture import (
    MENU,
    NOON,
    RIDERS,
    SERVING,
    SOURCE,
    VECTORS,
    catalog,
    created,
    creating,
    deleting,
    fetching,
    getting,
    got,
    patched,
    patching,
    reason,
    refusal,
    run,
    sent,
    service,
    stream,
    synced,
    syncing,
)
from trialrun.model.feature_view import FeatureView, WarehouseSource
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.trial_run import StoreFolder
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m
from trialrun.service.iam import Binding, Policy
from trialrun.service.listing import GetRequest, ListRequest
from trialrun.values.resource_name import last_id

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
    answer = created(here, {"warehouse_source": {"uri": SOURCE["uri"], "entity_id_columns": ["rider_id"]}})
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


@pytest.fixture
def three_views(tmp_path: Path, clock: FixedClock) -> FeatureViewService:
    made = service(tmp_path, clock=clock)
    for id_ in ("drivers", "cars"):
        clock.advance(timedelta(minutes=1))
        create(made, id_)
    return made


def create(three_views: FeatureViewService, id_: str) -> None:
    created(three_views, {"warehouseSource": SOURCE, "labels": {"team": id_[0]}}, featureViewId=id_)


def listed(three_views: FeatureViewService, **request: Any) -> tuple[list[str], str]:
    answer: m.ListFeatureViewsResponse = run(three_views.list(ListRequest(**{"parent": SERVING, **request})))
    return [last_id(view.name or "") for view in answer.featureViews], answer.nextPageToken


def test_the_views_of_a_store_are_listed_by_id(three_views: FeatureViewService) -> None:
    assert listed(three_views) == (["cars", "drivers", "riders"], "")
    assert listed(three_views, parent=VECTORS) == (["menu"], "")


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        ({"orderBy": "create_time desc"}, ["cars", "drivers", "riders"]),
        ({"orderBy": "create_time"}, ["riders", "drivers", "cars"]),
        ({"orderBy": "feature_view_id desc"}, ["riders", "drivers", "cars"]),
        ({"filter": "labels.team = d OR labels.team = c"}, ["cars", "drivers"]),
        ({"filter": 'create_time > "2026-03-01T12:01:00Z"'}, ["cars"]),
        ({"filter": "NOT labels:team"}, []),
        ({"filter": "feature_view_id = *rs"}, ["cars", "drivers", "riders"]),
    ],
)
def test_a_list_is_filtered_and_ordered(
    three_views: FeatureViewService, request_: dict[str, str], names: list[str]
) -> None:
    assert listed(three_views, **request_)[0] == names


def test_a_token_is_good_for_its_filter_only(three_views: FeatureViewService) -> None:
    _, token = listed(three_views, pageSize=1)
    error = refusal(three_views.list(ListRequest(parent=SERVING, pageToken=token, filter="labels:team")))
    assert (error.status.name, error.reason) == ("INVALID_ARGUMENT", "invalid-page-token")


def test_a_list_under_an_unknown_store_fails(three_views: FeatureViewService) -> None:
    error = refusal(three_views.list(ListRequest(parent=SERVING.replace("serving", "elsewhere"))))
    assert (error.status.name, error.message) == ("NOT_FOUND", 'there is no FeatureOnlineStore "elsewhere"')


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (RIDERS[:-1], 'there is no FeatureView "rider" under the store "serving"; did you mean "riders"?'),
        (
            RIDERS.replace("serving", "serving-eu"),
            'there is no FeatureOnlineStore "serving-eu"; did you mean "serving"?',
        ),
        (f"{SERVING}/featureView/riders", 'name: expected "featureViews", not "featureView"; write "featureViews"'),
    ],
)
def test_a_missing_view_is_told_with_what_is_missing(three_views: FeatureViewService, name: str, message: str) -> None:
    assert refusal(getting(three_views, name)).message == message


def test_views_of_a_store_that_nobody_declares_are_there_all_the_same(tmp_path: Path) -> None:
    name = RIDERS.replace("serving", "elsewhere")
    made = service(tmp_path, {"kind": "FeatureView", "name": name, "warehouseSource": SOURCE})
    assert got(made, name).name == name


def test_a_deleted_view_is_gone_with_its_values_and_its_policy(three_views: FeatureViewService) -> None:
    synced(three_views)
    policy = Policy(bindings=[Binding(role="roles/featureViews.viewer", members=["allUsers"])])
    run(three_views.set_iam_policy(m.SetIamPolicyRequest(resource=RIDERS, policy=policy)))
    run(deleting(three_views))
    assert refusal(getting(three_views)).status.name == "NOT_FOUND"
    create(three_views, "riders")
    assert refusal(fetching(three_views)).reason == "never-synced"
    assert run(three_views.get_iam_policy(m.GetIamPolicyRequest(resource=RIDERS))).bindings == []


def test_a_stale_etag_keeps_a_view_from_being_deleted(three_views: FeatureViewService) -> None:
    assert refusal(deleting(three_views, RIDERS, etag="old")).status.name == "ABORTED"
    assert got(three_views).name == RIDERS


def test_the_index_of_a_deleted_view_is_removed_from_its_folder(tmp_path: Path) -> None:
    folder = StoreFolder(tmp_path)
    made = FeatureViewService(catalog(tmp_path), folder, clock=FixedClock(NOON))
    synced(made, MENU)
    assert folder.indexes(MENU).exists()
    run(deleting(made, MENU))
    assert not folder.indexes(MENU).exists()
    assert folder.store_of(MENU).snapshot(MENU) is None


NAME = f"{SERVING}/featureViews/direct"
TRIPS, RATING = {"int64Value": "9007199254740993"}, {"doubleValue": 4.0}


@pytest.fixture
def sourceless(tmp_path: Path) -> FeatureViewService:
    made = service(tmp_path)
    view: dict[str, Any] = {"labels": {"team": "search"}, "syncConfig": {"cron": "0 13 * * *"}}
    answer = created(made, view, featureViewId="direct")
    assert [warning.rule for warning in answer.warnings] == ["sync-without-source"]
    return made


def written(sourceless: FeatureViewService, *entries: tuple[object, dict[str, Any]]) -> list[m.DirectWriteResponse]:
    asked = [
        {
            "dataKey": {"key": key} if isinstance(key, str) else {"compositeKey": {"parts": key}},
            "features": [{"name": name, "value": value} for name, value in features.items()],
        }
        for key, features in entries
    ]
    request = {"featureView": NAME, "dataKeyAndFeatureValues": asked}
    return stream(sourceless.direct_write(sent(m.DirectWriteRequest.model_validate(request))))


def values(sourceless: FeatureViewService, key: str) -> dict[str, Any] | None:
    return run(fetching(sourceless, key, NAME, dataFormat="PROTO_STRUCT")).protoStruct


def test_what_is_written_is_served(sourceless: FeatureViewService) -> None:
    (answer,) = written(sourceless, ("ana", {"trips": TRIPS}), ("7", {"rating": RATING}))
    assert answer.status.code == 0
    assert values(sourceless, "ana") == {"trips": 9007199254740993, "rating": None}
    assert values(sourceless, "7") == {"trips": None, "rating": 4.0}


def test_an_empty_list_is_of_the_type_of_its_member(sourceless: FeatureViewService) -> None:
    assert written(sourceless, ("ana", {"tags": {"stringArrayValue": {"values": []}}}))[0].status.code == 0
    (wrong,) = written(sourceless, ("ana", {"tags": {"int64ArrayValue": {"values": ["1"]}}}))
    assert wrong.status.message.endswith('"tags" is STRING REPEATED: it takes stringArrayValue, not int64ArrayValue')


def test_a_key_that_is_refused_brings_no_feature(sourceless: FeatureViewService) -> None:
    wrong = {"trips": TRIPS, "rating": {}}
    future = {"later": {**TRIPS, "metadata": {"generateTime": "2027-01-01T00:00:00Z"}}}
    fine, refused = written(sourceless, ("ana", wrong), ("ben", {"trips": {"doubleValue": 1.5}}), ("cid", future))
    assert [writeresponse.dataKey.key for writeresponse in fine.writeResponses] == ["ben"]
    assert refused.status.message.startswith('dataKeyAndFeatureValues[0].features[1].value: "rating" has no value')
    assert values(sourceless, "ben") == {"trips": 1.5}


@pytest.mark.parametrize("name", ["", " "])
def test_a_feature_has_a_name(sourceless: FeatureViewService, name: str) -> None:
    (refused,) = written(sourceless, ("ana", {name: TRIPS}))
    assert "the feature has no name" in refused.status.message


def test_before_the_first_write_nothing_is_served(sourceless: FeatureViewService) -> None:
    error = refusal(fetching(sourceless, view=NAME))
    assert (error.status.name, error.reason) == ("FAILED_PRECONDITION", "never-synced")
    assert error.message == 'the view "direct" has no source, and nothing was written into it; write values directly'


def test_there_is_nothing_to_sync(sourceless: FeatureViewService) -> None:
    error = refusal(syncing(sourceless, NAME))
    assert error.status.name == "FAILED_PRECONDITION"
    assert "the view has no source, so there is nothing to sync" in error.message


def test_no_schedule_syncs_it(tmp_path: Path) -> None:
    made = service(
        tmp_path, {"kind": "FeatureView", "name": NAME, "syncConfig": {"cron": "0 13 * * *"}}, clock=FixedClock(NOON)
    )
    assert run(made.run_until(NOON + timedelta(days=2))) == []
