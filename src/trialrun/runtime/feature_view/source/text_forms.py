"""Texts that stand for values, in files of CSV and JSON and in SQLite: one grammar, which every engine applies.

Engines read texts in ways of their own: one takes the later of two moments of a repeated hour, another the earlier;
one has `24:00:00`, another a blank before an offset. So no engine is asked whether a text fits. The patterns say it,
in regular expressions that DuckDB, Java and Python read alike; what they let through, all engines convert alike.
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Type

BLANKS = r"[ \t\n\f\r]*"


def _any_case(words: str) -> str:
    return re.sub("[a-z]", lambda letter: f"[{letter[0]}{letter[0].upper()}]", words)


TRUE, FALSE = (f"{BLANKS}(?:{_any_case(words)}){BLANKS}" for words in ("true|t|yes|y|1", "false|f|no|n|0"))
DECIMAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
INTEGER, NUMBER = (
    f"{BLANKS}(?:{form}){BLANKS}" for form in ("[+-]?[0-9]+", f"{DECIMAL}|{_any_case('[+-]?(?:inf|infinity)|nan')}")
)
NEGATIVE_NAN = f"{BLANKS}[+-]{_any_case('nan')}{BLANKS}"
"""NaN as C writes it, which Java does not read."""
EXACT = 2**53
"""Where a number with a point or an exponent is no whole number any more: programs that had it as a double have lost
digits. Those that have no null among integers write 7.0."""
YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
MOMENT = (
    rf"{BLANKS}({YEAR}-[0-9]{{1,2}}-[0-9]{{1,2}})"
    r"(?:([ T](?:[01]?[0-9]|2[0-3]):[0-5]?[0-9])(?:(:[0-5]?[0-9])(?:(\.[0-9]{1,6})[0-9]*)?)?"
    rf"(?: ?(?:Z|UTC|([+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)))?)?{BLANKS}"
)
"""Day, hour and minute, second, its digits cut to microseconds, and offset. A name of a time zone is none: an hour in
autumn is there twice, and whether its rules are known depends on the machine."""
BASE64 = r"[A-Za-z0-9+/]*={0,2}"
"""Also a multiple of four characters."""
JSON_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
JSON_SCALAR = rf"{JSON_STRING}|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|NaN|-?Infinity"


def list_form(type: Type) -> str:
    """The pattern of a JSON list whose items may be of a type: texts are strings, and NaN has no form in JSON."""
    item = f"(?:{JSON_STRING if type == 'STRING' else JSON_SCALAR})"
    return rf"{BLANKS}\[{BLANKS}(?:{item}(?:{BLANKS},{BLANKS}{item})*)?{BLANKS}\]{BLANKS}"


@dataclass(frozen=True, slots=True)
class TextSql:
    """How an engine writes that a text is of a form, the moment of a text that is of that form, and its base64."""

    fits: Callable[[str, str], str]
    moment: Callable[[str], str]
    base64: str

    def value(self, text: str, type: Type) -> str:
        """The value of a type that a text stands for, null where it stands for none."""
        if type == "BOOL":
            return f"CASE WHEN {self.fits(text, TRUE)} THEN TRUE WHEN {self.fits(text, FALSE)} THEN FALSE END"
        if type == "INT64":
            number = self.value(text, "DOUBLE")
            exact = f"CASE WHEN ABS({number}) < {EXACT} AND {number} = ROUND({number}) THEN {number} END"
            whole = f"WHEN {self.fits(text, INTEGER)} THEN TRY_CAST({text} AS BIGINT)"
            return f"CASE {whole} ELSE CAST({exact} AS BIGINT) END"
        if type == "DOUBLE":
            number = f"WHEN {self.fits(text, NUMBER)} THEN TRY_CAST({text} AS DOUBLE)"
            return f"CASE {number} WHEN {self.fits(text, NEGATIVE_NAN)} THEN CAST('NaN' AS DOUBLE) END"
        if type == "BYTES":
            return f"CASE WHEN {self.fits(text, BASE64)} AND LENGTH({text}) % 4 = 0 THEN {self.base64}({text}) END"
        return f"CASE WHEN {self.fits(text, MOMENT)} THEN {self.moment(text)} END" if type == "TIMESTAMP" else text


def parse_text(text: str, type: Type) -> Any:
    """The value of a type that a text stands for, None where it stands for none; a moment is without a zone, in UTC."""
    return _PARSERS[type](text)


def parse_list(text: str, type: Type) -> list[Any] | None:
    """The values of a type of a JSON list, None where it is none, or has an item that is null or does not fit."""
    try:
        items = json.loads(text, parse_int=_Number, parse_float=_Number, parse_constant=_Number)
    except (ValueError, RecursionError):
        return None
    values = [_parse_item(item, type) for item in items] if isinstance(items, list) else [None]
    return None if None in values else values


class _Number(str):
    """A number of JSON as it is written."""

    __slots__ = ()


def _parse_item(item: object, type: Type) -> Any:
    item = _Number(str(item).lower()) if isinstance(item, bool) else item
    return parse_text(item, type) if isinstance(item, str) and (type != "STRING" or item.__class__ is str) else None


def _parse_integer(text: str) -> int | None:
    if re.fullmatch(INTEGER, text):
        return int(text) if abs(float(text)) <= 2**63 and -(2**63) <= int(text) < 2**63 else None
    number = _parse_double(text)
    return int(number) if number is not None and abs(number) < EXACT and number == math.trunc(number) else None


def _parse_double(text: str) -> float | None:
    return float(text) if re.fullmatch(NUMBER, text) or re.fullmatch(NEGATIVE_NAN, text) else None


def _parse_moment(text: str) -> datetime | None:
    match = re.fullmatch(MOMENT, text)
    if match is None:
        return None
    day, minute, second, fraction, offset = match.groups(default="")
    padded = re.sub(r"\b[0-9]\b", r"0\g<0>", f"{day} {minute[1:] or '00:00'}{second}")
    digits = fraction.ljust(7, "0") if fraction else ""
    try:
        return datetime.fromisoformat(f"{padded}{digits}{offset or '+00'}").astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "BOOL": lambda text: True if re.fullmatch(TRUE, text) else False if re.fullmatch(FALSE, text) else None,
    "INT64": _parse_integer,
    "DOUBLE": _parse_double,
    "STRING": str,
    "BYTES": lambda text: b64decode(text) if len(text) % 4 == 0 and re.fullmatch(BASE64, text) else None,
    "TIMESTAMP": _parse_moment,
}
