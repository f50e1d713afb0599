"""Reading the menus of other systems: mappings of which only known keys are read, names by language, states."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from trialrun.importers.interface import InputPlace, Note, NoteKind
from trialrun.values import timestamp
from trialrun.values.suggest import snake_case

PREFERRED_LANGUAGE = "en"


STATE = "a field that is not imported, and may change what is sold"
MAX_PLACES = 10_000
"""Places of one message that are noted one by one."""
_takes_away = re.compile(
    r"delet|archiv|hid(?:e|den)|disabl|suspen|snooz|inactiv|unavail|sold_?out|out_?of|discontinu|overrid|exclu|expir"
    r"|until|paus|cancel|absent", re.I,
).search  # fmt: skip
_lets_sell = re.compile(
    r"avail|visib|present|schedul|eligib|service_?type|enabl|active|sellable|orderable|publish|status", re.I
).search
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
        self._inner: dict[InputPlace, Record] = {}
        if not isinstance(value, Mapping):
            notes.add("dropped", "what is no object", place)

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
        """The mapping at a key."""
        found = self.get(*names)
        return self._record(*found) if found else None

    def records(self, *names: str) -> list[Record]:
        """The mappings of a list, or those of a mapping by keys that only number them."""
        found = self.get(*names)
        if found and isinstance(found[0], Mapping):
            return [self._record(value, found[1].below(key)) for key, value in found[0].items()]
        return [self._record(value, place) for value, place in self.values(*names)]

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
        for inner in self._inner.values():
            inner.drop_rest()

    def _record(self, value: Any, place: InputPlace) -> Record:
        """The mapping at a place, the same one whenever it is asked for."""
        if place not in self._inner:
            self._inner[place] = Record(value, place, self.notes)
        return self._inner[place]


def _identifier(value: Any, place: InputPlace, notes: MenuNotes) -> str:
    """An identifier: a text, a whole number, or an object that has one."""
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
    language = next((each for each in by_language if _is_preferred(each)), next(iter(by_language)))
    if len(by_language) > 1:
        message = f"the name in {language if language.isascii() and len(language) < 12 else 'the first language'}"
        record.notes.join("guessed", f"{message} of several languages; the others are dropped", place)
    return by_language[language]


def _is_preferred(language: str) -> bool:
    return language.lower().replace("_", "-").split("-")[0] == PREFERRED_LANGUAGE


def _texts_by_language(value: Any) -> Iterator[tuple[str, str]]:
    """The texts of `{en: …}`, `{translations: {en_us: …}}`, `{text: …}`, or of a list of texts with languages."""
    if isinstance(value, list):
        for item in value:
            yield from _texts_by_language(item)
        return
    if not isinstance(value, Mapping):
        return
    inner = next((value[key] for key in ("translations", "text", "value", "localizedText") if value.get(key)), None)
    if isinstance(inner, str):
        language = value.get("languageCode") or value.get("language_code") or value.get("language") or ""
        yield str(language), inner.strip()
    elif inner is not None and not isinstance(inner, (int, float)):
        yield from _texts_by_language(inner)
    else:
        yield from ((str(key), text.strip()) for key, text in value.items() if isinstance(text, str) and text.strip())
