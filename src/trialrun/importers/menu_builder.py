"""Builds a Menu from what an importer reads: items, groups by their keys, hours and stores."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trialrun.diagnostic import Path
from trialrun.importers.input_file import InputError
from trialrun.importers.interface import Draft, InputPlace
from trialrun.importers.menu_record import MenuNotes

DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
MISSING_NAME = "missing name"
"""What a system writes for an entry whose name it does not know."""
MAX_ITEMS = 1_000_000
"""Items of the menus of a file, which may be many more than its own, such as one for each size of each item."""
_time = re.compile(r"(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?\Z").match
Fields = Mapping[str, Any]


class MenuBuilder:
    """A menu under construction."""

    def __init__(self, resource: str, place: InputPlace, notes: MenuNotes) -> None:
        self.resource, self.place, self.notes = resource, place, notes
        self.fields: dict[str, Any] = {}
        self.items: list[dict[str, Any]] = []
        self.groups: dict[str, dict[str, Any]] = {}
        self._places: dict[Path, InputPlace] = {(): place}
        self._items_by_id: dict[str, dict[str, Any]] = {}
        self._group_keys: set[str] = set()

    def add_item(self, fields: Fields, place: InputPlace) -> None:
        """Add an item; one that was there before has further categories only."""
        item = _without_empty(fields)
        known = self._items_by_id.get(item.get("id", ""))
        if known is not None and _essence(known) == _essence(item):
            known["categories"] = list(dict.fromkeys((*known.get("categories", ()), *item.get("categories", ()))))
            return
        if not is_named(item, place, self.notes, "an item"):
            return
        if len(self.items) >= MAX_ITEMS:
            raise too_many_items(place)
        self._set_places(("items", len(self.items)), item, place)
        self.items.append(item)
        if item.get("id"):
            self._items_by_id.setdefault(item["id"], item)

    def has_read_group(self, key: str) -> bool:
        """Whether a group of a key was added, or refused for want of a name: it need not be read again."""
        return key in self._group_keys

    def add_group(
        self, key: str, fields: Fields, modifiers: Iterable[tuple[Fields, InputPlace]], place: InputPlace
    ) -> None:
        """Add a modifier group under a key by which items refer to it; the first of a key counts."""
        group = _without_empty(fields)
        self._group_keys.add(key)
        if key in self.groups or not is_named(group, place, self.notes, "a modifier group"):
            return
        path: Path = ("modifierGroups", len(self.groups))
        self._set_places(path, group, place)
        named: list[dict[str, Any]] = []
        for modifier, modifier_place in modifiers:
            entry = _without_empty(modifier)
            if is_named(entry, modifier_place, self.notes, "a modifier"):
                self._set_places((*path, "modifiers", len(named)), entry, modifier_place)
                named.append(entry)
        self.groups[key] = {**group, "modifiers": named} if named else group

    def reference(self, key: str, place: InputPlace) -> str:
        """What an item calls a group: its id, else its name; empty if there is no such group."""
        group = self.groups.get(key)
        if group is None:
            self.notes.add("unresolved", "a modifier group that is not in the input", place)
            return ""
        return str(group.get("id") or group.get("displayName") or group.get("name") or group.get("semanticName"))

    def references(self, keys: Iterable[str], place: InputPlace) -> list[str]:
        """What an item calls its groups, each once."""
        return [name for name in dict.fromkeys(self.reference(key, place) for key in keys) if name]

    def draft(self) -> Draft:
        """The Menu."""
        value = {"name": self.resource, **_without_empty(self.fields)}
        if self.items:
            value["items"] = self.items
        if self.groups:
            value["modifierGroups"] = list(self.groups.values())
        return Draft("Menu", self.resource, value, self._places)

    def _set_places(self, path: Path, fields: Fields, place: InputPlace) -> None:
        self._places[path] = place
        self._places.update({(*path, field): place for field in fields})


def too_many_items(place: InputPlace) -> InputError:
    """The error for menus with more items than are imported."""
    return InputError(f"{place.file} has menus with more than {MAX_ITEMS:,} items; import it in parts")


def is_named(entry: Fields, place: InputPlace, notes: MenuNotes, what: str) -> bool:
    """Whether an entry has a name; what has none is noted."""
    names = [entry[field] for field in ("displayName", "name", "semanticName") if entry.get(field)]
    if names and names[0].casefold() != MISSING_NAME:
        return True
    notes.add("unresolved", f"{what} without a name", place)
    return False


def resource_of(place: InputPlace) -> str:
    """The name of a menu that has none in the input: that of the file."""
    stem = os.path.basename(place.file.replace("\\", "/")).partition(".")[0] or "menu"
    return f"{stem}-{place.document + 1}" if place.document else stem


def distinct(resource: str, taken: dict[str, int]) -> str:
    """A name with a number if it is taken."""
    taken[resource] = taken.get(resource, 0) + 1
    return resource if taken[resource] == 1 else f"{resource}-{taken[resource]}"


def size_name(item: str, size: str) -> str:
    """What an item of a size is called."""
    return f"{item} {size}".strip() if size.casefold() not in item.casefold() else item


def hours(days: Sequence[str], start: Any, end: Any, place: InputPlace, notes: MenuNotes) -> dict[str, Any] | None:
    """Hours of some days of the week; None if they cannot be read."""
    known = [day for text in days if (day := _day(text))]
    times = {"start": time_of_day(start), "end": time_of_day(end)}
    if len(known) != len(days) or any(time is None for time in times.values()):
        notes.add("unresolved", "hours that cannot be read", place)
        return None
    ordered = [day for day in DAYS if day in known]
    if times["start"] == "00:00" and times["end"] in ("00:00", "24:00", "23:59"):
        times = {}
    return {"days": ordered, **times} if len(ordered) not in (0, len(DAYS)) else times


def time_of_day(value: Any) -> str | None:
    """A time as HH:MM from such a text, or from `{hours, minutes}`; None for anything else."""
    if isinstance(value, Mapping):
        parts = value.get("hours", 0), value.get("minutes", 0)
        value = f"{parts[0]}:{parts[1]:02}" if all(type(part) is int and 0 <= part < 60 for part in parts) else ""
    match = _time(value) if isinstance(value, str) else None
    if match is None or int(match[1]) > 24 or int(match[2]) > 59 or (int(match[1]) == 24 and match[2] != "00"):
        return None
    return f"{int(match[1]):02}:{match[2]}"


def _day(text: str) -> str | None:
    key = text.strip().upper()
    return next((day for day in DAYS if len(key) >= 3 and day.startswith(key)), None)


def merged_hours(periods: Iterable[dict[str, Any] | None]) -> list[dict[str, Any]]:
    """Hours with the days of equal times together; none if one of them is all of the time."""
    by_times: dict[tuple[Any, Any], list[str]] = {}
    for period in periods:
        if period == {}:
            return []
        if period is not None:
            days = by_times.setdefault((period.get("start"), period.get("end")), [])
            days += period.get("days", DAYS)
    return [
        _without_empty({"days": _days_or_all(days), "start": start, "end": end})
        for (start, end), days in by_times.items()
        if start is not None or _days_or_all(days)
    ]


def _days_or_all(days: Sequence[str]) -> list[str]:
    ordered = [day for day in DAYS if day in days]
    return [] if len(ordered) == len(DAYS) else ordered


def _essence(item: Fields) -> dict[str, Any]:
    return {field: value for field, value in item.items() if field != "categories"}


def _without_empty(fields: Fields) -> dict[str, Any]:
    return {field: value for field, value in fields.items() if value not in (None, "", [], {})}
