"""Whole numbers as ProtoJSON reads them: an int64 is text, an integer is a number, and either is read from both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from trialrun.values import Problem, shorten

NUMBER = re.compile(r"([+-]?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
MAX_EXACT_DOUBLE = 2**53  # the last whole number up to which a double distinguishes neighbours
MAX_DIGITS = 19  # of the largest int64

Form = Literal["text", "number", "float", "plus", "zeros", "negative-zero", "fraction", "exponent"]


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number, and the form it was written in.

    `problem` is None if the form is the documented one; else it has the code "non-canonical", and its replacement is
    the number as text in the documented form (without quotes).
    """

    value: int
    form: Form
    problem: Problem | None = None

    @property
    def may_lack_digits(self) -> bool:
        """Whether the number is written as a float, and above 2^53, where floats do not hold every number."""
        return self.form in ("float", "exponent", "fraction") and abs(self.value) >= MAX_EXACT_DOUBLE


MINIMUM, MAXIMUM = -(2**63), 2**63 - 1
Documented = Literal["text", "number"]
NAMES: dict[Documented, str] = {"text": "int64", "number": "integer"}
"""What messages call a number, by its documented form."""


def check(value: object) -> Integer | Problem | None:
    """The int64 that a value of a file is, text being its documented form; or why it is none, code "invalid".

    None stands for null, which counts as unset. Places in problems count the characters of the text, or of the number
    as it is written in decimal.
    """
    return _parse(value, "text")


def check_integer(value: object) -> Integer | Problem | None:
    """The integer that a value of a file is, a number being its documented form; otherwise like `check`."""
    return _parse(value, "number")


def _parse(value: object, documented: Documented) -> Integer | Problem | None:
    match value:
        case None:
            return None
        case bool():
            return _invalid(str(value).lower(), f"must be an {NAMES[documented]}, not a boolean")
        case str():
            return _parse_text(value, documented)
        case int():
            return _checked(value, str(value) if abs(value) < 10**40 else "the number", "number", documented)
        case float() if not value.is_integer():
            return _invalid(str(value), f"must be a whole number, not {value}")
        case float():
            return _checked(int(value), str(value), "float", documented)
    return Problem("invalid", 0, 0, f"must be an {NAMES[documented]}, not a {type(value).__name__}")


@lru_cache(maxsize=1024)
def _parse_text(text: str, documented: Documented) -> Integer | Problem:
    match = NUMBER.fullmatch(text)
    if match is None:
        return _not_a_number(text, documented)
    value = _value(match)
    if value is None:
        return _invalid(text, f"must be a whole number, not {shorten(text, 32)}")
    return _checked(value, text, _form(match, value), documented)


def _value(match: re.Match[str]) -> int | None:
    """The whole number; None if there is a fraction. What has too many digits for an int64 becomes 10**19."""
    sign, whole, fraction, power = match[1], match[2], match[3] or "", match[4] or "0"
    # cut off where no text of a file is long enough to balance it
    power_digits = power.lstrip("+-").lstrip("0")
    size_of_power = int(power_digits or "0") if len(power_digits) < 10 else 10**9
    exponent = (-size_of_power if power[0] == "-" else size_of_power) - len(fraction)
    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    exponent += len(digits) - len(significant)
    if not significant:
        return 0
    if exponent < 0:
        return None
    size: int = 10**MAX_DIGITS if len(significant) + exponent > MAX_DIGITS else int(significant) * 10**exponent
    return -size if sign == "-" else size


def _form(match: re.Match[str], value: int) -> Form:
    if match[4]:
        return "exponent"
    if match[3]:
        return "fraction"
    if match[1] == "+":
        return "plus"
    if match[2] != "0" and match[2].startswith("0"):
        return "zeros"
    return "negative-zero" if match[1] == "-" and value == 0 else "text"


def _checked(value: int, written: str, form: Form, documented: Documented) -> Integer | Problem:
    if not MINIMUM <= value <= MAXIMUM:
        return _invalid(written, f"must be from {MINIMUM} to {MAXIMUM}, not {shorten(written, 32)}")
    if form == documented:
        return Integer(value, form)
    message = _form_message(value, written, form, documented)
    return Integer(value, form, Problem("non-canonical", 0, len(written), message, str(value)))


def _form_message(value: int, written: str, form: Form, documented: Documented) -> str:
    canonical = f'"{value}"' if documented == "text" else str(value)
    if Integer(value, form).may_lack_digits:
        return f"{written} was a float on its way, whose last digits may be lost; look it up, or write {canonical}"
    if form == "number" and abs(value) > MAX_EXACT_DOUBLE:
        return f"{written} is too large for a number, which other readers round above 2^53; write {canonical}"
    written_text = written if form in ("number", "float") else f'"{shorten(written, 32)}"'
    return f"{written_text} is not the documented form of an {NAMES[documented]}; write {canonical}"


def _not_a_number(text: str, documented: Documented) -> Problem:
    """Text that is not a number: the problem is at the first character that is not allowed."""
    if not text:
        advice = "write a number, or leave it out"
        return _invalid(text, f"must be an {NAMES[documented]} written as digits, not empty text; {advice}")
    message = f"must be an {NAMES[documented]} written as digits, not {shorten(text, 32)!r}"
    intended = NUMBER.fullmatch(re.sub(r"\s|(?<=[0-9])_(?=[0-9])", "", text, flags=re.ASCII))
    value = _value(intended) if intended else None
    if value is not None and MINIMUM <= value <= MAXIMUM:
        return Problem("invalid", 0, len(text), f"{message}; write {value}", str(value))
    start = next((place for place, char in enumerate(text) if char not in "+-0123456789.eE"), 0)
    end = start + 1 if NUMBER.match(text) and start else len(text)
    start = start if end < len(text) or NUMBER.match(text) else 0
    return Problem("invalid", start, end, message)


def _invalid(text: str, message: str) -> Problem:
    return Problem("invalid", 0, len(text), message)
