"""Conditions with one changed operator, operand or literal."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from trialrun.runtime.scenario.mutation.mutant import TextChange
from trialrun.values.cel import walk
from trialrun.values.cel.parse import parse
from trialrun.values.cel.tokens import tokenize

if TYPE_CHECKING:
    from trialrun.values.cel import Node
    from trialrun.values.cel.tokens import Token

OTHER_OPERATOR = {
    "&&": "||",
    "||": "&&",
    "==": "!=",
    "!=": "==",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
}
OTHER_MACRO = {"all": "exists", "exists": "all"}
OTHER_TEXT = "~"
"""A text that nothing has."""


def mutated_conditions(text: str) -> Iterator[TextChange]:
    """The changes of a valid condition in one place each."""
    tree = parse(text).tree
    if tree is None:
        return
    operators = [token for token in tokenize(text, []) if token.text in OTHER_OPERATOR]
    for node in walk(tree):
        for start, end, replacement in _replacements(node, text, operators):
            yield TextChange(start, end, replacement)


def _replacements(node: Node, text: str, operators: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """What replaces a part of a condition, from one position to another; `operators` are those of the condition."""
    if node.kind == "operator" and node.name in OTHER_OPERATOR:
        for token in _operators_of(node, operators):
            yield token.start, token.end, OTHER_OPERATOR[node.name]
    elif node.kind == "operator" and node.name == "!":
        operand = node.children[0]
        yield node.start, node.end, f"({text[operand.start : operand.end]})"
    elif node.kind == "operator" and node.name == "in":
        yield node.start, node.end, f"!({text[node.start : node.end]})"
    elif node.kind == "call" and node.receiver and node.name in OTHER_MACRO:
        yield node.name_start, node.name_end, OTHER_MACRO[node.name]
    elif node.kind == "literal":
        replacement = _other_literal(node)
        if replacement is not None:
            yield node.start, node.end, replacement


def _operators_of(node: Node, operators: Sequence[Token]) -> Iterator[Token]:
    """Each operator between two operands: a && b && c has two, and is one node of three operands."""
    for left, right in pairwise(node.children):
        index = bisect_left(operators, left.end, key=lambda token: token.start)
        if index < len(operators) and operators[index].start < right.start:
            yield operators[index]


def _other_literal(node: Node) -> str | None:
    value = node.value
    if isinstance(value, bool):
        return "false" if value else "true"
    if isinstance(value, int):
        return f"{value + 1}{'u' if node.name == 'uint' else ''}"
    if isinstance(value, float):
        return repr(value + 1.0)
    if isinstance(value, str):
        return json.dumps(value + OTHER_TEXT, ensure_ascii=False)
    return None
