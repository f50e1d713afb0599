"""The operands that decided the result of a condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from trialrun.values.cel.parse import parse

if TYPE_CHECKING:
    from trialrun.values.cel import Node, Subexpression

Values = Mapping[tuple[int, int], "Subexpression"]


def deciding_operands(text: str, parts: Sequence[Subexpression]) -> Iterator[Subexpression]:
    """The parts without `&&`, `||`, `!` and `? :` that a condition's value rests on, in the order of the text."""
    tree = parse(text).tree
    if tree is not None:
        yield from _deciding_operands(tree, {(part.start, part.end): part for part in parts})


def _deciding_operands(node: Node, values: Values) -> Iterator[Subexpression]:
    part = values.get((node.start, node.end))
    if part is None:
        return
    children = list(_deciding_children(node, part, values))
    for child in children:
        yield from _deciding_operands(child, values)
    if not children:
        yield part


def _deciding_children(node: Node, part: Subexpression, values: Values) -> Iterator[Node]:
    """The operands that the value of a part rests on; none where the part is a leaf."""
    if node.kind == "conditional":
        test, yes, no = node.children
        test_value = values.get((test.start, test.end))
        yield test
        if test_value is not None and isinstance(test_value.value, bool):
            yield yes if test_value.value else no
    elif node.kind == "operator" and node.name in ("&&", "||"):
        deciding_value = node.name == "||"
        deciding = [child for child in node.children if _value(child, values) is deciding_value]
        yield from deciding if part.error is None and part.value is deciding_value else node.children
    elif node.kind == "operator" and node.name == "!":
        yield from node.children


def _value(node: Node, values: Values) -> object:
    part = values.get((node.start, node.end))
    return None if part is None else part.value
