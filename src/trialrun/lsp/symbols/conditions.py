"""Names in a CEL condition: session variables and fields, bound variables, and menu entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from trialrun.diagnostic import Chars, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.rule_support.condition_names import ELEMENTS, FIELDS, SAME_ELEMENTS, Role
from trialrun.lsp.symbols.condition_scope import element_type, global_result, method_result
from trialrun.lsp.symbols.occurrence import Embedding, NameKind
from trialrun.model.node import NameForm
from trialrun.values.cel import Node, Schema
from trialrun.values.cel.parse import parse
from trialrun.values.cel.syntax_tree import bound_variables, inner_children, is_macro, is_too_deep, outer_children
from trialrun.values.cel.type_schema import CONSTRUCTORS, SCALARS, Type

_quotes = re.compile(r"[rR]?(?:\"{3}|'{3}|\"|')")


class EmbeddedName(NamedTuple):
    """A name in a text; `within` is its context: the type of a field, or the macro that binds it.

    `place` is the field of the text, once that is known; `key` is a key of a mapping there.
    """

    kind: NameKind
    text: str
    chars: Chars
    declares: bool = False
    forms: tuple[NameForm, ...] = ("name",)
    within: tuple[str, ...] = ()
    embeddings: tuple[Embedding, ...] = ()
    place: SymbolicLocation | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class _Value:
    type: Type | None = None
    role: Role | None = None
    listed: bool = False
    """Whether it is a list of what `role` describes."""
    bound_at: str = ""


_NOTHING = _Value()
_Scope = Mapping[str, _Value]


@lru_cache(maxsize=4096)
def cel_names(text: str, schema: Schema) -> tuple[EmbeddedName, ...]:
    """The names in a condition; none if it is invalid."""
    tree = parse(text).tree
    if tree is None or is_too_deep(tree):
        return ()
    reader = _Reader(text, schema)
    reader.value(tree, {})
    return tuple(reader.words)


class _Reader:
    """Visits the parts of a condition and collects their names."""

    def __init__(self, text: str, schema: Schema) -> None:
        self.text = text
        self.schema = schema
        self.words: list[EmbeddedName] = []

    def value(self, node: Node, scope: _Scope) -> _Value:
        """Collect the names in a part; returns what is known of its value."""
        match node.kind:
            case "name":
                return self._name(node, scope)
            case "select":
                return self._select(node, scope)
            case "call":
                return self._macro(node, scope) if is_macro(node) else self._call(node, scope)
            case "index":
                of, *_ = [self.value(child, scope) for child in node.children]
                known = of.type.parameters if of.type else ()
                return _Value(known[-1] if known else None, _element(of))
        values = [self.value(child, scope) for child in node.children]
        if node.kind == "operator" and len(values) == 2:
            self._compared(node, values)
        return values[1] if node.kind == "conditional" and len(values) == 3 else _NOTHING

    def _note(self, node: Node, kind: NameKind, within: str = "", *, declares: bool = False) -> None:
        chars = node.name_start, node.name_end
        if self.text[chars[0] : chars[1]] == node.name:
            self.words.append(EmbeddedName(kind, node.name, chars, declares, within=(within,) if within else ()))

    def _name(self, node: Node, scope: _Scope) -> _Value:
        bound = scope.get(node.name)
        if bound is not None:
            self._note(node, "bound variable", bound.bound_at)
            return bound
        known = self.schema.roots.get(node.name)
        if known is None:
            return _NOTHING
        self._note(node, "session variable")
        return _Value(known, "order" if node.name == "order" else None)

    def _select(self, node: Node, scope: _Scope) -> _Value:
        of = self.value(node.children[0], scope)
        if of.type is None:
            return _NOTHING
        if of.type.name == "map":
            return _Value(of.type.parameters[-1])
        known = self.schema.fields.get(of.type.name, {}).get(node.name)
        if known is None:
            return _NOTHING
        self._note(node, "session field", of.type.name)
        role = None if of.role is None or of.listed else FIELDS.get((of.role, node.name))
        return _Value(known, role)

    def _macro(self, node: Node, scope: _Scope) -> _Value:
        (around,) = outer_children(node)
        of = self.value(around, scope)
        names = [argument for argument in node.arguments if argument.kind == "name"][: len(bound_variables(node))]
        binds = dict(scope)
        for place, name in enumerate(names):
            mark = f"{node.name_start}:{place}"
            self._note(name, "bound variable", mark, declares=True)
            binds[name.name] = self._bound(node.name, of, mark, is_last=place == len(names) - 1)
        values = [self.value(child, binds) for child in inner_children(node)]
        if node.name == "map" and values:
            return _Value(role=values[-1].role, listed=isinstance(values[-1].role, tuple))
        return self._given(node.name, of)

    def _bound(self, macro: str, of: _Value, mark: str, *, is_last: bool) -> _Value:
        if macro == "bind":
            return _Value(of.type, of.role, of.listed, mark)
        return _Value(element_type(of.type), _element(of), bound_at=mark) if is_last else _Value(bound_at=mark)

    def _call(self, node: Node, scope: _Scope) -> _Value:
        values = [self.value(child, scope) for child in node.children]
        if node.receiver:
            return self._given(node.name, values[0])
        given = global_result(node.name)
        return _NOTHING if given is None else _Value(given)

    def _given(self, name: str, of: _Value) -> _Value:
        given = method_result(of.type, name) if of.type else None
        return _Value(given, of.role, of.listed) if name in SAME_ELEMENTS else _Value(given)

    def _compared(self, node: Node, values: list[_Value]) -> None:
        """Collect the literals that are compared with names or ids of the menu."""
        left, right = node.children
        one, other = values
        if node.name in ("==", "!="):
            self._literal(left, other)
            self._literal(right, one)
        elif node.name == "in" and other.listed:
            self._literal(left, _Value(role=other.role))
        elif node.name == "in" and right.kind == "list":
            for child in right.children:
                self._literal(child, one)

    def _literal(self, node: Node, of: _Value) -> None:
        if node.kind != "literal" or not isinstance(node.value, str) or of.listed or not isinstance(of.role, tuple):
            return
        kind, way = of.role
        if (literal := literal_content(self.text, node)) and node.value:
            chars, quote = literal
            self.words.append(EmbeddedName(kind, node.value, chars, forms=(way,), embeddings=(f"cel {quote}",)))


def literal_content(text: str, node: Node) -> tuple[Chars, str] | None:
    """The range of a single-token literal without its quotes, and its prefix and quote."""
    opened = _quotes.match(text, node.name_start)
    if opened is None:
        return None
    quote = opened[0].lstrip("rR")
    end = node.name_end - len(quote)
    if not text.startswith(quote, end) or end < opened.end():
        return None
    return (opened.end(), end), opened[0]


def _element(of: _Value) -> Role | None:
    if of.listed:
        return of.role
    return None if of.role is None else ELEMENTS.get(of.role)


def type_names(text: str) -> Iterator[tuple[str, Chars]]:
    """The names in a type text that may be types; values of enums are not."""
    members = [match.span(1) for match in re.finditer(r"\benum\s*\(([^()]*)", text)]
    for match in re.finditer(r"[A-Za-z_][A-Za-z0-9_]*", text):
        is_member = any(start <= match.start() < end for start, end in members)
        if match[0] not in SCALARS and match[0] not in CONSTRUCTORS and not is_member:
            yield match[0], match.span()
