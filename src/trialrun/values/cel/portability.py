"""Finds what engines of CEL answer differently, or refuse; docs/other-programs.md has the answers of five of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.values.cel.comparisons import RELATIONS
from trialrun.values.cel.syntax_tree import Node, walk
from trialrun.values.problem import Problem

MIXED, EXACT_MIXED, DIFFERS = "mixed-comparison", "exact-mixed-comparison", "differs"
"""A comparison of two types of number, exact if its replacement is the same number; a value that engines differ in."""
MAX_EXACT = 2**53
_NUMBERS = {"int", "uint", "double"}
_INSTEAD = {"double": "a number", "duration": "duration('…')", "timestamp": "timestamp('…')"}
_class = re.compile(r"(\\[dDwWsSbB])|\\.", re.DOTALL)
_rounding = re.compile(r"%%|(%(?:\.\d+)?[ef])")


def portability_problems(tree: Node, text: str) -> Iterator[Problem]:
    """What other engines refuse or answer differently, in a valid condition or a part of one."""
    for node in walk(tree):
        if node.kind == "operator" and node.name in RELATIONS and len(node.children) == 2:
            yield from _mixed_comparison(*node.children, text)
        elif node.kind == "call" and (why := _difference(node)):
            yield Problem(DIFFERS, node.name_start, node.name_end, why)


def _difference(call: Node) -> str | None:
    """Why engines give a call different values."""
    first, last = call.children[:1], call.children[-1:]
    if call.name == "string" and not call.receiver and (type_ := first[0].type.rstrip("?")) in _INSTEAD:
        return f"engines write a {type_} as different texts; compare it with {_INSTEAD[type_]}"
    if call.name == "matches" and (found := _first_match(_class, last)):
        return f"{found} has characters of all scripts in some engines; write those that are meant, such as [0-9]"
    if call.name == "format" and call.receiver and (found := _first_match(_rounding, first)):
        return f"engines round the digits of {found} differently; compare the number itself"
    return None


def _first_match(pattern: re.Pattern[str], literals: tuple[Node, ...]) -> str | None:
    values = (literal.value for literal in literals if isinstance(literal.value, str))
    return next((match[1] for value in values for match in pattern.finditer(value) if match[1]), None)


def _mixed_comparison(left: Node, right: Node, text: str) -> Iterator[Problem]:
    types = [child.type.rstrip("?") for child in (left, right)]
    if types[0] == types[1] or not _NUMBERS.issuperset(types):
        return
    literal, other = (left, types[1]) if left.kind == "literal" else (right, types[0])
    code, changed, new = EXACT_MIXED, literal, _in_type(literal.value, other)
    if new is None:
        code, changed = MIXED, left if types[0] != "double" else right
        new = f"{'double' if 'double' in types else 'int'}({text[changed.start : changed.end]})"
    message = f"comparing {types[0]} with {types[1]} is refused by some engines; write {new}"
    yield Problem(code, changed.start, changed.end, message, new)


def _in_type(value: object, type_: str) -> str | None:
    """The same number as a literal of another type; None if that has no such number."""
    if not isinstance(value, int | float) or value != value // 1 or abs(value) > MAX_EXACT:
        return None
    if type_ == "uint" and value < 0:
        return None
    return str(int(value)) + {"uint": "u", "double": ".0"}.get(type_, "")
