"""Which modifiers a CEL upsell suggests."""

from __future__ import annotations

from typing import Any

from tests.cases import each_of
from tests.runtime.channel_config.brands import brands
from trialrun.model.channel_config import CelUpsell
from trialrun.runtime.channel_config.dialogue.offered_items import suggested_modifiers
from trialrun.runtime.channel_config.menu import BrandMenu, brand_menu

MENU = """
    kind: Menu
    items:
      - {name: Burger, modifierGroups: [Sauces, Size]}
    modifierGroups:
      - {name: Cup, modifiers: [{name: Large}]}
      - {name: Size, id: g1, modifiers: [{name: Small}, {name: Large, id: m1}, {name: Huge}]}
      - {name: Sauces, modifiers: [{name: Ranch}, {name: Mayo}]}
"""


def menu(*texts: str) -> BrandMenu:
    return brand_menu(None, brands(*texts))


def suggested(*, at_most: int | None = None, menu: BrandMenu, **fields: Any) -> tuple[str, ...]:
    limit = {} if at_most is None else {"maxModifierPerGroup": at_most}
    given = {"conditionExpression": "true", "suggestedMenuItems": ["Burger"], **fields, **limit}
    return suggested_modifiers(CelUpsell.model_validate(given), menu)


CASES: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"suggestedModifiers": ["Mayo", "Large"]}, ("Mayo", "Large")),
    ({"suggestedModifiers": ["Small", "Large", "Mayo"], "at_most": 1}, ("Small", "Mayo")),
    ({"suggestedModifiers": ["Small"], "at_most": 0}, ()),
    ({"suggestedModifiers": ["Gold", "Silver", "Mayo"], "at_most": 1}, ("Gold", "Mayo")),
    ({"suggestedModifierGroups": [{"name": "Size", "suggestedModifiers": ["Huge", "Small"]}]}, ("Huge", "Small")),
    ({"suggestedModifierGroups": [{"name": "Sauces"}]}, ("Ranch", "Mayo")),
    ({"suggestedModifierGroups": [{"name": "g1"}], "at_most": 2}, ("Small", "Large")),
    ({"suggestedModifierGroups": [{"name": "Nowhere"}]}, ()),
    (
        {
            "suggestedModifiers": ["Large"],
            "suggestedModifierGroups": [{"name": "Size", "suggestedModifiers": ["Large", "Small", "Huge"]}],
            "at_most": 2,
        },
        ("Large", "Small"),
    ),
]

PIE = MENU.replace(
    "    modifierGroups:\n      - {name: Cup",
    "      - {name: Pie, modifierGroups: [Cup]}\n    modifierGroups:\n      - {name: Cup",
)


@each_of(
    [
        (["Pie"], {"suggestedModifiers": ["Ranch", "Large"]}, ("Large",)),
        (["Pie"], {"suggestedModifierGroups": [{"name": "Sauces"}, {"name": "Cup"}]}, ("Large",)),
        (["Pie"], {"suggestedModifierGroups": [{"name": "Sauces", "suggestedModifiers": ["Mayo"]}]}, ()),
        (["Pie"], {"suggestedModifierGroups": [{"name": "Cup", "suggestedModifiers": ["Mayo", "Large"]}]}, ("Large",)),
        (["Pie", "Burger"], {"suggestedModifiers": ["Ranch", "Large"]}, ("Ranch", "Large")),
        (["Soup"], {"suggestedModifiers": ["Ranch"]}, ("Ranch",)),
    ],
)
def test_what_no_suggested_item_takes_is_left_out(
    items: list[str], fields: dict[str, Any], names: tuple[str, ...]
) -> None:
    assert suggested(menu=menu(PIE), suggestedMenuItems=items, **fields) == names


@each_of(CASES)
def test_no_group_suggests_more_than_its_limit(fields: dict[str, Any], names: tuple[str, ...]) -> None:
    assert suggested(menu=menu(MENU), **fields) == names


def test_without_a_menu_the_modifiers_count_as_one_group() -> None:
    assert suggested(menu=menu(), suggestedModifiers=["Small", "Mayo"], at_most=1) == ("Small",)
