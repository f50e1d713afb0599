"""What is wrong with a value, misfit by misfit, and the forms in which a field takes its value."""

from typing import Any

import pytest

from tests.cases import each_of
from trialrun.diagnostic import SymbolicLocation, json_pointer
from trialrun.model.channel_config import (
    CelUpsell,
    ChannelConfig,
    FeaturesConfig,
    OfferMessage,
    UpsellConfig,
    UpsellStrategy,
)
from trialrun.model.companion import Brand, FeatureGroupTable
from trialrun.model.feature_view import AutomaticResources, FeatureView, IndexConfig, RagSource, SyncConfig
from trialrun.model.feature_view import WarehouseSource as Warehouse
from trialrun.model.misfit import MISFITS, Misfit, NullValue
from trialrun.model.node import INT64_MAX, INT64_MIN, Node
from trialrun.model.scenario import ExpectedEntity, Scenario
from trialrun.model.validate import validate

OFFER = {"messages": [{"messageConfigs": [{"languageCode": "en", "messageText": "Fries?"}]}]}
CEL = {"conditionExpression": "true", "suggestedMenuItems": ["Fries"]}


def describe_misfits(value: Any, model: type[Node]) -> list[str]:
    return [f"{misfit.rule} {json_pointer(misfit.path)}" for misfit in validate(value, model).misfits]


@each_of(
    [
        (FeatureView, {}, []),
        (FeatureView, {"kind": "FeatureView"}, []),
        (SyncConfig, {"cronn": "x"}, ["unknown-field /cronn"]),
        (SyncConfig, {"kind": "x"}, ["unknown-field /kind"]),
        (ChannelConfig, {"type": "UPSELL_STRATEGY", "configApplicationRules": [{"any": [None]}]}, []),
        (Scenario, {"name": "n", "steps": [{"sync": {"view": "v"}}]}, []),
        (Scenario, {"name": "n", "steps": [{"sync": {"vew": "v"}}]}, ["unknown-field /steps/0/sync/vew"]),
        (ExpectedEntity, {"id": 7, "values": {"a": None, "b": [1]}}, []),
        (ExpectedEntity, {"id": ["7", 7]}, []),
        (ExpectedEntity, {"id": [True]}, ["wrong-type /id"]),
        (ExpectedEntity, {"id": [], "values": {"a": None}}, ["missing-field /id"]),
        (AutomaticResources, {"scaleDown": 1}, ["unknown-field /scaleDown"]),
        (SyncConfig, [], ["wrong-type "]),
        (SyncConfig, None, ["wrong-type "]),
        (SyncConfig, {"cron": 5}, ["wrong-type /cron"]),
        (SyncConfig, {"continuous": "true"}, ["wrong-type /continuous"]),
        (Warehouse, {"uri": "u", "entityIdColumns": "id"}, ["wrong-type /entityIdColumns"]),
        (Warehouse, {"uri": "u", "entityIdColumns": ["id", None]}, ["wrong-type /entityIdColumns/1"]),
        (FeatureView, {"labels": {"a": 1, "b": None}}, ["wrong-type /labels/a", "wrong-type /labels/b"]),
        (FeatureView, {"labels": ["a"]}, ["wrong-type /labels"]),
        (FeatureView, {"syncConfig": [{"cron": 1}]}, ["wrong-type /syncConfig", "wrong-type /syncConfig/0/cron"]),
        (FeatureView, {"syncConfig": [1, 2]}, ["wrong-type /syncConfig"]),
        (Brand, {"stores": {"name": "a", "tags": 1}}, ["wrong-type /stores", "wrong-type /stores/tags"]),
        (Brand, {"stores": {"harbour": {"tags": 1}}}, ["wrong-type /stores"]),
        (RagSource, {"uri": "u", "ragCorpusId": ""}, ["wrong-type /ragCorpusId"]),
        (RagSource, {"uri": "u", "ragCorpusId": "9223372036854775808"}, ["wrong-type /ragCorpusId"]),
        (Warehouse, {}, ["missing-field ", "missing-field "]),
        (Warehouse, {"uri": "", "entityIdColumns": []}, ["missing-field /uri", "missing-field /entityIdColumns"]),
        (Warehouse, {"uri": None, "entityIdColumns": ["id"]}, ["missing-field /uri"]),
        (Warehouse, {"urri": "u", "entityIdColumns": ["id"]}, ["unknown-field /urri"]),
        (Warehouse, {"uri": 5, "entityIdColumns": ["id"]}, ["wrong-type /uri"]),
        (ChannelConfig, {"type": "Upsell"}, ["unknown-enum-value /type"]),
        (ChannelConfig, {"type": 7}, ["unknown-enum-value /type"]),
        (ChannelConfig, {"type": True}, ["wrong-type /type"]),
        (ChannelConfig, {"type": "TYPE_UNSPECIFIED"}, ["unspecified-enum-value /type"]),
        (ChannelConfig, {"type": 0}, ["unspecified-enum-value /type"]),
        (FeatureView, {"serviceAgentType": 0}, ["unspecified-enum-value /serviceAgentType"]),
        (FeaturesConfig, {"orderPickup": None}, ["null-value /orderPickup"]),
        (FeatureView, {"name": None, "labels": None}, ["null-value /name", "null-value /labels"]),
        (OfferMessage, {"messageFrequency": 1.5, **OFFER["messages"][0]}, ["out-of-range /messageFrequency"]),
        (OfferMessage, {"messageFrequency": "NaN", **OFFER["messages"][0]}, ["out-of-range /messageFrequency"]),
        (AutomaticResources, {"minReplicaCount": 0, "maxReplicaCount": 1000}, ["out-of-range /minReplicaCount"]),
        (RagSource, {"uri": "u", "ragCorpusId": "0"}, ["out-of-range /ragCorpusId"]),
        (IndexConfig, {"embeddingDimension": 10**400}, ["wrong-type /embeddingDimension"]),
        (IndexConfig, {"embeddingDimension": 2**31}, []),
        (UpsellConfig, {"priority": 10**400, "celUpsell": CEL}, ["wrong-type /priority"]),
        (FeatureView, {"labels": {"k" * 65: "v" * 65}}, [f"too-long /labels/{'k' * 65}"] * 2),
        (ChannelConfig, {"type": "UPSELL_STRATEGY", "displayName": "é" * 64}, ["too-long /displayName"]),
        (FeatureView, {"sync_config": {}}, ["non-canonical-form /sync_config"]),
        (FeatureView, {"rag_source": None, "ragSource": None}, [
            "non-canonical-form /rag_source", "null-value /rag_source", "duplicate-key /ragSource",
        ]),
        (SyncConfig, {"cron": "x", "continuous": False}, ["union-conflict /continuous"]),
        (SyncConfig, {"continuous": True, "cron": "x"}, ["union-conflict /cron"]),
        (SyncConfig, {"cron": None, "continuous": True}, ["null-value /cron"]),
        (IndexConfig, {"bruteForceConfig": {}, "tree_ah_config": {}}, [
            "non-canonical-form /tree_ah_config", "union-conflict /tree_ah_config",
        ]),
        (UpsellConfig, {"priority": 1, "celUpsell": CEL, "closingOffer": 1, "greetingOffer": OFFER}, [
            "wrong-type /closingOffer", "union-conflict /closingOffer", "union-conflict /greetingOffer",
        ]),
        (FeatureView, {"vectorSearchConfig": {}, "indexConfig": {}}, ["union-conflict /indexConfig"]),
    ],
)  # fmt: skip
def test_every_misfit_is_reported_at_its_place(model: type[Node], value: Any, misfits: list[str]) -> None:
    assert describe_misfits(value, model) == misfits


def test_every_kind_of_misfit_has_its_rule() -> None:
    assert len({misfit.rule for misfit in MISFITS}) == len(MISFITS)


@each_of(
    [
        (RagSource, "ragCorpusId", "1000", 1000, []),
        (RagSource, "ragCorpusId", 1000, 1000, ["non-canonical-form"]),
        (RagSource, "ragCorpusId", 1000.0, 1000, ["non-canonical-form"]),
        (RagSource, "ragCorpusId", "1e3", 1000, ["non-canonical-form"]),
        (RagSource, "ragCorpusId", "007", 7, ["non-canonical-form"]),
        (RagSource, "ragCorpusId", 1.5, None, ["wrong-type"]),
        (RagSource, "ragCorpusId", " 10", None, ["wrong-type"]),
        (RagSource, "ragCorpusId", True, None, ["wrong-type"]),
        (AutomaticResources, "minReplicaCount", 2, 2, []),
        (AutomaticResources, "minReplicaCount", "2", 2, ["non-canonical-form"]),
        (AutomaticResources, "minReplicaCount", 2.0, 2, ["non-canonical-form"]),
        (AutomaticResources, "minReplicaCount", 2.5, None, ["wrong-type"]),
        (AutomaticResources, "minReplicaCount", True, None, ["wrong-type"]),
        (AutomaticResources, "minReplicaCount", "two", None, ["wrong-type"]),
        (AutomaticResources, "minReplicaCount", [2], None, ["wrong-type"]),
        (OfferMessage, "messageFrequency", 0.25, 0.25, []),
        (OfferMessage, "messageFrequency", 1, 1.0, []),
        (OfferMessage, "messageFrequency", "0.25", 0.25, ["non-canonical-form"]),
        (OfferMessage, "messageFrequency", "25%", None, ["wrong-type"]),
        (OfferMessage, "messageFrequency", float("nan"), None, ["out-of-range"]),
        (OfferMessage, "messageFrequency", False, None, ["wrong-type"]),
        (SyncConfig, "continuous", True, True, []),
        (SyncConfig, "continuous", 1, None, ["wrong-type"]),
        (SyncConfig, "continuous", "yes", None, ["wrong-type"]),
        (SyncConfig, "cron", "", "", []),
        (SyncConfig, "cron", 5.0, None, ["wrong-type"]),
        (ChannelConfig, "tone", "FRIENDLY", "FRIENDLY", []),
        (ChannelConfig, "tone", 3, "FRIENDLY", ["non-canonical-form"]),
        (ChannelConfig, "tone", 3.0, None, ["wrong-type"]),
        (ChannelConfig, "tone", "friendly", None, ["unknown-enum-value"]),
        (FeatureGroupTable, "dense", "false", None, ["wrong-type"]),
        (Brand, "defaults", ["a", 1, "b"], ["a", "b"], ["wrong-type"]),
        (FeatureView, "labels", {"a": "1", "b": 2}, {"a": "1"}, ["wrong-type"]),
    ]
)
def test_a_field_takes_the_forms_of_protojson(
    model: type[Node], name: str, written: Any, taken: Any, rules: list[str]
) -> None:
    fitted = validate({name: written}, model)
    found = [misfit.rule for misfit in fitted.misfits if misfit.rule != "missing-field"]
    assert (getattr(fitted.node, name), found) == (taken, rules)


def only(value: Any, model: type[Node]) -> Any:
    (misfit,) = validate(value, model).misfits
    return misfit


@each_of(
    [("true", True, True), ("False", False, True), ("yes", True, False), (0, False, False), ("maybe", None, False)]
)
def test_a_boolean_in_other_words_is_plain(value: Any, meant: bool | None, lossless: bool) -> None:
    misfit = only({"continuous": value}, SyncConfig)
    assert (misfit.converted, misfit.is_lossless) == (meant, lossless)


@each_of([("id", True), ("", False), (5, False), ({"a": 1}, False)])
def test_what_would_be_right_as_an_item_can_be_wrapped(value: Any, wrap: bool) -> None:
    misfits: list[Misfit] = validate({"filterColumns": value}, IndexConfig).misfits
    assert [getattr(misfit, "fits_as_item", None) for misfit in misfits] == [wrap]


def test_a_mapping_of_known_fields_can_be_wrapped_and_keeps_its_findings() -> None:
    first, second = validate({"stores": {"name": "harbour", "tags": "coast"}}, Brand).misfits
    assert (getattr(first, "fits_as_item", None), second.path) == (True, ("stores", "tags"))


@pytest.mark.parametrize("value", [{"orderPickup": None}, {"getOrderPrices": None}])
def test_null_for_a_message_without_fields_was_probably_meant_to_turn_it_on(value: Any) -> None:
    assert only(value, FeaturesConfig).empty_message


@pytest.mark.parametrize(
    ("model", "name", "answer"), [(IndexConfig, "treeAhConfig", True), (FeatureView, "syncConfig", False)]
)
def test_null_for_another_message_says_something_only_in_a_union(model: type[Node], name: str, answer: bool) -> None:
    assert only({name: None}, model).empty_message is answer


@each_of([({"cron": "x"}, True), ({"cron": 5}, True), ({"cronn": "x"}, True), ({"cron": None}, False), ({}, False)])
def test_a_refused_or_misspelt_field_counts_as_present_and_null_does_not(value: Any, present: bool) -> None:
    assert validate(value, SyncConfig).node.has("cron") is present


def test_equal_texts_and_sets_of_fields_become_one_object() -> None:
    stores = [{"name": f"{number}", "tags": ["".join(("dri", "ve")), 7], "timeZon": "UTC"} for number in range(2)]
    validated = validate({"name": "b", "stores": stores}, Brand)
    before = validated.node.model_dump()
    validated.share_equal_parts()
    first, second = validated.node.stores  # type: ignore[attr-defined]
    assert first.tags[0] is second.tags[0]
    assert first.model_fields_set is second.model_fields_set
    assert validated.node.model_dump() == before


def test_a_misspelt_member_is_no_second_member_of_a_union() -> None:
    assert describe_misfits({"priority": 1, "celUpsell": CEL, "greetingOfer": OFFER}, UpsellConfig) == [
        "unknown-field /greetingOfer"
    ]


def test_places_lead_back_to_the_words_and_indexes_of_the_file() -> None:
    fitted = validate({"sync_config": {"cron": "x"}}, FeatureView, root=(0,))
    assert fitted.path(SymbolicLocation(fitted.node, ("syncConfig", "cron"))) == (0, "sync_config", "cron")
    assert fitted.path(SymbolicLocation(fitted.node.syncConfig, ("cron",))) == (0, "sync_config", "cron")  # type: ignore[attr-defined]


def test_an_item_that_was_set_aside_does_not_move_the_others() -> None:
    fitted = validate({"stores": [7, {"name": "harbour", "tags": [1, "coast"]}]}, Brand)
    store = fitted.node.stores[0]  # type: ignore[attr-defined]
    assert fitted.path(SymbolicLocation(store, ("tags", 0))) == ("stores", 1, "tags", 1)


def test_the_members_of_a_union_clash_in_the_order_of_the_file() -> None:
    value = {"rag_source": {"uri": "u"}, "warehouseSource": {"uri": "u", "entityIdColumns": ["id"]}}
    conflict = validate(value, FeatureView).misfits[-1]
    assert (conflict.name, conflict.first_path, conflict.union) == ("warehouseSource", ("rag_source",), "source")  # type: ignore[attr-defined]


def test_the_condition_of_a_rule_in_the_wrong_message_is_reported_once() -> None:
    value = {"priority": 1, "conditionExpression": "true", "celUpsell": {"suggestedMenuItems": ["Fries"]}}
    assert describe_misfits(value, UpsellConfig) == ["unknown-field /conditionExpression"]


def test_fields_of_one_model_are_the_same_the_fast_and_the_slow_way() -> None:
    fast, slow = validate(CEL, CelUpsell), validate(CEL | {"priorty": 1}, CelUpsell)
    assert fast.node.model_dump() == slow.node.model_dump()


def test_what_is_not_shown_is_kept_as_it_stands() -> None:
    rules = [{"name": None, "further": [1]}]
    fitted = validate({"type": 1, "configApplicationRules": rules}, ChannelConfig)
    assert fitted.node.configApplicationRules == rules  # type: ignore[attr-defined]


def test_a_field_that_belongs_one_level_deeper_stands_for_the_message_there() -> None:
    fitted = validate({"priority": 1, "conditionExpression": "true"}, UpsellConfig)
    assert fitted.node.members("upsell_type_config") == ["celUpsell"]


FIELDS: list[tuple[type[Node], str]] = [
    (UpsellConfig, "priority"),
    (CelUpsell, "priority"),
    (UpsellStrategy, "maxItemsInCart"),
    (RagSource, "ragCorpusId"),
]
TOO_LARGE = [2**63, str(2**63), f"{2**63}.0", float(2**63), "1e19", 1e19, 10**30, str(10**30)]


@each_of([(model, field, value) for model, field in FIELDS for value in TOO_LARGE])
def test_an_integer_beyond_64_bits_is_refused_in_every_spelling(
    model: type[Node], field: str, value: int | float | str
) -> None:
    fitted = validate({field: value}, model)
    assert getattr(fitted.node, field) is None
    assert [type(misfit).__name__ for misfit in fitted.misfits if misfit.path == (field,)] == ["WrongType"]


@each_of([(model, field, value) for model, field in FIELDS for value in [INT64_MAX, str(INT64_MAX)]])
def test_the_largest_integer_of_64_bits_is_taken(model: type[Node], field: str, value: int | str) -> None:
    assert getattr(validate({field: value}, model).node, field) == INT64_MAX


def test_the_least_integer_of_64_bits_is_taken() -> None:
    assert validate({"priority": INT64_MIN}, CelUpsell).node.priority == INT64_MIN
    assert validate({"priority": INT64_MIN - 1}, CelUpsell).node.priority is None


INDEX: dict[str, Any] = {"embeddingColumn": "vector"}


def fillable(value: dict[str, Any], model: type[Node]) -> list[str]:
    """The keys whose null may become an empty message."""
    misfits = validate(value, model).misfits
    return [str(misfit.path[-1]) for misfit in misfits if isinstance(misfit, NullValue) and misfit.empty_message]


@each_of(
    [
        ({**INDEX, "bruteForceConfig": None}, ["bruteForceConfig"]),
        ({**INDEX, "bruteForceConfig": None, "treeAhConfig": {}}, []),
        ({**INDEX, "treeAhConfig": {}, "bruteForceConfig": None}, []),
        ({**INDEX, "bruteForceConfig": None, "treeAhConfig": None}, ["bruteForceConfig"]),
        ({**INDEX, "brute_force_config": None, "tree_ah_config": None}, ["brute_force_config"]),
    ]
)
def test_only_one_member_of_a_union_is_filled(value: dict[str, Any], keys: list[str]) -> None:
    assert fillable(value, IndexConfig) == keys


def test_fields_that_are_as_good_as_a_union_are_one() -> None:
    assert fillable({"indexConfig": INDEX, "vectorSearchConfig": None}, FeatureView) == []
