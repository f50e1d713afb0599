"""What a part of a condition reads: values of the state by path, fields of order lines, the total, or what is opaque.

Each part is read once; what it reads says by which theory it is decided.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trialrun.runtime.channel_config.explore.generators import type_at
from trialrun.runtime.channel_config.session.cel_state import state_builder
from trialrun.values.cel import Node, Schema
from trialrun.values.cel.builtins import NAMESPACES
from trialrun.values.cel.syntax_tree import (
    bound_variables,
    inner_children,
    is_has,
    is_macro,
    namespace,
    outer_children,
)
from trialrun.values.cel.type_schema import Type

Path = tuple[str, ...]
ITEMS: Path = ("order", "items")
SUBTOTAL: Path = ("order", "subtotal")
STORE: Path = ("session", "store")
LANGUAGE: Path = ("session", "languageCode")
START: Path = ("session", "startTime")
COUNTED: Mapping[Path, str] = {
    ("session", "turn"): "turn",
    ("session", "upsellOffers"): "offers",
    ("session", "upsellDeclines"): "declines",
}
"""What a session counts, with the name of its variable."""
FIRST = "order.items[0]"
"""Stands for the variable of a line where a condition reads the first line of the order."""
RELATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
COMPARISONS = tuple(RELATIONS)
SCALARS = ("string", "enum", "bool", "int", "double", "timestamp")
_QUANTIFIERS = ("exists", "all", "exists_one")


class Unsupported(Exception):
    """A part that no theory decides; the message says why."""


@dataclass(frozen=True, slots=True)
class Reads:
    """`paths` of the state; `fields` of line variables; whether the order or its total is read; why it is opaque."""

    paths: frozenset[Path] = frozenset()
    fields: frozenset[tuple[str, str]] = frozenset()
    items: bool = False
    subtotal: bool = False
    opaque: str = ""

    def __or__(self, other: Reads) -> Reads:
        return Reads(
            self.paths | other.paths,
            self.fields | other.fields,
            self.items or other.items,
            self.subtotal or other.subtotal,
            self.opaque or other.opaque,
        )

    @property
    def is_ground(self) -> bool:
        """It reads nothing but fields of lines."""
        return not (self.paths or self.items or self.subtotal or self.opaque)


_NOTHING = Reads()


class Reader:
    """Reads parts of conditions that have the types of a schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.kept = state_builder(schema).kept
        self._known: dict[tuple[int, frozenset[str], frozenset[str]], tuple[Node, Reads]] = {}

    def is_kept(self, path: Path) -> bool:
        """Whether the session itself keeps a value, and not the client."""
        return len(path) == 2 and path[1] in self.kept.get(path[0], {})

    def type_of(self, path: Path) -> Type:
        """The type of what a path leads to."""
        return type_at(path, self.schema) or Type("dyn")

    def path(self, node: Node, bound: frozenset[str]) -> Path | None:
        """The path that a part leads through the state; None if it is no path."""
        if is_has(node):
            return self.path(node.children[0], bound)
        if node.kind == "name":
            return (node.name,) if node.name in self.schema.roots and node.name not in bound else None
        is_key = node.kind == "index" and isinstance(node.children[1].value, str) and not node.optional
        if not (is_key or (node.kind == "select" and not node.optional)):
            return None
        above = self.path(node.children[0], bound)
        key = node.children[1].value if is_key else node.name
        return None if above is None else (*above, str(key))

    def is_lines(self, node: Node, bound: frozenset[str] = frozenset()) -> bool:
        """Whether a part is the lines of the order, or a filter of them."""
        if is_macro(node) and node.name == "filter":
            return self.is_lines(outer_children(node)[0], bound)
        return node.kind == "select" and self.is_kept(ITEMS) and self.path(node, bound) == ITEMS

    def is_first_line(self, node: Node, bound: frozenset[str] = frozenset()) -> bool:
        """Whether a part is the first line of the order."""
        is_index = node.kind == "index" and not node.optional and literal_integer(node.children[1]) == 0
        return is_index and node.children[0].kind == "select" and self.is_lines(node.children[0], bound)

    def is_quantifier(self, node: Node, bound: frozenset[str] = frozenset()) -> bool:
        """Whether a part is exists, all or exists_one over lines of the order."""
        is_plain = is_macro(node) and node.name in _QUANTIFIERS and len(node.arguments) == 2
        return is_plain and self.is_lines(outer_children(node)[0], bound)

    def reads(self, node: Node, lines: frozenset[str], local: frozenset[str] = frozenset()) -> Reads:
        """What a part reads, where `lines` are variables of order lines, and `local` those that it binds itself."""
        key = id(node), lines, local
        if key not in self._known:
            self._known[key] = node, self._reads(node, lines, local)
        return self._known[key][1]

    def _reads(self, node: Node, lines: frozenset[str], local: frozenset[str]) -> Reads:
        if node.kind == "literal":
            return _NOTHING
        path = self.path(node, lines | local)
        if path is not None:
            return self._state(path, node)
        if node.kind == "name":
            if node.name in local:
                return _NOTHING
            return Reads(fields=frozenset({(node.name, "*")})) if node.name in lines else Reads(opaque=node.name)
        if node.kind == "select" and node.children[0].kind == "name" and node.children[0].name in lines - local:
            return Reads(fields=frozenset({(node.children[0].name, node.name)}))
        if node.kind == "select" and self.is_first_line(node.children[0], lines | local) and not node.optional:
            return Reads(fields=frozenset({(FIRST, node.name)}))
        if node.kind == "operator" and node.name == "in" and isinstance(node.children[0].value, str):
            whole = self.path(node.children[1], lines | local)
            if whole and self.type_of(whole).name == "map":
                return self._state((*whole, node.children[0].value), node)
        found = _NOTHING
        for child, within in self.children(node, local):
            found |= self.reads(child, lines - within, within)
        return found

    def children(self, node: Node, local: frozenset[str]) -> Iterator[tuple[Node, frozenset[str]]]:
        """The parts of a part, each with the variables that are bound around it."""
        if is_macro(node):
            yield from ((child, local) for child in outer_children(node))
            yield from ((child, local | set(bound_variables(node))) for child in inner_children(node))
            return
        is_namespaced = node.name in NAMESPACES.get(namespace(node), ())
        yield from ((child, local) for child in (node.arguments if is_namespaced else node.children))

    def _state(self, path: Path, node: Node) -> Reads:
        type_ = self.type_of(path)
        if path == ITEMS and self.is_kept(path):
            return Reads(items=True)
        if path == SUBTOTAL and self.is_kept(path):
            return Reads(subtotal=True) if not is_has(node) else Reads(opaque="whether there is a total")
        expected = "int" if path in COUNTED else type_.name
        if type_.name not in SCALARS or type_.name != expected:
            return Reads(opaque=f"{'.'.join(path)} as a whole" if type_.name in ("list", "map") else ".".join(path))
        above = (self.type_of(path[:depth]) for depth in range(1, len(path)))
        if any(each.optional or each.name in ("dyn", "list") for each in above):
            return Reads(opaque=f"{'.'.join(path)}, of which a part may be absent")
        return Reads(paths=frozenset({path}))

    def can_be_absent(self, path: Path) -> bool:
        """Whether a client may leave a value out, so that reading it fails."""
        return self.type_of(path).optional or self.type_of(path[:-1]).name == "map"


def literal_integer(node: Node) -> int | None:
    """The value of an integer literal, with its sign."""
    if node.kind == "literal" and node.name == "int" and isinstance(node.value, int):
        return node.value
    if node.kind == "operator" and node.name == "-" and len(node.children) == 1:
        inner = literal_integer(node.children[0])
        return None if inner is None else -inner
    return None
