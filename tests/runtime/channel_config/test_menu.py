"""What a name means on the menu of a brand, and which modifiers a CEL upsell suggests."""

from typing import Any

import pytest

from tests.cases import each_of
from tests.runtime.channel_config.brands import brands
from trialrun.model.channel_config import CelUpsell
from trialrun.runtime.channel_config.dialogue.offered_items import suggested_items, suggested_modifiers
from trialrun.runtime.channel_config.menu import BrandMenu, NotOnMenuError, brand_menu

BRAND = """
    kind: Brand
    name: projects/p/locations/l/brands/acme
"""
MENU = """
    kind: Menu
    brand: acme
    items:
      - {name: Crème Brûlée, id: i1, price: 5.5, modifierGroups: []}
      - {name: Burger, id: i2, price: 6, modifierGroups: [Sauces, g2]}
      - {name: Soup}
    modifierGroups:
      - {name: Size, id: g2, modifiers: [{name: Small}, {name: Large, id: m2}]}
      - {name: Sauces, modifiers: [{name: Ranch, id: m1}]}
      - {name: Cup, modifiers: [{name: Small}]}
"""


def menu(*texts: str) -> BrandMenu:
    catalog = brands(BRAND, *texts)
    return brand_menu(catalog.brands[0], catalog)


def test_the_modifiers_of_an_item_are_those_of_its_groups_in_their_order() -> None:
    found = [(modifier.group, modifier.name) for modifier in menu(MENU).item("Burger").modifiers]
    assert found == [("Sauces", "Ranch"), ("Size", "Small"), ("Size", "Large")]


def test_a_modifier_is_looked_for_among_those_of_its_item() -> None:
    acme = menu(MENU)
    assert acme.modifier("Small", acme.item("Burger")).group == "Size"
    assert acme.modifier("Small", acme.item("Soup"), group="Cup").group == "Cup"
    assert acme.modifier("m2").name == "Large"


NOT_THERE = {
    "Burgr": 'there is no "Burgr" on the menu; did you mean "Burger"?',
    "burger": 'there is no "burger" on the menu; did you mean "Burger"?',
    "Tofu": 'there is no "Tofu" on the menu',
}


@pytest.mark.parametrize("name", NOT_THERE)
def test_an_item_that_is_not_on_the_menu_is_told_with_the_nearest(name: str) -> None:
    with pytest.raises(NotOnMenuError) as error:
        menu(MENU).item(name)
    assert str(error.value) == NOT_THERE[name]


def test_a_modifier_that_an_item_does_not_take_is_told_with_those_that_it_takes() -> None:
    acme = menu(MENU)
    with pytest.raises(NotOnMenuError, match='"Burger" does not take "Gold"; it takes Ranch, Small, Large'):
        acme.modifier("Gold", acme.item("Burger"))
    with pytest.raises(NotOnMenuError, match='"Crème Brûlée" takes no modifiers; remove "Ranch"'):
        acme.modifier("Ranch", acme.item("i1"))


def test_an_item_that_does_not_say_its_groups_takes_any_modifier() -> None:
    acme = menu(MENU)
    assert acme.item("Soup").modifiers == ()
    assert acme.modifier("Ranch", acme.item("Soup")).id == "m1"


def test_without_a_menu_every_name_is_taken_as_it_is() -> None:
    acme = menu()
    assert not acme.is_declared
    assert acme.item("Anything").name == "Anything"
    assert acme.modifier("Any", acme.item("Anything"), group="Size").group == "Size"


def test_the_menus_of_a_brand_and_of_no_brand_count_together_and_those_of_others_do_not() -> None:
    other = "{kind: Menu, brand: other, items: [{name: Sushi}]}"
    acme = menu(MENU, "{kind: Menu, items: [{name: Water}]}", other)
    assert [item.name for item in acme.items] == ["Crème Brûlée", "Burger", "Soup", "Water"]


def test_of_one_name_the_first_entry_counts_and_the_others_have_their_ids() -> None:
    acme = menu("{kind: Menu, items: [{name: Tea, id: a}, {name: Tea, id: b}]}")
    assert [acme.item(name).id for name in ("Tea", "a", "b")] == ["a", "a", "b"]


NAMED = """
    kind: Menu
    brand: acme
    items:
      - {displayName: Fries, semanticName: french_fries, id: F1, modifierGroups: [portion]}
      - {name: French fries XL, displayName: Fries XL, semanticName: Fries, id: F2}
      - {name: Pie}
    modifierGroups:
      - {displayName: Size, semanticName: portion, modifiers: [{displayName: Large, semanticName: large_size}]}
"""


def test_a_name_and_a_semantic_name_each_fall_back_to_the_other() -> None:
    acme = menu(NAMED)
    assert (acme.item("Fries").id, acme.item("Fries", "semantic name").id) == ("F1", "F2")
    assert acme.item("french_fries") is acme.item("french_fries", "semantic name") is acme.item("F1")
    assert acme.item("French fries XL") is acme.item("Fries XL", "semantic name") is acme.item("F2")
    assert acme.item("Pie", "semantic name").name == "Pie"


def test_modifiers_and_their_groups_have_these_names_too() -> None:
    acme = menu(NAMED)
    fries = acme.item("Fries")
    assert [(modifier.group, modifier.name) for modifier in fries.modifiers] == [("Size", "Large")]
    assert acme.modifier("large_size", fries) is acme.modifier("Large", fries, group="portion")


def test_offers_are_of_what_items_are_called_with_a_note_on_the_other_form() -> None:
    acme = menu(NAMED)
    upsell = CelUpsell.model_validate(
        {"conditionExpression": "true", "suggestedMenuItems": ["french_fries", "Fries XL", "Pie", "Tofu"]}
    )
    assert suggested_items(upsell, acme).names == ("Fries", "Fries XL", "Pie", "Tofu")
    assert suggested_items(upsell, acme).notes == ('"Fries XL" is the name of an item whose semantic name is "Fries"',)


GROUPS = """
    kind: Menu
    items:
      - {name: Burger, modifierGroups: [Sauces, Size]}
      - {name: Pie, modifierGroups: [Cup]}
    modifierGroups:
      - {name: Cup, modifiers: [{name: Large}]}
      - {name: Size, id: g1, modifiers: [{name: Small}, {name: Large, id: m1}, {name: Huge}]}
      - {name: Sauces, modifiers: [{name: Ranch}, {name: Mayo}]}
"""


def suggested(items: str, modifiers: str = "", groups: str = "", *, at_most: int | None = None) -> str:
    """The modifiers that are suggested, by the words of each field; a group is its name, and its own modifiers."""
    parts = (group.partition(": ") for group in groups.split("; ") if group)
    named = [{"name": name, "suggestedModifiers": own.split()} for name, _, own in parts]
    fields: dict[str, Any] = {
        "conditionExpression": "true",
        "suggestedMenuItems": items.split(),
        "suggestedModifiers": modifiers.split(),
        "suggestedModifierGroups": named,
    }
    upsell = CelUpsell.model_validate(fields | ({} if at_most is None else {"maxModifierPerGroup": at_most}))
    return " ".join(suggested_modifiers(upsell, menu(GROUPS)))


@each_of(
    [
        ("Burger", "Mayo Large", "", None, "Mayo Large"),
        ("Burger", "Small Large Mayo", "", 1, "Small Mayo"),
        ("Burger", "Small", "", 0, ""),
        ("Burger", "Gold Silver Mayo", "", 1, "Gold Mayo"),
        ("Burger", "", "Size: Huge Small", None, "Huge Small"),
        ("Burger", "", "Sauces", None, "Ranch Mayo"),
        ("Burger", "", "g1", 2, "Small Large"),
        ("Burger", "", "Nowhere", None, ""),
        ("Burger", "Large", "Size: Large Small Huge", 2, "Large Small"),
    ]
)
def test_no_group_suggests_more_than_its_limit(
    items: str, modifiers: str, groups: str, at_most: int | None, names: str
) -> None:
    assert suggested(items, modifiers, groups, at_most=at_most) == names


@each_of(
    [
        ("Pie", "Ranch Large", "", "Large"),
        ("Pie", "", "Sauces; Cup", "Large"),
        ("Pie", "", "Sauces: Mayo", ""),
        ("Pie", "", "Cup: Mayo Large", "Large"),
        ("Pie Burger", "Ranch Large", "", "Ranch Large"),
        ("Soup", "Ranch", "", "Ranch"),
    ]
)
def test_what_no_suggested_item_takes_is_left_out(items: str, modifiers: str, groups: str, names: str) -> None:
    assert suggested(items, modifiers, groups) == names
