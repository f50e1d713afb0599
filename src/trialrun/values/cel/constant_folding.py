"""Finds conditions that are always true or never true, and what engines of CEL answer differently.

Comparisons with literals contradict each other, as `a == 1 && a == 2`, or are tautologies, as `a != 1 || a != 2`.
What engines answer differently is not folded; docs/other-programs.md has the answers of five of them.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from trialrun.values import Problem
from trialrun.values.cel.cost import InputSize, find_oversized, units_of_work, work_of
from trialrun.values.cel.environment import EngineValue, environment
from trialrun.values.cel.syntax_tree import (
    Node,
    bound_variables,
    canonical_form,
    inner_children,
    is_has,
    is_macro,
    operands,
    outer_children,
    reads_any_name,
    walk,
)
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA, Schema

_SWAPPED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
RELATIONS = frozenset(_SWAPPED)
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
NUMBER_TYPES = ("int", "uint", "double")
FUNCTION_RANGES = {
    "getMilliseconds": (0, 999), "getSeconds": (0, 59), "getMinutes": (0, 59), "getHours": (0, 23),
    "getDayOfWeek": (0, 6), "getDayOfMonth": (0, 30), "getDate": (1, 31), "getDayOfYear": (0, 365),
    "getMonth": (0, 11),
}  # fmt: skip
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
        return "number" if self.literal.name in NUMBER_TYPES else self.literal.name, self.literal.value


def as_comparison(node: Node, line_type: str) -> Comparison | None:
    """The comparison of a value with a literal in a part, or None; `line_type` is the type of the lines of an order."""
    if node.kind != "operator" or node.name not in _SWAPPED or len(node.children) != 2:
        return None
    left, right = node.children
    relation = node.name
    if left.kind == "literal":
        left, right, relation = right, left, _SWAPPED[relation]
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
    if comparison.literal.name not in NUMBER_TYPES:
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
    usable = (each for each in comparisons if each.relation in ("==", "!=") or each.operand.type in ("int", "uint"))
    return is_contradiction(replace(each, relation=_NEGATED[each.relation]) for each in usable)


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


MIXED, EXACT_MIXED, DIFFERS = "mixed-comparison", "exact-mixed-comparison", "differs"
"""A comparison of two types of number, exact if its replacement is the same number; a value that engines differ in."""
MAX_EXACT = 2**53
_INSTEAD = {"double": "a number", "duration": "duration('…')", "timestamp": "timestamp('…')"}
_class = re.compile(r"(\\[dDwWsSbB])|\\.", re.DOTALL)
_rounding = re.compile(r"%%|(%(?:\.\d+)?[ef])")


def portability_problems(nodes: Iterable[Node], text: str) -> Iterator[Problem]:
    """What other engines refuse or answer differently, in all parts of a valid condition or of a part of one."""
    for node in nodes:
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
    if types[0] == types[1] or not set(NUMBER_TYPES).issuperset(types):
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


MAX_UNITS = 100_000
"""The work of a part that is evaluated, about a millisecond."""
_SELF_COMPARISON = {"==": True, "<=": True, ">=": True, "!=": False, "<": False, ">": False}
_MAY_FAIL = frozenset(["+", "-", "*", "/", "%", "-_"])
_REFLEXIVE_TYPES = ("int", "uint", "bool", "string", "bytes", "timestamp", "duration")
# operators that cannot fail if their operands do not
_TOTAL_OPERATORS = frozenset([*_SELF_COMPARISON, "in", "!", "!!", "&&", "||"])


def constant_value(tree: Node, text: str, schema: Schema) -> bool | None:
    """The value of a condition that is the same in every session; None if that cannot be proved."""
    return _ConstantFolder(text, schema).fold(tree, frozenset())


def failing_part(tree: Node, text: str, schema: Schema) -> Node | None:
    """A part that fails in every session, such as `1 / 0` or `a[-1]`, so that the whole is never true."""
    fold = _ConstantFolder(text, schema)
    stack = [(tree, False)]
    while stack:
        node, is_denied = stack.pop()
        if node.kind == "conditional":
            stack.append((node.children[0], True))
        elif fold.fails(node):
            return node
        elif node.kind in ("operator", "index", "select", "call") and not is_macro(node) and not is_has(node):
            joins = node.kind == "operator" and node.name in ("&&", "||")
            # the error of an operand is ignored if another one decides: `false && 1 / 0 > 1` is false
            if not joins or (node.name == "&&" and not is_denied):
                stack += [(child, is_denied or not joins) for child in reversed(node.children)]
    return None


class _ConstantFolder:
    def __init__(self, text: str, schema: Schema) -> None:
        self.text, self.schema, self.names = text, schema, frozenset(schema.variables)
        self.line_type = "Item" if schema == DEFAULT_SCHEMA else ""

    def fold(self, node: Node, scope: frozenset[str]) -> bool | None:
        if node.kind == "literal":
            return node.value if isinstance(node.value, bool) else None
        if node.type not in ("bool", "dyn"):
            return None
        reads_nothing = not reads_any_name(node, self.names | scope if scope else self.names)
        if reads_nothing and (value := self.evaluate(node)) is not None and value.type().name() == "BOOL":
            return bool(value.value())
        if node.kind == "operator":
            return self.operator(node, scope)
        if node.kind == "conditional":
            condition, yes, no = node.children
            constant = self.fold(condition, scope)
            return None if constant is None else self.fold(yes if constant else no, scope)
        return self.macro(node, scope) if is_macro(node) else None

    def fails(self, node: Node) -> bool:
        """Whether a part is a negative index, divides by zero, or reads nothing and fails."""
        if node.kind == "index" and node.children[0].type.startswith("list(") and _is_negative(node.children[1]):
            return True
        if node.kind == "operator" and node.name in ("/", "%") and node.type in ("int", "uint"):
            divisor = node.children[1]
            if divisor.kind == "literal" and divisor.value == 0:
                return True
        if node.kind not in ("operator", "index", "call") or (node.kind == "operator" and node.name not in _MAY_FAIL):
            return False
        if reads_any_name(node, self.names) or any(part.kind == "name" for part in walk(node)):
            return False  # a name could be a variable of an enclosing macro
        value = self.evaluate(node)
        return value is not None and bool(value.type().name() == "ERROR")

    def evaluate(self, node: Node) -> EngineValue | None:
        """The value of a part that reads nothing, which is also an error.

        None where engines differ in it, or where it is not soon evaluated: a file may have many.
        """
        if any(problem.code == DIFFERS for problem in portability_problems(walk(node), self.text)):
            return None
        length = node.end - node.start
        if find_oversized(node) or units_of_work(work_of(node), InputSize(length, 0, length)) > MAX_UNITS:
            return None
        try:
            return environment(self.schema).plain.compile(self.text[node.start : node.end]).eval(data={})
        except (RuntimeError, ValueError):  # ValueError: range of a negative length
            return None

    def operator(self, node: Node, scope: frozenset[str]) -> bool | None:
        if node.name in ("&&", "||"):
            return self.chain(node, scope)
        if node.name in ("!", "!!"):
            inner = self.fold(node.children[0], scope)
            return inner if inner is None or node.name == "!!" else not inner
        if node.name == "in":
            return self.membership(node, scope)
        comparison = as_comparison(node, self.line_type)
        if comparison is None or (may_be_constant(comparison) and not self.is_total(comparison.operand, scope)):
            return self.self_comparison(node, scope)
        if not may_be_constant(comparison):
            return None
        return False if is_contradiction([comparison]) else True if is_tautology([comparison]) else None

    def membership(self, node: Node, scope: frozenset[str]) -> bool | None:
        """The result of `in` if the list is empty or cannot contain the value."""
        sought, holder = node.children
        if holder.kind not in ("list", "map") or not self.is_total(sought, scope):
            return None
        if holder.kind == "map":
            return None if holder.children else False
        literals = holder.children
        if not all(each.kind == "literal" and each.name not in ("null", "bytes") for each in literals):
            return None
        if literals and sought.kind == "literal":
            return None
        possible = value_range(sought, self.line_type)
        compared = ([Comparison(sought, "==", literal, possible)] for literal in literals)
        return False if all(map(is_contradiction, compared)) else None

    def self_comparison(self, node: Node, scope: frozenset[str]) -> bool | None:
        """The result of comparing a value with itself; a double may be NaN, which does not equal itself."""
        if (value := compared_counters(node)) is not None:
            return value
        if node.name not in _SELF_COMPARISON or len({canonical_form(child) for child in node.children}) != 1:
            return None
        is_exact = node.children[0].type in _REFLEXIVE_TYPES or not _SELF_COMPARISON[node.name]
        return _SELF_COMPARISON[node.name] if is_exact and self.is_total(node.children[0], scope) else None

    def chain(self, node: Node, scope: frozenset[str]) -> bool | None:
        """The result of `&&` or `||`: one operand can decide, whatever errors the others cause."""
        decisive = node.name == "||"
        parts = list(operands(node))
        values = [self.fold(part, scope) for part in parts]
        if decisive in values:
            return decisive
        if all(value is not None for value in values):
            return not decisive
        # one part is the negation of another: `a && !a`, `a || !a`
        denied = [part.children[0] for part in parts if part.kind == "operator" and part.name == "!"]
        plain = {canonical_form(part) for part in parts} if denied else set()
        if any(canonical_form(operand) in plain and self.is_total(operand, scope) for operand in denied):
            return decisive
        candidates = [comparison for part in parts if (comparison := as_comparison(part, self.line_type))]
        if not may_be_related(candidates):
            return None
        comparisons = [comparison for comparison in candidates if self.is_total(comparison.operand, scope)]
        proves: Callable[[list[Comparison]], bool] = is_tautology if decisive else is_contradiction
        return decisive if proves(comparisons) else None

    def macro(self, node: Node, scope: frozenset[str]) -> bool | None:
        """The result of `exists` and `exists_one` with what is never true, or `all` with what is always true."""
        if node.name not in ("exists", "exists_one", "all") or not self.is_total(outer_children(node)[0], scope):
            return None
        body = self.fold(inner_children(node)[-1], scope | set(bound_variables(node)))
        return body if body is (node.name == "all") else None

    def is_total(self, node: Node, scope: frozenset[str]) -> bool:
        """Whether reading a part cannot fail in a session that conforms to the schema."""
        if node.kind == "literal":
            return True
        if node.kind == "name":
            return node.name in scope or node.name in self.schema.variables
        if is_has(node):
            return self.is_total(node.children[0].children[0], scope)
        is_size = node.kind == "call" and node.name == "size" and len(node.children) == 1
        is_clock = node.kind == "call" and node.name in FUNCTION_RANGES and node.children[0].type == "timestamp"
        if is_size or is_clock or (node.kind == "operator" and node.name in _TOTAL_OPERATORS):
            return all(self.is_total(child, scope) for child in node.children)
        if node.kind != "select" or node.optional:
            return False
        field = self.schema.fields.get(node.children[0].type, {}).get(node.name)
        return field is not None and not field.optional and self.is_total(node.children[0], scope)


def _is_negative(node: Node) -> bool:
    """Whether a part is a negative integer literal."""
    if node.kind == "literal":
        return isinstance(node.value, int) and not isinstance(node.value, bool) and node.value < 0
    if node.kind != "operator" or len(node.children) != 1 or not node.name.startswith("-"):
        return False
    inner = node.children[0]
    return inner.kind == "literal" and isinstance(inner.value, int) and inner.value > 0
