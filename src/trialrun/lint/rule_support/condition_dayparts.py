"""The dayparts that a condition asks for, where it can be true in these alone."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.values.cel import Node

FIELD = "daypartId"
MAX_LENGTH = 100_000


@lru_cache(maxsize=4096)
def condition_dayparts(text: str) -> tuple[str, ...]:
    """The values of session.daypartId of which one is required: those of a part that has to be true; empty for any."""
    if FIELD not in text or len(text) > MAX_LENGTH:
        return ()
    from trialrun.values.cel.parse import parse
    from trialrun.values.cel.syntax_tree import is_too_deep

    result = parse(text)
    if result.tree is None or result.problems or is_too_deep(result.tree):
        return ()
    return _required(result.tree) or ()


def _required(node: Node) -> tuple[str, ...] | None:
    """The dayparts in which a part can be true; None if it does not depend on them."""
    if node.kind != "operator" or len(node.children) != 2:
        return None
    left, right = node.children
    if node.name == "&&":
        return _required(left) or _required(right)
    if node.name == "||":
        both = _required(left), _required(right)
        return (*both[0], *both[1]) if both[0] and both[1] else None
    if node.name == "==":
        return _texts([right]) if _is_daypart(left) else _texts([left]) if _is_daypart(right) else None
    if node.name == "in" and _is_daypart(left) and right.kind == "list":
        return _texts(right.children)
    return None


def _is_daypart(node: Node) -> bool:
    return (
        node.kind == "select"
        and node.name == FIELD
        and node.children[0].kind == "name"
        and node.children[0].name == "session"
    )


def _texts(nodes: list[Node] | tuple[Node, ...]) -> tuple[str, ...] | None:
    values = [node.value for node in nodes if node.kind == "literal"]
    texts = tuple(value for value in values if isinstance(value, str) and value)
    return texts if len(texts) == len(nodes) and texts else None
