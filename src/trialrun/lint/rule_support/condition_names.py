"""Which entries of the menu a condition names: texts compared with a name or an id of what is in the order.

A text counts only where it is compared with a field that the session fills from the menu: `order.items` and their
`displayName` or `itemId`, the modifier groups of an item, the modifiers of a group. What such a field is changed by, as
by lowerAscii(), is not a name of the menu any more, and any other text is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from trialrun.diagnostic import Chars

if TYPE_CHECKING:
    from trialrun.values.cel import Node

MenuKind = Literal["item", "modifier", "modifier group"]
NameKind = Literal["name", "id"]
Role = str | tuple[MenuKind, NameKind]
"""What of an order a value is: a list, an element of one, or the name or id of an entry of the menu."""

MAX_LENGTH: Final = 100_000
PATTERNS: Final = ("contains", "startsWith", "endsWith", "matches")
FIELDS: Final[dict[tuple[Role, str], Role]] = {
    ("order", "items"): "items",
    ("item", "displayName"): ("item", "name"),
    ("item", "itemId"): ("item", "id"),
    ("item", "modifierGroups"): "groups",
    ("group", "displayName"): ("modifier group", "name"),
    ("group", "modifierGroupId"): ("modifier group", "id"),
    ("group", "modifiers"): "modifiers",
    ("modifier", "displayName"): ("modifier", "name"),
    ("modifier", "modifierId"): ("modifier", "id"),
}
"""The fields that the session fills with entries of the menu, whatever the types are called."""
ELEMENTS: Final[dict[Role, Role]] = {"items": "item", "groups": "group", "modifiers": "modifier"}
SAME_ELEMENTS: Final = frozenset({"filter", "distinct", "slice", "sort", "sortBy", "reverse"})
"""Functions that give a list with elements of the list that they are called on."""


@dataclass(frozen=True, slots=True)
class ComparedName:
    """A text of a condition that is compared with names or ids of the menu.

    `function` is how it is compared: empty for being equal, else one of `PATTERNS`. `chars` are those of the literal.
    """

    kind: MenuKind
    by: NameKind
    text: str
    function: str
    chars: Chars


@dataclass(frozen=True, slots=True)
class _Value:
    """What is known of a part: its role in the order, whether it is a list of that, and the literals it may be."""

    role: Role | None = None
    is_list: bool = False
    literals: tuple[Node, ...] = ()

    @property
    def entry(self) -> tuple[MenuKind, NameKind] | None:
        """The sort of entry whose name or id this is, or the elements of this are."""
        return self.role if isinstance(self.role, tuple) else None

    @property
    def element(self) -> _Value:
        """What each element of this list is."""
        if self.is_list:
            return _Value(self.role, literals=self.literals)
        return _Value(None if self.role is None else ELEMENTS.get(self.role))


_UNKNOWN = _Value()
_Scope = Mapping[str, _Value]


@lru_cache(maxsize=4096)
def compared_names(text: str) -> tuple[ComparedName, ...]:
    """The names and ids of the menu that a condition names, in the order of the text; none where it does not parse."""
    if len(text) > MAX_LENGTH or not any(name in text for _, name in FIELDS):
        return ()
    from trialrun.values.cel.parse import parse
    from trialrun.values.cel.syntax_tree import is_too_deep

    result = parse(text)
    if result.tree is None or result.problems or is_too_deep(result.tree):
        return ()
    return names_compared_in(result.tree)


def names_compared_in(tree: Node) -> tuple[ComparedName, ...]:
    """The names and ids of the menu that a tree names, which is not too deep, in the order of the text."""
    reader = _NameCollector()
    reader.value(tree, {})
    return tuple(sorted(dict.fromkeys(reader.names), key=lambda name: name.chars))


class _NameCollector:
    """Goes through the parts of a condition and collects the names."""

    def __init__(self) -> None:
        self.names: list[ComparedName] = []

    def value(self, node: Node, scope: _Scope) -> _Value:
        """Collect the names in a part; what is known of its value."""
        from trialrun.values.cel.syntax_tree import is_macro

        if node.kind == "call" and is_macro(node):
            return self._macro(node, scope)
        if node.kind == "name":
            return scope.get(node.name) or _Value("order" if node.name == "order" else None)
        if node.kind == "literal":
            return _Value(literals=(node,))
        values = [self.value(child, scope) for child in node.children]
        match node.kind:
            case "select" if values[0].role is not None and not values[0].is_list:
                return _Value(FIELDS.get((values[0].role, node.name)))
            case "index" if node.children[0].kind == "map":
                self._compare(values[1], values[0])
            case "index":
                return values[0].element
            case "call":
                return self._call(node, values)
            case "operator" if len(values) == 2:
                self._operator(node.name, *values)
            case "conditional":
                return _merge(values[1], values[2])
            case "list":
                return _list_value(values)
            case "map":
                return _Value(is_list=True, literals=_list_literals(values[::2]))
        return _UNKNOWN

    def _macro(self, node: Node, scope: _Scope) -> _Value:
        from trialrun.values.cel.syntax_tree import bound_variables, inner_children, outer_children

        (around,) = outer_children(node)
        of, names, within = self.value(around, scope), bound_variables(node), dict(scope)
        within.update(dict.fromkeys(names, _UNKNOWN))
        if names:
            within[names[-1]] = of if node.name == "bind" else of.element
        values = [self.value(child, within) for child in inner_children(node)]
        if node.name == "bind" and values:
            return values[-1]
        if node.name == "map" and values:
            return _Value(values[-1].role, values[-1].entry is not None) if not values[-1].is_list else _UNKNOWN
        return of if node.name in SAME_ELEMENTS else _UNKNOWN

    def _call(self, node: Node, values: list[_Value]) -> _Value:
        if node.receiver and node.name in PATTERNS and len(values) == 2 and not values[0].is_list:
            self._compare(values[0], values[1], node.name)
        return values[0] if node.receiver and node.name in SAME_ELEMENTS else _UNKNOWN

    def _operator(self, name: str, left: _Value, right: _Value) -> None:
        is_equality = name in ("==", "!=") and left.is_list == right.is_list
        is_membership = name == "in" and right.is_list and not left.is_list
        if is_equality or is_membership:
            self._compare(left, right)
            self._compare(right, left)

    def _compare(self, named: _Value, with_literals: _Value, function: str = "") -> None:
        """Collect the literals that are compared with a name or an id."""
        for literal in with_literals.literals if named.entry else ():
            text = literal.value
            if named.entry and isinstance(text, str) and text.strip():
                chars = literal.name_start, literal.name_end
                self.names.append(ComparedName(*named.entry, text, function, chars))


def _merge(one: _Value, other: _Value) -> _Value:
    """What a value is that is one of two."""
    if one.is_list != other.is_list:
        return _UNKNOWN
    role = one.role if one.role == other.role else None
    return _Value(role, one.is_list, one.literals + other.literals)


def _list_value(values: list[_Value]) -> _Value:
    """What a list of values is: of names or ids where each of them is one."""
    roles = {value.role for value in values}
    role = values[0].entry if len(roles) == 1 and not any(value.is_list for value in values) else None
    return _Value(role, True, _list_literals(values))


def _list_literals(values: list[_Value]) -> tuple[Node, ...]:
    """The literals that values of a list may be; those of lists within it are compared with no name."""
    return tuple(literal for value in values if not value.is_list for literal in value.literals)
