"""The Menu resource of the ordering API: items, modifiers and groups with semantic names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.importers.interface import ImportedDocument, InputPlace
from trialrun.importers.menu_builder import (
    SELLING,
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
from trialrun.importers.menu_price import money

MARKS = ("semanticName", "semantic_name", "basePrice", "base_price")
UNAVAILABLE = ("SOLD_OUT", "OUT_OF_STOCK", "UNAVAILABLE", "NOT_AVAILABLE", "INACTIVE", "SUSPENDED", "HIDDEN")


def is_menu(value: Any) -> bool:
    """Whether a value is a menu of the API, or a list of such."""
    return any(_is_menu(menu) for menu, _ in _menus(value, InputPlace("")))


def _is_menu(value: Any) -> bool:
    items = value.get("items") if isinstance(value, Mapping) and "kind" not in value else None
    if not isinstance(items, list):
        return False
    is_named = isinstance(value.get("name"), str) and "/menus/" in value["name"]
    return is_named or any(isinstance(item, Mapping) and not item.keys().isdisjoint(MARKS) for item in items)


def _menus(value: Any, place: InputPlace) -> list[tuple[Any, InputPlace]]:
    if isinstance(value, Mapping) and isinstance(value.get("menus"), list):
        value, place = value["menus"], place.below("menus")
    return [(menu, place.below(at)) for at, menu in enumerate(value)] if isinstance(value, list) else [(value, place)]


def read_menus(parts: Parts, notes: MenuNotes) -> Iterator[ImportedDocument]:
    """Each menu as one of ours."""
    taken: dict[str, int] = {}
    for value, place in parts:
        for key in ("nextPageToken", "next_page_token"):
            if isinstance(value, Mapping) and value.get(key):
                notes.add("unresolved", "the further pages of the list; import them too", place.below(key))
        for menu, menu_place in _menus(value, place):
            if _is_menu(menu):
                yield _read_menu(Record(menu, menu_place, notes), taken)
            else:
                notes.add("dropped", "what is no menu", menu_place)


def _read_menu(menu: Record, taken: dict[str, int]) -> ImportedDocument:
    name, store = menu.text("name"), menu.text("store")
    builder = MenuBuilder(distinct(name or resource_of(menu.place), taken), menu.place, menu.notes)
    builder.fields = {
        "displayName": name_text(menu, "displayName"),
        "brand": _brand(name) or _brand(store),
        "availability": {"stores": [store]} if store else {},
    }
    modifiers = by_id(menu.records("modifiers"), "id")
    for group in menu.records("modifierGroups"):
        _add_group(builder, group, modifiers)
    categories = by_id(menu.records("categories"), "id")
    builder.categories = {key: name_text(record, "displayName") for key, record in categories.items()}
    for item in menu.records("items"):
        _add_item(builder, item)
    menu.drop_rest()
    return builder.draft()


def _brand(name: str) -> str:
    """The brand that a resource name is under; empty if it does not say."""
    head, found, tail = name.partition("/brands/")
    return f"{head}/brands/{tail.partition('/')[0]}" if found and tail else ""


def _names(record: Record) -> dict[str, str]:
    return {"semanticName": record.text("semanticName"), "displayName": name_text(record, "displayName")}


def _add_group(menu: MenuBuilder, group: Record, modifiers: Mapping[str, Record]) -> None:
    key, members = group.identifier("id"), []
    for value, place in group.values("modifiers"):
        modifier = _referenced(value, place, modifiers, group.notes, "modifierId", "modifier")
        if modifier is not None:
            if modifier.get("modifierGroups"):
                group.notes.add("dropped", "modifier groups of a modifier", modifier.place)
            members.append(({**_names(modifier), "id": modifier.identifier("id")}, modifier.place))
    menu.add_group(key or _names(group)["displayName"], {**_names(group), "id": key}, members, group.place)


def _referenced(
    value: Any, place: InputPlace, records: Mapping[str, Record], notes: MenuNotes, *names: str
) -> Record | None:
    """The record that a reference means, by its id or by a mapping with it; a mapping with names is one itself."""
    record = Record(value, place, notes) if isinstance(value, Mapping) else None
    if record is not None and any(_names(record).values()):
        return record
    key = record.identifier("id", *names) if record is not None else str(value) if isinstance(value, (str, int)) else ""
    if (found := records.get(key.rpartition("/")[2]) or records.get(key)) is None:
        notes.add("unresolved", "a modifier that is not in the input", place)
    return found


def _add_item(menu: MenuBuilder, item: Record) -> None:
    fields = {
        **_names(item),
        "id": item.identifier("id"),
        "price": money(item.record("basePrice")),
        "categories": menu.category_names(item.identifiers("categoryIds"), item.place),
        "availability": _availability(item),
        "modifierGroups": menu.references(_group_keys(item), item.place),
    }
    menu.add_item(fields, item.place)


def _group_keys(item: Record) -> Iterator[str]:
    for value, place in item.values("modifierGroups"):
        if isinstance(value, Mapping):
            key = Record(value, place, item.notes).identifier("id", "modifierGroupId", "modifierGroup", "name")
        else:
            key = str(value) if isinstance(value, (str, int)) else ""
        yield key.rpartition("/")[2]


def _availability(item: Record) -> dict[str, Any]:
    """The status, dayparts and schedules of an item; how orders are fulfilled is not imported."""
    availability = item.record("availability")
    if availability is None:
        return {}
    dayparts = availability.record("daypartAvailability")
    schedule = availability.record("menuScheduleAvailability")
    found: dict[str, Any] = {}
    status = availability.text("status").rpartition(".")[2].upper()
    if status.endswith(UNAVAILABLE):
        found["soldOut"] = True
    elif status not in ("", *SELLING) and not status.endswith(("_UNSPECIFIED", "_AVAILABLE", "_ACTIVE")):
        item.notes.add("unresolved", "a status that is not known; the item is sold", availability.place.below("status"))
    if dayparts is not None and (names := dayparts.identifiers("dayparts", "daypartIds")):
        found["dayparts"] = names
    if schedule is not None:
        periods = schedule.records("schedules", "periods", "hours")
        days = ((period, period.identifiers("days", "daysOfWeek")) for period in periods)
        found["hours"] = merged_hours(hours(of_period, each, "startTime", "endTime") for each, of_period in days)
    return {key: value for key, value in found.items() if value}
