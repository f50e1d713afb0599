"""The functions that conditions can call, by how they are written; for did-you-mean, never to judge a call."""

from __future__ import annotations

# language definition of CEL (google/cel-spec, doc/langdef.md), standard definitions
_CONVERSIONS = ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"]
_TIME_FUNCTIONS = [
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getSeconds",
]
_TEXT_FUNCTIONS = ["contains", "endsWith", "matches", "startsWith"]
# what the extension libraries of google/cel-cpp add (extensions.EXTENSIONS)
_STRING_EXTENSIONS = [
    "charAt",
    "format",
    "indexOf",
    "join",
    "lastIndexOf",
    "lowerAscii",
    "replace",
    "reverse",
    "split",
    "substring",
    "trim",
    "upperAscii",
]
_LIST_EXTENSIONS = ["distinct", "first", "flatten", "last", "reverse", "slice", "sort", "sortBy"]
_OPTIONAL_EXTENSIONS = ["hasValue", "or", "orValue", "value", "optMap", "optFlatMap"]

GLOBAL_FUNCTIONS = frozenset(["has", "matches", "size", *_CONVERSIONS])
STANDARD_MEMBER_FUNCTIONS = frozenset(
    ["size", *_TIME_FUNCTIONS, *_TEXT_FUNCTIONS, "all", "exists", "exists_one", "filter", "map"]
)
LIBRARY_MEMBERS = {
    "strings": frozenset(_STRING_EXTENSIONS),
    "lists": frozenset(_LIST_EXTENSIONS),
    "optional": frozenset(_OPTIONAL_EXTENSIONS),
    "two-var-comprehensions": frozenset(["existsOne", "transformList", "transformMap", "transformMapEntry"]),
}
"""By extension library, the functions that it adds to values; of the others all stand in a namespace."""
MEMBER_FUNCTIONS = STANDARD_MEMBER_FUNCTIONS.union(*LIBRARY_MEMBERS.values())
NAMESPACES = {
    "math": frozenset(
        [
            "greatest",
            "least",
            "ceil",
            "floor",
            "round",
            "trunc",
            "abs",
            "sign",
            "isInf",
            "isNaN",
            "isFinite",
            "bitAnd",
            "bitOr",
            "bitXor",
            "bitNot",
            "bitShiftLeft",
            "bitShiftRight",
            "sqrt",
        ]
    ),
    "sets": frozenset(["contains", "equivalent", "intersects"]),
    "lists": frozenset(["range"]),
    "strings": frozenset(["quote"]),
    "optional": frozenset(["of", "none", "ofNonZeroValue"]),
    "cel": frozenset(["bind"]),
}
NAMESPACE_LIBRARIES = {"cel": "bindings"}
"""By namespace, the extension library that it is of, where that has another name."""
# what other languages write for `size()`
LENGTH_SYNONYMS = frozenset(["length", "len", "count", "size"])
