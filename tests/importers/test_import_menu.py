"""Menus of other systems as Menu documents, with what could not be taken over and its place."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from tests.importers.menu_inputs import CSV, FEED, OLD_FEED, SQUARE, TOAST, UBER_EATS, VENDOR
from tests.importers.test_hostile_input import read
from tests.model.shapes import ANYTHING, rarely
from tests.program import Run
from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import Imported, ImportOptions
from trialrun.importers.menu_builder import Record
from trialrun.importers.run import detect_format, import_files

SECRET = "hunter2"
SYSTEMS = {"square": SQUARE, "toast": TOAST, "uber": UBER_EATS, "vendor": VENDOR, "feed": FEED, "old-feed": OLD_FEED}


def imported(value: Any, name: str = "menu.json") -> Imported:
    text = value if isinstance(value, str) else json.dumps(value)
    return import_files([InputFile(name, text.encode())], None, ImportOptions())


def menu_of(value: Any, name: str = "menu.json") -> dict[str, Any]:
    (document,) = imported(value, name).documents
    return dict(document.value)


def notes_of(value: Any, name: str = "menu.json") -> list[str]:
    return [f"{note.kind} {note.place}: {note.message}" for note in imported(value, name).notes]


@each_of([*SYSTEMS, "csv"])
def test_the_system_is_recognized(name: str) -> None:
    text = CSV if name == "csv" else json.dumps(SYSTEMS[name])
    assert detect_format(InputFile("input", text.encode())) == "menu"


@pytest.mark.parametrize("name", [*SYSTEMS, "csv"])
def test_an_import_passes_the_check_and_is_the_same_twice(name: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text(CSV if name == "csv" else json.dumps(SYSTEMS[name]), encoding="utf-8")
    first = run("import", "input.txt", "--to", "out", "--output-format", "json")
    assert first.code == 0, first.out
    assert json.loads(first.out)["findings"] == []
    second = run("import", "input.txt", "--to", "out", "--output-format", "json")
    assert {file["outcome"] for file in json.loads(second.out)["files"]} == {"unchanged"}


def test_variations_of_square_are_items_at_their_locations() -> None:
    menu = menu_of(SQUARE, "square.json")
    fries = {"categories": ["Sides"], "modifierGroups": ["ML1"]}
    assert menu == {
        "kind": "Menu",
        "name": "square",
        "items": [
            {"name": "Fries Small", "id": "V1", "price": 2.5, "availability": {"exceptStores": ["L9", "L2"]}, **fries},
            {"name": "Fries Large", "id": "V2", "price": 3.99, "availability": {"exceptStores": ["L9"]}, **fries},
            {
                "name": "Ramen",
                "id": "V3",
                "price": 1200.0,
                "availability": {"stores": ["L1"]},
                "modifierGroups": ["ML1"],
            },
        ],
        "modifierGroups": [{"name": "Dips", "id": "ML1", "modifiers": [{"name": "Ranch", "id": "M1"}]}],
    }


def test_what_square_has_beyond_a_menu_is_noted_once() -> None:
    assert notes_of(SQUARE) == [
        "guessed menu.json#/objects/2/item_data/variations/0/item_variation_data: "
        "the name of a variation: that of the item, then its own (2 times; this is the first)",
        "dropped menu.json#/objects/2/item_data/variations/0/item_variation_data/price_money/amount: "
        "the currency of prices (3 times; this is the first)",
        "unresolved menu.json#/objects/3/item_data: a modifier group that is not in the input",
        "dropped menu.json#/objects/4: an object that is no item, category or modifier list",
        "dropped menu.json#/objects/1/modifier_list_data/modifiers/0/modifier_data/price_money: "
        "a field that is not imported",
        "dropped menu.json#/objects/2/item_data/description: a field that is not imported",
        "dropped menu.json#/objects/2/item_data/variations/0/item_variation_data/sku: a field that is not imported",
    ]


def test_deleted_and_related_objects_of_square_count_as_what_they_are() -> None:
    deleted = {**SQUARE["objects"][3], "is_deleted": True}
    menu = menu_of({"objects": [SQUARE["objects"][2], deleted], "related_objects": SQUARE["objects"][:2]})
    assert [item["name"] for item in menu["items"]] == ["Fries Small", "Fries Large"]
    assert menu["items"][0]["categories"] == ["Sides"]


def test_references_and_sizes_of_toast() -> None:
    menu = menu_of(TOAST)
    assert menu["name"] == menu["displayName"] == "All Day"
    assert menu["availability"] == {"hours": [{"days": ["MONDAY", "TUESDAY"], "start": "06:00", "end": "10:30"}]}
    assert [(item["name"], item["id"], item["price"], item["modifierGroups"]) for item in menu["items"]] == [
        ("Cheeseburger", "i-1", 6.5, ["mg-1"]),
        ("Soup Cup", "i-2:o-5", 4.0, ["mg-1"]),
        ("Soup Bowl", "i-2:o-6", 7.0, ["mg-1"]),
    ]
    assert menu["modifierGroups"] == [
        {"name": "Toppings", "id": "mg-1", "modifiers": [{"name": "Pickles", "id": "o-3"}]}
    ]


def test_a_missing_name_and_a_missing_reference_of_toast_are_unresolved() -> None:
    assert [note for note in notes_of(TOAST) if note.startswith("unresolved")] == [
        "unresolved menu.json#/modifierOptionReferences/4: a modifier without a name",
        "unresolved menu.json#/menus/0/menuGroups/0/menuItems/1: a modifier group that is not in the input",
        "unresolved menu.json#/menus/0/menuGroups/0/menuGroups/0/menuItems/0: an item without a name",
    ]


def test_an_item_in_several_groups_is_one_with_several_categories() -> None:
    toast = deepcopy(TOAST)
    burger = toast["menus"][0]["menuGroups"][0]["menuItems"][0]
    toast["menus"][0]["menuGroups"].append({"name": "Lunch", "menuItems": [burger]})
    assert menu_of(toast)["items"][0]["categories"] == ["Burgers", "Lunch"]


def test_prices_languages_hours_and_suspensions_of_uber_eats() -> None:
    menu = menu_of(UBER_EATS)
    assert menu["availability"] == {"hours": [{"days": ["SATURDAY", "SUNDAY"], "start": "07:00", "end": "11:00"}]}
    assert menu["items"] == [
        {
            "name": "Hash browns",
            "id": "hash",
            "price": 2.5,
            "categories": ["Sides"],
            "availability": {"soldOut": True},
            "modifierGroups": ["g1"],
        }
    ]
    assert menu["modifierGroups"] == [
        {"name": "Sauces", "id": "g1", "modifiers": [{"name": "Ketchup", "id": "ketchup"}]}
    ]
    assert "guessed menu.json#/categories/0/title: the name in en_us of several languages; the others are dropped (2 times; this is the first)" in notes_of(UBER_EATS)  # fmt: skip  # noqa: E501


def test_the_menu_of_the_ordering_api_keeps_semantic_names() -> None:
    menu = menu_of(VENDOR)
    assert menu["brand"] == "projects/p/locations/l/brands/acme"
    assert menu["availability"] == {"stores": ["projects/p/locations/l/brands/acme/stores/pier"]}
    assert menu["items"] == [
        {
            "semanticName": "french_fries",
            "displayName": "Fries",
            "id": "F1",
            "price": 2.99,
            "categories": ["Sides"],
            "availability": {"soldOut": True, "dayparts": ["lunch"]},
            "modifierGroups": ["g1"],
        }
    ]
    assert menu["modifierGroups"] == [
        {
            "displayName": "Dips",
            "id": "g1",
            "modifiers": [{"semanticName": "ranch_dip", "displayName": "Ranch", "id": "m1"}],
        }
    ]


def test_one_modifier_may_be_in_many_groups() -> None:
    vendor = deepcopy(VENDOR["menus"][0])
    vendor["modifierGroups"].append({"id": "g2", "displayName": "Sauces", "modifiers": ["m1"]})
    assert [group["modifiers"][0]["id"] for group in menu_of(vendor)["modifierGroups"]] == ["m1", "m1"]


@each_of(
    [
        ({"currencyCode": "USD", "units": "2", "nanos": 990000000}, 2.99),
        ({"currency_code": "USD", "units": 3}, 3.0),
        ({"nanos": 500000000}, 0.5),
        ({"units": "-1"}, None),
        ({"units": "x"}, None),
        ({"units": [], "nanos": {}}, None),
        ({"units": "9" * 400}, None),
        ({"units": "1e999999999", "nanos": 5}, None),
        ({"units": True}, None),
        ({"units": 3, "nanos": -500000000}, None),
        ({"units": 3, "nanos": 1000000000}, None),
        (2.5, None),
        ({}, None),
    ]
)
def test_money(money: Any, price: float | None) -> None:
    vendor = deepcopy(VENDOR["menus"][0])
    vendor["items"][0]["basePrice"] = money
    assert menu_of(vendor)["items"][0].get("price") == price


TWICE = "dropped menu.json#{}: an entry with the id of an earlier one, which counts"
MENU, ITEM = {"id": "m", "title": "Menu", "category_ids": ["c"]}, {"id": "i", "title": "Tea", "price_info": {}}
CATEGORY = {"id": "c", "title": "Hot", "entities": [{"id": "i"}, {"id": "i"}]}

TOAST_MENU = {"name": "M", "menuGroups": [{"menuItems": [{"name": "a", "modifierGroupReferences": [1]}]}]}


def square_item(**data: Any) -> dict[str, Any]:
    return {"type": "ITEM", "id": "i", "item_data": {"name": "Tea", **data}}


@each_of(
    [
        (
            [square_item(categories=[{"id": "c"}])],
            "unresolved menu.json#/0/item_data: a category that is not in the input",
        ),
        ([square_item(), {"type": "ITEM", "id": "j"}], "dropped menu.json#/1: an object without its data"),
        (
            [square_item(variations=[{"id": "V"}])],
            "dropped menu.json#/0/item_data/variations/0: an object without its data",
        ),
        (
            [{"type": "MODIFIER_LIST", "id": "L", "modifier_list_data": {"name": name}} for name in ("Milk", "Soy")],
            TWICE.format("/1"),
        ),
        ({"menus": [{"name": "M", "menuGroups": [{"menuItems": [None]}]}]},
         "dropped menu.json#/menus/0/menuGroups/0/menuItems/0: what is no object"),
        (
            {
                "menus": [TOAST_MENU],
                "modifierGroupReferences": {"1": {"name": ""}},
            },
            "unresolved menu.json#/modifierGroupReferences/1: a modifier group without a name",
        ),
        (
            {
                "menus": [TOAST_MENU],
                "modifierGroupReferences": {"1": {"referenceId": 1, "name": "a"}, "2": {"referenceId": 1, "name": "b"}},
            },
            TWICE.format("/modifierGroupReferences/2"),
        ),
        (
            {"menus": [{"name": "M", "menuGroups": [{"menuItems": [
                {"name": "a", "pricingRules": {"sizeSpecificPricingGuid": "g"}}]}]}]},
            "unresolved menu.json#/menus/0/menuGroups/0/menuItems/0: a modifier group that is not in the input",
        ),
        (
            {"menus": [{"name": "M", "menuGroups": [], "availability": {"alwaysAvailable": False, "schedule": []}}]},
            "unresolved menu.json#/menus/0/availability: the hours of a menu that is not always available",
        ),
        ({"items": [ITEM, ITEM], "categories": [CATEGORY], "menus": [MENU]}, TWICE.format("/items/1")),
        (
            {"items": [ITEM], "categories": [], "menus": [{**MENU, "category_ids": []}]},
            "dropped menu.json#/items/0: an item that is in no category of a menu",
        ),
        ({"items": [ITEM], "categories": [CATEGORY, CATEGORY], "menus": [MENU]}, TWICE.format("/categories/1")),
        (
            {"data": [{"item": {"itemId": "i", "displayName": "Tea", "menuSectionId": "s"}}]},
            "unresolved menu.json#/data/0/item: a section that is not in the input",
        ),
        (
            {"data": [{"item": {"itemId": "i", "displayName": "Tea", "menuItemOptionIds": ["o"]}}]},
            "unresolved menu.json#/data/0/item: an option that is not in the input",
        ),
    ]
)  # fmt: skip
def test_what_a_menu_lacks_or_has_twice_is_noted_once(value: Any, note: str) -> None:
    assert notes_of(value) == [note]


def test_an_item_twice_in_a_category_has_it_once() -> None:
    menu = menu_of({"items": [ITEM], "categories": [CATEGORY], "menus": [MENU]})
    assert menu["items"] == [{"name": "Tea", "id": "i", "categories": ["Hot"]}]
    assert menu_of("id,name\n1,Tea\n1,Tea\n", "m.csv")["items"] == [{"id": "1", "name": "Tea"}]


@each_of([({},), ({"objects": []},)])
def test_an_empty_last_page_of_square_ends_its_list(last: Any) -> None:
    assert notes_of([{"objects": [square_item()], "cursor": "next"}, last]) == []


def test_related_objects_of_square_may_be_on_each_page() -> None:
    related = [{"type": "MODIFIER_LIST", "id": "L", "modifier_list_data": {"name": "Milk"}}]
    pages = [{"objects": [{**square_item(), "id": key}], "related_objects": related} for key in "ij"]
    assert notes_of(pages) == []
    assert menu_of(pages)["modifierGroups"] == [{"name": "Milk", "id": "L"}]


def test_a_menu_of_toast_with_an_empty_availability_says_nothing_of_its_hours() -> None:
    assert notes_of({"menus": [{"name": "M", "menuGroups": [], "availability": {}}]}) == []


def test_notes_are_in_the_order_of_the_input() -> None:
    options = [{"option": {"optionId": str(number), "value": "Milk"}} for number in range(9)]
    notes = notes_of({"data": [*options, {"item": {"itemId": "i", "displayName": "Tea"}}]})
    assert notes == [
        f"dropped menu.json#/data/{number}/option: an option of no item in the input" for number in range(9)
    ]


def test_sections_need_no_id_where_they_name_their_items() -> None:
    sections = [{"section": {"displayName": name, "menuItemIds": ["i"]}} for name in ("Hot", "New")]
    value = {"data": [*sections, {"item": {"itemId": "i", "displayName": "Tea"}}]}
    assert menu_of(value)["items"] == [{"name": "Tea", "id": "i", "categories": ["Hot", "New"]}]
    assert notes_of(value) == []


def test_a_section_of_add_ons_may_have_the_id_of_an_option() -> None:
    entries = {
        "option": {"menuItemOptionId": "1", "value": "Milk"},
        "section": {"menuSectionId": "1", "name": "Extras", "menuItemId": {"id": "i"}},
        "item": {"menuItemId": "i", "name": "Tea", "menuItemOptionIds": ["1"]},
    }
    menu = menu_of({"data": [{kind: entry} for kind, entry in entries.items()]})
    assert menu["items"][0]["modifierGroups"] == ["Options", "1"]


def test_both_forms_of_a_food_menu_feed() -> None:
    feed, old = menu_of(FEED), menu_of(OLD_FEED)
    assert feed["items"] == [
        {"name": "Fries", "id": "i1", "price": 3.5, "categories": ["Sides"], "modifierGroups": ["Options"]}
    ]
    assert feed["modifierGroups"] == [{"name": "Options", "modifiers": [{"name": "Extra crispy", "id": "o1"}]}]
    assert old["items"] == [{"name": "Fries", "id": "i1", "price": 2.5, "categories": ["Sides"]}]
    assert (feed["displayName"], old["displayName"]) == ("Dinner", "Dinner")
    assert notes_of(OLD_FEED) == []


OFFER = {"@type": "Offer", "price": "6.50", "priceCurrency": "USD"}
COLD = {"@type": "MenuSection", "name": "Cold", "hasMenuItem": {"@type": "MenuItem", "name": "Gazpacho"}}
SOUPS = {
    "@type": "MenuSection",
    "name": "Soups",
    "hasMenuItem": [{"@type": "MenuItem", "name": "Chowder", "offers": OFFER}, {"name": "Bisque", "offers": [OFFER]}],
    "hasMenuSection": COLD,
}
SCHEMA_ORG = {"@type": "Menu", "name": "M", "hasMenuSection": [SOUPS], "hasMenuItem": [{"name": "Bread"}, None]}
BESIDE = [
    {"@type": "MenuSection", "@id": "soups", "name": "Soups"},
    {"@type": "MenuSection", "@id": "cold", "name": "Cold"},
    {"@type": "MenuItem", "name": "Chowder", "menuSectionId": "soups", "offers": OFFER},
    {"@type": "MenuItem", "name": "Bisque", "menuSectionId": "soups", "offers": OFFER},
    {"@type": "MenuItem", "name": "Gazpacho", "menuSectionId": "cold"},
    {"@type": "MenuItem", "name": "Bread"},
]
COLD_REFERENCE = {"@type": "MenuSection", "@id": "#cold"}
GRAPH = [
    {"@type": ["Restaurant", "LocalBusiness"], "hasMenu": {"@id": "#menu"}},
    {"@type": ["Menu", "CreativeWork"], "@id": "#menu", "hasMenuSection": [{"@id": "#soups"}, COLD_REFERENCE]},
    {
        "@type": "MenuSection",
        "@id": "#soups",
        "name": "Soups",
        "hasMenuItem": [{"@id": "#1"}, {"@type": "MenuItem", "@id": "#2"}],
    },
    {"@type": "MenuSection", "@id": "#cold", "name": "Cold", "hasMenuItem": {"name": "Gazpacho"}},
    {"@type": "MenuItem", "@id": "#1", "name": "Chowder", "offers": OFFER},
    {"@type": "MenuItem", "@id": "#2", "name": "Bisque", "offers": OFFER},
]


@each_of([("https://schema.org/OutOfStock", True), ("SoldOut", True), ("http://schema.org/InStock", None)])
def test_an_offer_of_schema_org_may_be_sold_out(state: str, sold_out: bool | None) -> None:
    item = {"@type": "MenuItem", "name": "Chowder", "offers": [{**OFFER, "availability": state}]}
    (found,) = menu_of({"@type": "Menu", "hasMenuItem": item})["items"]
    assert found.get("availability", {}).get("soldOut") is sold_out
    assert notes_of({"@type": "Menu", "name": "M", "hasMenuItem": item}) == []


def test_entities_of_a_graph_name_each_other() -> None:
    names = [(item["name"], item["categories"]) for item in menu_of({"@graph": GRAPH})["items"]]
    assert sorted(names) == [("Bisque", ["Soups"]), ("Chowder", ["Soups"]), ("Gazpacho", ["Cold"])]
    assert notes_of({"@graph": GRAPH}) == []
    assert notes_of({"@graph": [GRAPH[1], *GRAPH[3:5]]}) == [
        "unresolved menu.json#/@graph/0/hasMenuSection/0: a menu or section that is not in the input"
    ]


@each_of(
    [
        (SCHEMA_ORG,),
        ([{"@graph": [{"@type": "Restaurant", "hasMenu": SCHEMA_ORG}]}],),
        ({"@type": "Restaurant", "hasMenu": [{**SCHEMA_ORG, "@type": ["CreativeWork", "Menu"]}]},),
        ({"@context": "https://schema.org", "@type": "Restaurant", "hasMenu": SCHEMA_ORG},),
        ({"@graph": [{"@type": "WebSite"}, SCHEMA_ORG]},),
        (BESIDE,),
        ({**SCHEMA_ORG, "@id": ["no id"], "data": []},),
    ]
)
def test_items_inside_of_the_sections_of_schema_org_or_beside_them_need_no_ids(value: Any) -> None:
    assert menu_of(value)["items"] == [
        {"name": "Chowder", "price": 6.5, "categories": ["Soups"]},
        {"name": "Bisque", "price": 6.5, "categories": ["Soups"]},
        {"name": "Gazpacho", "categories": ["Cold"]},
        {"name": "Bread"},
    ]


@each_of(
    [
        ({"@language": "en", "@value": "Pie"},),
        ([{"@language": "fr", "@value": "Tarte"}, {"@language": "en-GB", "@value": "Pie"}],),
        ({"@value": "Pie"},),
        ({"value": "Tarte", "language": "fr", "translations": {"en": "Pie"}},),
    ]
)
def test_a_name_may_have_its_language_beside_it(name: Any) -> None:
    assert menu_of({"@type": "Menu", "hasMenuItem": [{"name": name}]})["items"] == [{"name": "Pie"}]


def test_columns_are_found_by_their_headers() -> None:
    assert menu_of(CSV, "food.csv")["items"] == [
        {"name": "Fries", "id": "F1", "price": 2.5, "categories": ["Sides", "Hot"], "modifierGroups": ["Dips"]},
        {"name": "Soup", "id": "S1", "price": 4.0},
    ]
    assert notes_of(CSV, "food.csv") == [
        "dropped food.csv:1: column 5, whose header is none of a menu",
        "unresolved food.csv:2: the modifiers of modifier groups, which the columns do not have",
        "guessed food.csv:2: a price, whose comma is taken for the decimal point",
        "unresolved food.csv:4: an item without a name",
    ]


@each_of(
    [
        ('id,name,semantic_name\r\n1,"Fries, large",fries_large\r\n', ["Fries, large"]),
        ("\ufeffname\tprice\nFries\t1\n", ["Fries"]),
        ('"name","price"\n"Fries\nand dip",1\n', ["Fries\nand dip"]),
        ("name,price,price\nFries,1,2\n", ["Fries"]),
    ]
)
def test_forms_of_csv(text: str, names: list[str]) -> None:
    assert [item["name"] for item in menu_of(text, "menu.csv")["items"]] == names


PRICES = [
    ("1.250,00", 1250), ("1,250.00", 1250), ("1 250,00", 1250), ("1\u202f250,00 €", 1250), ("1'250.00", 1250),
    ("1’250.–", 1250), ("1,25,000.00", 125000), ("1.250.000", 1250000), ("3,50", 3.5), ("€ 3,50", 3.5),
    ("3,50€", 3.5), ("2.50 USD", 2.5), ("US$ 2.50", 2.5), ("R$ 2,50", 2.5), ("kr. 25,-", 25), ("Rs.250", 250),
    ("1.250 KWD", 1.25), ("¥1,250", 1250), ("￥1,250", 1250), ("0,125", 0.125), (".50", 0.5),
]  # fmt: skip
NO_PRICES = ["1.250", "1,250", "3-4", "(3)", "from 3", "-3", "12 34", "1.250.00", "7e5", "n/a", "50¢"]


@each_of(PRICES)
def test_a_price_with_separators_or_a_currency(text: str, price: float) -> None:
    assert menu_of(f'name;price\nFries;"{text}"\n', "menu.csv")["items"] == [{"name": "Fries", "price": price}]


@each_of(NO_PRICES)
def test_a_price_that_is_ambiguous_or_none_is_noted_at_its_line(text: str) -> None:
    csv = f'name;price\nSoup;2\nFries;"{text}"\n'
    assert menu_of(csv, "menu.csv")["items"][1] == {"name": "Fries"}
    (note,) = notes_of(csv, "menu.csv")
    assert " menu.csv:3: a price " in note


@each_of(
    [
        (["1.250", "3,50"], [1250, 3.5]),
        (["1.250", "3.50"], [1.25, 3.5]),
        (["3,50", "1,250"], [3.5, 1.25]),
        (["1,250", "10.99"], [1250, 10.99]),
        (["1.250", "1.250.000"], [1250, 1250000]),
        (["1.250", "3,50", "4.50"], [None, 3.5, 4.5]),
    ]
)
def test_the_other_rows_of_the_column_say_which_separator_is_that_of_decimals(
    texts: list[str], prices: list[float | None]
) -> None:
    rows = "".join(f'Item {number};"{text}"\n' for number, text in enumerate(texts))
    assert [item.get("price") for item in menu_of(f"name;price\n{rows}", "menu.csv")["items"]] == prices


@each_of(
    [
        "name\tprice\nCafé\t3,50\n".encode("utf-16"),
        "name\tprice\nCafé\t3,50\n".encode("utf-16-be"),
        b"\xef\xbb\xbfsep=;\r\nname;price\r\nCaf\xc3\xa9;3,50\r\n",
        b'"sep=|"\nname|price\nCaf\xc3\xa9|3.50\n',
        "sep=\t\nname\tprice\nCafé\t3.50\n".encode("utf-16"),
    ]
)
def test_files_as_spreadsheets_write_them(data: bytes) -> None:
    (document,) = import_files([InputFile("menu.csv", data)], None, ImportOptions()).documents
    assert document.value["items"] == [{"name": "Café", "price": 3.5}]


@each_of(
    [
        ('name,price\nFries,2\n"Small, 3\nCola,2\n', 3),
        ('name,price\n"Fries\nwith sauce",2\n"12"" ""Pizza""""', 4),
        ('sep=,\nname,price,"id\nFries,2,1\n', 2),
    ]
)
def test_a_quote_that_is_not_closed_is_an_error_where_its_row_begins(text: str, line: int) -> None:
    with pytest.raises(InputError, match=f"menu.csv:{line}: a quote of this row is not closed"):
        menu_of(text, "menu.csv")


@each_of(
    [
        ("Archived", "Y", None),
        ("is_deleted", "true", None),
        ("Hidden", "yes", None),
        ("Sellable", "N", None),
        ("Visibility", "hidden", None),
        ("Status", "Archived", None),
        ("Status", "sold out", {"soldOut": True}),
        ("Sold out", "x", {"soldOut": True}),
        ("Available", "no", {"soldOut": True}),
        ("Not available", "yes", {"soldOut": True}),
        ("not_available", "no", {}),
        ("Not sellable", "no", {}),
        ("Not for sale", "yes", None),
        ("Invisible", "yes", None),
        ("No longer active", "x", None),
        ("Archived", "N", {}),
        ("Available", "yes", {}),
        ("Archived", "", {}),
        ("Archived", "perhaps", {}),
    ]
)
def test_states_of_a_row(header: str, cell: str, availability: dict[str, bool] | None) -> None:
    csv = f"name,price,{header}\nSoup,2,\nFries,1,{cell}\n"
    found = {item["name"]: item.get("availability", {}) for item in menu_of(csv, "menu.csv")["items"]}
    assert found == {"Soup": {}} | ({} if availability is None else {"Fries": availability})
    assert any(" menu.csv:3: " in note for note in notes_of(csv, "menu.csv")) == (
        availability is None or cell == "perhaps"
    )


def test_a_file_that_is_no_text_says_how_to_save_it() -> None:
    with pytest.raises(InputError, match=r"menu.csv:2: is not text in UTF-8; save it as CSV UTF-8"):
        import_files([InputFile("menu.csv", "name,price\nCafé,1\n".encode("cp1252"))], None, ImportOptions())


@pytest.mark.parametrize("data", [b'name,price\n"' + b"x" * 300_000, b"name,price\n\xff,1\n", b"name,price\n\0,1"])
def test_broken_csv_is_one_clear_error_or_read(data: bytes) -> None:
    read(InputFile("menu.csv", data), "menu")


def test_a_secret_is_never_quoted() -> None:
    for value in SYSTEMS.values():
        text = json.dumps(value).replace('"USD"', f'"{SECRET}"').replace("description", SECRET)
        for hidden in (
            text,
            text.replace("250", f'"{SECRET}"'),
            text.replace('"alwaysAvailable": false', f'"key": "{SECRET}"'),
        ):
            notes = import_files([InputFile("menu.json", hidden.encode())], "menu", ImportOptions()).notes
            assert [note.message for note in notes if SECRET in note.message] == []


def test_something_else_is_refused() -> None:
    with pytest.raises(InputError, match="has no menu of Square, Toast, Uber Eats"):
        import_files([InputFile("x.json", b'{"a": [1]}')], "menu", ImportOptions())


def test_menus_of_one_name_are_two_documents() -> None:
    twice = {**TOAST, "menus": [*TOAST["menus"], *deepcopy(TOAST["menus"])]}
    assert [document.resource for document in imported(twice).documents] == ["All Day", "All Day-2"]


def places(value: Any) -> list[tuple[Any, ...]]:
    """The paths of all values of a document."""
    found: list[tuple[Any, ...]] = [()]
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        found += [(key, *path) for path in places(child)]
    return found


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    result = deepcopy(value)
    holder = result
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = other
    return result


WRONG = st.sampled_from(
    [None, True, 0, -1, 10**40, 1e300, "", " ", "x", "Missing name", [], [None], [[]], {}, {"a": {}}]
)


@pytest.mark.parametrize("name", SYSTEMS)
@given(st.data())
def test_wrong_types_anywhere_are_imported_or_refused(name: str, data: st.DataObject) -> None:
    value = SYSTEMS[name]
    for _ in range(data.draw(st.integers(1, 3))):
        value = replaced(value, data.draw(st.sampled_from(places(value))), data.draw(rarely(WRONG, ANYTHING)))
    read(InputFile("menu.json", json.dumps(value).encode()), "menu")


@given(st.text(alphabet='name,price;\t|"\n\r\0é1.$-', max_size=60))
def test_any_csv_is_imported_or_refused(text: str) -> None:
    read(InputFile("menu.csv", f"name,price\n{text}".encode()), "menu")


def feed_of(size: int) -> Any:
    sections = [{"section": {"menuSectionId": f"s{n}", "displayName": "s"}} for n in range(size)]
    items = [{"item": {"menuItemId": f"i{n}", "displayName": "n", "menuSectionId": f"s{n}"}} for n in range(size)]
    return [*sections, *items]


def toast_of(size: int) -> Any:
    """Items of sizes that are not there, and of one group without a name."""
    rules = {"sizeSpecificPricingGuid": "missing"}
    items = [{"name": "a", "guid": f"a{n}", "pricingRules": rules, "modifierGroupReferences": [0]} for n in range(size)]
    groups = {str(n): {"name": "", "guid": f"g{n}", "modifierOptionReferences": [*range(size)]} for n in range(size)}
    groups = {**{key: {"name": "g", "guid": "g"} for key in groups}, "0": groups["0"]}
    return {
        "menus": [{"name": "m", "menuGroups": [{"name": "g", "menuItems": items}]}],
        "modifierGroupReferences": groups,
        "modifierOptionReferences": {"0": {"name": "o", "guid": "o"}},
    }


def uber_eats_of(size: int) -> Any:
    items = [{"id": f"i{n}", "title": "t", "price_info": {}, "modifier_group_ids": {"ids": ["g"]}} for n in range(size)]
    group = {"id": "g", "title": "g", "modifier_options": [{"id": f"o{n}"} for n in range(size)]}
    menus = [{"id": f"m{n}", "title": "m", "category_ids": []} for n in range(1, size)]
    categories = [{"id": "c", "title": "c", "entities": [{"id": item["id"]} for item in items]}]
    menus.insert(0, {"id": "m0", "title": "m", "category_ids": ["c"]})
    return {"items": items, "modifier_groups": [group], "categories": categories, "menus": menus[:2]}


@pytest.mark.parametrize("menu", [feed_of, toast_of, uber_eats_of])
def test_a_menu_of_twice_the_size_is_twice_the_work(menu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, get = [0], Record.get

    def count_and_get(record: Record, *names: str) -> Any:
        reads[0] += 1
        return get(record, *names)

    monkeypatch.setattr(Record, "get", count_and_get)
    counts = []
    for size in (50, 100):
        reads[0] = 0
        imported(menu(size))
        counts.append(reads[0])
    assert counts[1] < 2.5 * counts[0]


@pytest.mark.parametrize("module", ["run", "menu_builder"])
def test_more_items_than_memory_should_hold_are_refused(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"trialrun.importers.{module}.MAX_ITEMS", 2)
    item = {"name": "Fries", "guid": "f", "price": 3}
    groups = [{"name": "g", "menuItems": [{**item, "guid": f"f{n}"} for n in range(3)]}]
    with pytest.raises(InputError, match=r"menu.json has menus with more than .* items; import it in parts"):
        imported({"menus": [{"name": "m", "menuGroups": groups}]})
