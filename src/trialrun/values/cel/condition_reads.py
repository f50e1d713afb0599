"""State values that conditions read, and the literals they are compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.syntax_tree import (
    LiteralValue,
    Node,
    bound_variables,
    inner_children,
    is_has,
    is_macro,
    outer_children,
)

Path = tuple[str, ...]
ANY_ITEM = "*"
"""Stands in a path for any item of a list."""
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_EMPTY_SCOPE: Mapping[str, Path] = {}


@dataclass(frozen=True, slots=True)
class StateRead:
    """A value of the state that a condition reads, beside literals that it is compared with there, if any.

    `relation` is the operator or the function of the comparison, such as `==` or `endsWith`.
    """

    path: Path
    relation: str = ""
    literals: tuple[LiteralValue, ...] = ()


def condition_reads(tree: Node) -> Iterator[StateRead]:
    """Everything that a condition reads, in the order of its text; variables of macros stand for items of lists."""
    yield from _reads(tree, _EMPTY_SCOPE)


def _reads(node: Node, scope: Mapping[str, Path]) -> Iterator[StateRead]:
    yield from _comparisons(node, scope)
    path = _path(node, scope)
    if path is not None and node.kind in ("name", "select", "index"):
        yield StateRead(path)
        return
    if not is_macro(node):
        for child in node.children:
            yield from _reads(child, scope)
        return
    for child in outer_children(node):
        yield from _reads(child, scope)
    within = {**scope, **_macro_scope(node, scope)}
    for child in inner_children(node):
        yield from _reads(child, within)


def _macro_scope(node: Node, scope: Mapping[str, Path]) -> Mapping[str, Path]:
    """What the variables of a macro stand for; one of two is the item, whose index or key says nothing."""
    names, list_path = bound_variables(node), _path(outer_children(node)[0], scope) if outer_children(node) else None
    if list_path is None:
        return dict.fromkeys(names, ())
    return {names[-1]: list_path if node.name == "bind" else (*list_path, ANY_ITEM)} if names else {}


def _comparisons(node: Node, scope: Mapping[str, Path]) -> Iterator[StateRead]:
    """The comparison that a part is: by an operator, with a list of literals, or by a function of the text."""
    if node.kind == "operator" and node.name in COMPARISONS and len(node.children) == 2:
        for read, operand in (node.children, node.children[::-1]):
            yield from _comparison(read, node.name, (operand,), scope)
    elif node.kind == "operator" and node.name == "in":
        read, container = node.children
        yield from _comparison(read, "in", container.children if container.kind == "list" else (), scope)
        yield from _map_key(read, container, scope)
    elif node.kind == "call" and node.receiver and not is_macro(node):
        yield from _comparison(node.children[0], node.name, node.arguments, scope)


def _comparison(
    read: Node, relation: str, operands: tuple[Node, ...], scope: Mapping[str, Path]
) -> Iterator[StateRead]:
    literals = tuple(literal for operand in operands for literal in _literals(operand))
    path = _path(read, scope)
    if path and literals:
        yield StateRead(path, relation, literals)


def _map_key(key: Node, container: Node, scope: Mapping[str, Path]) -> Iterator[StateRead]:
    """`'coupon' in session.metadata` reads a value of the map."""
    path = _path(container, scope)
    if path and isinstance(key.value, str) and container.kind != "list":
        yield StateRead((*path, key.value))


def _literals(node: Node) -> Iterator[LiteralValue]:
    """The value of the literal that a part is; that of `timestamp('…')` is its text."""
    if node.kind == "literal":
        yield node.value
    elif node.kind == "call" and not node.receiver and node.name in ("timestamp", "duration") and node.children:
        yield from _literals(node.children[0])
    elif node.kind == "operator" and node.name == "-" and len(node.children) == 1:
        yield from (-value for value in _literals(node.children[0]) if isinstance(value, int | float))


def _path(node: Node, scope: Mapping[str, Path]) -> Path | None:
    """What a part reads; None if it is computed of what it reads."""
    if node.kind == "name":
        path = scope.get(node.name, (node.name,))
        return path or None
    if is_has(node):
        return _path(node.children[0], scope)
    holder = _path(node.children[0], scope) if node.children else None
    if holder is None:
        return None
    if node.kind == "select":
        return (*holder, node.name)
    if node.kind == "index":
        key = node.children[1].value
        return (*holder, key if isinstance(key, str) else ANY_ITEM)
    passes = node.kind == "call" and node.receiver and (node.name == "filter" or len(node.children) == 1)
    return holder if passes else None
