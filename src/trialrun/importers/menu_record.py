"""Reading the menus of other systems: mappings of which only known keys are read, names by language, prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from trialrun.importers.interface import InputPlace, Note, NoteKind
from trialrun.values.suggest import snake_case

MAX_PRICE = Decimal(10) ** 9
MINOR_DIGITS: Mapping[str, int] = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV"), 0),
    **dict.fromkeys(("XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}
"""The digits of the minor unit of currencies that do not have 2 (ISO 4217)."""
PREFERRED_LANGUAGE = "en"


class MenuNotes:
    """Notes of an input: what is the same in several places is one note, at the first of them."""

    def __init__(self) -> None:
        self._places: dict[tuple[NoteKind, str, str], tuple[InputPlace, int]] = {}

    def add(self, kind: NoteKind, message: str, place: InputPlace) -> None:
        """Note what the documents lack or may have wrong."""
        key = next((step for step in reversed(place.path) if isinstance(step, str) and not step.isdecimal()), "")
        first, count = self._places.get((kind, message, key), (place, 0))
        self._places[kind, message, key] = first, count + 1

    def notes(self) -> Iterator[Note]:
        """The notes, in the order in which each was made first."""
        for (kind, message, _), (place, count) in self._places.items():
            more = f" ({count} times; this is the first)" if count > 1 else ""
            yield Note(kind, message + more, place)


class Record:
    """A mapping of the input; names are given in camelCase, and snake_case is the same."""

    def __init__(self, value: Any, place: InputPlace, notes: MenuNotes) -> None:
        self.value: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        self.place, self.notes = place, notes
        self._read: set[str] = set()
        self._inner: list[Record] = []
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
        """A text or a whole number as text; empty if there is none."""
        value, place = self.get(*names) or ("", self.place)
        return _identifier(value, place, self.notes)

    def identifiers(self, *names: str) -> list[str]:
        """The texts or whole numbers of a list."""
        return [text for value, place in self.values(*names) if (text := _identifier(value, place, self.notes))]

    def flag(self, *names: str) -> bool | None:
        """Whether something is so; None if the input does not say it."""
        value, place = self.get(*names) or (None, self.place)
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
        for key in self.value:
            if key not in self._read:
                self.notes.add("dropped", "a field that is not imported", self.place.below(str(key)))
        for inner in self._inner:
            inner.drop_rest()

    def _record(self, value: Any, place: InputPlace) -> Record:
        record = Record(value, place, self.notes)
        self._inner.append(record)
        return record


def _identifier(value: Any, place: InputPlace, notes: MenuNotes) -> str:
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
        record.notes.add("guessed", f"{message} of several languages; the others are dropped", place)
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


def decimal_price(value: Any, place: InputPlace, notes: MenuNotes) -> float | None:
    """A price as a number or as text such as "3.50", "$3.50" or "3,50"."""
    if value is None or value == "":
        return None
    text = (
        str(value).strip(" $€£\u00a0") if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
    )
    if isinstance(value, str) and text.count(",") == 1 and "." not in text and len(text.partition(",")[2]) <= 2:
        notes.add("guessed", "a price, whose comma is taken for the decimal point", place)
        text = text.replace(",", ".")
    try:
        return _price(Decimal(text.replace(",", "")), place, notes)
    except InvalidOperation:
        notes.add("dropped", "a price that is no number", place)
        return None


def minor_price(amount: Any, currency: Any, place: InputPlace, notes: MenuNotes) -> float | None:
    """A price in the minor unit of a currency, such as cents."""
    if amount is None:
        return None
    if not isinstance(amount, int) or isinstance(amount, bool):
        notes.add("dropped", "a price that is no whole number of the minor unit", place)
        return None
    if not isinstance(currency, str) or not currency:
        notes.add("guessed", "prices, taken for hundredths, since their currency is not in the input", place)
        currency = ""
    else:
        notes.add("dropped", "the currency of prices", place)
    return _price(Decimal(amount).scaleb(-MINOR_DIGITS.get(currency.upper(), 2)), place, notes)


def money(record: Record | None) -> float | None:
    """A price of `{currencyCode, units, nanos}`."""
    if record is None:
        return None
    if record.text("currencyCode"):
        record.notes.add("dropped", "the currency of prices", record.place.below("currencyCode"))
    units, _ = record.get("units") or (0, record.place)
    nanos, _ = record.get("nanos") or (0, record.place)
    try:
        whole, rest = (Decimal(part) if isinstance(part, (int, str)) else Decimal("NaN") for part in (units, nanos))
        return _price(whole + rest.scaleb(-9), record.place, record.notes)
    except InvalidOperation:
        record.notes.add("dropped", "a price that is no number", record.place)
        return None


def _price(price: Decimal, place: InputPlace, notes: MenuNotes) -> float | None:
    if not price.is_finite() or not 0 <= price <= MAX_PRICE:
        notes.add("dropped", "a price below zero or out of all bounds", place)
        return None
    return float(price)
