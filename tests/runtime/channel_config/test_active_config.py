"""What a store goes by, and where each of it comes from."""

from typing import Literal

import pytest

from tests.cases import each_of
from tests.runtime.channel_config.brands import at_store, brands
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.options import Options

FALLING_BACK = """
    kind: ChannelConfig
    name: NAME
    type: AGENT_CUSTOMIZATION
    tone: FRIENDLY
    supplementalInstructions: {freeformInstructions: Smile.}
    operationsConfig:
      upsellStrategy: {maxUpsellOffers: 1}
      defaultLanguageCode: en
      interactionMode: LISTEN_ONLY
    ---
    kind: ChannelConfig
    name: OTHER
    type: UPSELL_STRATEGY
    tone: CONCISE_AND_DIRECT
    operationsConfig:
      upsellStrategy: {}
      defaultLanguageCode: fr
      featuresConfig: {budgetBasedOrdering: false}
"""
BOTH = "{kind: Brand, defaults: [NAME, OTHER], stores: [{name: austin}]}"
ONE = "{kind: Brand, defaults: [NAME], stores: [{name: austin}]}"
OTHER = "{kind: Brand, defaults: [OTHER], stores: [{name: austin}]}"


def test_an_upsell_strategy_without_fields_is_one() -> None:
    strategy = at_store("austin", BOTH, FALLING_BACK).upsell_strategy
    assert strategy is not None and strategy.maxUpsellOffers is None


def test_without_a_config_for_upsells_the_one_for_the_agent_has_them() -> None:
    strategy = at_store("austin", ONE, FALLING_BACK).upsell_strategy
    assert strategy is not None and strategy.maxUpsellOffers == 1


def test_the_rest_falls_back_field_by_field() -> None:
    found = at_store("austin", BOTH, FALLING_BACK)
    assert (found.field("tone"), found.operations_field("defaultLanguageCode")) == ("FRIENDLY", "en")
    assert found.operations_field("featuresConfig").budgetBasedOrdering is False
    tone, features = found.source_of("tone"), found.source_of("operationsConfig", "featuresConfig")
    assert tone is found.types["AGENT_CUSTOMIZATION"] and features is found.types["UPSELL_STRATEGY"]


def test_without_a_config_for_the_agent_the_one_for_upsells_has_the_rest() -> None:
    found = at_store("austin", OTHER, FALLING_BACK)
    assert (found.field("tone"), found.field("supplementalInstructions")) == ("CONCISE_AND_DIRECT", None)
    assert found.operations_field("defaultLanguageCode") == "fr"


def test_where_nothing_applies_everything_is_unset() -> None:
    found = at_store("austin", "{kind: Brand, stores: [{name: austin}]}", FALLING_BACK)
    assert [type_.value for type_ in found.types.values()] == [{}, {}]
    assert (found.field("tone"), found.upsell_strategy, found.operations_field("greetings"), found.origin("tone")) == (
        None,
    ) * 4
    assert all(not type_.origins and not type_.conflicts for type_ in found.types.values())


def test_a_message_of_elsewhere_has_no_origin_here() -> None:
    found, elsewhere = at_store("austin", BOTH, FALLING_BACK), at_store("austin", BOTH, FALLING_BACK)
    assert elsewhere.upsell_strategy is not None
    with pytest.raises(KeyError):
        found.origin_of(elsewhere.upsell_strategy)


def test_lists_are_merged_as_the_options_say_whatever_was_asked_before() -> None:
    config = (
        "{kind: ChannelConfig, type: UPSELL_STRATEGY, name: X, operationsConfig: {greetings: [{greetingPhrases: [X]}]}}"
    )
    brand = "{kind: Brand, defaults: [a, b], stores: [{name: austin}]}"
    catalog = brands(brand, config.replace("X", "a"), config.replace("X", "b"))

    def phrases(lists: Literal["replace", "append"]) -> list[str]:
        greetings = resolve_active_config(catalog.store("austin"), catalog, Options(list_merge=lists)).operations_field(
            "greetings"
        )
        return list(greetings[0].greetingPhrases)

    assert [phrases("replace"), phrases("append"), phrases("replace")] == [["b"], ["a", "b"], ["b"]]


TWO_DEFAULTS = "{kind: Brand, defaults: [one, two], stores: [{name: austin}]}"
TWO = "{kind: Brand, defaults: [one], stores: [{name: austin, defaults: [two]}]}"
APPEND = Options(list_merge="append")


def config(name: str, strategy: str, *, of: str = "UPSELL_STRATEGY", further: str = "") -> str:
    operations = f"operationsConfig: {{displayName: X, upsellStrategy: {{{strategy}}}}}"
    return f"{{kind: ChannelConfig, name: {name}, type: {of}, {operations}{further}}}"


def rows(one: str, two: str, *, brand: str = TWO, options: Options | None = None) -> list[str]:
    configs = [config("one", one), config("two", two)]
    found = at_store("austin", brand, *configs, options=options or Options()).assumptions
    return [row.removeprefix("precedence-") for row in found if row != "precedence-presence"]


CASES = {
    "fields": ("maxUpsellOffers: 1", "maxItemsInCart: 2", []),
    "upsells": ("upsells: [{priority: 1}]", "upsells: [{priority: 2}]", ["upsells"]),
    "tie": (
        "upsells: [{priority: 1, displayName: A}]",
        "upsells: [{priority: 1, displayName: B}]",
        ["upsells", "ties"],
    ),
    "union": (
        "upsells: [{priority: 1, celUpsell: {priority: 1}}]",
        "upsells: [{priority: 1, greetingOffer: {messages: [{displayName: x}]}}]",
        ["upsells", "unions"],
    ),
    "union-that-changes": (
        "upsells: [{priority: 1, celUpsell: {priority: 1}}, {priority: 2, disabled: true}]",
        "upsells: [{priority: 1, closingOffer: {}}]",
        ["upsells", "unions"],
    ),
    "list": (
        "upsells: [{priority: 1, celUpsell: {suggestedMenuItems: [A]}}]",
        "upsells: [{priority: 1, celUpsell: {suggestedMenuItems: [B]}}]",
        ["upsells", "lists"],
    ),
}


@each_of(CASES)
def test_what_configs_make_together(one: str, two: str, expected: list[str]) -> None:
    assert rows(one, two) == expected


def test_appended_lists_rest_on_the_row_of_lists() -> None:
    assert rows(*CASES["list"][:2], options=APPEND) == ["upsells", "lists"]  # type: ignore[misc, arg-type]


def test_what_one_config_sets_alone_rests_on_nothing() -> None:
    found = at_store("austin", TWO_DEFAULTS.replace(", two", ""), config("one", "upsells: [{priority: 1}]"))
    assert found.assumptions == ()


def test_two_values_of_one_level() -> None:
    assert rows("maxUpsellOffers: 1", "maxUpsellOffers: 2", brand=TWO_DEFAULTS) == ["one-level"]


def test_an_override_rests_on_presence() -> None:
    found = at_store("austin", TWO, config("one", "maxUpsellOffers: 1"), config("two", "maxUpsellOffers: 2"))
    assert found.assumptions == ("precedence-presence",)


def test_a_name_that_means_no_config() -> None:
    assert at_store("austin", TWO, config("one", "")).assumptions == ("precedence-names",)


def test_a_config_that_sets_what_a_session_takes_from_the_other_type() -> None:
    agent = config("one", "maxUpsellOffers: 1", of="AGENT_CUSTOMIZATION")
    tone = config("two", "maxUpsellOffers: 2", further=", tone: FRIENDLY")
    assert at_store("austin", TWO, agent).assumptions == ("precedence-names", "precedence-types")
    assert at_store("austin", TWO, config("one", ""), tone).assumptions == ("precedence-types", "precedence-presence")


def test_greetings() -> None:
    greetings = "operationsConfig: {greetings: [{languageCode: XX}]}"
    head = "kind: ChannelConfig, type: AGENT_CUSTOMIZATION"
    texts = [
        f"{{{head}, name: {name}, {greetings.replace('XX', tag)}}}" for name, tag in (("one", "en"), ("two", "fr"))
    ]
    assert at_store("austin", TWO, *texts).assumptions == ("precedence-greetings",)
