"""Finds conditions that are always true or never true."""

from __future__ import annotations

from collections.abc import Callable

from trialrun.values.cel.comparisons import (
    FUNCTION_RANGES,
    Comparison,
    as_comparison,
    compared_counters,
    is_contradiction,
    is_tautology,
    may_be_constant,
    may_be_related,
    value_range,
)
from trialrun.values.cel.cost import InputSize, find_oversized, units_of_work, work_of
from trialrun.values.cel.environment import environment
from trialrun.values.cel.portability import DIFFERS, portability_problems
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
    """A part that fails in every session, such as `1 / 0` or `a[-1]`, so that the whole is never true; None if there is
    none.
    """
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


def _is_evaluated(node: Node, text: str) -> bool:
    """Whether a part that reads nothing has one value to all engines, and is soon evaluated: a file may have many."""
    if any(problem.code == DIFFERS for problem in portability_problems(node, text)):
        return False
    length = node.end - node.start
    return find_oversized(node) is None and units_of_work(work_of(node), InputSize(length, 0, length)) <= MAX_UNITS


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
        if reads_nothing and (value := self.evaluate(node)) is not None:
            return value
        if node.kind == "operator":
            return self.operator(node, scope)
        if node.kind == "conditional":
            return self.conditional(node, scope)
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
        if reads_any_name(node, self.names) or not _is_evaluated(node, self.text) or not _has_no_names(node):
            return False
        try:
            value = environment(self.schema).plain.compile(self.text[node.start : node.end]).eval(data={})
        except (RuntimeError, ValueError):
            return False
        return bool(value.type().name() == "ERROR")

    def evaluate(self, node: Node) -> bool | None:
        """The value of a part that reads nothing; None if it could be too large to evaluate."""
        if not _is_evaluated(node, self.text):
            return None
        try:
            value = environment(self.schema).plain.compile(self.text[node.start : node.end]).eval(data={})
        except (RuntimeError, ValueError):  # ValueError: range of a negative length
            return None
        return bool(value.value()) if value.type().name() == "BOOL" else None

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
        literals = [
            child for child in holder.children if child.kind == "literal" and child.name not in ("null", "bytes")
        ]
        if len(literals) < len(holder.children) or (literals and sought.kind == "literal"):
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
        if self.has_complement(parts, scope):
            return decisive
        candidates = [comparison for part in parts if (comparison := as_comparison(part, self.line_type))]
        if not may_be_related(candidates):
            return None
        comparisons = [comparison for comparison in candidates if self.is_total(comparison.operand, scope)]
        proves: Callable[[list[Comparison]], bool] = is_tautology if decisive else is_contradiction
        return decisive if proves(comparisons) else None

    def has_complement(self, parts: list[Node], scope: frozenset[str]) -> bool:
        """Whether one part is the negation of another: `a && !a`, `a || !a`."""
        denied = [part.children[0] for part in parts if part.kind == "operator" and part.name == "!"]
        plain = {canonical_form(part) for part in parts} if denied else set()
        return any(canonical_form(operand) in plain and self.is_total(operand, scope) for operand in denied)

    def conditional(self, node: Node, scope: frozenset[str]) -> bool | None:
        condition, yes, no = node.children
        constant = self.fold(condition, scope)
        return None if constant is None else self.fold(yes if constant else no, scope)

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
        if node.kind == "operator" and node.name in _TOTAL_OPERATORS:
            return all(self.is_total(child, scope) for child in node.children)
        if node.kind == "call" and node.name == "size" and len(node.children) == 1:
            return self.is_total(node.children[0], scope)
        if node.kind == "call" and node.name in FUNCTION_RANGES and node.children[0].type == "timestamp":
            return all(self.is_total(child, scope) for child in node.children)
        if node.kind != "select" or node.optional:
            return False
        field = self.schema.fields.get(node.children[0].type, {}).get(node.name)
        return field is not None and not field.optional and self.is_total(node.children[0], scope)


def _is_negative(node: Node) -> bool:
    """Whether a part is a negative integer literal."""
    if node.kind == "literal":
        return isinstance(node.value, int) and not isinstance(node.value, bool) and node.value < 0
    return node.kind == "operator" and len(node.children) == 1 and node.name.startswith("-") and _is_positive(node)


def _is_positive(node: Node) -> bool:
    inner = node.children[0]
    return inner.kind == "literal" and isinstance(inner.value, int) and inner.value > 0


def _has_no_names(node: Node) -> bool:
    """Whether a part has no names, which could be variables of an enclosing macro."""
    return all(part.kind != "name" for part in walk(node))
