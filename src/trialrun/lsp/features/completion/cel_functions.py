"""CEL functions and methods offered in conditions, with their result types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.type_syntax import Type, format_type, parse_type

BOUND: Final = ("x", "i", "v")
"""The names that macros are proposed with."""


@dataclass(frozen=True, slots=True)
class CelFunction:
    """A function by its name, what it takes as a person reads it, and what it gives.

    `gives` is a type, or `T` for what it is called on, `E` for the elements of that, `list(E)`, `optional(E)`, or the
    empty text where nobody knows.
    """

    name: str
    takes: tuple[str, ...]
    gives: str

    @property
    def label(self) -> str:
        """The name; of a macro with two names, with these."""
        return f"{self.name}(i, v)" if self.takes[:2] == ("i", "v") else self.name

    def snippet(self, *, with_all: bool = True) -> str:
        """The call with a tab stop for each argument, or for the first; the names of a macro are proposed."""
        taken = self.takes if with_all else self.takes[:1]
        stops = [f"${{{at}:{one}}}" if one in BOUND else f"${at}" for at, one in enumerate(taken, 1)]
        return f"{self.name}({', '.join(stops)})"


def _functions(*texts: str) -> tuple[CelFunction, ...]:
    return tuple(map(_function, texts))


def _function(text: str) -> CelFunction:
    """A function as it is told: `substring(start, end): string`."""
    call, _, gives = text.rpartition(":")
    name, _, takes = call.rstrip(")").partition("(")
    return CelFunction(name, tuple(filter(None, takes.split(", "))), gives.strip())


_STRINGS: Final = _functions(
    "contains(text): bool",
    "startsWith(text): bool",
    "endsWith(text): bool",
    "matches(regular expression): bool",
    "size(): int",
    "lowerAscii(): string",
    "upperAscii(): string",
    "trim(): string",
    "indexOf(text): int",
    "lastIndexOf(text): int",
    "charAt(index): string",
    "substring(start, end): string",
    "replace(text, other): string",
    "split(separator): list(string)",
    "reverse(): string",
    "format(list of values): string",
)
_MACROS: Final = _functions("exists(x, condition): bool", "all(x, condition): bool", "exists_one(x, condition): bool")
_TWO: Final = _functions(
    "exists(i, v, condition): bool",
    "all(i, v, condition): bool",
    "existsOne(i, v, condition): bool",
    "transformList(i, v, value): list(dyn)",
    "transformMap(i, v, value): ",
    "transformMapEntry(i, v, map): ",
)
_OF_LISTS: Final = _functions(
    "filter(x, condition): T",
    "map(x, value): list(dyn)",
    "size(): int",
    "first(): optional(E)",
    "last(): optional(E)",
    "distinct(): T",
    "reverse(): T",
    "slice(start, end): T",
    "sort(): T",
    "sortBy(x, value): T",
    "flatten(): list(dyn)",
    "join(separator): string",
)
_OF_MAPS: Final = _functions("filter(x, condition): list(E)", "map(x, value): list(dyn)", "size(): int")
_CLOCK: Final = ("getHours", "getMinutes", "getSeconds", "getMilliseconds")
_CALENDAR: Final = ("getDayOfWeek", "getDayOfMonth", "getDate", "getDayOfYear", "getMonth", "getFullYear")
METHODS: Final[Mapping[str, tuple[CelFunction, ...]]] = {
    "string": _STRINGS,
    "bytes": _functions("size(): int"),
    "list": (*_MACROS, *_OF_LISTS, *_TWO),
    "map": (*_MACROS, *_OF_MAPS, *_TWO),
    "timestamp": _functions(*(f"{name}(time zone): int" for name in (*_CLOCK, *_CALENDAR))),
    "duration": _functions(*(f"{name}(): int" for name in _CLOCK)),
    "optional": _functions(
        "hasValue(): bool",
        "orValue(value): E",
        "value(): E",
        "or(optional): T",
        "optMap(x, value): optional(dyn)",
        "optFlatMap(x, optional): optional(dyn)",
    ),
}
"""By type, what can be called on a value of it."""
GLOBAL: Final = _functions(
    "has(field): bool",
    "size(value): int",
    "int(value): int",
    "double(value): double",
    "string(value): string",
    "bool(value): bool",
    "bytes(value): bytes",
    "uint(value): uint",
    "timestamp(text): timestamp",
    "duration(text): duration",
    "matches(text, regular expression): bool",
    "type(value): ",
    "dyn(value): dyn",
)
NAMESPACES: Final[Mapping[str, tuple[CelFunction, ...]]] = {
    "math": _functions(
        "greatest(number, number): dyn",
        "least(number, number): dyn",
        "abs(number): dyn",
        "ceil(double): double",
        "floor(double): double",
        "round(double): double",
        "trunc(double): double",
        "sign(number): dyn",
        "sqrt(number): double",
        "isNaN(double): bool",
        "isInf(double): bool",
        "isFinite(double): bool",
        "bitAnd(integer, integer): int",
        "bitOr(integer, integer): int",
        "bitXor(integer, integer): int",
        "bitNot(integer): int",
        "bitShiftLeft(integer, count): int",
        "bitShiftRight(integer, count): int",
    ),
    "sets": _functions("contains(list, sublist): bool", "equivalent(list, list): bool", "intersects(list, list): bool"),
    "strings": _functions("quote(text): string"),
    "lists": _functions("range(count): list(int)"),
    "optional": _functions("of(value): optional(dyn)", "ofNonZeroValue(value): optional(dyn)", "none(): optional(dyn)"),
    "cel": _functions("bind(x, value, condition): dyn"),
}
"""By namespace, the functions that are called with its name and a dot before them."""


def methods(of: Type) -> tuple[CelFunction, ...]:
    """What can be called on a value of a type."""
    return METHODS.get("string" if of.members else of.name, ())


def method_result(of: Type, name: str) -> Type | None:
    """The type that a call on a value of a type gives; None where nobody knows."""
    function = next((method for method in methods(of) if method.name == name), None)
    return result_type(function, of) if function else None


def global_result(name: str, namespace: str | None = None) -> Type | None:
    """The type that a function by itself gives, or one of a namespace; None where nobody knows."""
    table = GLOBAL if namespace is None else NAMESPACES[namespace]
    return next((result_type(cel_function) for cel_function in table if cel_function.name == name), None)


def result_type(function: CelFunction, of: Type | None = None) -> Type | None:
    """The type that a function gives when it is called on a value of a type, or by itself."""
    inner = element_type(of) or Type("dyn")
    match function.gives:
        case "T":
            return of
        case "E":
            return inner
        case "list(E)":
            return Type("list", (inner,))
        case "optional(E)" | "optional(dyn)":
            return Type("optional", (inner if function.gives == "optional(E)" else Type("dyn"),))
        case text:
            return _read(text) if text else None


@cache
def _read(text: str) -> Type:
    return parse_type(text)


def element_type(of: Type | None) -> Type | None:
    """What a macro with one name names in turn: the elements of a list, the keys of a map, what an optional holds."""
    return of.parameters[0] if of is not None and of.parameters else None


def element_types(of: Type | None) -> tuple[Type | None, Type | None]:
    """What a macro with two names names in turn: the places and elements of a list, the keys and values of a map."""
    if of is not None and of.name == "map":
        return of.parameters[0], of.parameters[1]
    return Type("int"), element_type(of)


def signature(function: CelFunction, of: Type | None = None) -> str:
    """A function with what it takes and what it gives."""
    gives = result_type(function, of)
    return f"{function.name}({', '.join(function.takes)}): {'dyn' if gives is None else format_type(gives)}"
