"""Paths of fields, and what differs between stores by them."""

from typing import Any

import pytest

from tests.cases import each_of
from tests.runtime.channel_config.brands import brands
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.equivalence import Difference, differences, group_stores
from trialrun.runtime.channel_config.field_path import FoundField, UnknownFieldError, UnsetField, find_field

CONFIG: dict[str, Any] = {
    "tone": "FRIENDLY",
    "operationsConfig": {
        "greetings": [{"languageCode": "en-US", "greetingPhrases": ["Hi", "Hello"]}],
        "featuresConfig": {"orderPickup": {}},
        "upsellStrategy": {
            "maxUpsellOffers": 0,
            "upsells": [
                {"displayName": "Bigger table, Family Pack", "priority": 3, "disabled": False},
                {"priority": 7, "closingOffer": {"closingMessages": [{"offerMessage": {"displayName": "Pie"}}]}},
            ],
        },
        "disambiguationStrategy": {"mappings": [{"type": "SINGLE_TARGET", "customerTerms": ["cola", "coke"]}]},
    },
}
UPSELLS = "operationsConfig.upsellStrategy.upsells"


@each_of(
    [
        ("tone", "/tone", "FRIENDLY"),
        ("operationsConfig.upsellStrategy.maxUpsellOffers", "/operationsConfig/upsellStrategy/maxUpsellOffers", 0),
        ("operationsConfig.greetings[en-us].greetingPhrases[1]",
         "/operationsConfig/greetings/0/greetingPhrases/1", "Hello"),
        ("operationsConfig.greetings[0].greetingPhrases[Hi]", "/operationsConfig/greetings/0/greetingPhrases/0", "Hi"),
        (f"{UPSELLS}[Bigger table, Family Pack].disabled",
         "/operationsConfig/upsellStrategy/upsells/0/disabled", False),
        (f"{UPSELLS}[priority 7].priority", "/operationsConfig/upsellStrategy/upsells/1/priority", 7),
        ("operationsConfig.disambiguationStrategy.mappings[Coke].type",
         "/operationsConfig/disambiguationStrategy/mappings/0/type", "SINGLE_TARGET"),
        (f'{UPSELLS}[1].closingOffer.closingMessages["Pie"].offerMessage.displayName',
         "/operationsConfig/upsellStrategy/upsells/1/closingOffer/closingMessages/0/offerMessage/displayName", "Pie"),
        ("operationsConfig.featuresConfig.orderPickup", "/operationsConfig/featuresConfig/orderPickup", {}),
        ("/operationsConfig/greetings/0/languageCode", "/operationsConfig/greetings/0/languageCode", "en-US"),
    ],
)  # fmt: skip
def test_a_path_leads_to_a_value(path: str, pointer: str, value: object) -> None:
    assert find_field(CONFIG, path) == FoundField(pointer, value)


@pytest.mark.parametrize(
    ("path", "unset"),
    [
        ("supplementalInstructions.freeformInstructions", UnsetField("", "supplementalInstructions")),
        ("operationsConfig.greetings[fr]", UnsetField("/operationsConfig/greetings", "fr", ("en-US",))),
        (f"{UPSELLS}[0].priority", FoundField("/operationsConfig/upsellStrategy/upsells/0/priority", 3)),
        (f"{UPSELLS}[9].priority", UnsetField("/operationsConfig/upsellStrategy/upsells", "9",
                                         ("Bigger table, Family Pack", "priority 7"))),
    ],
)  # fmt: skip
def test_what_is_not_set_says_what_is_there(path: str, unset: UnsetField) -> None:
    assert find_field(CONFIG, path) == unset


@each_of(
    [
        ("operationsConfig.grettings", "grettings", 'no field "grettings"; did you mean "greetings"?'),
        ("maxUpsellOffers", "maxUpsellOffers", 'did you mean "operationsConfig.upsellStrategy.maxUpsellOffers"?'),
        (
            "operationsConfig.itemName",
            "itemName",
            'did you mean "disambiguationStrategy.mappings[…].targets[…].itemName"?',
        ),
        (f"{UPSELLS}.disabled", "disabled", "write an item of the list in brackets"),
        ("tone.x", "x", "end the path there"),
        ("displayName", "displayName", "belongs to a single config"),
        ("/name", "name", "belongs to a single config"),
        ("tome", "tome", 'did you mean "tone"?'),
        ("tone[x]", "x", "is not a list"),
        ("operationsConfig..tone", "..tone", "cannot be read"),
        ("operationsConfig.greetings[en-US", "[en-US", "cannot be read"),
        ("", "", "the path is empty"),
    ]
)
def test_a_path_that_no_config_has_is_wrong_at_its_characters(path: str, wrong: str, message: str) -> None:
    with pytest.raises(UnknownFieldError) as error:
        find_field(CONFIG, path)
    start, end = error.value.chars
    assert (path[start:end], message in str(error.value)) == (wrong, True), str(error.value)


@pytest.mark.parametrize(("name", "index"), [("fries", 1), ("Fries", 0), ("FRIES", 0), ("Shake", 3), ("i1", 3)])
def test_an_item_is_the_one_of_exactly_its_name_before_others_that_are_like_it(name: str, index: int) -> None:
    targets = [{"itemName": "Fries"}, {"itemName": "fries"}, {"itemName": "Cola", "itemId": "Shake"}]
    targets += [{"itemName": "Shake", "itemId": "i1"}]
    value = {"operationsConfig": {"disambiguationStrategy": {"mappings": [{"targets": targets}]}}}
    found = find_field(value, f"operationsConfig.disambiguationStrategy.mappings[0].targets[{name}]")
    assert isinstance(found, FoundField) and found.value is targets[index]


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
    assert [[store.store.name for store in group] for group in groups] == [["boston", "chicago"], ["austin"]]


def test_a_field_that_differs_is_reported_with_both_places() -> None:
    austin, boston, _ = stores("upsellStrategy: {maxUpsellOffers: 3}")
    path = ("operationsConfig", "upsellStrategy", "maxUpsellOffers")
    pointer = f"{STRATEGY}/maxUpsellOffers"
    assert list(differences(austin, boston)) == [Difference("UPSELL_STRATEGY", path, pointer, pointer, 3, 2)]
    assert list(differences(boston, austin)) == [Difference("UPSELL_STRATEGY", path, pointer, pointer, 2, 3)]


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
