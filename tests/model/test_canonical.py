"""The canonical form of documents: what is converted, what is kept for a check to report, and what is left out."""

import math
from typing import Any

from tests.cases import each_of
from trialrun.model.canonical import MAX_MISFITS, CanonicalForm
from trialrun.model.channel_config import ChannelConfig, OfferMessage, UpsellConfig
from trialrun.model.companion import SessionSchema
from trialrun.model.feature_view import FeatureRegistrySource, FeatureView, IndexConfig, TreeAHConfig
from trialrun.model.menu import Menu, MenuItem
from trialrun.model.node import Node


@each_of(
    [
        (FeatureView, {"sync_config": {"cron": "x"}}, {"syncConfig": {"cron": "x"}}),
        (FeatureView, {"labels": {"b": "1", "a": ""}, "name": "n", "kind": "FeatureView"}, None),
        (FeatureView, {"syncConfig": None, "etag": "e"}, {"etag": "e"}),
        (FeatureView, {"serviceAgentType": 2}, {"serviceAgentType": "SERVICE_AGENT_TYPE_FEATURE_VIEW"}),
        (FeatureView, {"serviceAgentType": 0}, {}),
        (FeatureView, {"serviceAgentType": "SERVICE_AGENT_TYPE_UNSPECIFIED"}, {}),
        (IndexConfig, {"distanceMeasureType": 1}, {"distanceMeasureType": "SQUARED_L2_DISTANCE"}),
        (IndexConfig, {"bruteForceConfig": {}}, {"bruteForceConfig": {}}),
        (IndexConfig, {"embeddingDimension": "8"}, {"embeddingDimension": 8}),
        (IndexConfig, {"embeddingDimension": 8.0}, {"embeddingDimension": 8}),
        (TreeAHConfig, {"leafNodeEmbeddingCount": 1000}, {"leafNodeEmbeddingCount": "1000"}),
        (TreeAHConfig, {"leafNodeEmbeddingCount": "01000"}, {"leafNodeEmbeddingCount": "1000"}),
        (OfferMessage, {"messageFrequency": 1.0}, {"messageFrequency": 1}),
        (OfferMessage, {"messageFrequency": "0.5"}, {"messageFrequency": 0.5}),
        (MenuItem, {"price": 1e17}, {"price": 10**17}),
        (MenuItem, {"price": 1e18}, {"price": 1e18}),
        (SessionSchema, {"types": {"B": {"b": "int", "a": "int"}, "A": {}}}, None),
    ]
)
def test_what_readers_take_is_converted(model: type[Node], value: Any, canonical: Any) -> None:
    form = CanonicalForm(value, model)
    if canonical is None:
        assert form.value == value
    else:
        assert form.value == canonical
        assert [type(part) for part in form.value.values()] == [type(part) for part in canonical.values()]
    assert CanonicalForm(form.value, model).misfits == ()


def test_fields_are_in_the_order_of_the_model_after_kind_and_name() -> None:
    value = {
        "type": "UPSELL_STRATEGY",
        "operationsConfig": {},
        "displayName": "d",
        "name": "n",
        "kind": "ChannelConfig",
    }
    names = list(CanonicalForm(value, ChannelConfig).value)
    assert names == ["kind", "name", "displayName", "operationsConfig", "type"]
    assert list(CanonicalForm({"labels": {"b": "1", "a": "2"}}, FeatureView).value["labels"]) == ["a", "b"]


@each_of(
    [
        (IndexConfig, {"distanceMeasureType": "MANHATTAN"}),
        (IndexConfig, {"distanceMeasureType": 9}),
        (IndexConfig, {"embeddingDimension": 0}),
        (FeatureView, {"labels": {"a": "x" * 65}}),
    ]
)
def test_a_value_that_a_check_reports_is_kept(model: type[Node], value: Any) -> None:
    form = CanonicalForm(value, model)
    assert (form.value, len(form.misfits)) == (value, 1)


@each_of(
    [
        (FeatureView, {"labels": []}, {}),
        (FeatureView, {"labels": {"a": 1, "b": "2"}}, {"labels": {"b": "2"}}),
        (FeatureView, {"syncConfig": "daily"}, {}),
        (FeatureView, {"etag": 5}, {}),
        (FeatureView, {"unknown": 5}, {}),
        (FeatureView, {"syncConfig": {}, "sync_config": {"cron": "x"}}, {"syncConfig": {}}),
        (FeatureRegistrySource, {"featureGroups": {}}, {}),
        (UpsellConfig, {"priority": 10**41}, {}),
        (UpsellConfig, {"priority": 1.5}, {}),
        (UpsellConfig, {"disabled": "maybe"}, {}),
        (MenuItem, {"price": math.inf}, {}),
        (MenuItem, {"price": math.nan}, {}),
    ]
)
def test_a_value_that_no_field_takes_is_left_out(model: type[Node], value: Any, canonical: Any) -> None:
    form = CanonicalForm(value, model)
    assert (form.value, len(form.misfits), form.further_misfits) == (canonical, 1, 0)


def test_the_place_of_a_part_is_that_in_the_given_value() -> None:
    value = {"items": [5, {"name": "a", "modifier_groups": [1, "g"]}], "modifier_groups": [{"name": "g"}]}
    form = CanonicalForm(value, Menu)
    assert form.value == {"items": [{"name": "a", "modifierGroups": ["g"]}], "modifierGroups": [{"name": "g"}]}
    assert form.given_path(("items", 0, "name")) == ("items", 1, "name")
    assert form.given_path(("items", 0, "modifierGroups", 0)) == ("items", 1, "modifier_groups", 1)
    assert form.given_path(("modifierGroups", 0, "name")) == ("modifier_groups", 0, "name")
    assert form.given_path(("brand",)) == ("brand",)
    assert [misfit.path for misfit in form.misfits] == [("items", 0), ("items", 1, "modifier_groups", 0)]


def test_misfits_are_listed_up_to_a_limit() -> None:
    form = CanonicalForm({f"field{number}": 1 for number in range(MAX_MISFITS + 5)}, FeatureView)
    assert (len(form.misfits), form.further_misfits) == (MAX_MISFITS, 5)


@each_of(
    [
        ("2026-01-02T03:04:05.120+02:00", "2026-01-02T01:04:05.120Z"),
        ("2026-01-02T03:04:05.1200Z", "2026-01-02T03:04:05.120Z"),
        ("2026-01-02T03:04:05.120000001Z", "2026-01-02T03:04:05.120000001Z"),
        ("yesterday", "yesterday"),
    ]
)
def test_times_are_written_in_the_z_form(text: str, written: str) -> None:
    assert CanonicalForm({"createTime": text}, FeatureView).value == {"createTime": written}
