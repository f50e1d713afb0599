"""Which stores share an effective configuration, and what differs between two."""

from __future__ import annotations

from tests.runtime.channel_config.brands import brands
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.equivalence import Difference, differences, group_stores

BRAND = """
    kind: Brand
    name: acme
    defaults: [everyday]
    stores:
      - {name: austin, bindings: [{rule: a, channelConfig: NAME}]}
      - {name: boston}
      - {name: chicago, bindings: [{rule: c, channelConfig: same}]}
"""
EVERYDAY = """
    kind: ChannelConfig
    name: everyday
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 2
        upsells: [{displayName: Fries, priority: 1, disabled: false}, {priority: 2, disabled: true}]
      greetings: [{languageCode: en, greetingPhrases: [Hello]}]
    ---
    {kind: ChannelConfig, name: same, type: UPSELL_STRATEGY, operationsConfig: {upsellStrategy: {maxUpsellOffers: 2}}}
"""
OTHER = """
    kind: ChannelConfig
    name: other
    type: UPSELL_STRATEGY
    operationsConfig:
      {}
"""
STRATEGY = "/operationsConfig/upsellStrategy"


def stores(operations: str) -> list[ActiveConfig]:
    catalog = brands(BRAND.replace("NAME", "other"), EVERYDAY, OTHER.replace("{}", operations))
    return [resolve_active_config(store, catalog) for store in catalog.stores]


def found(operations: str) -> list[tuple[str, str | None, str | None]]:
    austin, boston, _ = stores(operations)
    return [
        (" > ".join(difference.path[1:]), difference.first_pointer, difference.second_pointer)
        for difference in differences(austin, boston)
    ]


def test_stores_are_alike_whichever_file_a_value_comes_from() -> None:
    groups = group_stores(stores("upsellStrategy: {maxUpsellOffers: 3}"))
    assert [[store.store.name for store in group.stores] for group in groups] == [["boston", "chicago"], ["austin"]]


def test_a_field_that_differs_is_reported_with_both_places() -> None:
    austin, boston, _ = stores("upsellStrategy: {maxUpsellOffers: 3}")
    path = ("operationsConfig", "upsellStrategy", "maxUpsellOffers")
    pointer = f"{STRATEGY}/maxUpsellOffers"
    assert list(differences(austin, boston)) == [Difference("UPSELL_STRATEGY", path, pointer, pointer)]
    assert list(differences(boston, austin)) == [Difference("UPSELL_STRATEGY", path, pointer, pointer)]


def test_an_upsell_is_compared_with_the_one_of_its_name() -> None:
    pointer = f"{STRATEGY}/upsells/0/disabled"
    assert found("upsellStrategy: {upsells: [{displayName: Fries, priority: 1, disabled: true}]}") == [
        ("upsellStrategy > upsells > Fries > disabled", pointer, pointer)
    ]


def test_an_upsell_that_one_store_has_is_one_difference() -> None:
    assert found("upsellStrategy: {upsells: [{displayName: Shake, priority: 9, disabled: true}]}") == [
        ("upsellStrategy > upsells > Shake", f"{STRATEGY}/upsells/2", None)
    ]
    austin, boston, _ = stores("upsellStrategy: {upsells: [{displayName: Shake, priority: 9, disabled: true}]}")
    assert [
        (difference.path[-1], difference.first_pointer, difference.second_pointer)
        for difference in differences(boston, austin)
    ] == [("Shake", None, f"{STRATEGY}/upsells/2")]


def test_greetings_are_compared_by_language_and_lists_as_a_whole() -> None:
    phrases = "/operationsConfig/greetings/0/greetingPhrases"
    assert found("greetings: [{languageCode: en, greetingPhrases: [Hi]}, {languageCode: es}]") == [
        ("greetings > en > greetingPhrases", phrases, phrases),
        ("greetings > es", "/operationsConfig/greetings/1", None),
    ]


def test_a_list_in_another_order_is_reported_as_a_list() -> None:
    one = (
        "kind: ChannelConfig\nname: NAME\ntype: UPSELL_STRATEGY\noperationsConfig: {upsellStrategy: {upsells: [LIST]}}"
    )
    first, second = "{displayName: A, priority: 1}", "{displayName: B, priority: 1}"
    catalog = brands(
        "{kind: Brand, stores: [{name: x, defaults: [x]}, {name: y, defaults: [y]}]}",
        one.replace("NAME", "x").replace("LIST", f"{first}, {second}"),
        one.replace("NAME", "y").replace("LIST", f"{second}, {first}"),
    )
    x, y = (resolve_active_config(store, catalog) for store in catalog.stores)
    assert len(group_stores([x, y])) == 2
    assert [difference.first_pointer for difference in differences(x, y)] == [f"{STRATEGY}/upsells"]
