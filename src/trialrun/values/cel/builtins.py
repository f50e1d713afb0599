"""The functions, macros and operators of CEL: what each is called on, takes and gives, and a sentence about it.

The one table of them: the linter and did-you-mean know their names by it, completion offers them with their signatures
and result types, and hover shows the sentences. It never judges a call: the engine does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CelFunction:
    """A function or a macro by its name: what it is called on, what it takes as a person reads it, and what it gives.

    `receivers` are the types that it is called on, none for a global function; `namespace` is what stands before its
    name and a dot. `gives` is a type, or `T` for what it is called on, `E` for the elements of that, `list(E)`,
    `optional(E)`, or the empty text where nobody knows. `library` is the extension library, empty for the standard one.
    `usage` and `sentence` describe it; they are empty for a further form of what is described already.
    """

    name: str
    takes: tuple[str, ...]
    gives: str
    receivers: tuple[str, ...] = ()
    namespace: str = ""
    library: str = ""
    usage: str = ""
    sentence: str = ""

    @property
    def is_two_variable(self) -> bool:
        """Whether it is a macro that introduces two names."""
        return self.takes[:2] == ("i", "v")


def _functions(library: str, *rows: tuple[str, ...]) -> Iterator[CelFunction]:
    """The functions of a library, each by what it is called on, its signature, and how it is described.

    It is called on types, on a namespace, which ends with a dot, or on nothing.
    """
    for on, signature, *description in rows:
        call, _, gives = signature.rpartition(":")
        name, _, takes = call.rstrip(")").partition("(")
        is_namespace = on.endswith(".")
        yield CelFunction(
            name,
            tuple(filter(None, takes.split(", "))),
            gives.strip(),
            () if is_namespace else tuple(on.split()),
            on.rstrip(".") if is_namespace else "",
            library,
            *description,
        )


# language definition of CEL (google/cel-spec, doc/langdef.md), standard definitions

_STANDARD: Final = (
    ("", "has(field): bool", "has(a.b)", "Whether a field is there: set in a message, or a key of a map."),
    ("", "size(value): int", "size(value), value.size()", "How many characters, elements or keys there are."),
    (
        "",
        "int(value): int",
        "int(value)",
        "A number, cut to a whole one, or the text of one; of a moment, its seconds since 1970.",
    ),
    ("", "double(value): double", "double(value)", "A number, or the text of one, as a double."),
    ("", "string(value): string", "string(value)", "The value as a text."),
    ("", "bool(value): bool", "bool(value)", "The text 'true' or 'false' as a boolean."),
    ("", "bytes(value): bytes", "bytes(text)", "The text in UTF-8."),
    ("", "uint(value): uint", "uint(value)", "A number, or the text of one, as an unsigned integer."),
    ("", "timestamp(text): timestamp", "timestamp('2026-11-20T12:00:00Z')", "A moment from its text in RFC 3339."),
    (
        "",
        "duration(text): duration",
        "duration('1h30m')",
        "A span of time from its text; the units are h, m, s, ms, us and ns.",
    ),
    (
        "",
        "matches(text, regular expression): bool",
        "text.matches(pattern)",
        "Whether a part of the text matches a regular expression of RE2.",
    ),
    ("", "type(value):", "type(value)", "The type of a value, as in `type(x) == int`."),
    ("", "dyn(value): dyn", "dyn(value)", "The value without its type, so that nothing checks what is done with it."),
    ("string", "contains(text): bool", "text.contains(part)", "Whether a part stands in the text; capitals count."),
    ("string", "startsWith(text): bool", "text.startsWith(part)", "Whether the text begins so; capitals count."),
    ("string", "endsWith(text): bool", "text.endsWith(part)", "Whether the text ends so; capitals count."),
    ("string", "matches(regular expression): bool"),
    (
        "list map",
        "exists(x, condition): bool",
        "list.exists(x, condition)",
        "Whether the condition is true of some element.",
    ),
    (
        "list map",
        "all(x, condition): bool",
        "list.all(x, condition)",
        "Whether the condition is true of every element; true of an empty list.",
    ),
    (
        "list map",
        "exists_one(x, condition): bool",
        "list.exists_one(x, condition)",
        "Whether the condition is true of exactly one element.",
    ),
    ("list", "filter(x, condition): T", "list.filter(x, condition)", "The elements of which the condition is true."),
    ("map", "filter(x, condition): list(E)"),
    ("list map", "map(x, value): list(dyn)", "list.map(x, value)", "The list of what `value` is for each element."),
    ("string bytes list map", "size(): int"),
)

# what the extension libraries of google/cel-cpp add (extensions.EXTENSIONS)
_STRINGS: Final = (
    ("string", "lowerAscii(): string", "text.lowerAscii()", "The text with the letters A to Z in lower case."),
    ("string", "upperAscii(): string", "text.upperAscii()", "The text with the letters a to z in upper case."),
    ("string", "trim(): string", "text.trim()", "The text without blanks at its ends."),
    (
        "string",
        "indexOf(text): int",
        "text.indexOf(part)",
        "Where a part first stands in the text, from 0; -1 where it does not.",
    ),
    (
        "string",
        "lastIndexOf(text): int",
        "text.lastIndexOf(part)",
        "Where a part last stands in the text, from 0; -1 where it does not.",
    ),
    ("string", "charAt(index): string", "text.charAt(index)", "The character at an index, from 0."),
    (
        "string",
        "substring(start, end): string",
        "text.substring(start, end)",
        "The characters from `start` up to but not with `end`, from 0.",
    ),
    (
        "string",
        "replace(text, other): string",
        "text.replace(part, other)",
        "The text with another part in place of every such part.",
    ),
    (
        "string",
        "split(separator): list(string)",
        "text.split(separator)",
        "The parts of the text between separators, as a list.",
    ),
    ("string", "reverse(): string", "value.reverse()", "The text or the list in the reverse order."),
    (
        "string",
        "format(list of values): string",
        "text.format([values])",
        "The text with values in place of `%s`, `%d`, `%f` and the like.",
    ),
    (
        "list",
        "join(separator): string",
        "list.join(separator)",
        "The texts of a list in one, with a separator between them.",
    ),
    ("strings.", "quote(text): string", "strings.quote(text)", "The text in quotes, with escapes."),
)

_LISTS: Final = (
    ("list", "first(): optional(E)", "list.first()", "The first element, as an optional: nothing of an empty list."),
    ("list", "last(): optional(E)", "list.last()", "The last element, as an optional: nothing of an empty list."),
    ("list", "distinct(): T", "list.distinct()", "The elements of the list, each once."),
    ("list", "reverse(): T"),
    (
        "list",
        "slice(start, end): T",
        "list.slice(start, end)",
        "The elements from `start` up to but not with `end`, from 0.",
    ),
    ("list", "sort(): T", "list.sort()", "The elements from the least to the greatest."),
    ("list", "sortBy(x, value): T", "list.sortBy(x, key)", "The elements by what `key` is for each, the least first."),
    ("list", "flatten(): list(dyn)", "list.flatten()", "The elements of the lists in a list, as one list."),
    ("lists.", "range(count): list(int)", "lists.range(n)", "The whole numbers from 0 up to but not with `n`."),
)

_TWO_VAR_COMPREHENSIONS: Final = (
    ("list map", "exists(i, v, condition): bool"),
    ("list map", "all(i, v, condition): bool"),
    (
        "list map",
        "existsOne(i, v, condition): bool",
        "map.existsOne(key, value, condition)",
        "Whether the condition is true of exactly one entry.",
    ),
    (
        "list map",
        "transformList(i, v, value): list(dyn)",
        "map.transformList(key, value, result)",
        "The list of what `result` is for each entry.",
    ),
    (
        "list map",
        "transformMap(i, v, value):",
        "map.transformMap(key, value, result)",
        "The map with what `result` is for each key.",
    ),
    (
        "list map",
        "transformMapEntry(i, v, map):",
        "map.transformMapEntry(key, value, entry)",
        "The map of the entries that are made.",
    ),
)

_OPTIONAL: Final = (
    ("optional", "hasValue(): bool", "optional.hasValue()", "Whether an optional has a value."),
    (
        "optional",
        "orValue(value): E",
        "optional.orValue(value)",
        "What the optional has, or the value where it has none.",
    ),
    ("optional", "value(): E", "optional.value()", "What the optional has; an error where it has nothing."),
    ("optional", "or(optional): T", "optional.or(other)", "The optional, or the other one where it has no value."),
    (
        "optional",
        "optMap(x, value): optional(dyn)",
        "optional.optMap(x, value)",
        "The value made of what the optional has, as an optional.",
    ),
    (
        "optional",
        "optFlatMap(x, optional): optional(dyn)",
        "optional.optFlatMap(x, optional)",
        "The optional made of what the optional has.",
    ),
    ("optional.", "of(value): optional(dyn)", "optional.of(value)", "An optional that has the value."),
    (
        "optional.",
        "ofNonZeroValue(value): optional(dyn)",
        "optional.ofNonZeroValue(value)",
        "An optional; nothing for 0, '' and the like.",
    ),
    ("optional.", "none(): optional(dyn)", "optional.none()", "An optional that has nothing."),
)

_MATH: Final = (
    ("math.", "greatest(number, number): dyn", "math.greatest(a, b)", "The greatest of some numbers."),
    ("math.", "least(number, number): dyn", "math.least(a, b)", "The least of some numbers."),
    ("math.", "abs(number): dyn", "math.abs(number)", "The number without its sign."),
    ("math.", "ceil(double): double", "math.ceil(number)", "The next whole number above."),
    ("math.", "floor(double): double", "math.floor(number)", "The next whole number below."),
    ("math.", "round(double): double", "math.round(number)", "The nearest whole number; halves go away from 0."),
    ("math.", "trunc(double): double", "math.trunc(number)", "The number without its fraction."),
    ("math.", "sign(number): dyn", "math.sign(number)", "-1, 0 or 1, by the sign of the number."),
    ("math.", "sqrt(number): double", "math.sqrt(number)", "The square root."),
    ("math.", "isNaN(double): bool", "math.isNaN(number)", "Whether it is no number."),
    ("math.", "isInf(double): bool", "math.isInf(number)", "Whether the number is infinite."),
    ("math.", "isFinite(double): bool", "math.isFinite(number)", "Whether the number is finite."),
    ("math.", "bitAnd(integer, integer): int", "math.bitAnd(a, b)", "The bits that both have."),
    ("math.", "bitOr(integer, integer): int", "math.bitOr(a, b)", "The bits that either has."),
    ("math.", "bitXor(integer, integer): int", "math.bitXor(a, b)", "The bits that exactly one has."),
    ("math.", "bitNot(integer): int", "math.bitNot(a)", "All bits the other way round."),
    ("math.", "bitShiftLeft(integer, count): int", "math.bitShiftLeft(a, places)", "The bits moved to the left."),
    ("math.", "bitShiftRight(integer, count): int", "math.bitShiftRight(a, places)", "The bits moved to the right."),
)

_SETS: Final = (
    (
        "sets.",
        "contains(list, sublist): bool",
        "sets.contains(list, other)",
        "Whether the list has every element of the other.",
    ),
    (
        "sets.",
        "equivalent(list, list): bool",
        "sets.equivalent(list, other)",
        "Whether both have the same elements, in any order.",
    ),
    (
        "sets.",
        "intersects(list, list): bool",
        "sets.intersects(list, other)",
        "Whether they have an element in common.",
    ),
)

_BINDINGS: Final = (
    (
        "cel.",
        "bind(x, value, condition): dyn",
        "cel.bind(x, value, expression)",
        "The expression, in which `x` stands for the value.",
    ),
)

_CLOCK: Final = {
    "getHours": "The hour of a moment, from 0 to 23; of a duration, all of its hours.",
    "getMinutes": "The minute of a moment, from 0 to 59; of a duration, all of its minutes.",
    "getSeconds": "The second of a moment, from 0 to 59; of a duration, all of its seconds.",
    "getMilliseconds": "The milliseconds within the second.",
}
_CALENDAR: Final = {
    "getDayOfWeek": "The day of the week, from 0 for Sunday.",
    "getDayOfMonth": "The day of the month, from 0.",
    "getDate": "The day of the month, from 1.",
    "getDayOfYear": "The day of the year, from 0.",
    "getMonth": "The month, from 0 for January.",
    "getFullYear": "The year.",
}
_TIME: Final = tuple(
    ("timestamp", f"{name}(time zone): int", f"time.{name}('America/New_York')", f"{words} In UTC without a time zone.")
    for name, words in {**_CLOCK, **_CALENDAR}.items()
)
_LIBRARIES: Final = {
    "": (*_STANDARD, *_TIME, *(("duration", f"{name}(): int") for name in _CLOCK)),
    "strings": _STRINGS,
    "lists": _LISTS,
    "two-var-comprehensions": _TWO_VAR_COMPREHENSIONS,
    "optional": _OPTIONAL,
    "math": _MATH,
    "sets": _SETS,
    "bindings": _BINDINGS,
}
FUNCTIONS: Final = tuple(function for library, rows in _LIBRARIES.items() for function in _functions(library, *rows))
"""All functions and macros, in the order in which they are offered; one form each."""


def _names(functions: Iterable[CelFunction]) -> frozenset[str]:
    return frozenset(function.name for function in functions)


GLOBAL: Final = tuple(function for function in FUNCTIONS if not function.receivers and not function.namespace)
"""The functions that are called on nothing."""
_MEMBERS: Final = tuple(function for function in FUNCTIONS if function.receivers)
METHODS: Final[Mapping[str, tuple[CelFunction, ...]]] = {
    receiver: tuple(function for function in _MEMBERS if receiver in function.receivers)
    for receiver in dict.fromkeys(receiver for function in _MEMBERS for receiver in function.receivers)
}
"""By type, what can be called on a value of it."""
NAMESPACE_FUNCTIONS: Final[Mapping[str, tuple[CelFunction, ...]]] = {
    namespace: tuple(function for function in FUNCTIONS if function.namespace == namespace)
    for namespace in ("math", "sets", "strings", "lists", "optional", "cel")
}
"""By namespace, the functions that are called with its name and a dot before them."""
GLOBAL_FUNCTIONS: Final = _names(GLOBAL)
MEMBER_FUNCTIONS: Final = _names(_MEMBERS)
STANDARD_MEMBER_FUNCTIONS: Final = _names(function for function in _MEMBERS if not function.library)
LIBRARY_MEMBERS: Final = {
    library: members - STANDARD_MEMBER_FUNCTIONS
    for library in _LIBRARIES
    if library and (members := _names(function for function in _MEMBERS if function.library == library))
}
"""By extension library, the functions that it adds to values; of the others all are in a namespace."""
NAMESPACES: Final = {namespace: _names(functions) for namespace, functions in NAMESPACE_FUNCTIONS.items()}
NAMESPACE_LIBRARIES: Final = {namespace: functions[0].library for namespace, functions in NAMESPACE_FUNCTIONS.items()}
"""By namespace, the extension library that it is of."""
OPERATORS: Final[Mapping[str, tuple[str, str]]] = {
    "&&": ("a && b", "True if both are; where one is false the other may fail."),
    "||": ("a || b", "True if either is; where one is true the other may fail."),
    "!": ("!a", "True if it is false."),
    "==": ("a == b", "Whether both are equal; texts by every character."),
    "!=": ("a != b", "Whether they differ."),
    "<": ("a < b", "Whether the left one is less; texts by their characters."),
    "<=": ("a <= b", "Whether the left one is less or equal."),
    ">": ("a > b", "Whether the left one is greater; texts by their characters."),
    ">=": ("a >= b", "Whether the left one is greater or equal."),
    "in": ("a in b", "Whether a list has the element, or a map the key."),
    "+": ("a + b", "The sum; of texts and lists, the one behind the other."),
    "-": ("a - b, -a", "The difference, or the number with the other sign."),
    "*": ("a * b", "The product."),
    "/": ("a / b", "The quotient; of whole numbers without its fraction."),
    "%": ("a % b", "What is left of a division of whole numbers."),
    "? :": ("condition ? a : b", "The first value where the condition is true, else the second."),
}
"""By sign: how it is written, and what it gives."""
# what other languages write for `size()`
LENGTH_SYNONYMS = frozenset(["length", "len", "count", "size"])


def describe_function(name: str) -> tuple[str, str] | None:
    """How a function, with its namespace where there is one, or an operator is written, and what it gives."""
    namespace, _, plain = name.rpartition(".")
    described = (function for function in FUNCTIONS if function.usage and function.namespace == namespace)
    found = next((function for function in described if function.name == plain), None)
    return OPERATORS.get(name) if found is None else (found.usage, found.sentence)
