"""Static size estimate of conditions; rejects expressions whose values can grow exponentially."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trialrun.values.cel.syntax_tree import Node, bound_variables, inner_children, is_macro, outer_children

MAX_GROWTH = 256
"""How many times over a part may hold what it reads."""
MAX_RANGE = 10_000
UNKNOWN_GROWTH = 100
"""How many times a text may be put into another where neither is written out."""
_SMALL = frozenset(["bool", "int", "uint", "double", "timestamp", "duration", "null"])
_NO_SCOPE: Mapping[str, int] = {}


def find_oversized(tree: Node) -> Node | None:
    """The innermost part that may hold what it reads more than MOST times over; None if no part may."""
    measure = _SizeEstimator()
    measure.estimate(tree, _NO_SCOPE)
    return measure.oversized


class _SizeEstimator:
    """Estimates how many times parts contain what they read; `oversized` is the first that is too large."""

    def __init__(self) -> None:
        self.oversized: Node | None = None

    def estimate(self, node: Node, scope: Mapping[str, int]) -> int:
        """The measure of a part; `scope` has that of what macros bind."""
        times = self._macro(node, scope) if is_macro(node) else self._without_macro(node, scope)
        if times > MAX_GROWTH:
            self.oversized = self.oversized or node
        return 1 if node.type in _SMALL else max(1, min(times, MAX_GROWTH + 1))

    def _macro(self, node: Node, scope: Mapping[str, int]) -> int:
        source = sum(self.estimate(child, scope) for child in outer_children(node))
        within = {**scope, **dict.fromkeys(bound_variables(node), source)}
        results = [self.estimate(child, within) for child in inner_children(node)]
        return source if node.name == "filter" else results[-1] if results else source

    def _without_macro(self, node: Node, scope: Mapping[str, int]) -> int:
        if node.kind == "name":
            return scope.get(node.name, 1)
        parts = [self.estimate(child, scope) for child in node.children]
        match node.kind, node.name:
            case "select" | "index", _:
                return parts[0]
            case "conditional", _:
                return max(parts)
            case "call", "join" | "replace" if node.receiver:
                return parts[0] * _insertion_growth(node, parts)
            case "call", "quote":
                return 2 * _sum_estimates(node.children, parts)
            case "call", "range":
                return 1 if all(_is_small(argument) for argument in node.arguments) else MAX_GROWTH + 1
        return _sum_estimates(node.children, parts)


def _sum_estimates(nodes: Iterable[Node], parts: Iterable[int]) -> int:
    """The measure of several parts side by side; what is written out is not larger than the text it is written in."""
    return sum(times for node, times in zip(nodes, parts, strict=True) if node.kind != "literal")


def _insertion_growth(node: Node, parts: list[int]) -> int:
    """How many times as long a text becomes by what `join` or `replace` puts into it."""
    if node.name == "join":
        return _replacement_growth(None, node.children[1], parts[1]) if len(parts) > 1 else 1
    return _replacement_growth(node.children[1], node.children[2], parts[2]) if len(parts) > 2 else 1


def _replacement_growth(needle: Node | None, text: Node, times: int) -> int:
    """How many times as long a text becomes where `text` replaces each `needle`, or between all items."""
    put, replaced = text.value, "" if needle is None else needle.value
    if not isinstance(put, str) or not isinstance(replaced, str):
        return UNKNOWN_GROWTH * times
    return -(-len(put) // len(replaced)) if replaced else 1 + len(put)


def _is_small(number: Node) -> bool:
    """Whether a number is no more than LONGEST_RANGE, or the size of something, or made of such."""
    if number.kind == "literal":
        return isinstance(number.value, int) and number.value <= MAX_RANGE
    if number.kind == "operator" and number.name in ("+", "-"):
        return all(_is_small(child) for child in number.children)
    return number.kind == "call" and number.name == "size"
