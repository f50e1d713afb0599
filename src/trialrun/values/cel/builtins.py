"""The functions that conditions can call, by how they are written; for did-you-mean, never to judge a call."""

from __future__ import annotations

# language definition of CEL (google/cel-spec, doc/langdef.md), standard definitions
_CONVERSIONS = ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"]
_TIME = [
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
_TEXTS = ["contains", "endsWith", "matches", "startsWith"]
# what the extension libraries of google/cel-cpp add (extensions.EXTENSIONS)
_STRINGS = [
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
_LISTS = ["distinct", "first", "flatten", "last", "reverse", "slice", "sort", "sortBy"]
_OPTIONALS = ["hasValue", "or", "orValue", "value", "optMap", "optFlatMap"]

GLOBAL = frozenset(["has", "matches", "size", *_CONVERSIONS])
STANDARD_MEMBER = frozenset(["size", *_TIME, *_TEXTS, "all", "exists", "exists_one", "filter", "map"])
LIBRARY_MEMBERS = {
    "strings": frozenset(_STRINGS),
    "lists": frozenset(_LISTS),
    "optional": frozenset(_OPTIONALS),
    "two-var-comprehensions": frozenset(["existsOne", "transformList", "transformMap", "transformMapEntry"]),
}
"""By extension library, the functions that it adds to values; of the others all stand in a namespace."""
MEMBER = STANDARD_MEMBER.union(*LIBRARY_MEMBERS.values())
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
LENGTHS = frozenset(["length", "len", "count", "size"])
