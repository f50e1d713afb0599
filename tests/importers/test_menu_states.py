"""The states of what a menu has in other systems: what is sold then, and a note at the place of the very entity."""

import json
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

from tests.cases import each_of
from tests.importers.menu_inputs import OLD_FEED, SQUARE, TOAST, UBER_EATS, VENDOR
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import ImportOptions
from trialrun.importers.run import import_files

NOW = datetime(2026, 6, 1, tzinfo=UTC)
BEFORE, AFTER = "2026-05-31T12:00:00Z", "2026-06-02T12:00:00Z"
SOLD_OUT = {"soldOut": True}


def menus(*values: Any) -> tuple[list[dict[str, Any]], list[tuple[str, str, int]]]:
    """The menus of a file with some documents, and the kinds and places of the notes."""
    file = InputFile("menu.json", "\n".join(map(json.dumps, values)).encode())
    found = import_files([file], None, ImportOptions(now=NOW))
    notes = [(note.kind, note.place.pointer, note.place.document) for note in found.notes]
    return [dict(document.value) for document in found.documents], notes


def changed(value: Any, path: str, change: dict[str, Any]) -> Any:
    """The value with fields set in the mapping at a pointer."""
    value = deepcopy(value)
    holder = value
    for step in path.split("/")[1:]:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    holder |= change
    return value


def sold(menu: dict[str, Any]) -> dict[str, Any]:
    """The availability of the items by their names."""
    return {item["name"]: item.get("availability", {}) for item in menu.get("items", ())}


def modifiers(menu: dict[str, Any]) -> list[str]:
    return [each["name"] for group in menu.get("modifierGroups", ()) for each in group.get("modifiers", ())]


ALL = ["Fries Small", "Fries Large", "Ramen"]
FRIES, RAMEN, LIST = "/objects/2", "/objects/3", "/objects/1"
SMALL = f"{FRIES}/item_data/variations/0"
SMALL_DATA = f"{SMALL}/item_variation_data"
MODIFIER = f"{LIST}/modifier_list_data/modifiers/0"


@each_of(
    [
        (FRIES, {"is_deleted": True}, ["Ramen"], FRIES),
        (f"{FRIES}/item_data", {"is_archived": True}, ["Ramen"], FRIES),
        (SMALL, {"is_deleted": True}, ["Fries Large", "Ramen"], SMALL),
        (SMALL, {"isDeleted": True}, ["Fries Large", "Ramen"], SMALL),
        (SMALL_DATA, {"sellable": False}, ["Fries Large", "Ramen"], SMALL),
        (SMALL, {"is_deleted": False}, ALL, None),
        (f"{FRIES}/item_data", {"is_archived": False, "ecom_visibility": "VISIBLE"}, ALL, None),
        (f"{FRIES}/item_data", {"product_type": "REGULAR"}, ALL, None),
        (f"{FRIES}/item_data", {"ecom_visibility": "HIDDEN"}, ALL, f"{FRIES}/item_data/ecom_visibility"),
        (f"{FRIES}/item_data", {"ecom_available": False}, ALL, f"{FRIES}/item_data/ecom_available"),
        (f"{FRIES}/item_data", {"product_type": "GIFT_CARD"}, ALL, f"{FRIES}/item_data/product_type"),
        ("/objects/0", {"is_deleted": True}, ALL, "/objects/0"),
        ("/objects/0/category_data", {"online_visibility": False}, ALL, "/objects/0/category_data/online_visibility"),
        ("", {"cursor": "next"}, ALL, "/cursor"),
    ]
)
def test_items_of_square(path: str, change: dict[str, Any], names: list[str], place: str | None) -> None:
    (menu,), notes = menus(changed(SQUARE, path, change))
    assert list(sold(menu)) == names
    assert place is None or place in [pointer for _, pointer, _ in notes]


@each_of(
    [
        (LIST, {"is_deleted": True}, [], LIST),
        (f"{LIST}/modifier_list_data", {"modifier_type": "TEXT", "modifiers": None}, [], LIST),
        (MODIFIER, {"is_deleted": True}, [], MODIFIER),
        (f"{MODIFIER}/modifier_data", {"hidden_online": True}, ["Ranch"], f"{MODIFIER}/modifier_data/hidden_online"),
        (MODIFIER, {"present_at_all_locations": False}, ["Ranch"], f"{MODIFIER}/present_at_all_locations"),
        (
            f"{MODIFIER}/modifier_data",
            {"location_overrides": [{"location_id": "L1", "sold_out": True}]},
            ["Ranch"],
            f"{MODIFIER}/modifier_data/location_overrides",
        ),
        (
            f"{FRIES}/item_data/modifier_list_info/0",
            {"modifier_overrides": [{"modifier_id": "M1", "hidden_online": True}]},
            ["Ranch"],
            f"{FRIES}/item_data/modifier_list_info/0/modifier_overrides",
        ),
    ]
)
def test_modifiers_of_square(path: str, change: dict[str, Any], names: list[str], place: str) -> None:
    (menu,), notes = menus(changed(SQUARE, path, change))
    assert modifiers(menu) == names
    assert place in [pointer for _, pointer, _ in notes]
    assert list(sold(menu)) == ALL


@each_of(
    [
        ({"sold_out": True}, ["L9", "L2"], None),
        ({"sold_out": True, "sold_out_valid_until": AFTER}, ["L9", "L2"], "/sold_out_valid_until"),
        ({"sold_out": True, "sold_out_valid_until": BEFORE}, ["L9"], None),
        ({"sold_out": False}, ["L9"], None),
        ({"price_money": {"amount": 300, "currency": "USD"}}, ["L9"], ""),
    ]
)
def test_what_square_sells_at_one_location(override: dict[str, Any], excepted: list[str], place: str | None) -> None:
    override = {"location_id": "L2", **override}
    (menu,), notes = menus(changed(SQUARE, SMALL_DATA, {"location_overrides": [override]}))
    assert sold(menu)["Fries Small"] == {"exceptStores": excepted}
    assert place is None or f"{SMALL_DATA}/location_overrides/0{place}" in [pointer for _, pointer, _ in notes]


def test_an_item_and_a_variation_of_square_at_different_locations_are_sold_nowhere() -> None:
    apart = {"present_at_all_locations": False, "present_at_location_ids": ["L2"]}
    (menu,), _ = menus(changed(SQUARE, f"{RAMEN}/item_data/variations/0", apart))
    assert sold(menu)["Ramen"] == SOLD_OUT


@each_of([(["L2"], {"stores": ["L1"]}), (["L1", "L2"], SOLD_OUT), (["L3"], {"stores": ["L1", "L2"]})])
def test_a_location_of_square_that_lacks_a_variation_is_no_store_of_it(absent: list[str], expected: Any) -> None:
    value = changed(SQUARE, RAMEN, {"present_at_all_locations": False, "present_at_location_ids": ["L1", "L2"]})
    (menu,), _ = menus(changed(value, f"{RAMEN}/item_data/variations/0", {"absent_at_location_ids": absent}))
    assert sold(menu)["Ramen"] == expected


@each_of(
    [
        ("Salad", ["S", "M", "L", "XL"], ["Salad S", "Salad M", "Salad L", "Salad XL"]),
        ("Coffee 12", ["1", "2"], ["Coffee 12 1", "Coffee 12 2"]),
        ("Large Fries", ["large", "Small"], ["Large Fries", "Large Fries Small"]),
        ("Wings", ["Wings XL", "6 wings"], ["Wings XL", "6 wings"]),
    ]
)
def test_sizes_of_square_have_names_of_their_own(item: str, sizes: list[str], names: list[str]) -> None:
    variations = [{"id": f"V{size}", "item_variation_data": {"name": size}} for size in sizes]
    (menu,), _ = menus(changed(SQUARE, f"{RAMEN}/item_data", {"name": item, "variations": variations}))
    assert [each["name"] for each in menu["items"]][2:] == names


def test_amounts_of_square_may_be_text_and_pages_are_one_menu() -> None:
    money = {"priceMoney": {"amount": "1,250", "currency": "USD"}, "price_money": None}
    pages = [{"objects": SQUARE["objects"][:2]}, {"objects": SQUARE["objects"][2:]}]
    (menu,), notes = menus(pages[0], changed(pages[1], "/objects/0/item_data/variations/0/item_variation_data", money))
    assert menu["items"][0]["price"] == 12.5
    assert menu["items"][0]["categories"] == ["Sides"]
    assert ("dropped", "/objects/2", 1) in notes


def test_a_list_of_pages_of_square_is_one_menu() -> None:
    pages = [{"objects": SQUARE["objects"][:2], "cursor": "next"}, {"objects": SQUARE["objects"][2:]}, {}]
    (menu, notes), (expected, as_one) = menus(pages), menus(SQUARE)
    assert menu == expected
    assert [kind for kind, _, _ in notes] == [kind for kind, _, _ in as_one]
    assert ("unresolved", "/1/cursor", 0) in menus([pages[1], pages[0]])[1]


ALL_OF_TOAST = ["Cheeseburger", "Soup Cup", "Soup Bowl"]
TOAST_GROUP = "/menus/0/menuGroups/0"
BURGER = f"{TOAST_GROUP}/menuItems/0"
OPTION = "/modifierOptionReferences/5"


@each_of(
    [
        (BURGER, {"visibility": []}, ["Soup Cup", "Soup Bowl"], ["Pickles"], BURGER),
        (BURGER, {"visibility": None}, ALL_OF_TOAST, ["Pickles"], None),
        (BURGER, {"visibility": ["POS"]}, ALL_OF_TOAST, ["Pickles"], f"{BURGER}/visibility"),
        (TOAST_GROUP, {"visibility": []}, [], [], TOAST_GROUP),
        ("/modifierGroupReferences/1", {"visibility": []}, ALL_OF_TOAST, [], "/modifierGroupReferences/1"),
        ("/modifierOptionReferences/3", {"visibility": []}, ALL_OF_TOAST, [], "/modifierOptionReferences/3"),
        (OPTION, {"visibility": []}, ["Cheeseburger", "Soup Bowl"], ["Pickles"], OPTION),
        (BURGER, {"outOfStock": True}, ALL_OF_TOAST, ["Pickles"], f"{BURGER}/outOfStock"),
        (BURGER, {"pricingStrategy": "TIME_SPECIFIC_PRICE"}, ALL_OF_TOAST, ["Pickles"], BURGER),
    ]
)
def test_states_of_toast(
    path: str, change: dict[str, Any], names: list[str], options: list[str], place: str | None
) -> None:
    (menu,), notes = menus(changed(TOAST, path, change))
    assert (list(sold(menu)), modifiers(menu)) == (names, options)
    assert place is None or place in [pointer for _, pointer, _ in notes]


@each_of([("OPEN_PRICE", 0, None), ("TIME_SPECIFIC_PRICE", 0.0, None), ("OPEN_PRICE", 5.5, 5.5), ("BASE_PRICE", 0, 0)])
def test_an_open_price_of_toast_is_not_free(strategy: str, price: float, imported: float | None) -> None:
    (menu,), _ = menus(changed(TOAST, BURGER, {"pricingStrategy": strategy, "price": price}))
    assert menu["items"][0].get("price") == imported


def test_a_size_of_toast_may_be_free() -> None:
    free = changed(changed(TOAST, OPTION, {"price": 0}), f"{TOAST_GROUP}/menuItems/1", {"price": 7})
    (menu,), _ = menus(free)
    assert [item["price"] for item in menu["items"] if item["name"] == "Soup Cup"] == [0]


@each_of(
    [
        ("inStock", False),
        ("in_stock", "false"),
        ("forSale", False),
        ("unlisted", True),
        ("unpublished", True),
        ("invisible", True),
        ("notAvailable", "true"),
        ("is_not_sellable", True),
        ("deactivated", True),
    ]
)
def test_a_state_is_noted_at_its_own_place_however_it_is_called(field: str, value: object) -> None:
    _, notes = menus(changed(TOAST, "", {"menus": [changed(TOAST["menus"][0], "", {field: value})] * 2}))
    assert [pointer for _, pointer, _ in notes if field in pointer] == [f"/menus/{at}/{field}" for at in (0, 1)]


@each_of([("inStock", True), ("unlisted", False), ("notAvailable", "no"), ("forSale", None), ("invisible", 0)])
def test_a_usual_state_has_no_note_of_its_own(field: str, value: object) -> None:
    _, notes = menus(changed(TOAST, "", {"menus": [changed(TOAST["menus"][0], "", {field: value})] * 2}))
    assert ("dropped", f"/menus/1/{field}", 0) not in notes


def test_a_menu_of_toast_that_is_visible_nowhere_is_left_out() -> None:
    twice = changed(TOAST, "", {"menus": [*TOAST["menus"], {"name": "Staff", "visibility": [], "menuGroups": []}]})
    found, notes = menus(twice)
    assert [menu["name"] for menu in found] == ["All Day"]
    assert ("dropped", "/menus/1", 0) in notes


UNTIL = "/items/0/suspension_info/suspension/suspend_until"
FOR_BREAKFAST = {"context_type": "MENU", "context_value": "breakfast"}
OVERRIDE = "/items/0/suspension_info/overrides/0"
SECONDS = int(NOW.timestamp())
SUSPENDED = {"suspension": {"suspend_until": SECONDS + 60}}


@each_of(
    [
        (SUSPENDED, SOLD_OUT, UNTIL),
        ({"suspension": {"suspend_until": SECONDS - 60}}, {}, None),
        ({"suspension": {"suspend_until": str(SECONDS + 60)}}, SOLD_OUT, UNTIL),
        ({"suspension": {"suspend_until": (SECONDS - 60) * 1000}}, {}, None),
        ({"suspension": {"suspend_until": AFTER}}, SOLD_OUT, UNTIL),
        ({"suspension": {"suspend_until": BEFORE}}, {}, None),
        ({"suspension": {"suspend_until": 0}}, {}, None),
        ({"suspension": None}, {}, None),
        (None, {}, None),
        ({"overrides": [{**FOR_BREAKFAST, **SUSPENDED}]}, SOLD_OUT, f"{OVERRIDE}/suspension/suspend_until"),
        ({**SUSPENDED, "overrides": [{**FOR_BREAKFAST, "suspension": None}]}, {}, None),
        ({"overrides": [{**FOR_BREAKFAST, "context_value": "dinner", **SUSPENDED}]}, {}, None),
        ({"overrides": [{**FOR_BREAKFAST, "context_type": "ITEM", **SUSPENDED}]}, {}, OVERRIDE),
    ]
)
def test_suspensions_of_uber_eats(info: Any, availability: dict[str, Any], place: str | None) -> None:
    (menu,), notes = menus(changed(UBER_EATS, "/items/0", {"suspension_info": info}))
    assert sold(menu)["Hash browns"] == availability
    assert [pointer for _, pointer, _ in notes if "suspension_info" in pointer] == ([] if place is None else [place])


def test_what_holds_for_a_menu_of_uber_eats_alone() -> None:
    value = changed(UBER_EATS, "/items/0/price_info", {"overrides": [{**FOR_BREAKFAST, "price": 199}]})
    value = changed(value, "/items/0/modifier_group_ids", {"overrides": [{**FOR_BREAKFAST, "ids": []}]})
    (menu,), _ = menus(value)
    assert menu["items"][0]["price"] == 1.99
    assert "modifierGroups" not in menu["items"][0]


def test_a_suspended_option_of_uber_eats_is_noted() -> None:
    (menu,), notes = menus(changed(UBER_EATS, "/items/1", {"suspension_info": SUSPENDED}))
    assert modifiers(menu) == ["Ketchup"]
    assert ("unresolved", "/items/1/suspension_info/suspension/suspend_until", 0) in notes


def test_hours_and_dates_of_an_item_of_uber_eats() -> None:
    week = [{"day_of_week": "monday", "time_periods": [{"start_time": "10:00", "end_time": "12:00"}]}]
    hours = {"start_date": "2026-06-01", "end_date": "2026-06-30", "hours_of_week": week}
    change = {"visibility_info": {"hours": [hours, hours]}, "suspension_info": None}
    (menu,), notes = menus(changed(UBER_EATS, "/items/0", change))
    assert sold(menu)["Hash browns"] == {
        "hours": [{"days": ["MONDAY"], "start": "10:00", "end": "12:00"}],
        "dates": [{"start": "2026-06-01", "end": "2026-06-30"}],
    }
    assert ("unresolved", "/items/0/visibility_info/hours/1", 0) in notes


def test_a_cleared_menu_of_uber_eats_has_no_items() -> None:
    cleared = changed(UBER_EATS, "/menus/0", {"category_ids": []})
    empty = {"items": [], "modifier_groups": [], "categories": [], "menus": [{"id": "empty", "category_ids": []}]}
    for value in (cleared, empty):
        (menu,), _ = menus(value)
        assert sold(menu) == {}
    _, notes = menus(changed(UBER_EATS, "/menus/0", {"category_ids": ["c1", "gone"]}))
    assert ("unresolved", "/menus/0", 0) in notes


VENDOR_ITEM = "/menus/0/items/0"


@each_of(
    [
        ("SOLD_OUT", SOLD_OUT, None),
        ("UNAVAILABLE", SOLD_OUT, None),
        ("HIDDEN", SOLD_OUT, None),
        ("AVAILABLE", {}, None),
        ("STATUS_UNSPECIFIED", {}, None),
        ("ON_HOLIDAY", {}, f"{VENDOR_ITEM}/availability/status"),
    ]
)
def test_states_of_the_ordering_api(status: str, availability: dict[str, Any], place: str | None) -> None:
    (menu,), notes = menus(changed(VENDOR, VENDOR_ITEM, {"availability": {"status": status}}))
    assert menu["items"][0].get("availability", {}) == availability
    assert [pointer for _, pointer, _ in notes if "availability" in pointer] == ([] if place is None else [place])


def test_schedules_and_modifiers_of_the_ordering_api_that_are_not_imported_are_noted() -> None:
    availability = {"menuScheduleAvailability": {"menuScheduleIds": ["s1"]}}
    value = changed(VENDOR, VENDOR_ITEM, {"availability": availability})
    _, notes = menus(changed(value, "/menus/0/modifiers/0", {"availability": {"status": "SOLD_OUT"}}))
    pointers = [pointer for _, pointer, _ in notes]
    assert f"{VENDOR_ITEM}/availability/menuScheduleAvailability/menuScheduleIds" in pointers
    assert "/menus/0/modifiers/0/availability" in pointers


ENTITIES: list[dict[str, Any]] = [
    {"@type": "Menu", "@id": "menu", "name": "Tavern"},
    {"@type": "MenuSection", "@id": "stews", "menuId": {"@id": "menu", "displayOrder": 1}, "name": "Stews"},
    {"@type": "MenuItem", "@id": "lentil", "name": "Lentil Stew", "parentMenuSectionId": {"@id": "stews"}},
    {"@type": "MenuItemOffer", "@id": "o1", "sku": "901", "menuItemId": "lentil", "price": "7,50"},
    {"@type": "MenuItem", "@id": "tart", "name": "Plum Tart", "parentMenuSectionId": {"@id": "stews"}},
    {"@type": "MenuItemOption", "@id": "half", "menuItemId": {"@id": "tart"}, "value": {"name": "SIZE", "value": "½"}},
    {"@type": "MenuItemOffer", "@id": "o2", "sku": "902", "menuItemOptionId": "half", "price": 3},
    {"@type": "MenuSection", "@id": "sides", "menuItemId": {"@id": "lentil", "displayOrder": 1}, "name": "Sides"},
    {"@type": "MenuItem", "@id": "bread", "name": "Rye Bread", "parentMenuSectionId": {"@id": "sides"}},
    {"@type": "MenuItemOffer", "@id": "o3", "sku": "903", "menuItemId": ["bread"], "price": 1, "inventoryLevel": 0},
]  # fmt: skip


@each_of([([{"data": ENTITIES}],), ([ENTITIES],), (ENTITIES,)])
def test_the_older_form_of_a_feed(documents: list[Any]) -> None:
    (menu,), _ = menus(*documents)
    assert menu["items"] == [
        {"name": "Lentil Stew", "id": "lentil", "price": 7.5, "categories": ["Stews"], "modifierGroups": ["sides"]},
        {"name": "Plum Tart ½", "id": "tart:half", "price": 3.0, "categories": ["Stews"]},
        {"name": "Rye Bread", "id": "bread", "price": 1.0, "categories": ["Sides"], "availability": SOLD_OUT},
    ]
    assert menu["modifierGroups"] == [
        {"name": "Sides", "id": "sides", "modifiers": [{"name": "Rye Bread", "id": "bread"}]}
    ]


def test_what_else_a_stream_has_is_noted_with_its_document() -> None:
    _, notes = menus(*ENTITIES, {"@type": "Restaurant", "@id": "r"}, {**ENTITIES[3], "@id": "o9", "price": 6})
    assert ("dropped", "", 10) in notes
    assert ("dropped", "", 11) in notes


def test_the_offer_that_counts_is_of_the_item_and_not_of_its_sku() -> None:
    (menu,), _ = menus(changed(OLD_FEED, "/data/3", {"sku": "i9", "menuItemId": "i1"}))
    assert menu["items"][0]["price"] == 2.5


@each_of(
    [
        ({"menuItemOptionSet": {"menuItemOptionIds": ["o1", "o2"]}},),
        ({"menu_item_option_set": {"menu_item_option_ids": ["o1", "o2"]}},),
        ({"menuItemOptionIds": ["o1", "o2"]},),
    ]
)
def test_sizes_of_the_newer_form_of_a_feed(options: dict[str, Any]) -> None:
    def option(key: str, name: str, units: str) -> dict[str, Any]:
        value = {"propertyType": "SIZE", "textVal": {"text": [{"text": name, "languageCode": "en"}]}}
        offers = {"offers": [{"price": {"currencyCode": "USD", "units": units}}]}
        return {"option": {"menuItemOptionId": key, "value": value, "offerSet": offers}}

    item = {"item": {"menuItemId": "i1", "displayName": {"text": [{"text": "Tart"}]}, **options}}
    (menu,), _ = menus({"data": [item, option("o1", "Whole", "24"), option("o2", "Slice", "4")]})
    assert [(each["name"], each["price"]) for each in menu["items"]] == [("Tart Whole", 24.0), ("Tart Slice", 4.0)]


@each_of(
    [
        (changed(UBER_EATS, "/items/0", {"suspension_info": {"suspension": {"suspend_until": "HUGE"}}}),),
        (changed(SQUARE, FRIES, {"is_deleted": "HUGE"}),),
        (changed({"data": ENTITIES}, "/data/3", {"inventoryLevel": "HUGE"}),),
    ]
)
def test_a_number_of_thousands_of_digits_does_no_harm(value: Any) -> None:
    text = json.dumps(value).replace('"HUGE"', "9" * 4000)
    assert import_files([InputFile("menu.json", text.encode())], "menu", ImportOptions(now=NOW)).documents
