"""FoodMenuFeed: components of a menu by ids, and its older form, entities of schema.org with `@type` and `@id`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.importers.interface import ImportedDocument, InputPlace
from trialrun.importers.menu_builder import (
    MenuBuilder,
    MenuNotes,
    Parts,
    Record,
    by_id,
    name_text,
    resource_of,
    size_name,
)
from trialrun.importers.menu_price import decimal_price, money

COMPONENTS = ("menu", "section", "item", "option")
ENTITIES = {"Menu": "menu", "MenuSection": "section", "MenuItem": "item", "MenuItemOffer": "offer",
            "MenuItemOption": "option"}  # fmt: skip
"""The components that entities of the older form are."""
LISTS = "data", "entities", "dataFeedElement", "@graph"
NESTED = {"hasMenu": "Menu", "hasMenuSection": "MenuSection", "hasMenuItem": "MenuItem"}
"""The types of the entities inside of others."""
WITHOUT_MEANING = (
    "@context", "@type", "@id", "menuId", "language", "merchantIds", "menuSectionIds", "sectionIds", "menuSectionId",
)  # fmt: skip
SECTION_OF_ITEM = "menuSectionId", "parentMenuSectionId", "sectionId"
OPTIONS = "Options"
STATES = {"InStock": False, "LimitedAvailability": False, "OutOfStock": True, "SoldOut": True}
"""By the availability of an offer as schema.org has it, whether it is sold out."""


def is_menu(value: Any) -> bool:
    """Whether a value is a feed of either form, or one of its entries, which a stream has one after another."""
    return any(_component(each) or _entity(each) for each, _ in _entries(value, InputPlace("")))


def _entries(value: Any, place: InputPlace) -> Iterator[tuple[Any, InputPlace]]:
    keys = LISTS if isinstance(value, Mapping) and not _entity(value) else ()
    if inner := next((key for key in keys if isinstance(value.get(key), list)), None):
        value, place = value[inner], place.below(inner)
    if isinstance(value, list):
        for at, each in enumerate(value):
            yield from _entries(each, place.below(at))
    else:
        yield from _with_nested(value, place)


def _with_nested(value: Any, place: InputPlace) -> Iterator[tuple[Any, InputPlace]]:
    """An entity, then those that schema.org has inside of it, where a feed has them beside it; items name its id.

    Of what has a menu and is none, as a restaurant, that menu alone.
    """
    if not isinstance(value, Mapping) or value.keys().isdisjoint(NESTED):
        yield value, place
        return
    key = value.get("@id") or str(place)
    is_section = _entity(value) == "MenuSection"
    below: list[tuple[Any, InputPlace]] = []
    members = []
    for name, inner in value.items():
        if (type_ := NESTED.get(name)) is None or inner is None:
            continue
        for at, each in enumerate(inner if isinstance(inner, list) else [inner]):
            is_item = is_section and type_ == "MenuItem"
            if _is_reference(each):
                if is_item:
                    members.append(each["@id"])
                    continue
                each = {"@id": each["@id"]}
            elif isinstance(each, Mapping):
                each = {"@type": type_, **each, **({"menuSectionId": key} if is_item else {})}
            below.append((each, place.below(name, at) if isinstance(inner, list) else place.below(name)))
    if _entity(value):
        own = {name: part for name, part in value.items() if name not in NESTED}
        yield {**own, "@id": key, **({"menuItemIds": members} if members else {})}, place
    for each, at_place in below:
        yield from _with_nested(each, at_place)


def _component(value: Any) -> str:
    """The kind of a component; empty for anything else."""
    if not isinstance(value, Mapping):
        return ""
    kinds = [key for key in COMPONENTS if isinstance(value.get(key), Mapping)]
    return kinds[0] if len(kinds) == 1 and len(value) == 1 else ""


def _entity(value: Any) -> str:
    types = value.get("@type") if isinstance(value, Mapping) else None
    names = [
        re.split("[/:#]", each)[-1] for each in (types if isinstance(types, list) else [types]) if isinstance(each, str)
    ]
    return next((name for name in names if name in ENTITIES), "")


def _is_reference(value: Any) -> bool:
    """Whether an entity of schema.org is another's place, that stands somewhere else; it may have its type."""
    return isinstance(value, Mapping) and value.keys() <= {"@id", "@type"} and isinstance(value.get("@id"), str)


def read_menus(parts: Parts, notes: MenuNotes) -> Iterator[ImportedDocument]:
    """The feed as one menu."""
    records: dict[str, list[Record]] = {kind: [] for kind in (*COMPONENTS, "offer")}
    references: list[tuple[str, InputPlace]] = []
    for each, place in (entry for part in parts for entry in _entries(*part)):
        if kind := _component(each):
            records[kind].append(Record(each[kind], place.below(kind), notes))
        elif kind := ENTITIES.get(_entity(each), ""):
            records[kind].append(Record(each, place, notes))
        elif _is_reference(each):
            references.append((each["@id"], place))
        else:
            notes.add("dropped", "what is no menu, section, item or option", place)
    known = {str(record.value.get("@id")) for kind in records.values() for record in kind}
    for at_place in (at_place for key, at_place in references if key not in known):
        notes.add("unresolved", "a menu or section that is not in the input", at_place)
    menu = MenuBuilder(resource_of(parts[0][1]), parts[0][1], notes)
    for record in records["menu"][1:]:
        notes.add("guessed", "several menus as one", record.place)
    for record in records["menu"][:1]:
        menu.fields = {"displayName": _name(record)}
    _Feed(records).add_items(menu)
    for record in (record for kind in records.values() for record in kind):
        record.ignore(*WITHOUT_MEANING)
        record.drop_rest()
    yield menu.draft()


def _id(record: Record, *names: str) -> str:
    return record.identifier("@id", *names, "id")


def _name(record: Record) -> str:
    return name_text(record, "displayName", "name", "displayText")


class _Feed:
    """The sections, options and offers of a feed, by the items that they are of."""

    def __init__(self, records: Mapping[str, list[Record]]) -> None:
        self.items = {_id(item, "menuItemId", "itemId"): item for item in reversed(records["item"])}
        self.all_items = records["item"]
        self.options = by_id(records["option"], "@id", "menuItemOptionId", "optionId", "id")
        self.offers: dict[str, list[Record]] = {}
        for offer in records["offer"]:
            owner = ("menuItemId", "menuItemOptionId") if offer.get("menuItemId", "menuItemOptionId") else ("sku",)
            for key in (key for name in owner for key in offer.identifiers(name)):
                self.offers.setdefault(key, []).append(offer)
            offer.ignore("sku")
        self.options_of: dict[str, list[str]] = {}
        for key, option in self.options.items():
            for owner_id in option.identifiers("menuItemId", "itemId"):
                self.options_of.setdefault(owner_id, []).append(key)
        self.sections = by_id(records["section"], "@id", "menuSectionId", "id", needs_id=False)
        self.used: set[str] = set()
        self.categories: dict[str, list[str]] = {}
        self.add_ons: dict[str, list[str]] = {}
        for section_id, section in self.sections.items():
            if isinstance((section.get("menuItemId") or (None,))[0], Mapping):
                for owner_id in section.identifiers("menuItemId"):
                    self.add_ons.setdefault(owner_id, []).append(section_id)
            else:
                for key in [*section.identifiers("menuItemIds", "itemIds"), *section.identifiers("menuItemId")]:
                    self.categories.setdefault(key, []).append(_name(section))
                    if key not in self.items:
                        section.notes.add("unresolved", "an item of a section that is not in the input", section.place)
        self.members: dict[str, list[Record]] = {}
        for item in self.all_items:
            for section_id in item.identifiers(*SECTION_OF_ITEM):
                self.members.setdefault(section_id, []).append(item)
                if section_id not in self.sections:
                    item.notes.join("unresolved", "a section that is not in the input", item.place)

    def add_items(self, menu: MenuBuilder) -> None:
        """Add the items, those with sizes once for each; other options and add-ons are groups."""
        for item in self.all_items:
            self._add_item(menu, item, _id(item, "menuItemId", "itemId"))
        for key, option in self.options.items():
            if key not in self.used:
                option.leave_out("an option of no item in the input")
        for key, offers in self.offers.items():
            if key not in self.items and key not in self.options:
                offers[0].leave_out("an offer of nothing in the input")
        for section_ids in self.add_ons.values():
            for section_id in section_ids:
                self.sections[section_id].leave_out("add-ons of no item in the input")

    def _add_item(self, menu: MenuBuilder, item: Record, key: str) -> None:
        own = item.record("menuItemOptionSet") or item
        keys = [*own.identifiers("menuItemOptionIds", "optionIds"), *self.options_of.pop(key, ())]
        self.used.update(keys)
        sizes = {each: self.options[each] for each in keys if each in self.options and _is_size(self.options[each])}
        others = [each for each in keys if each not in sizes]
        own_groups = _add_options(menu, item, others, self.options)
        add_ons = self.add_ons.pop(key, [])
        for section_id in add_ons:
            if menu.has_read_group(section_id):
                continue
            members = [(each, _id(each, "menuItemId", "itemId")) for each in self.members.get(section_id, ())]
            modifiers = [({"name": _name(each), "id": each_id}, each.place) for each, each_id in members]
            section = self.sections[section_id]
            names = {"name": _name(section), "id": _id(section, "menuSectionId")}
            menu.add_group(section_id, names, modifiers, section.place)
        groups = [*own_groups, *add_ons]
        sections = [self.sections[each] for each in item.identifiers(*SECTION_OF_ITEM) if each in self.sections]
        price, availability = self._price(item, key)
        fields = {
            "name": _name(item),
            "id": key,
            "price": price,
            "categories": [*self.categories.get(key, ()), *map(_name, sections)],
            "availability": availability,
            "modifierGroups": menu.references(groups, item.place),
        }
        if not sizes:
            menu.add_item(fields, item.place)
        for option_id, option in sizes.items():
            menu.notes.join("guessed", "the name and the id of a size: those of the item, then its own", option.place)
            own_price, own_availability = self._price(option, option_id)
            size = {"name": size_name(_name(item), _option_name(option)), "id": f"{key}:{option_id}"}
            own_values = {
                "price": price if own_price is None else own_price,
                "availability": own_availability or availability,
            }
            menu.add_item({**fields, **size, **own_values}, option.place)

    def _price(self, record: Record, key: str) -> tuple[float | None, dict[str, Any]]:
        """The price of an item or option, of its own or of its first offer, and whether it is sold out."""
        price, offers = _price(record), self.offers.get(key, [])
        for offer in offers[1:]:
            offer.leave_out("a further offer; the first counts")
        if not offers:
            own = _first_offer(record)
            return price, {"soldOut": True} if own is not None and _is_sold_out(own) else {}
        first, self.offers[key] = offers[0], offers[:1]
        return price if price is not None else _price(first), {"soldOut": True} if _is_sold_out(first) else {}


def _is_size(option: Record) -> bool:
    """Whether an option is a size, which is ordered as an item."""
    value = option.record("value") if isinstance(option.value.get("value"), Mapping) else None
    return value is not None and "SIZE" in (value.text("propertyType"), value.text("name"))


def _option_name(option: Record) -> str:
    """The name of an option, which its value may have in several forms."""
    value = option.record("value") if isinstance(option.value.get("value"), Mapping) else None
    own = name_text(value, "textVal", "value", "text") if value is not None else name_text(option, "value")
    return _name(option) or own


def _add_options(menu: MenuBuilder, item: Record, keys: list[str], options: Mapping[str, Record]) -> list[str]:
    """The group of the options of an item, which items with the same options share; the feed has no name for it."""
    modifiers = []
    for key in keys:
        if (option := options.get(key)) is None:
            item.notes.add("unresolved", "an option that is not in the input", item.place)
        else:
            modifiers.append(({"name": _option_name(option), "id": key}, option.place))
    if not modifiers:
        return []
    group = f"{OPTIONS} {','.join(keys)}"  # a section of add-ons may have the id of an option
    if not menu.has_read_group(group):
        item.notes.join("guessed", f'the name "{OPTIONS}" of the group of options', item.place)
        number = f" {len(menu.groups) + 1}" if menu.groups else ""
        menu.add_group(group, {"name": f"{OPTIONS}{number}"}, modifiers, item.place)
    return [group]


def _price(record: Record) -> float | None:
    """A price as Money or as a number, of the record or of its first offer."""
    record.ignore("@type")
    found = record.get("price", "basePrice")
    if found is not None:
        if isinstance(found[0], Mapping):
            return money(record.record("price", "basePrice"))
        return decimal_price(found[0], found[1], record.notes, currency=record.text("priceCurrency"))
    inner = _first_offer(record)
    return _price(inner) if inner is not None else None


def _first_offer(record: Record) -> Record | None:
    """The offer inside of an item or option, or the first of them."""
    for name in ("offer", "pricing", "offerSet", "offers", "priceSpecification"):
        if isinstance((record.get(name) or (None,))[0], Mapping):
            return record.record(name)
    offers = record.records("offers")
    for offer in offers[1:]:
        offer.leave_out("a further offer; the first counts")
    return offers[0] if offers else None


def _is_sold_out(offer: Record) -> bool:
    """Whether an offer has nothing left, by its number or by its state as schema.org has it."""
    state = re.split("[/:#]", str(offer.value.get("availability")))[-1]
    if state in STATES:
        offer.ignore("availability")
    return STATES.get(state, False) or (offer.get("inventoryLevel") or ("", None))[0] in (0, "0")
