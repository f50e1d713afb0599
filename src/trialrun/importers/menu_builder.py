"""Reads the menus of other systems, mappings of which only known keys are read, and builds a Menu from them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from trialrun.diagnostic import Path
from trialrun.importers.input_file import InputError
from trialrun.importers.interface import ImportedDocument, InputPlace, Note, NoteKind
from trialrun.values import timestamp
from trialrun.values.suggest import snake_case

PREFERRED_LANGUAGE = "en"
REPEATED_ID = "an entry with the id of an earlier one, which counts"

STATE = "a field that is not imported, and may change what is sold"
MAX_PLACES = 10_000
"""Places of one message that are noted one by one."""
_takes_away = re.compile(
    r"delet|archiv|hid(?:e|den)|disabl|suspen|snooz|inactiv|invisib|deactivat|sold_?out|out_?of|discontinu|overrid"
    r"|exclu|expir|until|paus|cancel|absent|unlist|delist"
    r"|(?:un|non?|not|no_?longer)_?(?:avail|visib|active|sellable|orderable|publish|enabl|for_?sale|in_?stock)", re.I,
).search  # fmt: skip
_lets_sell = re.compile(
    r"avail|visib|present|schedul|eligib|service_?type|enabl|active|sellable|orderable|publish|status|for_?sale"
    r"|in_?stock", re.I,
).search  # fmt: skip
SELLING = ("ACTIVE", "AVAILABLE", "ENABLED", "VISIBLE", "PUBLISHED", "ALL", "YES", "TRUE", "Y", "1")
Parts = Sequence[tuple[Any, InputPlace]]
"""The documents of one system in a file, each with its place."""
NOT_SET = ("NO", "NONE", "NOT_SET", "FALSE", "false", "no", "N", "0")
FLAGS: Mapping[str | int, bool] = {"true": True, "false": False, "1": True, "0": False, 1: True, 0: False}
IDENTIFIERS = ("@id", "id")
"""The keys of an object that stands for its identifier."""


def may_change_what_is_sold(key: str, value: Any) -> bool:
    """Whether a field is a state of an entity, by its name, other than that it is sold as usual."""
    if _takes_away(key):
        return value not in (None, "", [], {}, False, *NOT_SET)
    is_usual = value is None or value is True or (isinstance(value, str) and value.upper() in ("", *SELLING))
    return _lets_sell(key) is not None and not is_usual


class MenuNotes:
    """Notes of an input at a time: each at its own place, unless what is harmless is joined at its first place."""

    def __init__(self, now: datetime | None = None) -> None:
        self.now = (now or datetime.now(UTC)).timestamp()
        self._places: dict[tuple[NoteKind, str, object], tuple[InputPlace, int]] = {}
        self._counts: Counter[str] = Counter()

    def add(self, kind: NoteKind, message: str, place: InputPlace) -> None:
        """Note what the documents lack or may have wrong, once for each place."""
        if (kind, message, place) in self._places:
            return
        self._counts[message] += 1
        if self._counts[message] > MAX_PLACES:
            self.join(kind, message, place)
        else:
            self._places[kind, message, place] = place, 1

    def join(self, kind: NoteKind, message: str, place: InputPlace) -> None:
        """Note what does not change what is sold: one note for all fields of the same name."""
        key = next((step for step in reversed(place.path) if isinstance(step, str) and not step.isdecimal()), "")
        first, count = self._places.get((kind, message, key), (place, 0))
        self._places[kind, message, key] = first, count + 1

    def notes(self) -> Iterator[Note]:
        """The notes, in the order in which each was made first."""
        for (kind, message, _), (place, count) in self._places.items():
            more = f" ({count} times; this is the first)" if count > 1 else ""
            yield Note(kind, message + more, place)

    def has_passed(self, value: Any) -> bool:
        """Whether a time, as text or in seconds or milliseconds since 1970, is over; what is no time is not."""
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
            value = int(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value // (1000 if value > 10**11 else 1) <= self.now
        canonical = timestamp.canonical_form(value) if isinstance(value, str) else None
        return canonical is not None and timestamp.parse(canonical).seconds <= self.now


class Record:
    """A mapping of the input; names are given in camelCase, and snake_case is the same."""

    def __init__(self, value: Any, place: InputPlace, notes: MenuNotes) -> None:
        self.value: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        self.place, self.notes = place, notes
        self._read: set[str] = set()
        self._inner: dict[InputPlace, Record | None] = {}

    def get(self, *names: str) -> tuple[Any, InputPlace] | None:
        """The value of the first of some keys that is set, and its place."""
        found = None
        for key in dict.fromkeys(key for name in names for key in (name, snake_case(name))):
            if key in self.value:
                self._read.add(key)
                if found is None and self.value[key] is not None:
                    found = self.value[key], self.place.below(key)
        return found

    def text(self, *names: str) -> str:
        """A text without spaces around it; empty if there is none."""
        value, place = self.get(*names) or ("", self.place)
        if isinstance(value, str):
            return value.strip()
        self.notes.add("dropped", "what is not a text", place)
        return ""

    def identifier(self, *names: str) -> str:
        """A text, a whole number as text, or that of an object; empty if there is none."""
        value, place = self.get(*names) or ("", self.place)
        return _identifier(value, place, self.notes)

    def identifiers(self, *names: str) -> list[str]:
        """The identifiers of a list; a single one may stand without it."""
        value, place = self.get(*names) or ([], self.place)
        values = self.values(*names) if isinstance(value, list) else [(value, place)]
        return [text for each, at in values if (text := _identifier(each, at, self.notes))]

    def leave_out(self, why: str) -> None:
        """Note that an entity is left out; its fields need no notes."""
        self.notes.add("dropped", why, self.place)
        self._read.update(map(str, self.value))
        self._inner.clear()

    def flag(self, *names: str) -> bool | None:
        """Whether something is so, also as the text or the number of it; None if the input does not say it."""
        value, place = self.get(*names) or (None, self.place)
        if isinstance(value, (str, int)):
            value = FLAGS.get(value.strip().lower() if isinstance(value, str) else value, value)
        if value is not None and not isinstance(value, bool):
            self.notes.add("dropped", "what is neither true nor false", place)
            return None
        return value

    def values(self, *names: str) -> list[tuple[Any, InputPlace]]:
        """The items of a list, each with its place."""
        value, place = self.get(*names) or ([], self.place)
        if not isinstance(value, list):
            self.notes.add("dropped", "what is not a list", place)
            return []
        return [(item, place.below(index)) for index, item in enumerate(value)]

    def record(self, *names: str) -> Record | None:
        """The mapping at a key; None for anything else, which is noted."""
        found = self.get(*names)
        return self._record(*found) if found else None

    def records(self, *names: str) -> list[Record]:
        """The mappings of a list, or those of a mapping by keys that only number them."""
        found = self.get(*names)
        if found and isinstance(found[0], Mapping):
            entries = [(value, found[1].below(key)) for key, value in found[0].items()]
        else:
            entries = self.values(*names)
        return [record for value, place in entries if (record := self._record(value, place)) is not None]

    def ignore(self, *names: str) -> None:
        """Read keys that mean nothing for a menu, so that they are not noted."""
        self.get(*names)

    def drop_rest(self) -> None:
        """Note the keys that nobody read, here and in the mappings inside."""
        for key, value in self.value.items():
            if key in self._read:
                continue
            if may_change_what_is_sold(str(key), value):
                self.notes.add("dropped", STATE, self.place.below(str(key)))
            elif value is not None and value not in ("", [], {}, False):
                self.notes.join("dropped", "a field that is not imported", self.place.below(str(key)))
        for inner in filter(None, self._inner.values()):
            inner.drop_rest()

    def _record(self, value: Any, place: InputPlace) -> Record | None:
        """The mapping at a place, the same one whenever it is asked for."""
        if place not in self._inner:
            self._inner[place] = record_at(value, place, self.notes)
        return self._inner[place]


def record_at(value: Any, place: InputPlace, notes: MenuNotes) -> Record | None:
    """The mapping at a place; None for anything else, which is noted."""
    if isinstance(value, Mapping):
        return Record(value, place, notes)
    notes.add("dropped", "what is no object", place)
    return None


def by_id(records: Iterable[Record], *names: str, needs_id: bool = True) -> dict[str, Record]:
    """Records by id, by their number in a mapping, or by place, else not at all; the first of an id counts."""
    found: dict[str, Record] = {}
    for record in records:
        *_, step = "", *record.place.path
        number = step if isinstance(step, str) and step.isdecimal() else ""
        key = record.identifier(*names) or number or ("" if needs_id else str(record.place))
        if not key:
            record.leave_out("an entry without an id")
        elif found.setdefault(key, record) is not record:
            record.leave_out(REPEATED_ID)
    return found


def _identifier(value: Any, place: InputPlace, notes: MenuNotes) -> str:
    if isinstance(value, Mapping):
        value = next((value[key] for key in IDENTIFIERS if value.get(key) is not None), value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if -(10**30) < value < 10**30 else ""
    if isinstance(value, str):
        return value.strip()
    notes.add("dropped", "what is not an identifier", place)
    return ""


def name_text(record: Record, *names: str) -> str:
    """A name: a text, or one of the texts by language that a mapping or a list has."""
    value, place = record.get(*names) or ("", record.place)
    if isinstance(value, str):
        return value.strip()
    by_language = dict(_texts_by_language(value))
    if not by_language:
        record.notes.add("dropped", "a name that is no text", place)
        return ""
    starts = {language.lower().replace("_", "-").split("-")[0]: language for language in reversed(by_language)}
    language = starts.get(PREFERRED_LANGUAGE, next(iter(by_language)))
    if len(by_language) > 1:
        message = f"the name in {language if language.isascii() and len(language) < 12 else 'the first language'}"
        record.notes.join("guessed", f"{message} of several languages; the others are dropped", place)
    return by_language[language]


TEXT_FIELDS = "text", "value", "@value"
LANGUAGE_FIELDS = "languageCode", "language_code", "language", "@language"


def _texts_by_language(value: Any) -> Iterator[tuple[str, str]]:
    """The texts of `{en: …}`, `{translations: {en_us: …}}`, `{text: …}`, or of a list of texts with languages."""
    if isinstance(value, list):
        for item in value:
            yield from _texts_by_language(item)
        return
    if not isinstance(value, Mapping):
        return
    inner = next((value[key] for key in ("translations", *TEXT_FIELDS, "localizedText") if value.get(key)), None)
    if isinstance(inner, str):
        yield str(next((value[key] for key in LANGUAGE_FIELDS if value.get(key)), "")), inner.strip()
    elif inner is not None and not isinstance(inner, (int, float)):
        yield from _texts_by_language(inner)
    else:
        yield from ((str(key), text.strip()) for key, text in value.items() if isinstance(text, str) and text.strip())


DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
MISSING_GROUP = "a modifier group that is not in the input"
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
        self.categories: dict[str, str] = {}
        self._places: dict[Path, InputPlace] = {(): place}
        self._items_by_id: dict[str, dict[str, Any]] = {}
        self._group_keys: set[str] = set()

    def add_item(self, fields: Fields, place: InputPlace) -> None:
        """Add an item; one that was there before has further categories only."""
        categories = list(dict.fromkeys(filter(None, fields.get("categories", ()))))
        item = _without_empty({**fields, "categories": categories})
        known = self._items_by_id.get(item.get("id", ""))
        if known is not None and _essence(known) == _essence(item):
            if categories:
                known["categories"] = list(dict.fromkeys((*known.get("categories", ()), *categories)))
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
        if self.has_read_group(key):
            self.notes.add("dropped", REPEATED_ID, place)
            return
        self._group_keys.add(key)
        if not is_named(group, place, self.notes, "a modifier group"):
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

    def references(self, keys: Iterable[str], place: InputPlace) -> list[str]:
        """What an item calls its groups, each once: the id, else the name."""
        names: dict[str, None] = {}
        for key in keys:
            if (group := self.groups.get(key)) is not None:
                named = (group.get(field) for field in ("id", "displayName", "name", "semanticName"))
                names[str(next(filter(None, named)))] = None
            elif not self.has_read_group(key):
                self.notes.add("unresolved", MISSING_GROUP, place)
        return list(names)

    def category_names(self, keys: Iterable[str], place: InputPlace) -> list[str]:
        """The names of the categories of an item."""
        names = [self.categories.get(key) for key in keys if key]
        if None in names:
            self.notes.join("unresolved", "a category that is not in the input", place)
        return list(filter(None, names))

    def draft(self) -> ImportedDocument:
        """The Menu."""
        value = {"name": self.resource, **_without_empty(self.fields)}
        if self.items:
            value["items"] = self.items
        if self.groups:
            value["modifierGroups"] = list(self.groups.values())
        return ImportedDocument("Menu", self.resource, value, self._places)

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
    """What an item of a size is called: by both names, unless one has the words of the other."""
    of_item, of_size = item.casefold().split(), size.casefold().split()
    if set(of_size) <= set(of_item):
        return item
    return size if set(of_item) <= set(of_size) else f"{item} {size}"


def hours(days: Sequence[str], period: Record, start: str, end: str) -> dict[str, Any] | None:
    """Hours of some days of the week, from the fields `start` and `end` of a period; None if they cannot be read."""
    keys = [text.strip().upper() for text in days]
    known = [day for key in keys for day in DAYS if len(key) >= 3 and day.startswith(key)]
    given = {"start": period.get(start), "end": period.get(end)}
    times = {name: time_of_day(found[0] if found else None) for name, found in given.items()}
    if len(known) != len(days) or any(time is None for time in times.values()):
        period.notes.add("unresolved", "hours that cannot be read", period.place)
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
