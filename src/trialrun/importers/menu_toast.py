"""Toast: menus of groups of items, with top-level maps of modifier groups and options by integer references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.importers.interface import ImportedDocument
from trialrun.importers.menu_builder import (
    MISSING_GROUP,
    MenuBuilder,
    MenuNotes,
    Parts,
    Record,
    by_id,
    distinct,
    hours,
    merged_hours,
    resource_of,
    size_name,
)
from trialrun.importers.menu_price import decimal_price

IN_STORE = ("POS", "KIOSK")
MAX_DEPTH = 10
"""Groups inside of groups."""


def is_menu(value: Any) -> bool:
    """Whether a value has menus with groups, or the maps of references."""
    if not isinstance(value, Mapping):
        return False
    menus = value.get("menus")
    has_groups = isinstance(menus, list) and any(isinstance(menu, Mapping) and "menuGroups" in menu for menu in menus)
    return has_groups or ("modifierOptionReferences" in value and "menus" in value)


def read_menus(parts: Parts, notes: MenuNotes) -> Iterator[ImportedDocument]:
    """Each menu as one of ours, with the modifier groups that its items use."""
    taken: dict[str, int] = {}
    for value, place in parts:
        yield from _menus(Record(value, place, notes), taken)


def _menus(root: Record, taken: dict[str, int]) -> Iterator[ImportedDocument]:
    references = _References(root)
    root.ignore("restaurantGuid", "lastUpdated", "restaurantTimeZone")
    for menu in root.records("menus"):
        name = menu.text("name")
        if _is_invisible(menu):
            continue
        builder = MenuBuilder(distinct(name or resource_of(root.place), taken), menu.place, root.notes)
        builder.fields = {"displayName": name, "availability": _availability(menu)}
        menu.ignore("guid", "masterId", "multiLocationId")
        _add_items(builder, menu, [], references, MAX_DEPTH)
        yield builder.draft()
    root.drop_rest()


class _References:
    """The modifier groups and options by the integers that refer to them."""

    def __init__(self, root: Record) -> None:
        self.groups = by_id(root.records("modifierGroupReferences"), "referenceId")
        self.options = by_id(root.records("modifierOptionReferences"), "referenceId")
        self.invisible = {key for key, group in self.groups.items() if _is_invisible(group)}
        self.invisible_options = {key for key, option in self.options.items() if _is_invisible(option)}
        self._by_guid = {group.identifier("guid"): group for group in reversed(self.groups.values())}

    def add_group(self, menu: MenuBuilder, key: str) -> None:
        """Add a group to a menu, with its options."""
        group = self.groups.get(key)
        if group is not None and not menu.has_read_group(key):
            fields = {"name": group.text("name"), "id": _id(group)}
            modifiers = (({"name": option.text("name"), "id": _id(option)}, option.place) for option in self.of(group))
            menu.add_group(key, fields, modifiers, group.place)

    def of(self, group: Record) -> list[Record]:
        """The options of a group."""
        keys = group.identifiers("modifierOptionReferences")
        for key in keys:
            if key not in self.options:
                group.notes.add("unresolved", "a modifier that is not in the input", group.place)
        return [self.options[key] for key in keys if key in self.options and key not in self.invisible_options]

    def sizes_of(self, item: Record) -> Record | None:
        """The group of the sizes of an item whose price depends on them."""
        rules = item.record("pricingRules")
        guid = rules.identifier("sizeSpecificPricingGuid") if rules else ""
        if guid and guid not in self._by_guid:
            item.notes.add("unresolved", MISSING_GROUP, item.place)
        return self._by_guid.get(guid) if guid else None


def _id(record: Record) -> str:
    shared, own = record.identifier("multiLocationId"), record.identifier("guid")
    record.ignore("masterId")
    return own or shared


def _is_invisible(record: Record) -> bool:
    """Whether a menu, group, item or option is visible nowhere; where else it is visible is not imported."""
    value, place = record.get("visibility") or (None, record.place)
    if value in ([], "NONE", ["NONE"]) or record.flag("isDeleted", "deleted"):
        record.leave_out("what is deleted, or visible nowhere")
        return True
    if isinstance(value, list) and all(channel in IN_STORE for channel in value):
        record.notes.add("guessed", "sold, although visible in the store alone; visibility is not imported", place)
    elif value is not None:
        record.notes.join("guessed", "sold wherever it is visible; visibility is not imported", place)
    return False


def _availability(menu: Record) -> dict[str, Any]:
    """The hours of a menu."""
    availability = menu.record("availability")
    if availability is None or availability.flag("alwaysAvailable"):
        return {}
    periods = []
    for schedule in availability.records("schedule"):
        days = schedule.identifiers("days")
        for times in schedule.records("timeRanges"):
            periods.append(hours(days, times, "start", "end"))
    if not periods and availability.value:
        menu.notes.add("unresolved", "the hours of a menu that is not always available", availability.place)
    return {"hours": found} if (found := merged_hours(periods)) else {}


def _add_items(menu: MenuBuilder, group: Record, categories: list[str], references: _References, depth: int) -> None:
    for item in group.records("menuItems"):
        if not _is_invisible(item):
            _add_item(menu, item, categories, references)
    for inner in group.records("menuGroups"):
        if _is_invisible(inner):
            continue
        inner.ignore("guid", "masterId", "multiLocationId")
        if depth == 0:
            menu.notes.add("dropped", "groups nested too deeply", inner.place)
        else:
            _add_items(menu, inner, [*categories, inner.text("name")][-1:], references, depth - 1)


def _add_item(menu: MenuBuilder, item: Record, categories: list[str], references: _References) -> None:
    keys = item.identifiers("modifierGroupReferences")
    sizes = references.sizes_of(item)
    keys = [key for key in keys if sizes is None or references.groups.get(key) is not sizes]
    keys = [key for key in keys if key not in references.invisible]
    for key in keys:
        references.add_group(menu, key)
    price, place = item.get("price") or (None, item.place)
    common = {
        "categories": categories,
        "modifierGroups": menu.references(keys, item.place),
    }
    name = item.text("name")
    fields = {"name": name, "id": _id(item), "price": decimal_price(price, place, menu.notes), **common}
    if item.text("pricingStrategy") not in ("", "BASE_PRICE", "MENU_SPECIFIC_PRICE", "SIZE_PRICE"):
        menu.notes.add("unresolved", "a price that depends on the time or is open", item.place)
        fields["price"] = fields["price"] or None  # 0 stands for "not known" here
    options = references.of(sizes) if sizes else []
    if not options:
        menu.add_item(fields, item.place)
    for option in options:
        menu.notes.join("guessed", "the name and the id of a size: those of the item, then its own", option.place)
        price, place = option.get("price") or (None, option.place)
        own_price = decimal_price(price, place, menu.notes)
        size = {"name": size_name(name, option.text("name")), "id": f"{fields['id']}:{_id(option)}"}
        menu.add_item({**fields, **size, "price": fields["price"] if own_price is None else own_price}, option.place)
