"""The functions that conditions can call, by how they are written; for did-you-mean, never to judge a call."""

from __future__ import annotations

from trialrun.values.cel.syntax_tree import MACROS

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
# the extensions of google/cel-cpp that are switched on (environment.EXTENSIONS)
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
    "contains",
    "endsWith",
    "matches",
    "startsWith",
]
_LISTS = ["distinct", "first", "flatten", "last", "slice", "sort", "sortBy"]
_OPTIONALS = ["hasValue", "or", "orValue", "value"]

GLOBAL = frozenset(["has", "matches", "size", *_CONVERSIONS])
MEMBER = frozenset(["size", *_TIME, *_STRINGS, *_LISTS, *_OPTIONALS, *MACROS])
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
# what other languages write for `size()`
LENGTHS = frozenset(["length", "len", "count", "size"])
