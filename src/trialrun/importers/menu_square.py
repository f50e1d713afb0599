"""Square: the objects of a catalog. Variations of an item are items of ours, since they are what is ordered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.importers.interface import Draft, InputPlace
from trialrun.importers.menu_builder import MenuBuilder, resource_of, size_name
from trialrun.importers.menu_price import minor_price
from trialrun.importers.menu_record import MenuNotes, Record

DATA_KEYS = ("item_data", "modifier_list_data", "category_data", "itemData", "modifierListData", "categoryData")
REGULAR = ("", "regular", "normal", "default")
"""Names of the only variation of an item that add nothing."""


def is_menu(value: Any) -> bool:
    """Whether a value has objects of a catalog."""
    objects = [each for each, _ in _objects(value, InputPlace("")) if isinstance(each, Mapping)]
    return any("type" in each and not each.keys().isdisjoint(DATA_KEYS) for each in objects)


def read_menus(value: Any, place: InputPlace, notes: MenuNotes) -> Iterator[Draft]:
    """The catalog as one menu."""
    records = [Record(each, each_place, notes) for each, each_place in _objects(value, place)]
    records = [record for record in records if not _is_deleted(record)]
    menu = MenuBuilder(resource_of(place), place, notes)
    categories = {record.identifier("id"): _category(record) for record in records if _type(record) == "CATEGORY"}
    for record in records:
        if _type(record) == "MODIFIER_LIST":
            _add_group(menu, record)
    for record in records:
        if _type(record) == "ITEM":
            _add_items(menu, record, categories)
        elif _type(record) not in ("CATEGORY", "MODIFIER_LIST"):
            notes.add("dropped", "an object that is no item, category or modifier list", record.place)
    for record in records:
        if _type(record) in ("ITEM", "MODIFIER_LIST", "CATEGORY"):
            record.drop_rest()
    yield menu.draft()


def _objects(value: Any, place: InputPlace) -> list[tuple[Any, InputPlace]]:
    """The objects of an answer of list, search or retrieve, each with its place."""
    if isinstance(value, list):
        return [(each, place.below(index)) for index, each in enumerate(value)]
    lists = ("objects", "items", "related_objects", "relatedObjects") if isinstance(value, Mapping) else ()
    found = [
        each for key in lists if isinstance(value.get(key), list) for each in _objects(value[key], place.below(key))
    ]
    if isinstance(value, Mapping) and isinstance(value.get("object"), Mapping):
        found.append((value["object"], place.below("object")))
    return found or [(value, place)]


def _type(record: Record) -> str:
    return record.text("type")


def _is_deleted(record: Record) -> bool:
    record.ignore("id", "updatedAt", "version", "createdAt")
    if record.flag("isDeleted"):
        record.notes.add("dropped", "an object that is deleted", record.place)
        return True
    return False


def _category(record: Record) -> str:
    data = record.record("categoryData")
    return data.text("name") if data else ""


def _add_group(menu: MenuBuilder, record: Record) -> None:
    data = record.record("modifierListData")
    if data is None:
        return
    key = record.identifier("id")
    modifiers = []
    for modifier in data.records("modifiers"):
        inner = modifier.record("modifierData")
        modifier.ignore("type", "updatedAt", "version", "isDeleted")
        if inner is not None:
            modifiers.append(({"name": inner.text("name"), "id": modifier.identifier("id")}, modifier.place))
    menu.add_group(key, {"name": data.text("name"), "id": key}, modifiers, record.place)


def _add_items(menu: MenuBuilder, record: Record, categories: Mapping[str, str]) -> None:
    """An item of each variation; of a single one without a name of its own, only the name of the item."""
    data = record.record("itemData")
    if data is None:
        return
    name = data.text("name")
    variations = data.records("variations")
    names = [categories.get(key, "") for key in _category_ids(data)]
    common = {
        "categories": [category for category in dict.fromkeys(names) if category],
        "modifierGroups": menu.references(_group_ids(data), data.place),
    }
    if not variations:
        menu.add_item({"name": name, "id": record.identifier("id"), **common, **_stores(record)}, record.place)
    for variation in variations:
        inner = variation.record("itemVariationData")
        variation.ignore("type", "updatedAt", "version", "isDeleted")
        if inner is None:
            continue
        inner.ignore("itemId", "ordinal")
        size = inner.text("name")
        is_only = len(variations) == 1 and size.casefold() in (*REGULAR, name.casefold())
        if not is_only:
            menu.notes.join("guessed", "the name of a variation: that of the item, then its own", inner.place)
        title = name if is_only or not name else size_name(name, size)
        fields = {"name": title, "id": variation.identifier("id"), "price": _price(inner), **common}
        menu.add_item({**fields, "availability": _availability(record, variation, inner)}, variation.place)


def _category_ids(data: Record) -> list[str]:
    ids = [data.identifier("categoryId")]
    for category in [*data.records("categories"), data.record("reportingCategory")]:
        if category is not None:
            ids.append(category.identifier("id"))
            category.ignore("ordinal")
    return ids


def _group_ids(data: Record) -> Iterator[str]:
    for info in data.records("modifierListInfo"):
        key = info.identifier("modifierListId")
        if info.flag("enabled") is not False:
            yield key


def _price(data: Record) -> float | None:
    price = data.record("priceMoney")
    if data.text("pricingType") == "VARIABLE_PRICING" and price is None:
        data.notes.add("unresolved", "the price of what has a variable one", data.place)
    if price is None:
        return None
    amount, place = price.get("amount") or (None, price.place)
    return minor_price(amount, price.text("currency"), place, data.notes)


def _stores(record: Record) -> dict[str, Any]:
    availability = _availability(record, record, None)
    return {"availability": availability} if availability else {}


def _availability(record: Record, variation: Record, data: Record | None) -> dict[str, Any]:
    """The locations that sell a variation; one that is sold out at a location is not sold there."""
    stores: list[str] = []
    excepted: list[str] = []
    for level in dict.fromkeys((record, variation)):
        is_everywhere = level.flag("presentAtAllLocations")
        present, absent = level.identifiers("presentAtLocationIds"), level.identifiers("absentAtLocationIds")
        if is_everywhere is False:
            stores = [store for store in present if not stores or store in stores]
            if not present:
                return {"soldOut": True}
        excepted += absent
    for override in data.records("locationOverrides") if data else ():
        location = override.identifier("locationId")
        if override.flag("soldOut") and location:
            excepted.append(location)
    return {key: value for key, value in (("stores", stores), ("exceptStores", list(dict.fromkeys(excepted)))) if value}
