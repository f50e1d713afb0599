"""The parts of a condition that made it what it came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from trialrun.values.cel.parse import parse

if TYPE_CHECKING:
    from trialrun.values.cel import Node, Part

Values = Mapping[tuple[int, int], "Part"]


def decisive(text: str, parts: Sequence[Part]) -> Iterator[Part]:
    """The parts without `&&`, `||`, `!` and `? :` that a condition's value rests on, in the order of the text."""
    tree = parse(text).tree
    if tree is not None:
        yield from _decisive(tree, {(part.start, part.end): part for part in parts})


def _decisive(node: Node, values: Values) -> Iterator[Part]:
    part = values.get((node.start, node.end))
    if part is None:
        return
    resting = list(_resting(node, part, values))
    for child in resting:
        yield from _decisive(child, values)
    if not resting:
        yield part


def _resting(node: Node, part: Part, values: Values) -> Iterator[Node]:
    """The operands that the value of a part rests on; none where the part is a leaf."""
    if node.kind == "conditional":
        test, yes, no = node.children
        chosen = values.get((test.start, test.end))
        yield test
        if chosen is not None and isinstance(chosen.value, bool):
            yield yes if chosen.value else no
    elif node.kind == "operator" and node.name in ("&&", "||"):
        decides = node.name == "||"
        wanted = [child for child in node.children if _value(child, values) is decides]
        yield from wanted if part.error is None and part.value is decides else node.children
    elif node.kind == "operator" and node.name == "!":
        yield from node.children


def _value(node: Node, values: Values) -> object:
    part = values.get((node.start, node.end))
    return None if part is None else part.value
