"""A view without a source: it is created, written to and fetched from; there is nothing to sync and no index."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.service.service_fixture import NOON, SERVING, run, sent, service, stream
from trialrun.runtime.clock import FixedClock
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view.messages import (
    CreateFeatureViewRequest,
    DirectWriteRequest,
    DirectWriteResponse,
    FetchFeatureValuesRequest,
    SyncFeatureViewRequest,
)

NAME = f"{SERVING}/featureViews/direct"
TRIPS, RATING = {"int64Value": "9007199254740993"}, {"doubleValue": 4.0}


@pytest.fixture
def here(tmp_path: Path) -> FeatureViewService:
    made = service(tmp_path)
    view: dict[str, Any] = {"labels": {"team": "search"}, "syncConfig": {"cron": "0 13 * * *"}}
    answer = run(made.create(CreateFeatureViewRequest(parent=SERVING, featureViewId="direct", featureView=view)))
    assert [warning.rule for warning in answer.warnings] == ["sync-without-source"]
    return made


def written(here: FeatureViewService, *entries: tuple[object, dict[str, Any]]) -> list[DirectWriteResponse]:
    asked = [
        {
            "dataKey": {"key": key} if isinstance(key, str) else {"compositeKey": {"parts": key}},
            "features": [{"name": name, "value": value} for name, value in features.items()],
        }
        for key, features in entries
    ]
    request = {"featureView": NAME, "dataKeyAndFeatureValues": asked}
    return stream(here.direct_write(sent(DirectWriteRequest.model_validate(request))))


def values(here: FeatureViewService, key: str) -> dict[str, Any] | None:
    request = {"featureView": NAME, "dataKey": {"key": key}, "dataFormat": "PROTO_STRUCT"}
    return run(here.fetch_feature_values(FetchFeatureValuesRequest.model_validate(request))).protoStruct


def refusal(operation: Any) -> ServiceError:
    with pytest.raises(ServiceError) as told:
        run(operation)
    return told.value


def test_what_is_written_is_served(here: FeatureViewService) -> None:
    (answer,) = written(here, ("ana", {"trips": TRIPS}), ("7", {"rating": RATING}))
    assert answer.status.code == 0
    assert values(here, "ana") == {"trips": 9007199254740993, "rating": None}
    assert values(here, "7") == {"trips": None, "rating": 4.0}


def test_an_empty_list_is_of_the_type_of_its_member(here: FeatureViewService) -> None:
    assert written(here, ("ana", {"tags": {"stringArrayValue": {"values": []}}}))[0].status.code == 0
    (wrong,) = written(here, ("ana", {"tags": {"int64ArrayValue": {"values": ["1"]}}}))
    assert wrong.status.message.endswith('"tags" is STRING REPEATED: it takes stringArrayValue, not int64ArrayValue')


def test_a_key_that_is_refused_brings_no_feature(here: FeatureViewService) -> None:
    wrong = {"trips": TRIPS, "rating": {}}
    future = {"later": {**TRIPS, "metadata": {"generateTime": "2027-01-01T00:00:00Z"}}}
    fine, refused = written(here, ("ana", wrong), ("ben", {"trips": {"doubleValue": 1.5}}), ("cid", future))
    assert [writeresponse.dataKey.key for writeresponse in fine.writeResponses] == ["ben"]
    assert refused.status.message.startswith('dataKeyAndFeatureValues[0].features[1].value: "rating" has no value')
    assert values(here, "ben") == {"trips": 1.5}


def test_the_first_key_says_how_many_parts_an_id_has(here: FeatureViewService) -> None:
    fine, refused = written(here, (["ana", "us"], {"trips": TRIPS}), ("ben", {"trips": TRIPS}))
    assert len(fine.writeResponses) == 1
    assert "write one for each of its columns: entity_id_1, entity_id_2" in refused.status.message


@pytest.mark.parametrize("name", ["", " "])
def test_a_feature_has_a_name(here: FeatureViewService, name: str) -> None:
    (refused,) = written(here, ("ana", {name: TRIPS}))
    assert "the feature has no name" in refused.status.message


def test_before_the_first_write_nothing_is_served(here: FeatureViewService) -> None:
    request = FetchFeatureValuesRequest.model_validate({"featureView": NAME, "dataKey": {"key": "ana"}})
    error = refusal(here.fetch_feature_values(request))
    assert (error.status.name, error.reason) == ("FAILED_PRECONDITION", "never-synced")
    assert error.message == 'the view "direct" has no source, and nothing was written into it; write values directly'


def test_there_is_nothing_to_sync(here: FeatureViewService) -> None:
    error = refusal(here.sync(SyncFeatureViewRequest(featureView=NAME)))
    assert error.status.name == "FAILED_PRECONDITION"
    assert "the view has no source, so there is nothing to sync" in error.message


def test_no_schedule_syncs_it(tmp_path: Path) -> None:
    made = service(
        tmp_path,
        {"kind": "FeatureView", "name": NAME, "syncConfig": {"cron": "0 13 * * *"}},
        clock=FixedClock(NOON),
    )
    assert run(made.run_until(NOON + timedelta(days=2))) == []
