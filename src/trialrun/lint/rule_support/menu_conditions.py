"""Conditions that no order fulfils, by what a line has of its item, its name, id and price, and by how many lines fit.

Equal lines are one, so an order has at most one line of an item that takes no modifiers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from trialrun.diagnostic import Chars
from trialrun.lint.rule_support.menus import MenuEntry
from trialrun.values.cel import CelError, Node
from trialrun.values.cel.batch import PlainStateEngine
from trialrun.values.cel.canonical import operands
from trialrun.values.cel.comparisons import as_comparison, is_contradiction
from trialrun.values.cel.evaluate import evaluate_expression
from trialrun.values.cel.parse import parse
from trialrun.values.cel.syntax_tree import walk

MAX_ITEMS = 2_000
"""The items that a condition is tried on; of a larger menu nothing is said."""


def impossible_parts(text: str, items: Sequence[MenuEntry], *, takes_any_modifier: bool) -> Iterator[tuple[Chars, int]]:
    """The parts that a condition requires and no order fulfils, with the most lines that an order has of what fits."""
    tree = parse(text).tree
    for part in _conjuncts(tree) if tree and len(items) <= MAX_ITEMS else ():
        comparison = as_comparison(part, "")
        macro = comparison.operand.children[0] if comparison and comparison.operand.name == "size" else part
        if macro.name in (["filter"] if comparison else ["exists", "exists_one"]) and len(macro.children) == 3:
            most = _most_lines(macro, text, items)
            most = math.inf if most and takes_any_modifier else most
            if is_contradiction([replace(comparison, range=(0, most))]) if comparison else most == 0:
                yield (part.start, part.end), int(most)


def _most_lines(macro: Node, text: str, items: Sequence[MenuEntry]) -> float:
    """The most lines of an order that fit the condition of a macro, by the parts of it that read the item alone."""
    lines, variable, body = macro.children
    parts = [part for part in _conjuncts(body) if _reads_item(part, variable.name)]
    condition = " && ".join(f"({text[part.start : part.end]})" for part in parts) or "true"
    fitting = [item for item in items if _may_fit(condition, variable.name, item)]
    is_bounded = text[lines.start : lines.end] == "order.items" and all(item.modifier_groups == [] for item in fitting)
    return len(fitting) if is_bounded else math.inf


def _conjuncts(node: Node) -> Iterator[Node]:
    yield from operands(node) if node.name == "&&" else (node,)


def _reads_item(part: Node, variable: str) -> bool:
    nodes = list(walk(part))
    fields = [node.name for node in nodes if node.kind == "select" and node.children[0].name == variable]
    names = sum(node.kind == "name" for node in nodes)
    return names == len(fields) and {"displayName", "itemId", "basePrice"}.issuperset(fields)


def _may_fit(condition: str, variable: str, item: MenuEntry) -> bool:
    """Whether a condition is true of an item, or cannot be evaluated here."""
    engine = PlainStateEngine((variable,))
    line = {"displayName": item.name, "itemId": item.id or "", "basePrice": item.price}
    try:
        return evaluate_expression(engine.compile(condition), engine.activation({variable: line})) is not False
    except CelError:
        return True
