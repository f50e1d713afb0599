"""FoodMenuFeed: components of a menu by ids, and its older form, entities with `@type` and `@id`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.importers.interface import Draft, InputPlace
from trialrun.importers.menu_builder import MenuBuilder, resource_of
from trialrun.importers.menu_price import decimal_price, money
from trialrun.importers.menu_record import MenuNotes, Record, name_text

COMPONENTS = ("menu", "section", "item", "option")
ENTITIES = ("Menu", "MenuSection", "MenuItem", "MenuItemOffer", "MenuItemOption")
OPTIONS = "Options"


def is_menu(value: Any) -> bool:
    """Whether a value is a feed of either form."""
    return any(_component(each) or _entity(each) for each, _ in _entries(value, InputPlace("")))


def _entries(value: Any, place: InputPlace) -> list[tuple[Any, InputPlace]]:
    for key in ("data", "entities", "dataFeedElement"):
        if isinstance(value, Mapping) and isinstance(value.get(key), list):
            value, place = value[key], place.below(key)
    return [(each, place.below(at)) for at, each in enumerate(value)] if isinstance(value, list) else []


def _component(value: Any) -> str:
    """The kind of a component; empty for anything else."""
    if not isinstance(value, Mapping):
        return ""
    kinds = [key for key in COMPONENTS if isinstance(value.get(key), Mapping)]
    return kinds[0] if len(kinds) == 1 and len(value) == 1 else ""


def _entity(value: Any) -> str:
    type_ = value.get("@type") if isinstance(value, Mapping) else None
    return type_ if isinstance(type_, str) and type_ in ENTITIES else ""


def read_menus(value: Any, place: InputPlace, notes: MenuNotes) -> Iterator[Draft]:
    """The feed as one menu."""
    records: dict[str, list[Record]] = {kind: [] for kind in (*COMPONENTS, "offer")}
    for each, each_place in _entries(value, place):
        if kind := _component(each):
            records[kind].append(Record(each[kind], each_place.below(kind), notes))
        elif kind := _entity(each):
            records[kind.removeprefix("Menu").removeprefix("Item").lower() or _kind_of(kind)].append(
                Record(each, each_place, notes)
            )
        else:
            notes.add("dropped", "what is no menu, section, item or option", each_place)
    menu = MenuBuilder(resource_of(place), place, notes)
    if len(records["menu"]) > 1:
        notes.add("guessed", "several menus as one", records["menu"][1].place)
    for record in records["menu"][:1]:
        menu.fields = {"displayName": _name(record)}
    _add_items(menu, records)
    for record in (record for kind in records.values() for record in kind):
        record.ignore(
            "@type", "@id", "menuId", "language", "merchantIds", "menuSectionIds", "sectionIds", "menuSectionId"
        )
        record.drop_rest()
    yield menu.draft()


def _kind_of(entity: str) -> str:
    return "item" if entity == "MenuItem" else "menu"


def _id(record: Record, *names: str) -> str:
    return record.identifier("@id", *names, "id")


def _name(record: Record) -> str:
    return name_text(record, "displayName", "name", "displayText")


def _add_items(menu: MenuBuilder, records: Mapping[str, list[Record]]) -> None:
    categories = dict(_categories(records["section"]))
    section_names = _section_names(records["section"])
    options = {_id(option, "menuItemOptionId", "optionId"): option for option in records["option"]}
    offers = {offer.identifier("sku", "menuItemId"): offer for offer in records["offer"]}
    for item in records["item"]:
        key = _id(item, "menuItemId", "itemId")
        own = item.identifiers("menuItemOptionIds", "optionIds")
        if own:
            _add_options(menu, item, own, options)
        own_section = section_names.get(item.identifier("menuSectionId", "parentMenuSectionId", "sectionId"), "")
        price = _price(item)
        fields = {
            "name": _name(item),
            "id": key,
            "price": price if price is not None else _price(offers[key]) if key in offers else None,
            "categories": [name for name in dict.fromkeys((*categories.get(key, ()), own_section)) if name],
            "modifierGroups": menu.references([",".join(own)], item.place) if own else [],
        }
        menu.add_item(fields, item.place)


def _categories(sections: list[Record]) -> Iterator[tuple[str, list[str]]]:
    """The names of sections by the ids of their items."""
    found: dict[str, list[str]] = {}
    for section in sections:
        name = _name(section)
        for key in section.identifiers("menuItemIds", "itemIds"):
            found.setdefault(key, []).append(name)
    yield from found.items()


def _section_names(sections: list[Record]) -> dict[str, str]:
    """The names of sections by their ids; the first of an id counts."""
    names = {_id(section, "menuSectionId"): _name(section) for section in reversed(sections)}
    return {key: name for key, name in names.items() if key}


def _add_options(menu: MenuBuilder, item: Record, keys: list[str], options: Mapping[str, Record]) -> None:
    """The options of an item as a group, which items with the same options share; the feed has no name for it."""
    modifiers = []
    for key in keys:
        if (option := options.get(key)) is None:
            item.notes.add("unresolved", "an option that is not in the input", item.place)
        else:
            name = _name(option) or name_text(option, "value")
            modifiers.append(({"name": name, "id": key}, option.place))
    item.notes.join("guessed", f'the name "{OPTIONS}" of the group of options', item.place)
    number = f" {len(menu.groups) + 1}" if menu.groups and ",".join(keys) not in menu.groups else ""
    menu.add_group(",".join(keys), {"name": f"{OPTIONS}{number}"}, modifiers, item.place)


def _price(record: Record) -> float | None:
    """A price as Money or as a number, of the record or of its first offer."""
    found = record.get("price", "basePrice")
    if found is not None:
        if isinstance(found[0], Mapping):
            return money(record.record("price", "basePrice"))
        record.ignore("priceCurrency")
        return decimal_price(found[0], found[1], record.notes)
    for name in ("offer", "pricing", "offerSet"):
        if isinstance((record.get(name) or (None,))[0], Mapping) and (inner := record.record(name)) is not None:
            return _price(inner)
    for offer in record.records("offers")[:1]:
        return _price(offer)
    return None
