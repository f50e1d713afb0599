"""One field at a time: which values its type takes, in which forms, and what is wrong with the others (ProtoJSON)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le, MaxLen

from trialrun.diagnostic import Path
from trialrun.lazy_dataclass import dataclass
from trialrun.model.misfit import (
    Misfit,
    NonCanonicalForm,
    OutOfRange,
    TooLong,
    UnknownEnumValue,
    UnspecifiedEnumValue,
    WrongType,
)
from trialrun.model.node import INT64_MAX, INT64_MIN, UNSPECIFIED, EntityId, Int64Text, Node, value_type
from trialrun.model.suggest import nearest, squash
from trialrun.values import int64
from trialrun.values.problem import Problem

AsUnset = UnspecifiedEnumValue
"""The misfit whose value counts as unset rather than as refused."""

MEANT_AS_BOOLEAN = {
    **dict.fromkeys(("true", "yes", "on", "y", "1"), True),
    **dict.fromkeys(("false", "no", "off", "n", "0"), False),
}
NOT_FINITE = ("NaN", "Infinity", "-Infinity")
SHORTEST_ENUM_PART = 3
LARGEST_SHOWN = 10**40
PERCENTAGE = re.compile(r"\s*([0-9]{1,3}(?:[.][0-9]{1,9})?)\s*%\s*")
NUMERAL = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Shape:
    """What a field takes: one of a message (`model`), a map (`values`), an enum, an entity id or a scalar of a type."""

    words: str
    plural: str
    scalar: type | None = None
    listed: bool = False
    model: type[Node] | None = None
    enum: tuple[str, ...] = ()
    values: Shape | None = None
    longest: int | None = None
    longest_key: int | None = None
    at_least: float | None = None
    at_most: float | None = None
    int64: bool = False
    entity_id: bool = False


TEXT: Shape = Shape("text", "texts", str)
BOOLEAN = Shape("true or false", "booleans", bool)
INTEGER = Shape("an integer", "integers", int)
NUMBER = Shape("a number", "numbers", float)
ANYTHING = Shape("anything", "values")
ENTITY_ID = Shape("a text, an integer, or a list of these", "entity ids", entity_id=True)
SCALARS = {str: TEXT, bool: BOOLEAN, int: INTEGER, float: NUMBER}


@cache
def shape(model: type[Node], name: str) -> Shape:
    """What the field `name` of a message takes."""
    found = _shape(value_type(model, name))
    for limit in model.model_fields[name].metadata:
        found = _limited(found, limit)
    return found


@cache
def item(of: Shape) -> Shape:
    """What the items of a list take."""
    return replace(of, listed=False)


def _shape(annotation: Any) -> Shape:
    if annotation in SCALARS:
        return SCALARS[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Node):
        return Shape("a mapping", "mappings", model=annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is list:
        return replace(_shape(arguments[0]), listed=True)
    if origin is dict:
        return _map_shape(*arguments)
    if origin is Literal:
        return Shape("one of " + ", ".join(arguments), "enum values", enum=arguments)
    return _annotated(annotation)


def _map_shape(key: Any, value: Any) -> Shape:
    values = _shape(value)
    return Shape(f"a mapping of {values.plural}", "mappings", values=values, longest_key=_shape(key).longest)


def _annotated(annotation: Any) -> Shape:
    if not hasattr(annotation, "__metadata__"):
        return ANYTHING
    found = _shape(annotation.__origin__)
    for fact in annotation.__metadata__:
        if isinstance(fact, EntityId):
            return ENTITY_ID
        if isinstance(fact, Int64Text):
            return replace(found, int64=True, words="an integer as text", at_least=1)
        for limit in getattr(fact, "metadata", [fact]):
            found = _limited(found, limit)
    return found


def _limited(found: Shape, limit: Any) -> Shape:
    """The shape with a limit of its field; that every integer has 64 bits is no limit of one."""
    if isinstance(limit, Ge | Le) and (limit.ge if isinstance(limit, Ge) else limit.le) in (INT64_MIN, INT64_MAX):
        return found
    if isinstance(limit, Ge):
        return replace(found, at_least=_bound(limit.ge))
    if isinstance(limit, Le):
        return replace(found, at_most=_bound(limit.le))
    return replace(found, longest=limit.max_length) if isinstance(limit, MaxLen) else found


def _bound(limit: Any) -> float:
    return limit if isinstance(limit, int) else float(limit)


def scalar(value: Any, of: Shape, path: Path, *, required: bool) -> tuple[Any, list[Misfit]]:
    """The value in the type of the model, or None, and what is wrong with it or with its form."""
    if of is ANYTHING:
        return value, []
    if of.enum:
        return _enum(value, of, path, required=required)
    if of.scalar is str:
        return _text(value, of, path)
    if of.scalar is bool:
        return _boolean(value, path)
    if of.int64:
        return _int64(value, of, path)
    if of.entity_id:
        return _entity_id(value, of, path)
    return _number(value, of, path)


def _entity_id(value: Any, of: Shape, path: Path) -> tuple[Any, list[Misfit]]:
    parts = value if isinstance(value, list) else [value]
    if parts and all(isinstance(part, (str, int)) and not isinstance(part, bool) for part in parts):
        return value, []
    return None, [WrongType(path, of.words, value)]


def _text(value: Any, of: Shape, path: Path) -> tuple[Any, list[Misfit]]:
    if not isinstance(value, str):
        return None, [_no_text(value, path)]
    long = list(too_long(value, of.longest, path))
    return (None if long else value), [*long]


def _no_text(value: Any, path: Path) -> WrongType:
    """Anything but text; of a number the file may have written other characters: 012 reads as 12, and 1.10 as 1.1."""
    if isinstance(value, bool):
        return WrongType(path, "text", value, meant=str(value).lower())
    if isinstance(value, int) and abs(value) < LARGEST_SHOWN:
        return WrongType(path, "text", value, meant=str(value), lossless=False)
    if isinstance(value, float) and math.isfinite(value):
        return WrongType(path, "text", value, meant=repr(value), lossless=False)
    return WrongType(path, "text", value)


def too_long(text: str, longest: int | None, path: Path, *, is_key: bool = False) -> Iterator[TooLong]:
    """A misfit when a text has more code points than its field takes."""
    if longest is not None and len(text) > longest:
        yield TooLong(path, len(text), longest, is_key)


def _boolean(value: Any, path: Path) -> tuple[Any, list[Misfit]]:
    if isinstance(value, bool):
        return value, []
    word = str(value).strip().lower() if isinstance(value, (str, int)) else None
    meant = MEANT_AS_BOOLEAN.get(word) if word is not None else None
    return None, [WrongType(path, "true or false", value, meant=meant, lossless=word in ("true", "false"))]


def _enum(value: Any, of: Shape, path: Path, *, required: bool) -> tuple[Any, list[Misfit]]:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None, [WrongType(path, of.words, value)]
    if isinstance(value, int):
        return _enum_number(value, of, path, required=required)
    if value not in of.enum:
        return None, [UnknownEnumValue(path, value, of.enum, _enum_candidate(value, of.enum))]
    if value.endswith(UNSPECIFIED):
        return None, [UnspecifiedEnumValue(path, value, required, of.enum)]
    return value, []


def _enum_number(value: int, of: Shape, path: Path, *, required: bool) -> tuple[Any, list[Misfit]]:
    """An enum value by its number, which is its place in the specification's list."""
    if not of.enum[0].endswith(UNSPECIFIED) or not 0 <= value < len(of.enum):
        return None, [UnknownEnumValue(path, value, of.enum, None)]
    name = of.enum[value]
    if name.endswith(UNSPECIFIED):
        return None, [UnspecifiedEnumValue(path, name, required, of.enum)]
    return name, [NonCanonicalForm(path, f"{value} is an enum value by number; write {name}", name)]


def _enum_candidate(value: str, values: tuple[str, ...]) -> str | None:
    specified = [name for name in values if not name.endswith(UNSPECIFIED)]
    if found := nearest(value, specified):
        return found
    squashed = squash(value)
    if len(squashed) < SHORTEST_ENUM_PART:
        return None
    inside = [name for name in specified if squashed in squash(name) or squash(name) in squashed]
    return inside[0] if len(inside) == 1 else None


def _int64(value: Any, of: Shape, path: Path) -> tuple[Any, list[Misfit]]:
    read = int64.check(value)
    if not isinstance(read, int64.Integer):
        return None, [_no_integer(value, of, path, read)]
    return _judged(read, of, path, canonical=str(read.value))


def _number(value: Any, of: Shape, path: Path) -> tuple[Any, list[Misfit]]:
    if of.scalar is float:
        return _real(value, of, path)
    if isinstance(value, int) and not isinstance(value, bool):
        if not _in_range(value, of):
            return None, [OutOfRange(path, value, of.at_least, of.at_most)]
        if INT64_MIN <= value <= INT64_MAX:
            return value, []
    read = int64.check_integer(value, bits=64)
    if not isinstance(read, int64.Integer):
        return None, [_no_integer(value, of, path, read)]
    return _judged(read, of, path, canonical=read.value)


def _no_integer(value: Any, of: Shape, path: Path, read: Problem | None) -> WrongType:
    """What is no whole number that fits; the reading of numbers says why, for a text or a number."""
    if read is None or isinstance(value, (bool, dict, list)):
        return WrongType(path, of.words, value)
    meant = read.replacement if of.int64 or read.replacement is None else int(read.replacement)
    return WrongType(path, of.words, value, meant=meant, lossless=False, remark=read.message)


def _judged(read: int64.Integer, of: Shape, path: Path, *, canonical: Any) -> tuple[Any, list[Misfit]]:
    if not _in_range(read.value, of):
        return None, [OutOfRange(path, read.value, of.at_least, of.at_most)]
    if read.remark is None:
        return read.value, []
    return read.value, [NonCanonicalForm(path, read.remark.message, canonical)]


def _real(value: Any, of: Shape, path: Path) -> tuple[Any, list[Misfit]]:
    number = _as_real(value)
    if number is None:
        return None, [WrongType(path, of.words, value, meant=_as_share(value, of), lossless=False)]
    if not _in_range(number, of):
        return None, [OutOfRange(path, value, of.at_least, of.at_most)]
    if isinstance(value, str):
        return number, [NonCanonicalForm(path, f'"{value}" is a number as text; write {number:g}', number)]
    return number, []


def _as_share(value: Any, of: Shape) -> float | None:
    """The share that a percentage as text is, such as 0.6 of `60%`, where the field takes shares of 1."""
    match = PERCENTAGE.fullmatch(value) if isinstance(value, str) and (of.at_least, of.at_most) == (0, 1) else None
    share = float(Decimal(match[1]) / 100) if match else None
    return share if share is not None and share <= 1 else None


def _as_real(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str) and value not in NOT_FINITE and not NUMERAL.fullmatch(value):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _in_range(number: float, of: Shape) -> bool:
    if isinstance(number, float) and not math.isfinite(number):
        return False
    return (of.at_least is None or number >= of.at_least) and (of.at_most is None or number <= of.at_most)
