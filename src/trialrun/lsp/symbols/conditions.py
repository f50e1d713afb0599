"""Types and names in a CEL condition: results of functions, names in scope, session variables, and menu entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from trialrun.diagnostic import Chars, SymbolicLocation
from trialrun.lint.rule_support.condition_names import names_compared_in
from trialrun.lsp.symbols.occurrence import Embedding, NameKind
from trialrun.model.node import NameForm
from trialrun.values.cel import Node, Schema
from trialrun.values.cel.builtins import METHODS, CelFunction, global_functions, namespace_functions
from trialrun.values.cel.parse import parse
from trialrun.values.cel.syntax_tree import bound_variables, inner_children, is_macro, is_too_deep, outer_children
from trialrun.values.cel.tokens import Token
from trialrun.values.cel.type_schema import CONSTRUCTORS, SCALARS, Type, parse_type

_parsed = cache(parse_type)


def methods(of: Type) -> tuple[CelFunction, ...]:
    """The member functions of a type."""
    return METHODS.get("string" if of.members else of.name, ())


def method_result(of: Type, name: str) -> Type | None:
    """The result type of a member function of a type; None if unknown."""
    function = next((method for method in methods(of) if method.name == name), None)
    return result_type(function, of) if function else None


def global_result(name: str, namespace: str | None = None, *, library: str = "") -> Type | None:
    """The result type of a global function, or of one in a namespace; None if unknown.

    `library` is the library of the schema.
    """
    table = global_functions(library) if namespace is None else namespace_functions(library)[namespace]
    return next((result_type(cel_function) for cel_function in table if cel_function.name == name), None)


def result_type(function: CelFunction, of: Type | None = None) -> Type | None:
    """The result type of a function, called on a value of type `of` if given; None if unknown."""
    inner = element_type(of) or Type("dyn")
    match function.gives:
        case "T":
            return of
        case "E":
            return inner
        case "list(E)":
            return Type("list", (inner,))
        case "optional(E)" | "optional(dyn)":
            return Type("optional", (inner if function.gives == "optional(E)" else Type("dyn"),))
        case text:
            return _parsed(text) if text else None


def element_type(of: Type | None) -> Type | None:
    """The type of the variable of a macro: list elements, map keys, or the value of an optional."""
    return of.parameters[0] if of is not None and of.parameters else None


def element_types(of: Type | None) -> tuple[Type | None, Type | None]:
    """The types of both variables of a macro: index and element of a list, or key and value of a map."""
    if of is not None and of.name == "map":
        return of.parameters[0], of.parameters[1]
    return Type("int"), element_type(of)


MAX_DEPTH = 40
ONE_NAME = frozenset(["all", "exists", "exists_one", "filter", "map", "sortBy", "optMap", "optFlatMap"])
"""Macros whose first argument names the element."""
TWO_NAMES = frozenset(["all", "exists", "existsOne", "transformList", "transformMap", "transformMapEntry"])
"""Macros whose first two arguments name index and element, or key and value."""
_OPEN, _CLOSED = ("(", "[", "{"), (")", "]", "}")
_TRUTHS = frozenset(["&&", "||", "==", "!=", "<", "<=", ">", ">=", "in", "!"])
_SUMS = frozenset(["+", "-", "*", "/", "%"])
_LITERALS = {"int": Type("int"), "uint": Type("uint"), "float": Type("double")}


class ConditionScope:
    """The tokens of a condition before the cursor; `scope` has the types of all names in scope."""

    def __init__(self, tokens: Sequence[Token], schema: Schema) -> None:
        self._tokens = tokens
        self.schema = schema
        self.scope: dict[str, Type | None] = dict(schema.roots)
        self._pairs: dict[int, int] = {}
        opened: list[int] = []
        for place, token in enumerate(tokens):
            if token.text in _OPEN:
                opened.append(place)
            elif token.text in _CLOSED and opened:
                self._pairs[place] = opened.pop()
        for place in opened:
            self.scope.update(self._bound(place, self.type_before(place - 2) if self._is_called(place) else None))

    def namespace_before(self, end: int) -> str | None:
        """The namespace before a dot, if it is not a variable."""
        name = self._tokens[end - 1].text if end > 0 else ""
        is_whole = end < 2 or self._tokens[end - 2].text != "."
        is_namespace = name in namespace_functions(self.schema.library) and name not in self.scope
        return name if is_whole and is_namespace else None

    def _is_called(self, place: int) -> bool:
        return place >= 2 and self._tokens[place].text == "(" and self._tokens[place - 2].text == "."

    def _bound(self, place: int, of: Type | None) -> dict[str, Type | None]:
        """The variables that a macro on a value binds, given the index of its bracket."""
        if not self._is_called(place):
            return {}
        names = [token.text for token in self._tokens[place + 1 : place + 5 : 2] if token.kind == "name"]
        commas = [token.text == "," for token in self._tokens[place + 2 : place + 6 : 2]]
        macro = self._tokens[place - 1].text
        if macro == "bind" and names and commas[:1] == [True]:
            level = self._level(place + 3, len(self._tokens))
            end = next((at for at in level if self._tokens[at].text == ","), None)
            return {names[0]: None if end is None else self.type_of(place + 3, end)}
        if macro in TWO_NAMES and len(names) == 2 and commas == [True, True]:
            return dict(zip(names, element_types(of), strict=True))
        return {names[0]: element_type(of)} if macro in ONE_NAME and names and commas[:1] == [True] else {}

    def _level(self, start: int, end: int) -> Iterator[int]:
        """The indexes of the tokens of a part that are not inside of brackets."""
        depth = 0
        for place in range(start, end):
            depth -= self._tokens[place].text in _CLOSED
            if depth == 0:
                yield place
            depth += self._tokens[place].text in _OPEN

    def type_of(self, start: int, end: int, depth: int = 0) -> Type | None:
        """The type of the expression between two tokens; None if unknown."""
        if start >= end or depth > MAX_DEPTH:
            return None
        level = [(place, self._tokens[place].text) for place in self._level(start, end)]
        colon = next((place for place, text in reversed(level) if text == ":"), None)
        if colon is not None:
            return self.type_of(colon + 1, end, depth + 1)
        if any(text in _TRUTHS for _, text in level):
            return Type("bool")
        operator = next((place for place, text in level[1:] if text in _SUMS), None)
        return self.type_before(end if operator is None else operator, depth + 1)

    def type_before(self, end: int, depth: int = 0) -> Type | None:
        """The type of the expression that ends before token `end`; None if unknown."""
        last = self._tokens[end - 1] if end > 0 else None
        if last is None or depth > MAX_DEPTH:
            return None
        if last.kind == "string":
            return Type("bytes" if last.text[:1] in "bB" or last.text[1:2] in ("b", "B") else "string")
        if last.text in _CLOSED:
            return self._of_brackets(end - 1, depth)
        if last.kind in _LITERALS:
            return _LITERALS[last.kind]
        return self._of_name(end, last.text, depth) if last.kind == "name" else None

    def _of_name(self, end: int, name: str, depth: int) -> Type | None:
        before = self._tokens[end - 2].text if end >= 2 else ""
        if before == "?" and end >= 3 and self._tokens[end - 3].text == ".":
            field_type = self._field(self.type_before(end - 3, depth + 1), name)
            return None if field_type is None else Type("optional", (field_type,))
        if before == ".":
            return self._field(self.type_before(end - 2, depth + 1), name)
        return Type("bool") if name in ("true", "false") else self.scope.get(name)

    def _field(self, of: Type | None, name: str) -> Type | None:
        if of is None:
            return None
        if of.name == "map":
            return of.parameters[1]
        return self.schema.fields.get(of.name, {}).get(name)

    def _of_brackets(self, closing: int, depth: int) -> Type | None:
        opening = self._pairs.get(closing)
        if opening is None:
            return None
        before = self._tokens[opening - 1] if opening else None
        is_applied = before is not None and (before.kind in ("name", "string") or before.text in _CLOSED)
        if before is None or not is_applied or before.text == "in":
            return self._of_literal(opening, closing, depth)
        if self._tokens[closing].text == "]":
            indexed = self.type_before(opening, depth + 1)
            return None if indexed is None or not indexed.parameters else indexed.parameters[-1]
        return self._of_call(opening, closing, depth)

    def _of_literal(self, opening: int, closing: int, depth: int) -> Type | None:
        """The type of a parenthesized expression, or of a list or map literal by its first element."""
        level = list(self._level(opening + 1, closing))
        ends = [place for place in level if self._tokens[place].text == ","]
        first = ends[0] if ends else closing
        match self._tokens[closing].text:
            case ")":
                return self.type_of(opening + 1, closing, depth + 1)
            case "]":
                return Type("list", (self.type_of(opening + 1, first, depth + 1) or Type("dyn"),))
            case _:
                colon = next((place for place in level if self._tokens[place].text == ":"), opening)
                key = self.type_of(opening + 1, colon, depth + 1) or Type("dyn")
                return Type("map", (key, self.type_of(colon + 1, first, depth + 1) or Type("dyn")))

    def _of_call(self, opening: int, closing: int, depth: int) -> Type | None:
        name = self._tokens[opening - 1].text
        library = self.schema.library
        if opening < 2 or self._tokens[opening - 2].text != ".":
            return self._documents(opening) if library and name == "documents" else global_result(name, library=library)
        namespace = self.namespace_before(opening - 2)
        if namespace is not None:
            return global_result(name, namespace, library=library)
        of = self.type_before(opening - 2, depth + 1)
        if name in ("map", "transformList") and of is not None:
            return Type("list", (self._of_last(opening, closing, of, depth) or Type("dyn"),))
        return None if of is None else method_result(of, name)

    def _documents(self, opening: int) -> Type | None:
        """The type of `documents("KIND")` in a policy."""
        kind = self._tokens[opening + 1].text.strip("'\"")
        return Type("list", (Type(kind),)) if kind in self.schema.types else None

    def _of_last(self, opening: int, closing: int, of: Type, depth: int) -> Type | None:
        """The type of the last argument of a macro, with its variables in scope."""
        commas = [place for place in self._level(opening + 1, closing) if self._tokens[place].text == ","]
        if not commas:
            return None
        scope = self.scope
        self.scope = scope | self._bound(opening, of)
        argument_type = self.type_of(commas[-1] + 1, closing, depth + 1)
        self.scope = scope
        return argument_type


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


_Scope = Mapping[str, tuple[Type | None, str]]
"""The variables that macros bind: the type of each, None if unknown, and the macro that binds it."""


@lru_cache(maxsize=8192)
def cel_names(text: str, schema: Schema) -> tuple[EmbeddedName, ...]:
    """The names in a condition; none if it is invalid."""
    tree = parse(text).tree
    if tree is None or is_too_deep(tree):
        return ()
    reader = _Reader(text, schema)
    reader.type_of(tree, {})
    return (*reader.words, *(_menu_names(text, tree) if "order" in schema.roots else ()))


def _menu_names(text: str, tree: Node) -> Iterator[EmbeddedName]:
    """The literals that are equal to names or ids of the menu."""
    for name in names_compared_in(tree):
        if not name.function and (literal := literal_content(text, name.chars)):
            chars, quote = literal
            yield EmbeddedName(name.kind, name.text, chars, forms=(name.by,), embeddings=(f"cel {quote}",))


class _Reader:
    """Visits the parts of a condition and collects the names of variables and fields."""

    def __init__(self, text: str, schema: Schema) -> None:
        self.text = text
        self.schema = schema
        self.words: list[EmbeddedName] = []

    def type_of(self, node: Node, scope: _Scope) -> Type | None:
        """Collect the names in a part; returns the type of its value, None if unknown."""
        match node.kind:
            case "name":
                return self._name(node, scope)
            case "select":
                return self._select(node, scope)
            case "call":
                return self._macro(node, scope) if is_macro(node) else self._call(node, scope)
        types = [self.type_of(child, scope) for child in node.children]
        if node.kind == "index":
            return types[0].parameters[-1] if types[0] and types[0].parameters else None
        return types[1] if node.kind == "conditional" and len(types) == 3 else None

    def _note(self, node: Node, kind: NameKind, within: str = "", *, declares: bool = False) -> None:
        chars = node.name_start, node.name_end
        if self.text[chars[0] : chars[1]] == node.name:
            self.words.append(EmbeddedName(kind, node.name, chars, declares, within=(within,) if within else ()))

    def _name(self, node: Node, scope: _Scope) -> Type | None:
        if node.name in scope:
            bound, mark = scope[node.name]
            self._note(node, "bound variable", mark)
            return bound
        known = self.schema.roots.get(node.name)
        if known is not None:
            self._note(node, "session variable")
        return known

    def _select(self, node: Node, scope: _Scope) -> Type | None:
        of = self.type_of(node.children[0], scope)
        if of is None:
            return None
        if of.name == "map":
            return of.parameters[-1]
        known = self.schema.fields.get(of.name, {}).get(node.name)
        if known is not None:
            self._note(node, "session field", of.name)
        return known

    def _macro(self, node: Node, scope: _Scope) -> Type | None:
        (around,) = outer_children(node)
        of = self.type_of(around, scope)
        names = [argument for argument in node.arguments if argument.kind == "name"][: len(bound_variables(node))]
        binds = dict(scope)
        for place, name in enumerate(names):
            mark = f"{node.name_start}:{place}"
            self._note(name, "bound variable", mark, declares=True)
            last = element_type(of) if place == len(names) - 1 else None
            binds[name.name] = (of if node.name == "bind" else last), mark
        for child in inner_children(node):
            self.type_of(child, binds)
        return None if of is None or node.name == "map" else method_result(of, node.name)

    def _call(self, node: Node, scope: _Scope) -> Type | None:
        types = [self.type_of(child, scope) for child in node.children]
        if not node.receiver:
            return global_result(node.name)
        return method_result(types[0], node.name) if types[0] else None


def literal_content(text: str, chars: Chars) -> tuple[Chars, str] | None:
    """The range of a single-token literal at `chars` without its quotes, and its prefix and quote."""
    start, end = chars
    opened = _quotes.match(text, start)
    if opened is None:
        return None
    quote = opened[0].lstrip("rR")
    end -= len(quote)
    if not text.startswith(quote, end) or end < opened.end():
        return None
    return (opened.end(), end), opened[0]


def type_names(text: str) -> Iterator[tuple[str, Chars]]:
    """The names in a type text that may be types; values of enums are not."""
    members = [match.span(1) for match in re.finditer(r"\benum\s*\(([^()]*)", text)]
    for match in re.finditer(r"[A-Za-z_][A-Za-z0-9_]*", text):
        is_member = any(start <= match.start() < end for start, end in members)
        if match[0] not in SCALARS and match[0] not in CONSTRUCTORS and not is_member:
            yield match[0], match.span()
