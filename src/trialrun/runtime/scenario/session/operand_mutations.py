"""The operands of a condition that could be left out, and the condition without each.

An operand of `&&` is left out by taking it for true, one of `||` by taking it for false, and a branch of `? :` by
taking the other one whatever the test says. What a scenario cannot tell from the whole condition, no scenario tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel import walk
from trialrun.values.cel.parse import parse

if TYPE_CHECKING:
    from trialrun.values.cel import Node

NEUTRAL = {"&&": "true", "||": "false"}


@dataclass(frozen=True, slots=True)
class OperandDeletion:
    """The part of a condition from `start` to `end`, and the text, `mutated`, without it."""

    start: int
    end: int
    mutated: str


@lru_cache(maxsize=1024)
def operand_deletions(text: str) -> tuple[OperandDeletion, ...]:
    """Every operand that a condition could be without, outer ones first."""
    tree = parse(text).tree
    return () if tree is None else tuple(deletion for node in walk(tree) for deletion in _node_deletions(node, text))


def _node_deletions(node: Node, text: str) -> Iterator[OperandDeletion]:
    if node.kind == "operator" and node.name in NEUTRAL:
        for child in node.children:
            yield _replace_part(text, child, child, NEUTRAL[node.name])
    elif node.kind == "conditional":
        _, yes, no = node.children
        yield _replace_part(text, yes, node, f"({text[no.start : no.end]})")
        yield _replace_part(text, no, node, f"({text[yes.start : yes.end]})")


def _replace_part(text: str, part: Node, around: Node, instead: str) -> OperandDeletion:
    return OperandDeletion(part.start, part.end, f"{text[: around.start]}{instead}{text[around.end :]}")
