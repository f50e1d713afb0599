"""get, list and delete: what is there, what is missing, and what goes with a view."""

from __future__ import annotations

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
    deleting,
    fetching,
    getting,
    got,
    refusal,
    run,
    sent,
    service,
    stream,
    synced,
    syncing,
)
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.trial_run import StoreFolder
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m
from trialrun.service.iam import Binding, Policy
from trialrun.service.listing import ListRequest
from trialrun.values.resource_name import last_id


@pytest.fixture
def here(tmp_path: Path, clock: FixedClock) -> FeatureViewService:
    made = service(tmp_path, clock=clock)
    for id_ in ("drivers", "cars"):
        clock.advance(timedelta(minutes=1))
        create(made, id_)
    return made


def create(here: FeatureViewService, id_: str) -> None:
    created(here, {"warehouseSource": SOURCE, "labels": {"team": id_[0]}}, featureViewId=id_)


def listed(here: FeatureViewService, **request: Any) -> tuple[list[str], str]:
    answer: m.ListFeatureViewsResponse = run(here.list(ListRequest(**{"parent": SERVING, **request})))
    return [last_id(view.name or "") for view in answer.featureViews], answer.nextPageToken


def test_the_views_of_a_store_are_listed_by_id(here: FeatureViewService) -> None:
    assert listed(here) == (["cars", "drivers", "riders"], "")
    assert listed(here, parent=VECTORS) == (["menu"], "")


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
def test_a_list_is_filtered_and_ordered(here: FeatureViewService, request_: dict[str, str], names: list[str]) -> None:
    assert listed(here, **request_)[0] == names


def test_a_token_is_good_for_its_filter_only(here: FeatureViewService) -> None:
    _, token = listed(here, pageSize=1)
    error = refusal(here.list(ListRequest(parent=SERVING, pageToken=token, filter="labels:team")))
    assert (error.status.name, error.reason) == ("INVALID_ARGUMENT", "invalid-page-token")


def test_a_list_under_an_unknown_store_fails(here: FeatureViewService) -> None:
    error = refusal(here.list(ListRequest(parent=SERVING.replace("serving", "elsewhere"))))
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
def test_a_missing_view_is_told_with_what_is_missing(here: FeatureViewService, name: str, message: str) -> None:
    assert refusal(getting(here, name)).message == message


def test_views_of_a_store_that_nobody_declares_are_there_all_the_same(tmp_path: Path) -> None:
    name = RIDERS.replace("serving", "elsewhere")
    made = service(tmp_path, {"kind": "FeatureView", "name": name, "warehouseSource": SOURCE})
    assert got(made, name).name == name


def test_a_deleted_view_is_gone_with_its_values_and_its_policy(here: FeatureViewService) -> None:
    synced(here)
    policy = Policy(bindings=[Binding(role="roles/featureViews.viewer", members=["allUsers"])])
    run(here.set_iam_policy(m.SetIamPolicyRequest(resource=RIDERS, policy=policy)))
    run(deleting(here))
    assert refusal(getting(here)).status.name == "NOT_FOUND"
    create(here, "riders")
    assert refusal(fetching(here)).reason == "never-synced"
    assert run(here.get_iam_policy(m.GetIamPolicyRequest(resource=RIDERS))).bindings == []


def test_a_stale_etag_keeps_a_view_from_being_deleted(here: FeatureViewService) -> None:
    error = refusal(deleting(here, RIDERS, etag="old"))
    assert error.status.name == "ABORTED"
    assert got(here).name == RIDERS


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
