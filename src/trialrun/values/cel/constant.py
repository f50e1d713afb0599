"""Conditions that are always true, or never are."""

from __future__ import annotations

from collections.abc import Callable

from trialrun.values.cel.canonical import canonical, operands
from trialrun.values.cel.comparisons import Comparison, always, compared, impossible
from trialrun.values.cel.environment import environment
from trialrun.values.cel.schema import Schema
from trialrun.values.cel.swelling import swelling
from trialrun.values.cel.syntax_tree import Node, bound, inside, is_has, is_macro, outside, reads

_WITH_ITSELF = {"==": True, "<=": True, ">=": True, "!=": False, "<": False, ">": False}
_EXACT = ("int", "uint", "bool", "string", "bytes", "timestamp", "duration")
# operators that meet no error as long as their operands do not
_SURE = frozenset([*_WITH_ITSELF, "in", "!", "!!", "&&", "||"])


def constant(tree: Node, text: str, schema: Schema) -> bool | None:
    """True or False when the condition is that in every session that the schema describes; None when unproved."""
    return _Fold(text, schema).fold(tree, frozenset())


class _Fold:
    def __init__(self, text: str, schema: Schema) -> None:
        self.text, self.schema = text, schema

    def fold(self, node: Node, scope: frozenset[str]) -> bool | None:
        if node.kind == "literal":
            return node.value if isinstance(node.value, bool) else None
        if node.type not in ("bool", "dyn"):
            return None
        if not reads(node, scope | self.schema.variables.keys()):
            return self.evaluated(node)
        if node.kind == "operator":
            return self.operator(node, scope)
        if node.kind == "conditional":
            return self.conditional(node, scope)
        return self.macro(node, scope) if is_macro(node) else None

    def evaluated(self, node: Node) -> bool | None:
        """The value of a part that reads nothing; None for one that the memory may not hold."""
        if swelling(node):
            return None
        try:
            value = environment(self.schema).plain.compile(self.text[node.start : node.end]).eval(data={})
        except (RuntimeError, ValueError):  # ValueError: a list of a length below 0
            return None
        return bool(value.value()) if value.type().name() == "BOOL" else None

    def operator(self, node: Node, scope: frozenset[str]) -> bool | None:
        if node.name in ("&&", "||"):
            return self.chain(node, scope)
        if node.name in ("!", "!!"):
            inner = self.fold(node.children[0], scope)
            return inner if inner is None or node.name == "!!" else not inner
        found = self.compared(node, scope)
        if found is None:
            return self.itself(node, scope)
        return False if impossible([found]) else True if always([found]) else None

    def itself(self, node: Node, scope: frozenset[str]) -> bool | None:
        """A value compared with itself; a double may be NaN, which does not even equal itself."""
        if node.name not in _WITH_ITSELF or len({canonical(each) for each in node.children}) != 1:
            return None
        is_exact = node.children[0].type in _EXACT or not _WITH_ITSELF[node.name]
        return _WITH_ITSELF[node.name] if is_exact and self.is_sure(node.children[0], scope) else None

    def chain(self, node: Node, scope: frozenset[str]) -> bool | None:
        """`&&` and `||`: one operand can decide, in any order and whatever error the others meet."""
        decisive = node.name == "||"
        parts = list(operands(node))
        values = [self.fold(each, scope) for each in parts]
        if decisive in values:
            return decisive
        if all(value is not None for value in values):
            return not decisive
        if self.has_both(parts, scope):
            return decisive
        found = [each for part in parts if (each := self.compared(part, scope)) is not None]
        proves: Callable[[list[Comparison]], bool] = always if decisive else impossible
        return decisive if proves(found) else None

    def has_both(self, parts: list[Node], scope: frozenset[str]) -> bool:
        """One of the parts is another one denied: `a && !a`, `a || !a`."""
        denied = [each.children[0] for each in parts if each.kind == "operator" and each.name == "!"]
        plain = {canonical(each) for each in parts} if denied else set()
        return any(canonical(each) in plain and self.is_sure(each, scope) for each in denied)

    def conditional(self, node: Node, scope: frozenset[str]) -> bool | None:
        condition, yes, no = node.children
        known = self.fold(condition, scope)
        return None if known is None else self.fold(yes if known else no, scope)

    def macro(self, node: Node, scope: frozenset[str]) -> bool | None:
        """`exists` of what never holds and `all` of what always holds, over a list that is there."""
        if node.name not in ("exists", "all") or not self.is_sure(outside(node)[0], scope):
            return None
        body = self.fold(inside(node)[-1], scope | set(bound(node)))
        return body if body is (node.name == "all") else None

    def compared(self, node: Node, scope: frozenset[str]) -> Comparison | None:
        found = compared(node)
        return found if found and self.is_sure(found.read, scope) else None

    def is_sure(self, node: Node, scope: frozenset[str]) -> bool:
        """Reading this meets no error as long as the session is as the schema says."""
        if node.kind == "literal":
            return True
        if node.kind == "name":
            return node.name in scope or node.name in self.schema.variables
        if is_has(node):
            return self.is_sure(node.children[0].children[0], scope)
        if node.kind == "operator" and node.name in _SURE:
            return all(self.is_sure(each, scope) for each in node.children)
        if node.kind == "call" and node.name == "size" and len(node.children) == 1:
            return self.is_sure(node.children[0], scope)
        if node.kind != "select" or node.optional:
            return False
        field = self.schema.fields.get(node.children[0].type, {}).get(node.name)
        return field is not None and not field.optional and self.is_sure(node.children[0], scope)
