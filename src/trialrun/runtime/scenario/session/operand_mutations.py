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
class Deletion:
    """The part of a condition from `start` to `end`, and the text `without` it."""

    start: int
    end: int
    without: str


@lru_cache(maxsize=1024)
def deletions(text: str) -> tuple[Deletion, ...]:
    """Every operand that a condition could be without, outer ones first."""
    tree = parse(text).tree
    return () if tree is None else tuple(one for node in walk(tree) for one in _of(node, text))


def _of(node: Node, text: str) -> Iterator[Deletion]:
    if node.kind == "operator" and node.name in NEUTRAL:
        for child in node.children:
            yield _put(text, child, child, NEUTRAL[node.name])
    elif node.kind == "conditional":
        _, yes, no = node.children
        yield _put(text, yes, node, f"({text[no.start : no.end]})")
        yield _put(text, no, node, f"({text[yes.start : yes.end]})")


def _put(text: str, part: Node, around: Node, instead: str) -> Deletion:
    return Deletion(part.start, part.end, f"{text[: around.start]}{instead}{text[around.end :]}")
