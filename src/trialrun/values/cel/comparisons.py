"""Contradictions and tautologies of comparisons with literals: `a == 1 && a == 2`, `a != 1 || a != 2`."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.syntax_tree import Node, canonical_form

_SWAPPED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
RELATIONS = frozenset(_SWAPPED)
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_NUMBERS = ("int", "uint", "double")
FUNCTION_RANGES = {
    "getMilliseconds": (0, 999),
    "getSeconds": (0, 59),
    "getMinutes": (0, 59),
    "getHours": (0, 23),
    "getDayOfWeek": (0, 6),
    "getDayOfMonth": (0, 30),
    "getDate": (1, 31),
    "getDayOfYear": (0, 365),
    "getMonth": (0, 11),
}
"""The ranges of timestamp functions (CEL language definition): Sunday and January are 0."""
_UNBOUNDED = (-math.inf, math.inf)
SESSION_COUNTERS = {("session", "turn"): 1, ("session", "upsellOffers"): 0, ("session", "upsellDeclines"): 0}
"""Counters of the session, with the lowest value that a condition sees: the first turn is 1."""
OFFERS, DECLINES = ("session", "upsellOffers"), ("session", "upsellDeclines")
"""Counters of which the second is never above the first: only an offer is declined."""
SESSION_LANGUAGE = ("session", "languageCode")
"""The language of the session, always in the canonical form of its tag."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of an operand with a literal, a number, string or bool; `range` is what a number can be."""

    operand: Node
    relation: str
    literal: Node
    range: tuple[float, float]

    @property
    def value(self) -> tuple[str, object]:
        """The literal as a comparable value; numbers of all types are comparable."""
        return "number" if self.literal.name in _NUMBERS else self.literal.name, self.literal.value


def as_comparison(node: Node, line_type: str) -> Comparison | None:
    """The comparison of a value with a literal in a part, or None; `line_type` is the type of the lines of an order."""
    if node.kind != "operator" or node.name not in _SWAPPED or len(node.children) != 2:
        return None
    left, right = node.children
    if left.kind == "literal":
        left, right, relation = right, left, _SWAPPED[node.name]
    else:
        relation = node.name
    is_pair = left.kind != "literal" and right.kind == "literal" and right.name not in ("null", "bytes")
    return Comparison(left, relation, right, value_range(left, line_type)) if is_pair else None


def compared_counters(node: Node) -> bool | None:
    """The value of comparing the declines of a session with its offers, if it has one; None for any other part."""
    fields = [_session_field(child) for child in node.children]
    relations = {"<=": True, ">": False} if fields == [DECLINES, OFFERS] else {">=": True, "<": False}
    is_pair = {DECLINES, OFFERS} == {*fields} and all(child.type == "int" for child in node.children)
    return relations.get(node.name) if is_pair else None


def may_be_constant(comparison: Comparison) -> bool:
    """Whether a comparison by itself can be a contradiction or a tautology: with a number at the end of a range."""
    if comparison.literal.name not in _NUMBERS:
        return _is_no_language(comparison)
    return comparison.literal.value in _UNBOUNDED or comparison.range != _UNBOUNDED


def may_be_related(comparisons: Sequence[Comparison]) -> bool:
    """Whether some of the comparisons may be of the same operand, by a test that takes less time than comparing them.

    Without these, they prove nothing that each does not prove by itself.
    """
    if any(comparison.operand.kind == "operator" for comparison in comparisons):
        return len(comparisons) > 1  # negated twice, an operand is the same with another name
    names = {comparison.operand.name for comparison in comparisons}
    return len(names) < len(comparisons) or names >= {OFFERS[1], DECLINES[1]}


def is_contradiction(comparisons: Iterable[Comparison]) -> bool:
    """Whether no value satisfies all comparisons."""
    by_read = defaultdict(list)
    for comparison in comparisons:
        by_read[canonical_form(comparison.operand)].append(comparison)
        if _session_field(comparison.operand) == DECLINES and comparison.relation in (">", ">=", "=="):
            offers = replace(comparison.operand, name=OFFERS[1])
            at_least = replace(comparison, operand=offers, relation=comparison.relation.replace("==", ">="))
            by_read[canonical_form(offers)].append(at_least)
    return any(_group_contradicts(group) for group in by_read.values())


def is_tautology(comparisons: Iterable[Comparison]) -> bool:
    """Whether every value satisfies one of the comparisons."""
    # a double may be NaN, so that `<` and `>=` are both false
    usable = [
        comparison
        for comparison in comparisons
        if comparison.relation in ("==", "!=") or comparison.operand.type in ("int", "uint")
    ]
    return is_contradiction(replace(comparison, relation=_NEGATED[comparison.relation]) for comparison in usable)


def _is_no_language(comparison: Comparison) -> bool:
    """Whether a comparison is of the language of the session, with a text that is never its code."""
    if _session_field(comparison.operand) != SESSION_LANGUAGE or not isinstance(comparison.literal.value, str):
        return False
    from trialrun.values.language_tag import canonicalize

    code = comparison.literal.value
    return bool(code) and canonicalize(code) != code


def _group_contradicts(group: list[Comparison]) -> bool:
    if any(comparison.relation == "==" and _is_no_language(comparison) for comparison in group):
        return True
    equal = {comparison.value for comparison in group if comparison.relation == "=="}
    unequal = {comparison.value for comparison in group if comparison.relation == "!="}
    if len(equal) > 1 or equal & unequal:
        return True
    low, low_open, high, high_open = _bounds(group)
    if group[0].operand.type in ("int", "uint") and -math.inf < low and high < math.inf:
        first = math.floor(low) + 1 if low_open else math.ceil(low)
        return first > (math.ceil(high) - 1 if high_open else math.floor(high))
    return low > high or (low == high and (low_open or high_open))


def value_range(read: Node, line_type: str) -> tuple[float, float]:
    """The lowest and highest value that a part can have in any session."""
    if read.kind == "call":
        return FUNCTION_RANGES.get(read.name, (0, math.inf))  # besides these, only size() is compared
    lowest = SESSION_COUNTERS.get(_session_field(read)) if read.type == "int" else None
    if read.kind == "select" and (read.children[0].type, read.name, read.type) == (line_type, "quantity", "int"):
        lowest = 1
    return _UNBOUNDED if lowest is None else (lowest, math.inf)


def _session_field(read: Node) -> tuple[str, str]:
    """The variable and the field that a part reads; empty names for another part."""
    is_field = read.kind == "select" and read.children[0].kind == "name"
    return (read.children[0].name, read.name) if is_field else ("", "")


def _bounds(group: list[Comparison]) -> tuple[float, bool, float, bool]:
    """The bounds of numbers that satisfy all comparisons, and whether each bound is excluded."""
    (low, high), low_open, high_open = group[0].range, False, False
    for comparison in group:
        kind, value = comparison.value
        if kind != "number" or not isinstance(value, int | float) or comparison.relation == "!=":
            continue
        is_open = comparison.relation in ("<", ">")
        if comparison.relation in (">", ">=", "==") and (value, is_open) > (low, low_open):
            low, low_open = value, is_open
        if comparison.relation in ("<", "<=", "==") and (value, not is_open) < (high, not high_open):
            high, high_open = value, is_open
    return low, low_open, high, high_open
