"""Uber Eats: menus of categories of items; the options of modifier groups are items too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.importers.interface import Draft, InputPlace
from trialrun.importers.menu_builder import MenuBuilder, distinct, hours, merged_hours, resource_of
from trialrun.importers.menu_price import minor_price
from trialrun.importers.menu_record import MenuNotes, Record, name_text

MARKS = ("price_info", "priceInfo", "modifier_group_ids", "modifierGroupIds")


def is_menu(value: Any) -> bool:
    """Whether a value has items with prices of Uber Eats."""
    items = value.get("items") if isinstance(value, Mapping) else None
    marked = isinstance(items, list) and any(isinstance(i, Mapping) and not i.keys().isdisjoint(MARKS) for i in items)
    return marked and ("categories" in value or "menus" in value or "modifier_groups" in value)


def read_menus(value: Any, place: InputPlace, notes: MenuNotes) -> Iterator[Draft]:
    """Each menu as one of ours; one of all items without any."""
    root = Record(value, place, notes)
    items = {record.identifier("id"): record for record in root.records("items")}
    groups = {record.identifier("id"): record for record in root.records("modifierGroups")}
    categories = {record.identifier("id"): record for record in root.records("categories")}
    root.ignore("displayOptions", "menuType")
    options = {key for group in groups.values() for key in _options(group)}
    taken: dict[str, int] = {}
    menus = root.records("menus")
    used: set[str] = set()
    for menu in menus:
        name = name_text(menu, "title")
        builder = MenuBuilder(distinct(menu.identifier("id") or name or resource_of(place), taken), menu.place, notes)
        builder.fields = {"displayName": name, "availability": _availability(menu)}
        of_menu = {key: categories[key] for key in menu.identifiers("categoryIds") if key in categories}
        used |= _add_items(builder, of_menu, items, groups, options)
        yield builder.draft()
    if not menus:
        builder = MenuBuilder(resource_of(place), place, notes)
        used |= _add_items(builder, categories, items, groups, options)
        yield builder.draft()
    _note_unused(items, options | used, notes)
    root.drop_rest()


def _add_items(
    menu: MenuBuilder,
    categories: Mapping[str, Record],
    items: Mapping[str, Record],
    groups: Mapping[str, Record],
    options: set[str],
) -> set[str]:
    """Add the items of categories, or all of a menu without categories; returns their ids."""
    used: dict[str, list[str]] = {}
    for category in categories.values():
        title = name_text(category, "title")
        for entity in category.records("entities"):
            entity.ignore("type")
            used.setdefault(entity.identifier("id"), []).append(title)
    for key in used or [key for key in items if key not in options]:
        if key not in items:
            menu.notes.add("unresolved", "an item of a category that is not in the input", menu.place)
        else:
            _add_item(menu, items[key], key, used.get(key, []), items, groups)
    return {*used} if used else {*items}


def _options(group: Record) -> list[str]:
    for option in (options := group.records("modifierOptions")):
        option.ignore("type")
    return [option.identifier("id") for option in options]


def _add_item(
    menu: MenuBuilder,
    item: Record,
    key: str,
    categories: list[str],
    items: Mapping[str, Record],
    groups: Mapping[str, Record],
) -> None:
    ids = item.record("modifierGroupIds")
    group_ids = ids.identifiers("ids") if ids else []
    for group_id in group_ids:
        if group_id in groups and not menu.has_read_group(group_id):
            _add_group(menu, groups[group_id], group_id, items)
    fields = {
        "name": name_text(item, "title"),
        "id": key,
        "price": _price(item),
        "categories": [category for category in categories if category],
        "availability": {"soldOut": True} if _is_suspended(item) else {},
        "modifierGroups": menu.references(group_ids, item.place),
    }
    menu.add_item(fields, item.place)


def _add_group(menu: MenuBuilder, group: Record, key: str, items: Mapping[str, Record]) -> None:
    modifiers = []
    for option in _options(group):
        if option in items:
            modifiers.append(({"name": name_text(items[option], "title"), "id": option}, items[option].place))
        else:
            menu.notes.add("unresolved", "a modifier that is not in the input", group.place)
    menu.add_group(key, {"name": name_text(group, "title"), "id": key}, modifiers, group.place)


def _price(item: Record) -> float | None:
    info = item.record("priceInfo")
    if info is None:
        return None
    amount, place = info.get("price") or (None, info.place)
    return minor_price(amount, info.text("currencyCode", "currency"), place, item.notes)


def _is_suspended(item: Record) -> bool:
    info = item.record("suspensionInfo")
    suspension = info.record("suspension") if info else None
    until, place = (suspension.get("suspendUntil") if suspension else None) or (0, item.place)
    if suspension:
        suspension.ignore("reason")
    is_suspended = isinstance(until, (int, float)) and until > 0
    if is_suspended:
        item.notes.add("guessed", "sold out; the end of the suspension is not imported", place)
    return is_suspended


def _availability(menu: Record) -> dict[str, Any]:
    periods = []
    for day in menu.records("serviceAvailability"):
        name = day.text("dayOfWeek")
        for times in day.records("timePeriods"):
            (start, _), (end, _) = times.get("startTime") or (None, None), times.get("endTime") or (None, None)
            periods.append(hours([name], start, end, times.place, menu.notes))
    return {"hours": found} if (found := merged_hours(periods)) else {}


def _note_unused(items: Mapping[str, Record], used: set[str], notes: MenuNotes) -> None:
    for key, item in items.items():
        if key not in used:
            notes.add("dropped", "an item that is in no category of a menu", item.place)
