"""Where effective values come from: the exact line in every way of writing a file, and what was overridden."""

from __future__ import annotations

import pytest

from tests.runtime.channel_config.brands import at_store, brands
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.effective import EffectiveConfig
from trialrun.runtime.options import Options

BRAND = "{kind: Brand, defaults: [one], stores: [{name: austin, defaults: [two]}]}"
ONE = """
    kind: ChannelConfig
    name: one
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 2
        upsells:
          - displayName: Fries
            priority: 1
            celUpsell:
              conditionExpression: "true"
              suggestedMenuItems: [Fries,
                                   Shake]
      greetings: [{languageCode: en, greetingPhrases: [Hello]}]
      featuresConfig: {orderPickup: {}}
"""
UPSELLS = "/operationsConfig/upsellStrategy/upsells"


def of_store(two: str, *, one: str = ONE, options: Options | None = None) -> EffectiveConfig:
    found = at_store("austin", BRAND, one, two, options=options or Options())
    return found.types["UPSELL_STRATEGY"]


def two(operations: str) -> str:
    return f"{{kind: ChannelConfig, name: two, type: UPSELL_STRATEGY, operationsConfig: {operations}}}"


def chain(effective: EffectiveConfig, pointer: str) -> list[str]:
    """The origin of a value, and those that it overrode."""
    origin = effective.origin(pointer)
    return [
        f"{overridden.level} {overridden.path}:{overridden.line} {overridden.value!r}"
        for overridden in (origin, *origin.overrode)
    ]


def test_every_scalar_empty_message_and_whole_list_has_an_origin() -> None:
    upsell = f"{UPSELLS}/0"
    assert [(pointer, one.line) for pointer, one in of_store(two("{}")).origins.items()] == [
        ("/operationsConfig/upsellStrategy/maxUpsellOffers", 6),
        (f"{upsell}/displayName", 8),
        (f"{upsell}/priority", 9),
        (f"{upsell}/celUpsell/conditionExpression", 11),
        (f"{upsell}/celUpsell/suggestedMenuItems", 12),
        (f"{upsell}/celUpsell/suggestedMenuItems/0", 12),
        (f"{upsell}/celUpsell/suggestedMenuItems/1", 13),
        ("/operationsConfig/greetings/0/languageCode", 14),
        ("/operationsConfig/greetings/0/greetingPhrases", 14),
        ("/operationsConfig/greetings/0/greetingPhrases/0", 14),
        ("/operationsConfig/featuresConfig/orderPickup", 15),
    ]


def test_a_list_that_is_replaced_has_what_it_overrode() -> None:
    found = of_store(two("{upsellStrategy: {upsells: [{displayName: Fries, celUpsell: {suggestedMenuItems: [Pie]}}]}}"))
    assert chain(found, f"{UPSELLS}/0/celUpsell/suggestedMenuItems") == [
        "store-default 3.yaml:1 ['Pie']",
        "brand-default 2.yaml:12 ['Fries', 'Shake']",
    ]
    assert chain(found, f"{UPSELLS}/0/celUpsell/suggestedMenuItems/0") == ["store-default 3.yaml:1 'Pie'"]


def test_an_appended_item_comes_from_its_own_file() -> None:
    second = two("{upsellStrategy: {upsells: [{displayName: Fries, celUpsell: {suggestedMenuItems: [Pie, Fries]}}]}}")
    found = of_store(second, options=Options(list_merge="append"))
    items = f"{UPSELLS}/0/celUpsell/suggestedMenuItems"
    assert [chain(found, f"{items}/{index}") for index in range(3)] == [
        ["brand-default 2.yaml:12 'Fries'"],
        ["brand-default 2.yaml:13 'Shake'"],
        ["store-default 3.yaml:1 'Pie'"],
    ]
    assert items not in found.origins and found.conflicts == ()


def test_a_member_of_a_union_has_the_one_that_it_took_the_place_of() -> None:
    offer = "closingOffer: {closingMessages: [{skipTerms: [Pie]}]}"
    found = of_store(two(f"{{upsellStrategy: {{upsells: [{{displayName: Fries, {offer}}}]}}}}"))
    assert f"{UPSELLS}/0/closingOffer" in found.origins
    assert [line.split()[:2] for line in chain(found, f"{UPSELLS}/0/closingOffer")] == [
        ["store-default", "3.yaml:1"],
        ["brand-default", "2.yaml:10"],
    ]


def bound_in_turn(*operations: str) -> EffectiveConfig:
    """What configs make together that a store binds one after the other, each in a file of its own."""
    configs = [two(one).replace("two", f"c{number}") for number, one in enumerate(operations)]
    bindings = ", ".join(f"{{rule: r{number}, channelConfig: c{number}}}" for number in range(len(configs)))
    brand = f"{{kind: Brand, stores: [{{name: austin, bindings: [{bindings}]}}]}}"
    return at_store("austin", brand, *configs).types["UPSELL_STRATEGY"]


def test_empty_messages_leave_nothing_behind_under_one_with_fields() -> None:
    found = bound_in_turn("{featuresConfig: {}}", "{featuresConfig: {}}", "{featuresConfig: {orderPickup: {}}}")
    assert list(found.origins) == ["/operationsConfig/featuresConfig/orderPickup"]
    assert found.origin("/operationsConfig/featuresConfig").overrode == ()


def test_an_empty_member_of_a_union_still_has_what_it_took_the_place_of_when_it_gets_fields() -> None:
    members = (
        "greetingOffer: {messages: [{displayName: x}]}",
        "celUpsell: {}",
        "celUpsell: {}",
        "celUpsell: {priority: 1}",
    )
    found = bound_in_turn(*(f"{{upsellStrategy: {{upsells: [{{displayName: A, {member}}}]}}}}" for member in members))
    assert [overridden.path for overridden in found.origin(f"{UPSELLS}/0/celUpsell").overrode] == ["2.yaml"]
    assert found.value["operationsConfig"]["upsellStrategy"]["upsells"] == [
        {"displayName": "A", "celUpsell": {"priority": 1}}
    ]


def test_a_message_is_from_the_last_config_that_has_a_part_in_it() -> None:
    found = of_store(two("{upsellStrategy: {maxItemsInCart: 0}}"))
    assert found.origin("/operationsConfig/upsellStrategy").level == "store-default"
    assert found.origin(UPSELLS).level == "brand-default"
    assert found.origin("").value == found.value


@pytest.mark.parametrize("pointer", ["/tone", "/operationsConfig/greetings/1", "/operationsConfig/0", "/x/y"])
def test_a_pointer_that_leads_nowhere_is_refused(pointer: str) -> None:
    with pytest.raises(KeyError):
        of_store(two("{}")).origin(pointer)


def test_aliases_and_merge_keys_lead_to_the_anchor() -> None:
    one = """
        kind: ChannelConfig
        name: one
        type: UPSELL_STRATEGY
        operationsConfig:
          upsellStrategy:
            upsells:
              - displayName: A
                priority: 1
                celUpsell: &rule
                  conditionExpression: "true"
                  suggestedMenuItems: &items [Fries]
              - displayName: B
                priority: 2
                celUpsell:
                  <<: *rule
                  conditionExpression: "false"
                  suggestedModifiers: *items
    """
    found = of_store(two("{}"), one=one)
    rule = f"{UPSELLS}/1/celUpsell"
    lines = [found.origin(f"{rule}/{name}").line for name in ("conditionExpression", "suggestedMenuItems/0")]
    assert lines == [16, 11]
    assert found.origin(f"{rule}/suggestedModifiers/0").line == 11


def test_items_that_were_refused_do_not_shift_the_lines_of_the_others() -> None:
    one = """
        - kind: ChannelConfig
          name: zero
          type: UPSELL_STRATEGY
        - kind: ChannelConfig
          name: one
          type: UPSELL_STRATEGY
          operations_config:
            upsellStrategy:
              maxUpsellOffers: many
              upsells:
                - no upsell
                - displayName: A
                  priority: 1
                  celUpsell: {conditionExpression: "true", suggestedMenuItems: [1, Fries]}
                - displayName: B
                  priority: 0
    """
    found = of_store(two("{upsellStrategy: {upsells: [{displayName: B, disabled: true}]}}"), one=one)
    assert found.value["operationsConfig"]["upsellStrategy"] == {
        "upsells": [
            {
                "displayName": "A",
                "priority": 1,
                "celUpsell": {"conditionExpression": "true", "suggestedMenuItems": ["Fries"]},
            },
            {"displayName": "B", "disabled": True},
        ]
    }
    pointers = (f"{UPSELLS}/0/displayName", f"{UPSELLS}/0/celUpsell/suggestedMenuItems/0", f"{UPSELLS}/1/displayName")
    assert [found.origin(pointer).line for pointer in pointers] == [12, 14, 1]
    assert chain(found, pointers[2]) == ["store-default 3.yaml:1 'B'", "brand-default 2.yaml:15 'B'"]


def test_a_value_that_was_refused_overrides_nothing() -> None:
    found = of_store(two("{upsellStrategy: {maxUpsellOffers: many, maxItemsInCart: null}}"))
    assert chain(found, "/operationsConfig/upsellStrategy/maxUpsellOffers") == ["brand-default 2.yaml:6 2"]
    assert "maxItemsInCart" not in found.value["operationsConfig"]["upsellStrategy"]


def test_a_json_file_has_lines_as_well() -> None:
    json = '{"name": "one",\n "type": "UPSELL_STRATEGY",\n "operationsConfig":\n  {"defaultLanguageCode":\n   "en"}}'
    catalog = brands(**{"brand.yaml": BRAND, "one.json": json})
    found = resolve_active_config(catalog.store("austin"), catalog).types["UPSELL_STRATEGY"]
    assert chain(found, "/operationsConfig/defaultLanguageCode") == ["brand-default one.json:5 'en'"]


def test_the_same_config_at_two_levels_overrides_itself() -> None:
    catalog = brands("{kind: Brand, defaults: [one], stores: [{name: austin, defaults: [one]}]}", ONE)
    found = resolve_active_config(catalog.store("austin"), catalog).types["UPSELL_STRATEGY"]
    assert chain(found, "/operationsConfig/upsellStrategy/maxUpsellOffers") == [
        "store-default 2.yaml:6 2",
        "brand-default 2.yaml:6 2",
    ]
    assert len(found.value["operationsConfig"]["upsellStrategy"]["upsells"]) == 1 and found.conflicts == ()


def test_what_speaks_of_a_config_alone_is_not_effective() -> None:
    config = """
        kind: ChannelConfig
        name: two
        displayName: Two
        type: UPSELL_STRATEGY
        state: ACTIVE
        createTime: "2026-01-01T00:00:00Z"
        updateTime: "2026-01-01T00:00:00Z"
        configApplicationRules: [{name: x}]
        operationsConfig: {displayName: Strategy two}
    """
    found = of_store(config)
    assert "displayName" not in found.value and found.value["operationsConfig"]["displayName"] == "Strategy two"
    assert list(found.value) == ["operationsConfig"]
