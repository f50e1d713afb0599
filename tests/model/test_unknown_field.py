"""What a key was meant to be, and where it belongs."""

from typing import Any

import pytest

from tests.cases import each_of
from trialrun.model.channel_config import ChannelConfig, ClosingOffer, MessageConfig, OfferMessage
from trialrun.model.feature_view import FeatureRegistrySource, FeatureView, IndexConfig, WarehouseSource
from trialrun.model.misfit import UnknownField
from trialrun.model.node import Node
from trialrun.model.validate import validate
from trialrun.values.suggest import closest_name, names_by_words, normalize, one_edit_apart, snake_case, suggest


def unknown(value: Any, model: type[Node]) -> UnknownField:
    return next(misfit for misfit in validate(value, model).misfits if isinstance(misfit, UnknownField))


@each_of(
    [
        (FeatureView, "SyncConfig", "syncConfig"),
        (FeatureView, "sync-config", "syncConfig"),
        (FeatureView, "SYNC_CONFIG", "syncConfig"),
        (FeatureView, "syncConfg", "syncConfig"),
        (FeatureView, "bigQuerySource", "warehouseSource"),
        (FeatureView, "big_query_source", "warehouseSource"),
        (FeatureView, "vertexRagSource", "ragSource"),
        (FeatureView, "bigtableMetadata", "kvStoreMetadata"),
        (FeatureView, "index", "indexConfig"),
        (FeatureView, "source", None),
        (FeatureView, "vectorSearch", None),
        (WarehouseSource, "entityIdColumn", "entityIdColumns"),
        (WarehouseSource, "columns", "entityIdColumns"),
        (IndexConfig, "dimension", "embeddingDimension"),
        (IndexConfig, "embedding", None),
        (MessageConfig, "text", "messageText"),
        (MessageConfig, "language", "languageCode"),
        (OfferMessage, "message", None),
        (ClosingOffer, "messages", "closingMessages"),
        (FeatureRegistrySource, "groups", "featureGroups"),
        (FeatureView, "nmae", "name"),
        (FeatureView, "Kind", "kind"),
        (FeatureView, "create-time", "createTime"),
        (FeatureView, "metadata", None),
        (WarehouseSource, "url", "uri"),
        (FeatureView, "x", None),
        (FeatureView, "--", None),
        (FeatureView, "", None),
    ]
)
def test_a_key_was_meant_to_be_a_field(model: type[Node], key: str, candidate: str | None) -> None:
    assert unknown({key: 1}, model).candidate == candidate


def at(model: type[Node], *steps: str | int, key: str) -> dict[str, Any]:
    """A document whose only key that matters stands behind the steps."""
    value: Any = {key: 1}
    for step in reversed(steps):
        value = [value] if isinstance(step, int) else {step: value}
    return dict(value)


UPSELLS = ("operationsConfig", "upsellStrategy", "upsells", 0)


@each_of(
    [
        (FeatureView, (), "cron", ['under "syncConfig"']),
        (FeatureView, (), "embeddingColumn", ['under "indexConfig"']),
        (FeatureView, (), "minReplicaCount", ['under "automaticResources"']),
        (FeatureView, (), "uri", ['under "warehouseSource"', 'under "ragSource"']),
        (FeatureView, (), "entity_id_columns", ['under "warehouseSource"']),
        (FeatureView, ("optimizedConfig",), "maxReplicaCount", ['under "automaticResources"']),
        (FeatureView, ("warehouseSource",), "syncConfig", ["at the top of the FeatureView"]),
        (FeatureView, ("syncConfig",), "name", []),
        (FeatureView, ("featureRegistrySource",), "featureIds", ['in an item of "featureGroups"']),
        (ChannelConfig, (), "upsells", ['under "upsellStrategy"']),
        (ChannelConfig, (), "greetings", ['under "operationsConfig"']),
        (ChannelConfig, ("operationsConfig",), "tone", ["at the top of the ChannelConfig"]),
        (ChannelConfig, ("operationsConfig", "upsellStrategy"), "greetings", ['under "operationsConfig"']),
        (ChannelConfig, ("operations_config", "upsell_strategy"), "greetings", ['under "operationsConfig"']),
        (ChannelConfig, UPSELLS, "messages", ['under "greetingOffer"']),
        (ChannelConfig, UPSELLS, "conditionExpression", ['under "celUpsell"']),
        (ChannelConfig, (*UPSELLS, "greetingOffer"), "disabled", ['in an item of "upsells"']),
        (ChannelConfig, UPSELLS, "embeddingColumn", []),
        (ChannelConfig, (), "modifierName", []),
        (ChannelConfig, UPSELLS, "type", []),
    ]
)
def test_a_field_of_another_message_belongs_there(
    model: type[Node], steps: tuple[str | int, ...], key: str, words: list[str]
) -> None:
    found = unknown(at(model, *steps, key=key), model)
    assert ([home.phrase for home in found.owners], found.candidate) == (words, None)


@pytest.mark.parametrize("key", ["create-time", "vector-search-config"])
def test_a_misspelt_field_that_no_file_should_have_does_not_count_as_present(key: str) -> None:
    assert validate({key: {}}, FeatureView).node.model_fields_set == {key}


@pytest.mark.parametrize(("value", "free"), [({"cronn": 1}, True), ({"cronn": 1, "cron": "x"}, False)])
def test_a_candidate_is_free_unless_the_field_stands_beside_it(value: Any, free: bool) -> None:
    assert unknown({"syncConfig": value}, FeatureView).candidate_is_free is free


@each_of(
    [
        ("COSINE_DISTANCE", ["COSINE_DISTANCE"], "COSINE_DISTANCE"),
        ("cosine-distance", ["COSINE_DISTANCE"], "COSINE_DISTANCE"),
        ("EUCLIDEAN", ["COSINE_DISTANCE", "SQUARED_L2_DISTANCE"], "SQUARED_L2_DISTANCE"),
        ("FRIENDLI", ["FRIENDLY"], "FRIENDLY"),
        ("LOUD", ["FRIENDLY"], None),
    ]
)
def test_nearest(name: str, names: list[str], found: str | None) -> None:
    assert suggest(name, names) == found


@each_of(
    [
        ("tpye", "type", True), ("url", "uri", True), ("typ", "type", True), ("ttype", "type", True),
        ("type", "type", False), ("tepy", "type", False), ("ab", "abc", False), ("abcd", "badc", False),
        ("abcd", "abdcx", False),
    ]
)  # fmt: skip
def test_one_slip(one: str, other: str, answer: bool) -> None:
    assert (one_edit_apart(one, other), one_edit_apart(other, one)) == (answer, answer)


def test_of_two_equally_close_names_neither_was_plainly_meant() -> None:
    assert closest_name("itemsX", ["itemsA", "itemsB"]) is None


@each_of([("text", ["messageText"]), ("texts", ["messageText"]), ("tex", []), ("message", ["messages"])])
def test_a_word_of_a_name_is_enough(name: str, found: list[str]) -> None:
    assert names_by_words(name, ["messageText", "messageFrequency", "messages"]) == found


def test_spellings() -> None:
    assert (normalize("sync-Config"), snake_case("celUpsell")) == ("syncconfig", "cel_upsell")


@each_of(
    [
        ("source", {"warehouseSource": {}}, "source"),
        ("sourceUnion", {"rag_source": {}}, "source"),
        ("Source", {"warehouseSorce": {}}, "source"),
        ("source", {}, None),
        ("source", {"anything": 1}, None),
        ("source", "bq://a.b.c", None),
        ("source", [{"warehouseSource": {}}], None),
    ]
)
def test_a_union_is_named_where_its_members_stand_below(key: str, value: Any, union: str | None) -> None:
    assert unknown({key: value}, FeatureView).union == union


def test_what_stands_below_a_misspelt_key_is_read_only_for_who_looks_for_mistakes() -> None:
    value = {"syncConfg": {"cron": "0 3 * * *"}}
    assert validate(value, FeatureView).node.__dict__["syncConfig"] is None
    assert validate(value, FeatureView, correct_typos=True).node.__dict__["syncConfig"].cron == "0 3 * * *"


@pytest.mark.parametrize(
    ("value", "steps", "path"),
    [
        ({"syncConfg": {"cron": "x"}}, ("syncConfig", "cron"), ("syncConfg", "cron")),
        ({"source": {"rag_source": {"uri": "x"}}}, ("ragSource", "uri"), ("source", "rag_source", "uri")),
        ({"index": {"algorithmConfig": {"treeAhConfig": {}}}}, ("indexConfig", "treeAhConfig"),
         ("index", "algorithmConfig", "treeAhConfig")),
    ],
)  # fmt: skip
def test_a_place_below_a_misspelt_key_has_the_path_of_the_file(value: Any, steps: Any, path: Any) -> None:
    fitted = validate(value, FeatureView, correct_typos=True)
    assert fitted.path(getattr(fitted.node, steps[0]).location(*steps[1:])) == path


@each_of(
    [
        ({"columns": "id"}, ["unknown-field"]),
        ({"columns": [1]}, ["unknown-field", "wrong-type"]),
        ({"entityIdColum": "id"}, ["unknown-field", "wrong-type"]),
        ({"entityIdColums": None}, ["unknown-field"]),
        ({"ur": "", "uri": "x"}, ["unknown-field"]),
    ]
)
def test_a_guess_by_a_word_of_the_key_needs_a_value_of_its_form(value: Any, rules: list[str]) -> None:
    fitted = validate({"uri": "x", **value}, WarehouseSource, correct_typos=True)
    assert sorted(misfit.rule for misfit in fitted.misfits if misfit.rule != "missing-field") == rules
