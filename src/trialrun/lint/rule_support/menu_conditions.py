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
from trialrun.values.cel.constant_folding import as_comparison, is_contradiction
from trialrun.values.cel.evaluate import evaluate_expression
from trialrun.values.cel.parse import parse
from trialrun.values.cel.syntax_tree import is_macro, is_too_deep, operands, walk

MAX_ITEMS = 500
"""The items that a condition is tried on; of a larger menu nothing is said."""


def impossible_parts(text: str, items: Sequence[MenuEntry], *, takes_any_modifier: bool) -> Iterator[tuple[Chars, int]]:
    """The parts that a condition requires and no order fulfils, with the most lines that an order has of what fits."""
    tree = parse(text).tree
    if tree is None or is_too_deep(tree) or len(items) > MAX_ITEMS:
        return
    for part in _conjuncts(tree):
        comparison = as_comparison(part, "")
        is_size = comparison and comparison.operand.name == "size" and comparison.operand.children
        macro = comparison.operand.children[0] if comparison and is_size else part
        if is_macro(macro) and macro.name in (("filter",) if comparison else ("exists", "exists_one")):
            most = _most_lines(macro, text, items, takes_any_modifier)
            if is_contradiction([replace(comparison, range=(0, most))]) if comparison else most == 0:
                yield (part.start, part.end), int(most)


def _most_lines(macro: Node, text: str, items: Sequence[MenuEntry], takes_any_modifier: bool) -> float:
    """The most lines of an order that fit the condition of a macro, by the parts of it that read the item alone."""
    lines, variable, *_, body = macro.children
    parts = [part for part in _conjuncts(body) if _reads_item(part, variable.name)]
    if not parts or text[lines.start : lines.end] != "order.items":
        return math.inf
    condition = " && ".join(f"({text[part.start : part.end]})" for part in parts)
    most = 0
    for item in items:
        if _may_fit(condition, variable.name, item):
            if takes_any_modifier or item.modifier_groups != []:
                return math.inf
            most += 1
    return most


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
