"""What can be called on a value of each type in a condition, with what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trialrun.record import dataclass
from trialrun.values.cel.type_texts import Type

STRING, INT, BOOL, DOUBLE = Type("string"), Type("int"), Type("bool"), Type("double")


@dataclass(frozen=True, slots=True)
class Function:
    """What a function takes, as a person reads it, and what it gives; `itself` is the type that it is called on."""

    takes: str
    gives: Type | None
    itself: bool = False


_STRINGS: Final = {
    "contains": Function("text", BOOL),
    "startsWith": Function("text", BOOL),
    "endsWith": Function("text", BOOL),
    "matches": Function("regular expression", BOOL),
    "size": Function("", INT),
    "lowerAscii": Function("", STRING),
    "upperAscii": Function("", STRING),
    "trim": Function("", STRING),
    "indexOf": Function("text", INT),
    "lastIndexOf": Function("text", INT),
    "charAt": Function("index", STRING),
    "substring": Function("start, end", STRING),
    "replace": Function("text, other", STRING),
    "split": Function("separator", Type("list", (STRING,))),
}
_MACROS: Final = {
    "exists": Function("x, condition", BOOL),
    "all": Function("x, condition", BOOL),
    "exists_one": Function("x, condition", BOOL),
    "filter": Function("x, condition", None, itself=True),
    "map": Function("x, value", Type("list", (Type("dyn"),))),
}
_LISTS: Final = {
    **_MACROS,
    "size": Function("", INT),
    "distinct": Function("", None, itself=True),
    "slice": Function("start, end", None, itself=True),
}
_MAPS: Final = {"size": Function("", INT), **{name: _MACROS[name] for name in ("exists", "all", "exists_one")}}
_CLOCK: Final = ("getHours", "getMinutes", "getSeconds", "getMilliseconds")
_CALENDAR: Final = ("getDayOfWeek", "getDayOfMonth", "getDate", "getDayOfYear", "getMonth", "getFullYear")
METHODS: Final[Mapping[str, Mapping[str, Function]]] = {
    "string": _STRINGS,
    "bytes": {"size": Function("", INT)},
    "list": _LISTS,
    "map": _MAPS,
    "timestamp": {name: Function("time zone", INT) for name in (*_CLOCK, *_CALENDAR)},
    "duration": {name: Function("", INT) for name in _CLOCK},
}
"""By type, those that conditions are written with most; the engine knows some more."""
GLOBAL: Final = {
    "has": Function("field", BOOL),
    "size": Function("value", INT),
    "int": Function("value", INT),
    "double": Function("value", DOUBLE),
    "string": Function("value", STRING),
    "timestamp": Function("text", Type("timestamp")),
    "duration": Function("text", Type("duration")),
}
BINDING: Final = frozenset(["all", "exists", "exists_one", "existsOne", "filter", "map", "sortBy"])
"""The macros whose first argument names each element."""


def methods(of: Type) -> Mapping[str, Function]:
    """What can be called on a value of a type."""
    return METHODS.get("string" if of.members else of.name, {})


def result(of: Type, name: str) -> Type | None:
    """The type that a call on a value of a type gives; None where nobody knows."""
    function = methods(of).get(name)
    return None if function is None else of if function.itself else function.gives


def element(of: Type | None) -> Type | None:
    """What a macro names in turn: the elements of a list, the keys of a map."""
    return of.parameters[0] if of is not None and of.parameters else None
