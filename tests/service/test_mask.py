"""Field masks: what an update changes, clears and leaves as it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import each_of
from trialrun.model.feature_view import FeatureView
from trialrun.service.error import ServiceError
from trialrun.service.mask import apply_mask, parse_mask

CURRENT = {
    "labels": {"team": "search", "tier": "gold"},
    "syncConfig": {"cron": "0 4 * * *"},
    "warehouseSource": {"uri": "bq://a", "entityIdColumns": ["id"]},
    "indexConfig": {"embeddingColumn": "vector", "treeAhConfig": {"leafNodeEmbeddingCount": "500"}},
}


def after(given: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    return apply_mask(CURRENT, given, parse_mask(text, given, FeatureView), FeatureView)


def changed(given: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    """What differs after the update, None for what is gone."""
    result = after(given, text)
    return {name: result.get(name) for name in {*CURRENT, *result} if result.get(name) != CURRENT.get(name)}


def test_only_what_the_mask_names_changes() -> None:
    given = {"labels": {"team": "ads"}, "syncConfig": {"cron": "0 5 * * *"}}
    assert changed(given, "labels") == {"labels": {"team": "ads"}}


def test_a_mask_takes_snake_case_and_so_does_the_request() -> None:
    assert changed({"sync_config": {"cron": "0 5 * * *"}}, "sync_config.cron") == {"syncConfig": {"cron": "0 5 * * *"}}


def test_a_nested_field_leaves_its_siblings() -> None:
    uri = {"warehouseSource": {"uri": "bq://b"}}
    assert changed(uri, "warehouseSource.uri") == {"warehouseSource": {"uri": "bq://b", "entityIdColumns": ["id"]}}


def test_a_message_that_the_mask_names_is_replaced_whole() -> None:
    assert changed({"indexConfig": {"embeddingColumn": "v"}}, "indexConfig") == {
        "indexConfig": {"embeddingColumn": "v"}
    }


def test_what_the_mask_names_and_the_request_lacks_is_cleared() -> None:
    assert changed({}, "labels,warehouseSource.uri") == {
        "labels": None,
        "warehouseSource": {"entityIdColumns": ["id"]},
    }


def test_clearing_what_is_not_there_changes_nothing() -> None:
    assert changed({}, "optimizedConfig.automaticResources.minReplicaCount") == {}


def test_a_label_can_be_named_by_its_key() -> None:
    given = {"labels": {"team": "ads", "a.b": "x"}}
    assert changed(given, "labels.team,labels.`a.b`") == {"labels": {"team": "ads", "tier": "gold", "a.b": "x"}}


def test_without_a_mask_the_fields_that_are_set_change_one_by_one() -> None:
    given = {"indexConfig": {"filterColumns": ["city"]}, "labels": {"team": "ads"}, "optimizedConfig": None}
    assert changed(given) == {
        "indexConfig": {**CURRENT["indexConfig"], "filterColumns": ["city"]},
        "labels": {"team": "ads"},
    }


def test_without_a_mask_a_message_without_fields_leaves_those_that_there_are() -> None:
    assert changed({"syncConfig": {}, "indexConfig": {"treeAhConfig": {}}, "optimizedConfig": {}}) == {
        "optimizedConfig": {}
    }


def test_without_a_mask_a_message_without_fields_is_set_all_the_same() -> None:
    given = {"indexConfig": {"bruteForceConfig": {}}}
    assert after(given)["indexConfig"] == {"embeddingColumn": "vector", "bruteForceConfig": {}}


@pytest.mark.parametrize("text", [None, "syncConfig.cron"])
def test_a_field_in_two_spellings_is_refused(text: str | None) -> None:
    given = {"sync_config": {"cron": "0 5 * * *"}, "syncConfig": {"cron": "0 6 * * *"}}
    with pytest.raises(ServiceError, match='"syncConfig" is another spelling of "sync_config"'):
        after(given, text)


def test_a_star_replaces_everything() -> None:
    assert after({"name": "n", "etag": "e", "labels": {}, "createTime": "t"}, "*") == {"labels": {}}


def test_a_member_of_a_union_takes_the_place_of_the_others() -> None:
    given = {"ragSource": {"uri": "bq://r"}, "syncConfig": {"continuous": True}}
    assert changed(given) == {
        "ragSource": {"uri": "bq://r"},
        "warehouseSource": None,
        "syncConfig": {"continuous": True},
    }


def test_two_members_of_one_request_both_stay_for_the_linter_to_refuse() -> None:
    given = {"indexConfig": {"bruteForceConfig": {}, "treeAhConfig": {}}}
    assert after(given)["indexConfig"] == {"embeddingColumn": "vector", "bruteForceConfig": {}, "treeAhConfig": {}}


def test_what_only_the_service_sets_is_left_out_and_told() -> None:
    found = parse_mask("updateTime,kvStoreMetadata.readAppProfile,name,etag,labels", {}, FeatureView)
    assert (found.paths, found.ignored[:2]) == ((("labels",),), ("updateTime", "kvStoreMetadata.readAppProfile"))


def test_without_a_mask_too_what_only_the_service_sets_is_left_out() -> None:
    assert changed({"updateTime": "2026-01-01T00:00:00Z", "name": "n", "satisfiesPzs": True}) == {}


@each_of(
    [
        ("label", 'FeatureView has no field "label"; did you mean "labels"?'),
        ("syncConfig.crn", 'SyncConfig has no field "crn"; did you mean "cron"?'),
        ("source", '"source" is a union; name one of its members: warehouseSource, featureRegistrySource, ragSource'),
        ("etag.x", '"etag" has no fields that a mask can name'),
        ("featureRegistrySource.featureGroups.featureIds", '"featureGroups" has no fields that a mask can name'),
        ("labels.a.b", '"a" has no fields that a mask can name'),
        (".labels", "write fields with dots between them"),
        ("labels.`a", "write fields with dots between them"),
        ("labels..a", "write fields with dots between them"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(text: str, message: str) -> None:
    with pytest.raises(ServiceError) as told:
        parse_mask(text, {}, FeatureView)
    assert told.value.message.startswith(f'updateMask: "{text}": {message}')
