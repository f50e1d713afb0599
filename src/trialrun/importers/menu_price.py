"""Prices as menus of other systems write them: minor units, Money, numbers, and text with separators or a currency."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from trialrun.importers.interface import InputPlace
from trialrun.importers.menu_builder import MenuNotes, Record

MAX_PRICE = Decimal(10) ** 9
NANOS = 10**9
MAX_LENGTH = 60
"""Characters of a price that is text."""
MINOR_DIGITS: Mapping[str, int] = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV"), 0),
    **dict.fromkeys(("XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    **dict.fromkeys("¥￥₩￦₫", 0),
}
"""The digits of the minor unit of currencies that do not have 2 (ISO 4217)."""
CURRENCY_WORDS = ("kr", "zł", "kč", "ft", "lei", "lv", "rs", "fr", "sfr", "rp", "rm", "tl", "euro", "р", "руб")
PARTS_OF_CURRENCIES = "¢￠₥₰"
_digits = re.compile(r"(?<![^\W\d_])[.,]?\d(?:[\d.,'’\s]*\d)?|\d(?:[\d.,'’\s]*\d)?").search
_decoration = re.compile(r"[^\W\d_]{1,5}\.?|\s+").sub
_separator = re.compile(r"[.,'’\s]")
_thousands = re.compile(r"(?<=\d)[.,'’\s](?=\d{3}(?!\d))").sub
_digits_alone = re.compile(r"-?\d{1,30}n?").fullmatch
COMMA = "a price, whose comma is taken for the decimal point"
AMBIGUOUS = "a price whose one separator, before three digits, may be that of decimals or of thousands"


def decimal_price(
    value: Any, place: InputPlace, notes: MenuNotes, *, mark: str | None = None, currency: str = ""
) -> float | None:
    """A price as a number or as text such as "3.50", "€ 3,50", "1.250,00" or "2.50 USD".

    The last separator is that of the decimals. Where it may be that of thousands, `mark` says which sign is that of the
    decimals, or the digits of the currency do.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        if not isinstance(value, str):
            number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else "none"
            return checked_price(Decimal(str(number)), place, notes)
        digits, code, sign = _parts(value)
        known = MINOR_DIGITS.get(code or currency.upper())
        if mark is None and known in (0, 3) and (single := _separator.search(digits)):
            mark = single[0] if known == 3 else {".": ",", ",": "."}.get(single[0])
        amount = _amount(digits, mark)
    except InvalidOperation:
        notes.add("dropped", "a price that is no number", place)
        return None
    if amount is None:
        notes.add("unresolved", AMBIGUOUS, place)
        return None
    if "," in digits and "." not in digits and _decimals(digits, mark):
        notes.join("guessed", COMMA, place)
    return checked_price(-amount if sign else amount, place, notes)


def decimal_mark(texts: Iterable[str]) -> str | None:
    """The sign of decimals in a column of prices; None where the prices do not say it, or disagree."""
    marks: set[str] = set()
    for text in texts:
        try:
            digits = _parts(text)[0]
            if _amount(digits, None) is None:
                continue
        except InvalidOperation:
            continue
        if mark := _decimals(digits, None):
            marks.add(mark)
        elif grouping := set(digits) & {".", ","}:
            marks.update({".", ","} - grouping)
    return marks.pop() if len(marks) == 1 else None


def _parts(text: str) -> tuple[str, str, bool]:
    """The digits of a price with their separators, its currency, and whether it is negative, or InvalidOperation."""
    match = _digits(text) if len(text) <= MAX_LENGTH else None
    if match is None:
        raise InvalidOperation
    before, after = text[: match.start()], re.sub(r"\A[.,][-–—]?", "", text[match.end() :])
    around = f"{before.replace('-', ' ', 1).replace('−', ' ', 1)} {after}"
    words = re.findall(r"[^\W\d_]+\$?", around)
    symbols = _decoration("", around)
    if not all(map(_is_currency, words)) or not all(map(_is_currency_sign, symbols)):
        raise InvalidOperation
    currencies = (*filter(str.isupper, words), *filter(MINOR_DIGITS.__contains__, symbols))
    return match[0], next(iter(currencies), ""), "-" in before or "−" in before


def _is_currency(word: str) -> bool:
    return word.endswith("$") or (len(word) == 3 and word.isupper()) or word.casefold() in CURRENCY_WORDS


def _is_currency_sign(symbol: str) -> bool:
    return unicodedata.category(symbol) == "Sc" and symbol not in PARTS_OF_CURRENCIES


def _decimals(digits: str, mark: str | None) -> str:
    """The separator of decimals; empty where the digits have none."""
    separators = _separator.findall(digits)
    last = separators[-1] if separators else ""
    if last not in (".", ",") or separators.count(last) > 1:
        return ""
    return "" if _is_ambiguous(digits) and last != mark else last


def _is_ambiguous(digits: str) -> bool:
    """Whether the only separator may be that of thousands or of decimals."""
    parts = re.split(r"[.,]", digits)
    return len(parts) == 2 and len(parts[1]) == 3 and parts[0].isdecimal() and len(parts[0]) < 4 and int(parts[0]) > 0


def _amount(digits: str, mark: str | None) -> Decimal | None:
    """The number that digits with separators mean: None if it is ambiguous, InvalidOperation if there is none."""
    if _is_ambiguous(digits) and mark is None:
        return None
    last = _decimals(digits, mark)
    whole, _, fraction = digits.rpartition(last) if last else (digits, "", "0")
    first, *groups = _separator.split(whole)
    is_grouped = not groups or (
        0 < len(first) < 4 and len(groups[-1]) == 3 and all(len(group) in (2, 3) for group in groups)
    )
    if not is_grouped or len(set(_separator.findall(whole))) > 1:
        raise InvalidOperation
    return Decimal(f"{first}{''.join(groups)}.{fraction}")


def minor_price(amount: Any, currency: Any, place: InputPlace, notes: MenuNotes) -> float | None:
    """A price in the minor unit of a currency, such as cents, as a whole number or as the text of one."""
    if amount is None:
        return None
    if (number := _whole_number(amount)) is None:
        notes.add("dropped", "a price that is no whole number of the minor unit", place)
        return None
    if not isinstance(currency, str) or not currency:
        notes.join("guessed", "prices, taken for hundredths, since their currency is not in the input", place)
        currency = ""
    else:
        notes.join("dropped", "the currency of prices", place)
    return checked_price(Decimal(number).scaleb(-MINOR_DIGITS.get(currency.upper(), 2)), place, notes)


def _whole_number(value: Any) -> int | None:
    """A whole number, which may be text or a float; None for anything else."""
    if isinstance(value, str) and _digits_alone(digits := _thousands("", value.strip())):
        return int(digits.removesuffix("n"))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def money(record: Record | None) -> float | None:
    """A price of `{currencyCode, units, nanos}`: numbers of one sign, of which those of 0 may be left out."""
    if not record or not record.value:
        return None
    if found := record.get("currencyCode"):
        record.notes.join("dropped", "the currency of prices", found[1])
    units, nanos = (_whole_number((record.get(name) or (0, None))[0]) for name in ("units", "nanos"))
    if units is None or nanos is None or abs(nanos) >= NANOS or units * nanos < 0:
        record.notes.add("dropped", "a price that is no number", record.place)
        return None
    return checked_price(units + Decimal(nanos) / NANOS, record.place, record.notes)


def checked_price(price: Decimal, place: InputPlace, notes: MenuNotes) -> float | None:
    """A price that is not below zero, nor out of all bounds."""
    if not price.is_finite() or not 0 <= price <= MAX_PRICE:
        notes.add("dropped", "a price below zero or out of all bounds", place)
        return None
    return float(price)
