"""The functions, macros and operators of CEL: receiver types, parameters, result type and a description.

The only such table: the linter and did-you-mean take the names from it, completion offers them with their signatures
and result types, and hover shows the descriptions. Calls are checked by the engine, not by this table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from trialrun.values import Problem
from trialrun.values.cel.syntax_tree import Node, bound_variables, is_macro, namespace, walk
from trialrun.values.suggest import NameIndex, closest_name, equivalent_name, normalize


@dataclass(frozen=True, slots=True)
class CelFunction:
    """One form of a function or macro: its receiver types, its parameters as shown to people, and its result type.

    `receivers` are the types that it is called on, empty for a global function; `namespace` is the prefix before its
    name and a dot. `gives` is a type, or `T` for the type of the receiver, `E` for that of its elements, `list(E)`,
    `optional(E)`, or empty if unknown. `library` is the extension library, empty for the standard library.
    `usage` and `sentence` describe it; they are empty for a second form of a function that is already described.
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
        """Whether it is a macro with two iteration variables."""
        return self.takes[:2] == ("i", "v")


def _functions(library: str, *rows: tuple[str, ...]) -> Iterator[CelFunction]:
    """The functions of a library, from rows of receivers, signature, usage and sentence.

    The receivers are types separated by spaces, a namespace that ends with a dot, or empty for a global function.
    """
    for on, signature, *description in rows:
        call, _, gives = signature.rpartition(":")
        name, _, takes = call.rstrip(")").partition("(")
        is_namespace = on.endswith(".")
        receivers, namespace = ((), on.rstrip(".")) if is_namespace else (tuple(on.split()), "")
        parameters = tuple(filter(None, takes.split(", ")))
        yield CelFunction(name, parameters, gives.strip(), receivers, namespace, library, *description)


# language definition of CEL (google/cel-spec, doc/langdef.md), standard definitions

_STANDARD: Final = (
    ("", "has(field): bool", "has(a.b)", "Whether a message field is set, or a map has the key."),
    ("", "size(value): int", "size(value), value.size()", "The number of characters, bytes, elements or keys."),
    ("", "int(value): int", "int(value)",
     "Converts a number (truncated), a string of digits, or a timestamp (seconds since 1970) to an int."),
    ("", "double(value): double", "double(value)", "Converts a number, or a string that contains one, to a double."),
    ("", "string(value): string", "string(value)", "Converts a value to a string."),
    ("", "bool(value): bool", "bool(value)", "Converts the string 'true' or 'false' to a bool."),
    ("", "bytes(value): bytes", "bytes(text)", "Encodes a string in UTF-8."),
    ("", "uint(value): uint", "uint(value)",
     "Converts a number, or a string that contains one, to an unsigned integer."),
    ("", "timestamp(text): timestamp", "timestamp('2026-11-20T12:00:00Z')", "Parses a timestamp in RFC 3339."),
    ("", "duration(text): duration", "duration('1h30m')", "Parses a duration; the units are h, m, s, ms, us and ns."),
    ("", "matches(text, regular expression): bool", "text.matches(pattern)",
     "Whether any part of the string matches a regular expression (RE2 syntax)."),
    ("", "type(value):", "type(value)", "The type of a value, as in `type(x) == int`."),
    ("", "dyn(value): dyn", "dyn(value)", "The value as type dyn, which disables type checking for it."),
    ("string", "contains(text): bool", "text.contains(part)", "Whether the string contains another; case-sensitive."),
    ("string", "startsWith(text): bool", "text.startsWith(part)",
     "Whether the string starts with a prefix; case-sensitive."),
    ("string", "endsWith(text): bool", "text.endsWith(part)", "Whether the string ends with a suffix; case-sensitive."),
    ("string", "matches(regular expression): bool"),
    ("list map", "exists(x, condition): bool", "list.exists(x, condition)",
     "Whether the condition is true for at least one element."),
    ("list map", "all(x, condition): bool", "list.all(x, condition)",
     "Whether the condition is true for every element; true for an empty list."),
    ("list map", "exists_one(x, condition): bool", "list.exists_one(x, condition)",
     "Whether the condition is true for exactly one element."),
    ("list", "filter(x, condition): T", "list.filter(x, condition)", "The elements for which the condition is true."),
    ("map", "filter(x, condition): list(E)"),
    ("list map", "map(x, value): list(dyn)", "list.map(x, value)", "The list of results of `value` for each element."),
    ("string bytes list map", "size(): int"),
)  # fmt: skip

# what the extension libraries of google/cel-cpp add (extensions.EXTENSIONS)
_STRINGS: Final = (
    ("string", "lowerAscii(): string", "text.lowerAscii()", "The string with the letters A to Z in lower case."),
    ("string", "upperAscii(): string", "text.upperAscii()", "The string with the letters a to z in upper case."),
    ("string", "trim(): string", "text.trim()", "The string without leading and trailing whitespace."),
    ("string", "indexOf(text): int", "text.indexOf(part)",
     "The index of the first occurrence, from 0; -1 if there is none."),
    ("string", "lastIndexOf(text): int", "text.lastIndexOf(part)",
     "The index of the last occurrence, from 0; -1 if there is none."),
    ("string", "charAt(index): string", "text.charAt(index)", "The character at an index, from 0."),
    ("string", "substring(start, end): string", "text.substring(start, end)",
     "The characters from index `start` to `end` (exclusive), from 0."),
    ("string", "replace(text, other): string", "text.replace(part, other)",
     "The string with every occurrence of `part` replaced."),
    ("string", "split(separator): list(string)", "text.split(separator)", "The list of substrings between separators."),
    ("string", "reverse(): string", "value.reverse()", "The string or list in reverse order."),
    ("string", "format(list of values): string", "text.format([values])",
     "The string with values in place of `%s`, `%d`, `%f` and similar verbs."),
    ("list", "join(separator): string", "list.join(separator)", "The strings of a list joined by a separator."),
    ("strings.", "quote(text): string", "strings.quote(text)",
     "The string in quotes, with special characters escaped."),
)  # fmt: skip

_LISTS: Final = (
    ("list", "first(): optional(E)", "list.first()", "The first element as an optional, empty for an empty list."),
    ("list", "last(): optional(E)", "list.last()", "The last element as an optional, empty for an empty list."),
    ("list", "distinct(): T", "list.distinct()", "The elements of the list without duplicates."),
    ("list", "reverse(): T"),
    ("list", "slice(start, end): T", "list.slice(start, end)",
     "The elements from index `start` to `end` (exclusive), from 0."),
    ("list", "sort(): T", "list.sort()", "The elements in ascending order."),
    ("list", "sortBy(x, value): T", "list.sortBy(x, key)", "The elements in ascending order of `key`."),
    ("list", "flatten(): list(dyn)", "list.flatten()", "The elements of nested lists as one list."),
    ("lists.", "range(count): list(int)", "lists.range(n)", "The integers from 0 to `n` (exclusive)."),
)  # fmt: skip

_TWO_VAR_COMPREHENSIONS: Final = (
    ("list map", "exists(i, v, condition): bool"),
    ("list map", "all(i, v, condition): bool"),
    ("list map", "existsOne(i, v, condition): bool", "map.existsOne(key, value, condition)",
     "Whether the condition is true for exactly one entry."),
    ("list map", "transformList(i, v, value): list(dyn)", "map.transformList(key, value, result)",
     "The list of `result` for each entry."),
    ("list map", "transformMap(i, v, value):", "map.transformMap(key, value, result)",
     "The map with the same keys and `result` as values."),
    ("list map", "transformMapEntry(i, v, map):", "map.transformMapEntry(key, value, entry)",
     "The map of the entries that `entry` returns."),
)  # fmt: skip

_OPTIONAL: Final = (
    ("optional", "hasValue(): bool", "optional.hasValue()", "Whether the optional has a value."),
    ("optional", "orValue(value): E", "optional.orValue(value)",
     "The value of the optional, or `value` if it is empty."),
    ("optional", "value(): E", "optional.value()", "The value of the optional; an error if it is empty."),
    ("optional", "or(optional): T", "optional.or(other)", "The optional, or `other` if it is empty."),
    ("optional", "optMap(x, value): optional(dyn)", "optional.optMap(x, value)",
     "Applies `value` to the value of the optional; returns an optional."),
    ("optional", "optFlatMap(x, optional): optional(dyn)", "optional.optFlatMap(x, optional)",
     "Applies an expression that returns an optional to the value of the optional."),
    ("optional.", "of(value): optional(dyn)", "optional.of(value)", "An optional with the value."),
    ("optional.", "ofNonZeroValue(value): optional(dyn)", "optional.ofNonZeroValue(value)",
     "An optional with the value; empty for 0, '' and other zero values."),
    ("optional.", "none(): optional(dyn)", "optional.none()", "An empty optional."),
)  # fmt: skip

_MATH: Final = (
    ("math.", "greatest(number, number): dyn", "math.greatest(a, b)", "The greatest of the numbers."),
    ("math.", "least(number, number): dyn", "math.least(a, b)", "The least of the numbers."),
    ("math.", "abs(number): dyn", "math.abs(number)", "The absolute value."),
    ("math.", "ceil(double): double", "math.ceil(number)", "The number rounded up to an integer."),
    ("math.", "floor(double): double", "math.floor(number)", "The number rounded down to an integer."),
    ("math.", "round(double): double", "math.round(number)", "The nearest integer; halves are rounded away from 0."),
    ("math.", "trunc(double): double", "math.trunc(number)", "The number without its fractional part."),
    ("math.", "sign(number): dyn", "math.sign(number)", "The sign of the number: -1, 0 or 1."),
    ("math.", "sqrt(number): double", "math.sqrt(number)", "The square root."),
    ("math.", "isNaN(double): bool", "math.isNaN(number)", "Whether the value is not a number (NaN)."),
    ("math.", "isInf(double): bool", "math.isInf(number)", "Whether the number is infinite."),
    ("math.", "isFinite(double): bool", "math.isFinite(number)", "Whether the number is finite."),
    ("math.", "bitAnd(integer, integer): int", "math.bitAnd(a, b)", "Bitwise AND."),
    ("math.", "bitOr(integer, integer): int", "math.bitOr(a, b)", "Bitwise OR."),
    ("math.", "bitXor(integer, integer): int", "math.bitXor(a, b)", "Bitwise XOR."),
    ("math.", "bitNot(integer): int", "math.bitNot(a)", "Bitwise NOT."),
    ("math.", "bitShiftLeft(integer, count): int", "math.bitShiftLeft(a, places)", "The bits shifted to the left."),
    ("math.", "bitShiftRight(integer, count): int", "math.bitShiftRight(a, places)", "The bits shifted to the right."),
)

_SETS: Final = (
    ("sets.", "contains(list, sublist): bool", "sets.contains(list, other)",
     "Whether the list contains every element of the other."),
    ("sets.", "equivalent(list, list): bool", "sets.equivalent(list, other)",
     "Whether both have the same elements, in any order."),
    ("sets.", "intersects(list, list): bool", "sets.intersects(list, other)",
     "Whether the lists have an element in common."),
)  # fmt: skip

_BINDINGS: Final = (
    ("cel.", "bind(x, value, condition): dyn", "cel.bind(x, value, expression)",
     "The expression, in which `x` is the value."),
)  # fmt: skip

_CLOCK: Final = {
    "getHours": "The hour of a timestamp, from 0 to 23; for a duration, its total hours.",
    "getMinutes": "The minute of a timestamp, from 0 to 59; for a duration, its total minutes.",
    "getSeconds": "The second of a timestamp, from 0 to 59; for a duration, its total seconds.",
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
    (
        "timestamp",
        f"{name}(time zone): int",
        f"time.{name}('America/New_York')",
        f"{words} In UTC if no time zone is given.",
    )
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
"""All functions and macros, in the order of completion; a function has one entry for each form."""


def _names(functions: Iterable[CelFunction]) -> frozenset[str]:
    return frozenset(function.name for function in functions)


_MEMBERS: Final = tuple(function for function in FUNCTIONS if function.receivers)
METHODS: Final[Mapping[str, tuple[CelFunction, ...]]] = {
    receiver: tuple(function for function in _MEMBERS if receiver in function.receivers)
    for receiver in dict.fromkeys(receiver for function in _MEMBERS for receiver in function.receivers)
}
"""By type, its member functions."""
MEMBER_FUNCTIONS: Final = _names(_MEMBERS)
STANDARD_MEMBER_FUNCTIONS: Final = _names(function for function in _MEMBERS if not function.library)
LIBRARY_MEMBERS: Final = {
    library: members - STANDARD_MEMBER_FUNCTIONS
    for library in _LIBRARIES
    if library and (members := _names(function for function in _MEMBERS if function.library == library))
}
"""By extension library, the member functions that it adds; libraries with only namespace functions are absent."""
_OF_POLICIES: Final = (
    ("cron.", "runs(schedule, count): list(timestamp)", "cron.runs(self.cron, 10)",
     "The next runs of a schedule after `now`, at most 1,000; none of an empty text."),
    ("cron.", "zone(schedule): string", "cron.zone(self.cron)",
     "The time zone of a schedule as it is written, `UTC` without one."),
    ("language.", "matches(tag, range): bool", "language.matches(self.languageCode, 'de-*-AT')",
     "Whether a language tag is in a language range, by the extended filtering of RFC 4647 over canonical forms."),
    ("condition.", "reads(text): list(string)", "condition.reads(self.conditionExpression)",
     "The paths of the state that a condition reads, such as `order.items.*.quantity`; `*` is any item of a list."),
    ("", "texts(message): list(string)", "texts(self)",
     "All free texts and conditions of a message and of the messages inside it."),
    ("", "documents(kind): dyn", 'documents("FeatureView")',
     "All documents of a kind in the workspace, ordered by path; only with `scope: workspace`."),
)  # fmt: skip
LIBRARY_FUNCTIONS: Final[Mapping[str, tuple[CelFunction, ...]]] = {
    "": FUNCTIONS,
    "policies": (*FUNCTIONS, *_functions("", *_OF_POLICIES)),
}
"""By the library of a schema, all functions that its expressions may call."""


@cache
def global_functions(library: str) -> tuple[CelFunction, ...]:
    """The functions without a receiver, with those of a library of ours."""
    return tuple(each for each in LIBRARY_FUNCTIONS[library] if not each.receivers and not each.namespace)


@cache
def namespace_functions(library: str) -> Mapping[str, tuple[CelFunction, ...]]:
    """By namespace, its functions, with those of a library of ours."""
    functions = LIBRARY_FUNCTIONS[library]
    names = dict.fromkeys([*NAMESPACE_LIBRARIES, *(each.namespace for each in functions if each.namespace)])
    return {name: tuple(each for each in functions if each.namespace == name) for name in names}


NAMESPACE_LIBRARIES: Final = {
    **{name: name for name in ("math", "sets", "strings", "lists", "optional")},
    "cel": "bindings",
}
"""By namespace, its extension library."""
NAMESPACES: Final = {name: _names(functions) for name, functions in namespace_functions("").items()}
OPERATORS: Final[Mapping[str, tuple[str, str]]] = {
    "&&": ("a && b", "True if both are true; an error on one side is ignored if the other is false."),
    "||": ("a || b", "True if either is true; an error on one side is ignored if the other is true."),
    "!": ("!a", "The negation: true if the operand is false."),
    "==": ("a == b", "Whether both are equal; strings are case-sensitive."),
    "!=": ("a != b", "Whether both are different."),
    "<": ("a < b", "Whether the left value is less; strings are compared by code point."),
    "<=": ("a <= b", "Whether the left value is less or equal."),
    ">": ("a > b", "Whether the left value is greater; strings are compared by code point."),
    ">=": ("a >= b", "Whether the left value is greater or equal."),
    "in": ("a in b", "Whether a list contains the element, or a map the key."),
    "+": ("a + b", "The sum, or the concatenation of strings or lists."),
    "-": ("a - b, -a", "The difference, or the negated number."),
    "*": ("a * b", "The product."),
    "/": ("a / b", "The quotient, truncated for integers."),
    "%": ("a % b", "The remainder of an integer division."),
    "? :": ("condition ? a : b", "The first value if the condition is true, otherwise the second."),
}
"""By operator: its usage and its description."""
# names that other languages have for `size()`
LENGTH_SYNONYMS = frozenset(["length", "len", "count", "size"])


def describe_function(name: str, library: str = "") -> tuple[str, str] | None:
    """The usage and description of an operator or a function, with its namespace if it has one; None if unknown.

    `library` is the library of the schema.
    """
    namespace, _, plain = name.rpartition(".")
    for function in LIBRARY_FUNCTIONS[library]:
        if function.usage and (function.namespace, function.name) == (namespace, plain):
            return function.usage, function.sentence
    return OPERATORS.get(name)


EXTENSIONS = ("strings", "math", "sets", "lists", "optional", "bindings", "two-var-comprehensions")
ALL_EXTENSIONS = frozenset(EXTENSIONS)


@lru_cache(maxsize=64)
def enabled_members(extensions: frozenset[str]) -> frozenset[str]:
    """The member functions with some extension libraries enabled."""
    return STANDARD_MEMBER_FUNCTIONS.union(
        *(names for library, names in LIBRARY_MEMBERS.items() if library in extensions)
    )


@lru_cache(maxsize=64)
def enabled_namespaces(extensions: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """The namespaces of functions with some extension libraries enabled."""
    return {name: names for name, names in NAMESPACES.items() if NAMESPACE_LIBRARIES[name] in extensions}


def extension_uses(tree: Node, extensions: Collection[str]) -> tuple[Problem, ...]:
    """The uses of disabled extension libraries in a condition, with the library as code."""
    uses = []
    for node in walk(tree):
        if node.kind != "call" and not node.optional:
            continue
        libraries = _libraries_of(node)
        if not libraries or any(library in extensions for library in libraries):
            continue
        library, start = libraries[0], node.name_start
        variables = bound_variables(node) if is_macro(node) else ()
        if node.kind != "call":
            use = 'reading what may be absent with "?"'
        elif node.name in NAMESPACES.get(namespace(node), ()):
            use, start = f"{namespace(node)}.{node.name}()", node.children[0].start
        else:
            shown = f"{', '.join(variables)}, …" if len(variables) > 1 else ""
            use = f"{node.name}({shown})"
        advice = f'avoid it, or add "{library}" to cel-extensions if the service has it'
        message = f'{use} is not in the standard library of CEL but in its extension "{library}"; {advice}'
        uses.append(Problem(library, start, node.name_end, message))
    return tuple(sorted(uses, key=lambda use: use.start))


def _libraries_of(node: Node) -> list[str]:
    """The extension libraries that define a function; none if it is in the standard library."""
    if node.optional:
        return ["optional"]
    if node.kind != "call" or not node.receiver:
        return []
    if node.name in NAMESPACES.get(namespace(node), ()):
        return [NAMESPACE_LIBRARIES[namespace(node)]]
    if node.name in STANDARD_MEMBER_FUNCTIONS:
        return ["two-var-comprehensions"] if is_macro(node) and len(bound_variables(node)) > 1 else []
    libraries = [library for library, names in LIBRARY_MEMBERS.items() if node.name in names]
    # reverse() turns texts and lists around, by the library of each
    of_list = node.children[0].type.startswith("list(") and "lists" in libraries
    return ["lists"] if of_list else libraries


# what other languages call the functions that CEL has
FUNCTION_SYNONYMS = {
    "includes": "contains", "haskey": "contains", "tolower": "lowerAscii", "tolowercase": "lowerAscii",
    "lower": "lowerAscii", "toupper": "upperAscii", "touppercase": "upperAscii", "upper": "upperAscii",
    "strip": "trim", "some": "exists", "any": "exists", "every": "all", "where": "filter", "select": "map",
    "match": "matches", "str": "string", "float": "double",
}  # fmt: skip


MAX_LISTED = 12
"""How many names a message lists where none is like the one that was written."""
MAX_COMPARED_DIRECTLY = 200
"""As many names are all looked at."""


def suggest_name(name: str, names: Iterable[str] | NameIndex, *further: str) -> str | None:
    """The name most like this one, among some names and further ones, or None when none is alike."""
    candidates = _candidates(name, names)
    if further:
        candidates = sorted({*candidates, *further})
    if same := equivalent_name(name, candidates):
        return same
    if (synonym := FUNCTION_SYNONYMS.get(normalize(name))) in candidates:
        return synonym
    return closest_name(name, candidates, min_similarity=0.6) or _longer_name(name, candidates)


def _candidates(name: str, names: Iterable[str] | NameIndex) -> list[str]:
    if not isinstance(names, NameIndex):
        return sorted(set(names))
    candidates = names.sorted_names if len(names.names) <= MAX_COMPARED_DIRECTLY else sorted(names.similar_names(name))
    return sorted({*candidates, *_candidates(name, names.beside)}) if names.beside else candidates


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def _longer_name(name: str, candidates: list[str]) -> str | None:
    """The one name that is made of this one and more: `displayName` for `name`."""
    words = _words(name)
    holding = [candidate for candidate in candidates if len(name) > 1 and words and words < _words(candidate)]
    return holding[0] if len(holding) == 1 else None


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}
