"""What a store goes by, and where each of it comes from."""

from __future__ import annotations

from tests.runtime.channel_config.brands import at_store

BRAND = """
    kind: Brand
    name: acme
    defaults: [everyday, voice]
    bindings:
      - {rule: windows, channelConfig: quick, stores: {tags: [drive-thru]}}
    stores:
      - name: austin
        tags: [drive-thru, us]
        bindings: [{rule: night, channelConfig: late}]
      - {name: boston, tags: [us]}
"""
CONFIGS = """
    kind: ChannelConfig
    name: everyday
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 2
        maxUpsellDeclines: 1
        upsells:
          - displayName: Fries
            priority: 1
            celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}
    ---
    kind: ChannelConfig
    name: quick
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 1
    ---
    kind: ChannelConfig
    name: late
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 0
        upsells: [{displayName: Fries, priority: 1, disabled: true}]
    ---
    kind: ChannelConfig
    name: voice
    type: AGENT_CUSTOMIZATION
    tone: FRIENDLY
    operationsConfig: {defaultLanguageCode: en-US}
"""


def test_a_later_level_overwrites_an_earlier_one_field_by_field() -> None:
    strategy = at_store("austin", BRAND, CONFIGS).upsell_strategy
    assert strategy is not None and strategy.upsells is not None
    assert (strategy.maxUpsellOffers, strategy.maxUpsellDeclines) == (0, 1)
    assert [(one.displayName, one.disabled, one.celUpsell is not None) for one in strategy.upsells] == [
        ("Fries", True, True)
    ]


def test_each_value_knows_its_line_and_what_it_overrode_the_last_first() -> None:
    found = at_store("austin", BRAND, CONFIGS).types["UPSELL_STRATEGY"]
    origin = found.origin("/operationsConfig/upsellStrategy/maxUpsellOffers")
    assert (origin.level, origin.rule, origin.name, origin.path, origin.line) == (
        "store-binding", "night", "late", "2.yaml", 25
    )  # fmt: skip
    assert [(one.level, one.rule, one.name, one.value, one.line) for one in origin.overrode] == [
        ("brand-binding", "windows", "quick", 1, 18),
        ("brand-default", None, "everyday", 2, 6),
    ]


def test_a_binding_applies_to_the_stores_that_have_its_tags() -> None:
    strategy = at_store("boston", BRAND, CONFIGS).upsell_strategy
    assert strategy is not None and strategy.maxUpsellOffers == 2


def test_a_session_takes_upsells_from_one_type_and_the_rest_from_the_other() -> None:
    found = at_store("austin", BRAND, CONFIGS)
    assert (found.tone, found.operation("defaultLanguageCode")) == ("FRIENDLY", "en-US")
    origin = found.origin("operationsConfig", "defaultLanguageCode")
    assert origin is not None and (origin.name, origin.line) == ("voice", 32)


def test_a_message_that_was_given_out_tells_where_its_parts_come_from() -> None:
    found = at_store("austin", BRAND, CONFIGS)
    assert found.upsell_strategy is not None and found.upsell_strategy.upsells is not None
    fries = found.upsell_strategy.upsells[0]
    assert found.origin_of(fries, "disabled").line == 26
    assert fries.celUpsell is not None
    assert found.origin_of(fries.celUpsell, "suggestedMenuItems", 0).line == 11
