"""Finds what engines of CEL answer differently: comparisons of two types of number, texts of values, and patterns.

What five engines make of each is in docs/other-programs.md, which `scripts/engines_and_readers.py` writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.values.cel.comparisons import RELATIONS
from trialrun.values.cel.syntax_tree import Node, walk
from trialrun.values.problem import Problem

MIXED, EXACT_MIXED = "mixed-comparison", "exact-mixed-comparison"
"""The codes of a comparison of two types of number; exact if its replacement is the same number."""
DIFFERS = "differs"
"""The code of a part whose value depends on the engine."""
MAX_EXACT = 2**53
_NUMBERS = ("int", "uint", "double")
_INSTEAD = {
    "double": "compare it as a number",
    "duration": "compare it with duration('…')",
    "timestamp": "compare it with timestamp('…')",
}
_CLASSES = {r"\d": "[0-9]", r"\D": "[^0-9]", r"\w": "[0-9A-Za-z_]", r"\W": "[^0-9A-Za-z_]", r"\s": r"[ \t\n\r\f]"}
_class = re.compile(r"(\\[dDwWsSbB])|\\.", re.DOTALL)
_rounding = re.compile(r"%%|(%(?:\.\d+)?[ef])")


def portability_problems(tree: Node, text: str) -> tuple[Problem, ...]:
    """What other engines refuse or answer differently, in a valid condition."""
    return tuple(sorted(_problems(tree, text), key=lambda problem: problem.start))


def depends_on_engine(part: Node, text: str) -> bool:
    """Whether the value of a part is another one to other engines, so that nothing is proved from it."""
    return any(problem.code == DIFFERS for problem in _problems(part, text))


def _problems(tree: Node, text: str) -> Iterator[Problem]:
    for node in walk(tree):
        if node.kind == "operator" and node.name in RELATIONS and len(node.children) == 2:
            yield from _mixed_comparison(*node.children, text)
        elif node.kind == "call" and (why := _difference(node)):
            part = node.children[1] if node.name == "matches" else node
            yield Problem(DIFFERS, part.name_start, part.name_end, why)


def _difference(call: Node) -> str | None:
    """Why engines give a call different values."""
    if call.name == "string" and not call.receiver and len(call.children) == 1:
        type_ = call.children[0].type.rstrip("?")
        return f"engines write a {type_} as different texts; {_INSTEAD[type_]}" if type_ in _INSTEAD else None
    if not call.receiver or len(call.children) != 2:
        return None
    holder, argument = call.children
    if call.name == "matches" and argument.name == "string" and isinstance(argument.value, str):
        return _pattern_difference(argument.value)
    if call.name == "format" and any(match[1] for match in _rounding.finditer(str(holder.value))):
        return "engines round the digits of %f and %e differently; compare the number itself"
    return None


def _pattern_difference(pattern: str) -> str | None:
    for match in _class.finditer(pattern):
        if match[1]:
            instead = _CLASSES.get(match[1], "the characters that are meant, in brackets")
            return f"{match[1]} knows the characters of all scripts in some engines; write {instead}"
    return None


def _mixed_comparison(left: Node, right: Node, text: str) -> Iterator[Problem]:
    types = [child.type.rstrip("?") for child in (left, right)]
    if types[0] == types[1] or not set(types) <= set(_NUMBERS):
        return
    literal, other = (left, types[1]) if left.kind == "literal" else (right, types[0])
    code, changed, new = EXACT_MIXED, literal, _in_type(literal, other) if literal.kind == "literal" else None
    if new is None:
        code, changed = MIXED, left if types[0] != "double" else right
        new = f"{'double' if 'double' in types else 'int'}({text[changed.start : changed.end]})"
    message = f"comparing {types[0]} with {types[1]} is refused by some engines; write {new}"
    yield Problem(code, changed.start, changed.end, message, new)


def _in_type(literal: Node, type_: str) -> str | None:
    """The same number as a literal of another type; None if that has no such number."""
    value = literal.value
    if not isinstance(value, int | float) or value != int(value) or abs(value) > MAX_EXACT:
        return None
    if type_ == "uint":
        return f"{int(value)}u" if value >= 0 else None
    return f"{int(value)}.0" if type_ == "double" else str(int(value))
