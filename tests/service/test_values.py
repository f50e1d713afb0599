"""fetchFeatureValues, streamingFetchFeatureValues and directWrite: values in and out, and keys that fail alone."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.service.service_fixture import RIDERS, catalog, fetching, refusal, run, sent, service, stream, synced
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.trial_run import StoreFolder, StoreLocations
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m
from trialrun.service.feature_view.entity_values import open_reader
from trialrun.service.feature_view.feature_value import DataKey


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> FeatureViewService:
    """A service with values, for tests that write none."""
    made = service(tmp_path_factory.mktemp("synced"))
    synced(made)
    return made


@pytest.fixture
def writable(tmp_path: Path, clock: FixedClock) -> FeatureViewService:
    """A service with values, for a test that writes more."""
    made = service(tmp_path, clock=clock)
    synced(made)
    return made


def fetched(here: FeatureViewService, key: object = "ana") -> m.FetchFeatureValuesResponse:
    return run(fetching(here, key))


def values(here: FeatureViewService, key: str = "ana") -> dict[str, Any] | None:
    return run(fetching(here, key, dataFormat="PROTO_STRUCT")).protoStruct


def entry(key: str, at: str | None = None, **features: dict[str, Any]) -> dict[str, Any]:
    """The values to write for a key: `trips={"int64Value": "1"}`."""
    metadata = {"metadata": {"generateTime": at}} if at else {}
    named = [{"name": name, "value": {**value, **metadata}} for name, value in features.items()]
    return {"dataKey": {"key": key}, "features": named}


def written(here: FeatureViewService, *entries: dict[str, Any], view: str = RIDERS) -> list[m.DirectWriteResponse]:
    request = {"featureView": view, "dataKeyAndFeatureValues": list(entries)}
    return stream(here.direct_write(sent(m.DirectWriteRequest.model_validate(request))))


TRIPS = {"int64Value": "99"}


def test_features_come_with_their_type_and_the_moment_of_the_entity(here: FeatureViewService) -> None:
    assert fetched(here).json_object() == {
        "dataKey": {"key": "ana"},
        "keyValues": {
            "features": [
                {"name": "trips", "value": {"int64Value": "12", "metadata": {"generateTime": "2026-03-01T08:00:00Z"}}},
                {"name": "rating", "value": {"doubleValue": 4.5, "metadata": {"generateTime": "2026-03-01T08:00:00Z"}}},
            ]
        },
    }


def test_null_is_a_feature_without_a_value(here: FeatureViewService) -> None:
    assert fetched(here, "ben").json_object()["keyValues"]["features"][1] == {"name": "rating"}


def test_a_composite_key_of_one_part_is_the_key(here: FeatureViewService) -> None:
    assert fetched(here, {"compositeKey": {"parts": ["ana"]}}) == fetched(here)


def test_a_missing_entity_is_told_with_its_view_and_the_near_id(here: FeatureViewService) -> None:
    error = refusal(fetching(here, "anna"))
    assert (error.status.name, error.reason) == ("NOT_FOUND", "unknown-entity")
    assert error.message == 'there is no entity "anna" in the view "riders"; did you mean "ana"?'


def test_a_key_of_too_many_parts_is_refused(here: FeatureViewService) -> None:
    error = refusal(fetching(here, {"compositeKey": {"parts": ["ana", "x"]}}))
    assert (error.status.name, error.reason) == ("INVALID_ARGUMENT", "invalid-entity-id")
    assert error.field_violations[0].field == "dataKey"


BOTH = {"key": "ana", "compositeKey": {"parts": ["ana"]}}


@pytest.mark.parametrize(("key", "seen"), [({}, "neither"), (BOTH, "both")])
def test_a_key_is_told_what_is_wrong_with_it(here: FeatureViewService, key: dict[str, Any], seen: str) -> None:
    with pytest.raises(ValueError, match=f"either key or compositeKey, and {seen}"):
        fetching(here, key)


def test_a_view_that_was_never_synced_is_told_as_such(tmp_path: Path) -> None:
    error = refusal(fetching(service(tmp_path)))
    assert (error.status.name, error.reason) == ("FAILED_PRECONDITION", "never-synced")


def streamed(here: FeatureViewService, *requests: tuple[str, list[str]]) -> list[dict[str, Any]]:
    made = [
        m.StreamingFetchFeatureValuesRequest(
            featureView=view, dataKeys=[DataKey(key=key) for key in keys], dataFormat="PROTO_STRUCT"
        )
        for view, keys in requests
    ]
    return [one.json_object() for one in stream(here.streaming_fetch_feature_values(sent(*made)))]


def test_a_stream_answers_the_good_keys_and_the_bad_ones_apart_and_stays_open(here: FeatureViewService) -> None:
    good, bad, last = streamed(here, (RIDERS, ["ben", "carl", "ana"]), (RIDERS, ["ana"]))
    assert [one["protoStruct"]["trips"] for one in good["data"]] == [7, 12]
    assert (bad["dataKeysWithError"], bad["status"]["code"]) == ([{"key": "carl"}], 5)
    assert bad["status"]["message"].startswith('there is no entity "carl" in the view "riders"')
    assert len(last["data"]) == 1


def test_half_of_a_surrogate_pair_is_no_key_and_leaves_the_others_alone(here: FeatureViewService) -> None:
    assert refusal(fetching(here, "\ud800")).reason == "invalid-entity-id"
    good, bad = streamed(here, (RIDERS, ["ana", "\ud800"]))
    assert (len(good["data"]), bad["status"]["code"]) == (1, 3)


def test_near_ids_are_looked_for_once_however_many_are_missing(tmp_path: Path, clock: FixedClock) -> None:
    class Counted(SqliteStore):
        """A store that counts how often its rows are looked through."""

        scans = 0

        def scan(self, view: str, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
            self.scans += 1
            return super().scan(view, features)

    class Place(StoreLocations):
        """Keeps everything in one store."""

        store = Counted(":memory:")

        def store_of(self, view: str) -> Counted:
            return self.store

    here = FeatureViewService(catalog(tmp_path), Place(), clock=clock)
    synced(here)
    (bad,) = streamed(here, (RIDERS, ["anna", "bent", "beni"]))
    message = 'there is no entity "anna" in the view "riders"; did you mean "ana"? (and 2 more)'
    assert (bad["status"]["message"], Place.store.scans) == (message, 1)


def test_values_of_another_layout_are_told_by_it(tmp_path: Path, clock: FixedClock) -> None:
    places = StoreFolder(tmp_path)
    here = FeatureViewService(catalog(tmp_path), places, clock=clock)
    synced(here)
    before = open_reader(RIDERS, places.store_of(RIDERS))
    (tmp_path / "riders.json").write_text('{"rider_id": "ana", "trips": "many"}\n', encoding="utf-8")
    synced(here)
    (answer,) = before.fetch([DataKey(key="ana")], "PROTO_STRUCT")
    assert isinstance(answer, m.FetchFeatureValuesResponse)
    assert answer.protoStruct == {"trips": "many"}


def test_a_stream_survives_a_view_that_there_is_not(here: FeatureViewService) -> None:
    lost, found = streamed(here, (RIDERS + "x", ["ana"]), (RIDERS, ["ana"]))
    assert (lost["status"]["code"], lost["dataKeysWithError"]) == (5, [{"key": "ana"}])
    assert len(found["data"]) == 1


def test_a_value_that_is_written_is_served(writable: FeatureViewService) -> None:
    (answer,) = written(writable, entry("ana", trips=TRIPS), entry("new", rating={"doubleValue": "NaN"}))
    assert [writeresponse.json_object() for writeresponse in answer.writeResponses] == [
        {"dataKey": {"key": "ana"}, "onlineStoreWriteTime": "2026-03-01T12:00:00Z", "superseded": []},
        {"dataKey": {"key": "new"}, "onlineStoreWriteTime": "2026-03-01T12:00:00Z", "superseded": []},
    ]
    assert (values(writable), values(writable, "new")) == (
        {"trips": 99, "rating": 4.5},
        {"trips": None, "rating": "NaN"},
    )


def test_a_value_that_is_older_than_what_is_served_is_superseded(here: FeatureViewService) -> None:
    (answer,) = written(here, entry("ana", "2026-03-01T07:00:00Z", trips=TRIPS))
    assert answer.writeResponses[0].superseded == ["trips"]
    assert values(here) == {"trips": 12, "rating": 4.5}


def test_good_keys_are_written_and_bad_ones_told_apart(writable: FeatureViewService) -> None:
    bad_feature, bad_type = entry("ben", trip=TRIPS), entry("cy", trips={"doubleValue": 1.0})
    good, bad = written(writable, bad_feature, entry("ana", trips=TRIPS), bad_type)
    assert [writeresponse.dataKey.key for writeresponse in good.writeResponses] == ["ana"]
    assert [writeresponse.dataKey.key for writeresponse in bad.writeResponses] == ["ben", "cy"]
    assert bad.status.code == 3
    assert bad.status.message == (
        'dataKeyAndFeatureValues[0].features[0].name: the view serves no feature "trip"; did you mean "trips"?'
        " (and 1 more)"
    )
    assert values(writable) == {"trips": 99, "rating": 4.5}


def test_a_value_of_the_future_leaves_the_other_keys_alone(writable: FeatureViewService) -> None:
    early = entry("ben", "2026-03-01T12:00:01Z", trips=TRIPS)
    good, bad = written(writable, entry("ana", trips=TRIPS), early, entry("cy", trips=TRIPS))
    assert [writeresponse.dataKey.key for writeresponse in good.writeResponses] == ["ana", "cy"]
    assert [writeresponse.dataKey.key for writeresponse in bad.writeResponses] == ["ben"]
    assert "is in the future" in bad.status.message
    assert (values(writable), values(writable, "ben")) == ({"trips": 99, "rating": 4.5}, {"trips": 7, "rating": None})


def test_a_key_is_written_wholly_or_not_at_all(here: FeatureViewService) -> None:
    written(here, entry("ana", trips=TRIPS, rating={"stringValue": "good"}))
    assert values(here) == {"trips": 12, "rating": 4.5}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (entry("ana"), "no features; give the values to write"),
        (entry("ana", trips={}), '"trips" is INT64: it takes int64Value, and null cannot be written'),
        (entry("ana", trips={"stringValue": "1"}), '"trips" is INT64: it takes int64Value, not stringValue'),
        ({"dataKey": {"compositeKey": {"parts": []}}, "features": []}, "the entity id has 0 parts"),
    ],
)
def test_what_cannot_be_written(here: FeatureViewService, given: dict[str, Any], message: str) -> None:
    (answer,) = written(here, given)
    assert message in answer.status.message and answer.status.code == 3


def test_a_write_to_a_view_that_there_is_not_is_told_in_the_stream(here: FeatureViewService) -> None:
    (answer,) = written(here, entry("ana", trips=TRIPS), view=RIDERS + "x")
    assert (answer.status.code, answer.writeResponses[0].onlineStoreWriteTime) == (5, None)


def test_a_write_before_the_first_sync_is_told_in_the_stream(tmp_path: Path) -> None:
    (answer,) = written(service(tmp_path), entry("ana", trips=TRIPS))
    assert answer.status.code == 9
