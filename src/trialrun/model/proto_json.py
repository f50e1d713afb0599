"""One field at a time: which values its type takes, in which forms, and what is wrong with the others (ProtoJSON)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from trialrun.diagnostic import Path
from trialrun.model.misfit import (
    Misfit,
    NonCanonicalForm,
    OutOfRange,
    TooLong,
    UnknownEnumValue,
    UnspecifiedEnumValue,
    WrongType,
)
from trialrun.model.node import INT64_MAX, INT64_MIN, UNSPECIFIED, EntityId, Int64Text, Node, field_spec, value_type
from trialrun.values import int64
from trialrun.values.suggest import normalize, suggest

BOOLEAN_WORDS = {
    **dict.fromkeys(("true", "yes", "on", "y", "1"), True),
    **dict.fromkeys(("false", "no", "off", "n", "0"), False),
}
NOT_FINITE = ("NaN", "Infinity", "-Infinity")
FORMATS_WITHOUT_WORDS = ("resource-name", "language-tag", "time-zone", "cron", "timestamp", "cel-type", "column-type")
"""Formats of texts in which true is never meant as the word."""
MIN_ENUM_PART_LENGTH = 3
MAX_SHOWN_INTEGER = 10**40
PERCENTAGE = re.compile(r"\s*([0-9]{1,3}(?:[.][0-9]{1,9})?)\s*%\s*")
DECIMAL_COMMA = re.compile(r"\s*(-?[0-9]{1,9}),([0-9]{1,2}|[0-9]{4,9}|(?<=\b0,)[0-9]{3})\s*")
"""A number with a comma as the decimal sign; 1,000 may as well be a thousand."""
LIMITS = {"ge": "minimum", "le": "maximum", "max_length": "max_length"}
"""The limits of a field, by their names in pydantic."""
NUMERAL = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class FieldType:
    """What a field takes: one of a message (`model`), a map (`values`), an enum, an entity id or a scalar of a type."""

    singular: str
    plural: str
    scalar: type | None = None
    is_list: bool = False
    model: type[Node] | None = None
    enum: tuple[str, ...] = ()
    values: FieldType | None = None
    max_length: int | None = None
    max_key_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    int64: bool = False
    entity_id: bool = False
    format: str | None = None


TEXT: FieldType = FieldType("text", "texts", str)
BOOLEAN = FieldType("true or false", "booleans", bool)
INTEGER = FieldType("an integer", "integers", int)
NUMBER = FieldType("a number", "numbers", float)
ANYTHING = FieldType("anything", "values")
ENTITY_ID = FieldType("a text, an integer, or a list of these", "entity ids", entity_id=True)
SCALARS = {str: TEXT, bool: BOOLEAN, int: INTEGER, float: NUMBER}


@cache
def field_type(model: type[Node], name: str) -> FieldType:
    """What the field `name` of a message takes."""
    type_ = _with_limits(_type_of(value_type(model, name)), model.model_fields[name])
    format_ = field_spec(model, name).format
    return replace(type_, format=format_) if format_ in FORMATS_WITHOUT_WORDS else type_


@cache
def item_type(list_type: FieldType) -> FieldType:
    """What the items of a list take."""
    return replace(list_type, is_list=False)


def _type_of(annotation: Any) -> FieldType:
    if annotation in SCALARS:
        return SCALARS[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Node):
        return FieldType("a mapping", "mappings", model=annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is list:
        return replace(_type_of(arguments[0]), is_list=True)
    if origin is dict:
        values, longest = _type_of(arguments[1]), _type_of(arguments[0]).max_length
        return FieldType(f"a mapping of {values.plural}", "mappings", values=values, max_key_length=longest)
    if origin is Literal:
        return FieldType("one of " + ", ".join(arguments), "enum values", enum=arguments)
    if not hasattr(annotation, "__metadata__"):
        return ANYTHING
    type_ = _type_of(annotation.__origin__)
    for marker in annotation.__metadata__:
        if isinstance(marker, EntityId):
            return ENTITY_ID
        if isinstance(marker, Int64Text):
            return replace(type_, int64=True, singular="an integer as text", minimum=1)
        if isinstance(marker, FieldInfo):
            type_ = _with_limits(type_, marker)
    return type_


def _with_limits(type_: FieldType, info: FieldInfo) -> FieldType:
    """The type with the limits of its field; that every integer has 64 bits is not a limit of one."""
    bounds = [(limit, getattr(part, name, None)) for part in info.metadata for name, limit in LIMITS.items()]
    narrower: dict[str, Any] = {limit: bound for limit, bound in bounds if bound not in (None, INT64_MIN, INT64_MAX)}
    return replace(type_, **narrower) if narrower else type_


def parse_scalar(value: Any, of: FieldType, path: Path, *, required: bool) -> tuple[Any, Misfit | None]:
    """The value in the type of the model, or None, and what is wrong with it or with its form."""
    if of is ANYTHING:
        return value, None
    if of.enum:
        return _parse_enum(value, of, path, required=required)
    if of.scalar is str:
        return _parse_text(value, of, path)
    if of.scalar is bool:
        return _parse_boolean(value, path)
    if of.entity_id:
        parts = value if isinstance(value, list) else [value]
        if parts and all(isinstance(part, (str, int)) and not isinstance(part, bool) for part in parts):
            return value, None
        return None, WrongType(path, of.singular, value)
    return _parse_float(value, of, path) if of.scalar is float else _parse_integer(value, of, path)


def _parse_text(value: Any, of: FieldType, path: Path) -> tuple[Any, Misfit | None]:
    """A text; of a number the file may have written other characters: 012 reads as 12, and 1.10 as 1.1."""
    if isinstance(value, str):
        misfit = too_long(value, of.max_length, path)
        return (value if misfit is None else None), misfit
    if isinstance(value, bool):
        return None, WrongType(path, "text", value, converted=None if of.format else str(value).lower())
    if isinstance(value, int) and abs(value) < MAX_SHOWN_INTEGER:
        return None, WrongType(path, "text", value, converted=str(value), is_lossless=False)
    if isinstance(value, float) and math.isfinite(value):
        return None, WrongType(path, "text", value, converted=repr(value), is_lossless=False)
    return None, WrongType(path, "text", value)


def too_long(text: str, longest: int | None, path: Path, *, is_key: bool = False) -> TooLong | None:
    """The misfit of a text that has more code points than its field takes."""
    return TooLong(path, len(text), longest, is_key) if longest is not None and len(text) > longest else None


def _parse_boolean(value: Any, path: Path) -> tuple[Any, Misfit | None]:
    if isinstance(value, bool):
        return value, None
    word = str(value).strip().lower() if isinstance(value, (str, int)) else ""
    is_lossless = word in ("true", "false")
    return None, WrongType(path, "true or false", value, converted=BOOLEAN_WORDS.get(word), is_lossless=is_lossless)


def _parse_enum(value: Any, of: FieldType, path: Path, *, required: bool) -> tuple[Any, Misfit | None]:
    """An enum value, by its name or by its number, which is its place in the specification's list."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None, WrongType(path, of.singular, value)
    if isinstance(value, int):
        if not of.enum[0].endswith(UNSPECIFIED) or not 0 <= value < len(of.enum):
            return None, UnknownEnumValue(path, value, of.enum, None)
        name = of.enum[value]
    else:
        name = value
    if name not in of.enum:
        return None, UnknownEnumValue(path, value, of.enum, _enum_candidate(name, of.enum))
    if name.endswith(UNSPECIFIED):
        return None, UnspecifiedEnumValue(path, name, required, of.enum)
    if name == value:
        return value, None
    return name, NonCanonicalForm(path, f"{value} is an enum value by number; write {name}", name)


def _enum_candidate(value: str, values: tuple[str, ...]) -> str | None:
    specified = [name for name in values if not name.endswith(UNSPECIFIED)]
    if candidate := suggest(value, specified):
        return candidate
    squashed = normalize(value)
    if len(squashed) < MIN_ENUM_PART_LENGTH:
        return None
    inside = [name for name in specified if squashed in normalize(name) or normalize(name) in squashed]
    return inside[0] if len(inside) == 1 else None


def _parse_integer(value: Any, of: FieldType, path: Path) -> tuple[Any, Misfit | None]:
    """A whole number, which an int64 has as text; the reading of numbers says why a text or a number is none."""
    if isinstance(value, int) and not isinstance(value, bool) and not of.int64:
        if not _in_range(value, of):
            return None, OutOfRange(path, value, of.minimum, of.maximum)
        if INT64_MIN <= value <= INT64_MAX:
            return value, None
    parsed = int64.check(value) if of.int64 else int64.check_integer(value)
    if parsed is None or (not isinstance(parsed, int64.Integer) and isinstance(value, (bool, dict, list))):
        return None, WrongType(path, of.singular, value)
    if not isinstance(parsed, int64.Integer):
        converted = parsed.replacement if of.int64 or parsed.replacement is None else int(parsed.replacement)
        detail = parsed.message
        return None, WrongType(path, of.singular, value, converted=converted, is_lossless=False, detail=detail)
    if not _in_range(parsed.value, of):
        return None, OutOfRange(path, parsed.value, of.minimum, of.maximum)
    if parsed.problem is None:
        return parsed.value, None
    canonical = str(parsed.value) if of.int64 else parsed.value
    message, may_lack_digits = parsed.problem.message, parsed.may_lack_digits
    return parsed.value, NonCanonicalForm(path, message, canonical, may_lack_digits=may_lack_digits)


def _parse_float(value: Any, of: FieldType, path: Path) -> tuple[Any, Misfit | None]:
    number = _as_float(value)
    if number is None:
        converted = _intended_number(value, of)
        return None, WrongType(path, of.singular, value, converted=converted, is_lossless=False)
    if not _in_range(number, of):
        return None, OutOfRange(path, value, of.minimum, of.maximum)
    if isinstance(value, str):
        return number, NonCanonicalForm(path, f'"{value}" is a number as text', number)
    return number, None


def _intended_number(value: Any, of: FieldType) -> float | None:
    """The number that a text plainly means: 0.6 of `60%`, where the field takes shares of 1, and 0.2 of `0,2`."""
    if not isinstance(value, str):
        return None
    if decimal := DECIMAL_COMMA.fullmatch(value):
        number = float(".".join(decimal.groups()))
        return number if _in_range(number, of) else None
    match = PERCENTAGE.fullmatch(value) if (of.minimum, of.maximum) == (0, 1) else None
    share = float(Decimal(match[1]) / 100) if match else None
    return share if share is not None and share <= 1 else None


def _as_float(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str) and value not in NOT_FINITE and not NUMERAL.fullmatch(value):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _in_range(number: float, of: FieldType) -> bool:
    if isinstance(number, float) and not math.isfinite(number):
        return False
    return (of.minimum is None or number >= of.minimum) and (of.maximum is None or number <= of.maximum)
