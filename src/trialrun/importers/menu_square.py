"""Square: the objects of a catalog. Variations of an item are items of ours, since they are what is ordered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from trialrun.importers.interface import ImportedDocument, InputPlace
from trialrun.importers.menu_builder import MenuBuilder, MenuNotes, Parts, Record, record_at, resource_of, size_name
from trialrun.importers.menu_price import minor_price

DATA_KEYS = ("item_data", "modifier_list_data", "category_data", "itemData", "modifierListData", "categoryData")
LEFT_OUT = (("isDeleted", True, "deleted"), ("isArchived", True, "archived"), ("sellable", False, "not sellable"))
FOOD = ("REGULAR", "FOOD_AND_BEV")
REGULAR = ("", "regular", "normal", "default")
"""Names of the only variation of an item that add nothing."""


def is_menu(value: Any) -> bool:
    """Whether a value has objects of a catalog."""
    objects = [each for page, place in _pages([(value, InputPlace(""))]) for each, _ in _objects(page, place)]
    known = (each for each in objects if isinstance(each, Mapping) and "type" in each)
    return any(not each.keys().isdisjoint(DATA_KEYS) for each in known)


def read_menus(parts: Parts, notes: MenuNotes) -> Iterator[ImportedDocument]:
    """The catalog, of one or several pages, as one menu."""
    pages = list(_pages(parts))
    last, last_place = pages[-1]
    if isinstance(last, Mapping) and last.get("cursor"):
        notes.add("unresolved", "the further pages of the list; import them too", last_place.below("cursor"))
    objects = _distinct_objects(each for page, place in pages for each in _objects(page, place))
    records = [found for each in objects if (found := record_at(*each, notes)) is not None]
    for record in records:
        record.ignore("id", "updatedAt", "version", "createdAt")
    menu = MenuBuilder(resource_of(parts[0][1]), parts[0][1], notes)
    sold = [record for record in records if not _is_left_out(record)]
    for record in sold:
        if record.text("type") == "CATEGORY":
            data = _data(record, "categoryData")
            menu.categories.setdefault(record.identifier("id"), data.text("name") if data else "")
    for record in sold:
        if record.text("type") == "MODIFIER_LIST":
            _add_group(menu, record)
    left_out = {record.identifier("id") for record in records} - menu.groups.keys() - menu.categories.keys()
    for record in sold:
        if record.text("type") == "ITEM":
            _add_items(menu, record, left_out)
        elif record.text("type") not in ("CATEGORY", "MODIFIER_LIST"):
            notes.add("dropped", "an object that is no item, category or modifier list", record.place)
    for record in sold:
        if record.text("type") in ("ITEM", "MODIFIER_LIST", "CATEGORY"):
            record.drop_rest()
    yield menu.draft()


def _pages(parts: Parts) -> Iterator[tuple[Any, InputPlace]]:
    """The answers, each with its place; a value may be the list of all of them."""
    for value, place in parts:
        are_pages = isinstance(value, list) and any(isinstance(each, Mapping) and "objects" in each for each in value)
        if are_pages:
            yield from ((each, place.below(index)) for index, each in enumerate(value))
        else:
            yield value, place


def _objects(value: Any, place: InputPlace) -> list[tuple[Any, InputPlace]]:
    """The objects of an answer of list, search or retrieve, each with its place."""
    if isinstance(value, list):
        return [(each, place.below(index)) for index, each in enumerate(value)]
    lists = ("objects", "items", "related_objects", "relatedObjects") if isinstance(value, Mapping) else ()
    found = [
        each for key in lists if isinstance(value.get(key), list) for each in _objects(value[key], place.below(key))
    ]
    for key in ("object", "catalog_object", "catalogObject") if isinstance(value, Mapping) else ():
        if isinstance(value.get(key), Mapping):
            found.append((value[key], place.below(key)))
    is_answer = value == {} or any(isinstance(value.get(key), list) for key in lists)
    return found or ([] if is_answer else [(value, place)])


def _distinct_objects(objects: Iterable[tuple[Any, InputPlace]]) -> Iterator[tuple[Any, InputPlace]]:
    """The objects, without those that a further page has again as they are, such as related ones."""
    known: dict[Any, Any] = {}
    for value, place in objects:
        key = value.get("id") if isinstance(value, Mapping) else None
        first = known.setdefault(key, value) if isinstance(key, str) else value
        if first is value or first != value:
            yield value, place


def _is_left_out(record: Record, data: Record | None = None) -> bool:
    """Whether an object or its data says that it is deleted, archived or not sold, with a note on it."""
    for name, answer, state in LEFT_OUT:
        if any(each.flag(name) is answer for each in (record, data) if each is not None):
            record.leave_out(f"an object that is {state}")
            return True
    return False


def _data(record: Record, name: str) -> Record | None:
    """The data of an object, with a note on one that has none."""
    if record.get(name) is None:
        record.leave_out("an object without its data")
    return record.record(name)


def _add_group(menu: MenuBuilder, record: Record) -> None:
    data = _data(record, "modifierListData")
    if data is None:
        return
    if data.text("modifierType") == "TEXT":
        record.leave_out("a modifier list for text, which has no modifiers")
        return
    key = record.identifier("id")
    modifiers = []
    for modifier in data.records("modifiers"):
        inner = modifier.record("modifierData")
        modifier.ignore("type", "updatedAt", "version")
        if not _is_left_out(modifier, inner) and (inner := _data(modifier, "modifierData")) is not None:
            modifiers.append(({"name": inner.text("name"), "id": modifier.identifier("id")}, modifier.place))
    menu.add_group(key, {"name": data.text("name"), "id": key}, modifiers, record.place)


def _add_items(menu: MenuBuilder, record: Record, left_out: set[str]) -> None:
    """An item of each variation; of a single one without a name of its own, only the name of the item."""
    if _is_left_out(record, record.record("itemData")) or (data := _data(record, "itemData")) is None:
        return
    if (found := data.get("productType")) is not None and found[0] not in FOOD:
        menu.notes.add("guessed", "an item, although its product type is none of food", found[1])
    name = data.text("name")
    all_variations = data.records("variations")
    variations = [each for each in all_variations if not _is_left_out(each, each.record("itemVariationData"))]
    common = {
        "categories": menu.category_names((key for key in _category_ids(data) if key not in left_out), data.place),
        "modifierGroups": menu.references((key for key in _group_ids(data) if key not in left_out), data.place),
    }
    if not all_variations:
        own = {"name": name, "id": record.identifier("id"), **common}
        menu.add_item({**own, "availability": _availability(record, record, None)}, record.place)
    for variation in variations:
        inner = _data(variation, "itemVariationData")
        variation.ignore("type", "updatedAt", "version")
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


def _availability(record: Record, variation: Record, data: Record | None) -> dict[str, Any]:
    """The locations that sell a variation; one that is sold out at a location is not sold there."""
    stores: list[str] | None = None
    excepted: list[str] = []
    for level in dict.fromkeys((record, variation)):
        is_everywhere = level.flag("presentAtAllLocations")
        present, absent = level.identifiers("presentAtLocationIds"), level.identifiers("absentAtLocationIds")
        if is_everywhere is False:
            stores = [store for store in present if stores is None or store in stores]
        excepted += absent
    for override in data.records("locationOverrides") if data else ():
        location = override.identifier("locationId")
        end, place = override.get("soldOutValidUntil") or (None, override.place)
        if override.flag("soldOut") and location and not record.notes.has_passed(end):
            excepted.append(location)
            if end is not None:
                record.notes.add("guessed", "sold out at a location; the end of that is not imported", place)
        if override.get("priceMoney", "pricingType"):
            record.notes.add("dropped", "a price at one location", override.place)
    if stores is not None:
        stores = [store for store in stores if store not in excepted]
        return {"stores": stores} if stores else {"soldOut": True}
    return {"exceptStores": list(dict.fromkeys(excepted))} if excepted else {}
