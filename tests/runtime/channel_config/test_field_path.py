"""Fields by their paths: names with dots, items in brackets, and what no ChannelConfig has."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import each_of
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
    ],
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
