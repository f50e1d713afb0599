"""Uber Eats: menus of categories of items; the options of modifier groups are items too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from trialrun.importers.interface import ImportedDocument, InputPlace
from trialrun.importers.menu_builder import (
    MenuBuilder,
    MenuNotes,
    Parts,
    Record,
    by_id,
    distinct,
    hours,
    merged_hours,
    name_text,
    resource_of,
)
from trialrun.importers.menu_price import minor_price

MARKS = ("price_info", "priceInfo", "modifier_group_ids", "modifierGroupIds")
MENU_MARKS = ("service_availability", "serviceAvailability", "category_ids", "categoryIds")


def is_menu(value: Any) -> bool:
    """Whether a value has items with prices, or menus of categories, of Uber Eats."""
    if not isinstance(value, Mapping):
        return False
    is_marked = _has_any(value.get("items"), MARKS) and ("categories" in value or "modifier_groups" in value)
    return is_marked or ("items" in value and _has_any(value.get("menus"), MENU_MARKS))


def _has_any(values: Any, keys: Sequence[str]) -> bool:
    records = values if isinstance(values, list) else ()
    return any(isinstance(record, Mapping) and not record.keys().isdisjoint(keys) for record in records)


def read_menus(parts: Parts, notes: MenuNotes) -> Iterator[ImportedDocument]:
    """Each menu as one of ours; one of all items without any."""
    taken: dict[str, int] = {}
    for value, place in parts:
        root = Record(value, place, notes)
        content = _Content(root)
        root.ignore("displayOptions", "menuType")
        menus = root.records("menus")
        for menu in menus:
            name, key = name_text(menu, "title"), menu.identifier("id")
            builder = MenuBuilder(distinct(key or name or resource_of(place), taken), menu.place, notes)
            builder.fields = {"displayName": name, "availability": _hours(menu.records("serviceAvailability"))}
            if content.categories or menu.get("categoryIds") is not None:
                content.add_categories(builder, key, menu.identifiers("categoryIds"))
            else:
                content.add_items(builder, key)
            yield builder.draft()
        if not menus:
            builder = MenuBuilder(resource_of(place), place, notes)
            if content.categories:
                content.add_categories(builder, "", content.categories)
            else:
                content.add_items(builder, "")
            yield builder.draft()
        for key, item in content.items.items():
            if key not in content.used and key not in content.options:
                item.leave_out("an item that is in no category of a menu")
        root.drop_rest()


class _Content:
    """The items, modifier groups and categories of an input by their ids, and the ids that are used."""

    def __init__(self, root: Record) -> None:
        self.items = by_id(root.records("items"), "id")
        self.groups = by_id(root.records("modifierGroups"), "id")
        self.categories = by_id(root.records("categories"), "id")
        self.options = {key for group in self.groups.values() for key, _ in _options(group)}
        self.used: set[str] = set()

    def add_items(self, menu: MenuBuilder, menu_id: str) -> None:
        """Add all items that are no options."""
        for key, item in self.items.items():
            if key not in self.options:
                self.used.add(key)
                self._add_item(menu, menu_id, item, key, [])

    def add_categories(self, menu: MenuBuilder, menu_id: str, categories: Iterable[str]) -> None:
        """Add the items of categories."""
        titles: dict[str, list[str]] = {}
        for category_id in categories:
            if (category := self.categories.get(category_id)) is None:
                menu.notes.add("unresolved", "a category that is not in the input", menu.place)
                continue
            for entity in category.records("entities"):
                entity.ignore("type")
                key = entity.identifier("id")
                if key in self.items:
                    titles.setdefault(key, []).append(name_text(category, "title"))
                else:
                    menu.notes.add("unresolved", "an item of a category that is not in the input", entity.place)
        self.used |= titles.keys()
        for key, of_item in titles.items():
            self._add_item(menu, menu_id, self.items[key], key, of_item)

    def _add_item(self, menu: MenuBuilder, menu_id: str, item: Record, key: str, categories: list[str]) -> None:
        ids = item.record("modifierGroupIds")
        group_ids = _of_menu(ids, menu_id).identifiers("ids") if ids else []
        for group_id in group_ids:
            if group_id in self.groups and not menu.has_read_group(group_id):
                self._add_group(menu, menu_id, self.groups[group_id], group_id)
        availability = _visibility(item)
        if (until := _suspended_until(item, menu_id)) is not None:
            item.notes.add("guessed", "sold out; the end of the suspension is not imported", until)
            availability = {"soldOut": True, **availability}
        fields = {
            "name": name_text(item, "title"),
            "id": key,
            "price": _price(item, menu_id),
            "categories": categories,
            "availability": availability,
            "modifierGroups": menu.references(group_ids, item.place),
        }
        menu.add_item(fields, item.place)

    def _add_group(self, menu: MenuBuilder, menu_id: str, group: Record, key: str) -> None:
        modifiers = []
        for option, place in _options(group):
            if option not in self.items:
                menu.notes.add("unresolved", "a modifier that is not in the input", place)
                continue
            item = self.items[option]
            if (until := _suspended_until(item, menu_id)) is not None:
                menu.notes.add("unresolved", "a modifier that is suspended, which documents cannot say", until)
            modifiers.append(({"name": name_text(item, "title"), "id": option}, item.place))
        menu.add_group(key, {"name": name_text(group, "title"), "id": key}, modifiers, group.place)


def _options(group: Record) -> list[tuple[str, InputPlace]]:
    for option in (options := group.records("modifierOptions")):
        option.ignore("type")
    return [(option.identifier("id"), option.place) for option in options]


def _of_menu(info: Record, menu_id: str) -> Record:
    """What holds in a menu: the override for it, or else the information itself."""
    found = info
    for override in info.records("overrides"):
        override.ignore("suspension", "price", "ids")
        context, key = override.text("contextType").upper(), override.identifier("contextValue")
        if context == "MENU":
            found = override if key == menu_id else found
        else:
            info.notes.add("dropped", "what holds for one item or modifier group alone", override.place)
    return found


def _price(item: Record, menu_id: str) -> float | None:
    info = item.record("priceInfo")
    if info is None:
        return None
    own_price = info.get("price") or (None, info.place)
    amount, place = _of_menu(info, menu_id).get("price") or own_price
    return minor_price(amount, info.text("currencyCode", "currency"), place, item.notes)


def _suspended_until(item: Record, menu_id: str) -> InputPlace | None:
    """The place of the end of a suspension that is not over."""
    info = item.record("suspensionInfo")
    if info is None:
        return None
    info.ignore("suspension")
    if (suspension := _of_menu(info, menu_id).record("suspension")) is None:
        return None
    suspension.ignore("reason")
    until, place = suspension.get("suspendUntil") or (0, suspension.place)
    return None if item.notes.has_passed(until) else place


def _visibility(item: Record) -> dict[str, Any]:
    """The hours and dates in which an item is visible."""
    info = item.record("visibilityInfo")
    entries = info.records("hours") if info else []
    for entry in entries[1:]:
        item.notes.add("unresolved", "further hours of an item, for other dates", entry.place)
    for entry in entries[:1]:
        dates = {"start": entry.text("startDate"), "end": entry.text("endDate")}
        dates = {key: date for key, date in dates.items() if date}
        return {**({"dates": [dates]} if dates else {}), **_hours(entry.records("hoursOfWeek"))}
    return {}


def _hours(days: Iterable[Record]) -> dict[str, Any]:
    """The hours of days of the week."""
    periods = []
    for day in days:
        name = day.text("dayOfWeek")
        for times in day.records("timePeriods"):
            periods.append(hours([name], times, "startTime", "endTime"))
    return {"hours": found} if (found := merged_hours(periods)) else {}
