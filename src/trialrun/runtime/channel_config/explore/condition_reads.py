"""What conditions read of the session's state, and the literals that they compare it with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel import Node
from trialrun.values.cel.syntax_tree import Value, bound, inside, is_has, is_macro, outside

Path = tuple[str, ...]
EACH = "*"
"""Stands in a path for any item of a list."""
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_NOTHING: Mapping[str, Path] = {}


@dataclass(frozen=True, slots=True)
class Read:
    """A value of the state that a condition reads, beside literals that it is compared with there, if any.

    `relation` is the operator or the function of the comparison, such as `==` or `endsWith`.
    """

    path: Path
    relation: str = ""
    literals: tuple[Value, ...] = ()


def reads(tree: Node) -> Iterator[Read]:
    """Everything that a condition reads, in the order of its text; variables of macros stand for items of lists."""
    yield from _reads(tree, _NOTHING)


def _reads(node: Node, scope: Mapping[str, Path]) -> Iterator[Read]:
    yield from _compared(node, scope)
    path = _path(node, scope)
    if path is not None and node.kind in ("name", "select", "index"):
        yield Read(path)
        return
    if not is_macro(node):
        for child in node.children:
            yield from _reads(child, scope)
        return
    for child in outside(node):
        yield from _reads(child, scope)
    within = {**scope, **_bound(node, scope)}
    for child in inside(node):
        yield from _reads(child, within)


def _bound(node: Node, scope: Mapping[str, Path]) -> Mapping[str, Path]:
    """What the variables of a macro stand for; one of two is the item, whose index or key says nothing."""
    names, of = bound(node), _path(outside(node)[0], scope) if outside(node) else None
    if of is None:
        return dict.fromkeys(names, ())
    return {names[-1]: of if node.name == "bind" else (*of, EACH)} if names else {}


def _compared(node: Node, scope: Mapping[str, Path]) -> Iterator[Read]:
    """The comparison that a part is: by an operator, with a list of literals, or by a function of the text."""
    if node.kind == "operator" and node.name in COMPARISONS and len(node.children) == 2:
        for read, other in (node.children, node.children[::-1]):
            yield from _read(read, node.name, (other,), scope)
    elif node.kind == "operator" and node.name == "in":
        read, among = node.children
        yield from _read(read, "in", among.children if among.kind == "list" else (), scope)
        yield from _key(read, among, scope)
    elif node.kind == "call" and node.receiver and not is_macro(node):
        yield from _read(node.children[0], node.name, node.arguments, scope)


def _read(read: Node, relation: str, others: tuple[Node, ...], scope: Mapping[str, Path]) -> Iterator[Read]:
    literals = tuple(literal for one in others for literal in _literals(one))
    path = _path(read, scope)
    if path and literals:
        yield Read(path, relation, literals)


def _key(key: Node, of: Node, scope: Mapping[str, Path]) -> Iterator[Read]:
    """`'coupon' in session.metadata` reads a value of the map."""
    path = _path(of, scope)
    if path and isinstance(key.value, str) and of.kind != "list":
        yield Read((*path, key.value))


def _literals(node: Node) -> Iterator[Value]:
    """The value of the literal that a part is; that of `timestamp('…')` is its text."""
    if node.kind == "literal":
        yield node.value
    elif node.kind == "call" and not node.receiver and node.name in ("timestamp", "duration") and node.children:
        yield from _literals(node.children[0])
    elif node.kind == "operator" and node.name == "-" and len(node.children) == 1:
        yield from (-one for one in _literals(node.children[0]) if isinstance(one, int | float))


def _path(node: Node, scope: Mapping[str, Path]) -> Path | None:
    """What a part reads; None where it is worked out of what it reads."""
    if node.kind == "name":
        found = scope.get(node.name, (node.name,))
        return found or None
    if is_has(node):
        return _path(node.children[0], scope)
    holder = _path(node.children[0], scope) if node.children else None
    if holder is None:
        return None
    if node.kind == "select":
        return (*holder, node.name)
    if node.kind == "index":
        key = node.children[1].value
        return (*holder, key if isinstance(key, str) else EACH)
    passes = node.kind == "call" and node.receiver and (node.name == "filter" or len(node.children) == 1)
    return holder if passes else None
