"""From characters of a scalar's text to characters of the file."""

from __future__ import annotations

from trialrun.text import Span
from trialrun.tree.nodes import Node


def inside(source: str, node: Node, start: int, end: int) -> Span:
    return node.span
