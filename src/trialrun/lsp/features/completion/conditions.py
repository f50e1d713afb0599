"""Completion inside a CEL condition, by the types of its scope, and in policies: keys, messages and fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain

from trialrun.lint.policy.parse_policy import SCOPES, SEVERITIES
from trialrun.lint.policy.policy import TYPES, kinds_by_message, lenient_schema, messages
from trialrun.lint.policy.policy_document import KEYS, PARAMETER_KEYS, PARAMETERS, REQUIRED
from trialrun.lsp.describe.rules import purpose
from trialrun.lsp.features.completion.cursor import Candidate, Cursor, key_completions, value_completions
from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.partial_parser import MARK, PartialMapping, resolved
from trialrun.lsp.results import Completion
from trialrun.lsp.symbols.conditions import ConditionScope, EmbeddedName, cel_names, methods, result_type
from trialrun.model.kinds import KINDS
from trialrun.model.node import Node
from trialrun.model.proto_json import field_type
from trialrun.values import Problem
from trialrun.values.cel import ALL_EXTENSIONS, Schema
from trialrun.values.cel.builtins import (
    NAMESPACE_LIBRARIES,
    CelFunction,
    enabled_members,
    global_functions,
    namespace_functions,
)
from trialrun.values.cel.tokens import Token, tokenize
from trialrun.values.cel.type_schema import Type, format_type

BOUND = ("x", "i", "v")
"""Variable names that completion inserts for macros."""
FIELD, METHOD, VARIABLE, FUNCTION, NAMESPACE = 1, 2, 3, 4, 5
_PLAIN_TEXT = re.compile(r"[^'\"\\\n\r]*")
_REST_OF_TEXT = re.compile(r"[^'\"\\\n\r]*(?=\\?['\"])")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
NamesInMenu = Callable[[EmbeddedName], Iterator[Candidate]]
"""The names or ids of the menu of which a text of a condition is meant to be one."""


def condition_completions(
    cursor: Cursor,
    schema: Schema,
    extensions: frozenset[str] = ALL_EXTENSIONS,
    names_in_menu: NamesInMenu = lambda _: iter(()),
) -> Iterator[Completion]:
    """The items at the cursor in a condition, from the types of the session.

    Functions are those of the standard library and of the enabled `extensions`.
    """
    text = _decoded(cursor.before, cursor.scalar.style)
    problems: list[Problem] = []
    *tokens, _, last = tokenize(text, problems)
    if last.kind == "cut":
        items = _ConditionItems(cursor, tokens, schema, extensions)
        names = items.names(text[: problems[-1].start], names_in_menu)
        yield from items.in_text(text[problems[-1].end :], names, text[problems[-1].start])
        return
    if "//" in text[tokens[-1].end if tokens else 0 :].rpartition("\n")[2]:
        return  # a comment
    prefix = tokens.pop().text if tokens and tokens[-1].kind == "name" and tokens[-1].end == len(text) else ""
    items = _ConditionItems(cursor, tokens, schema, extensions, prefix)
    before = tokens[-1].text if tokens else ""
    if before == ".":
        yield from items.members(len(tokens) - 1)
    elif before == "?" and len(tokens) > 1 and tokens[-2].text == ".":
        if "optional" in extensions:
            yield from items.fields(items.condition.type_before(len(tokens) - 2))
    elif not tokens or before == "in" or (tokens[-1].kind == "operator" and before not in (")", "]", "}")):
        yield from items.values(items.names(text[: len(text) - len(prefix)], names_in_menu))


def _decoded(text: str, style: str) -> str:
    """The condition of a scalar, without escapes, which the word at the cursor cannot have."""
    if style == "double":
        return text.replace('\\"', '"').replace("\\\\", "\\")
    return text.replace("''", "'") if style == "single" else text


class _ConditionItems:
    """The items after some tokens of a condition; `prefix` is the begun word at the cursor."""

    def __init__(
        self, cursor: Cursor, tokens: list[Token], schema: Schema, extensions: frozenset[str], prefix: str = ""
    ) -> None:
        self.cursor, self.tokens, self.extensions, self.prefix = cursor, tokens, extensions, prefix
        self.condition = ConditionScope(tokens, schema)
        self.place = cursor.range(len(prefix), self._rest())

    def in_text(self, written: str, names: Iterator[Candidate], quote: str) -> Iterator[Completion]:
        """What the string at the cursor may be; `written` is its beginning, and `names` are those of the menu."""
        if not _PLAIN_TEXT.fullmatch(written):
            return
        if self.condition.schema.library and [token.text for token in self.tokens[-2:]] == ["documents", "("]:
            values: Iterator[Candidate] = (Candidate(kind, "value", "a kind of document") for kind in KINDS)
        else:
            values = chain(self._enumeration("a value of the enumeration"), names)
        is_closed = tokenize(_decoded(self.cursor.word, self.cursor.scalar.style), [])[-1].kind != "cut"
        rest = _REST_OF_TEXT.match(self.cursor.after) if is_closed else None
        place = self.cursor.range(len(written), rest.end() if rest else self._rest("-"))
        for number, text in enumerate(values):
            if self._may_contain(text.label, quote):
                yield Completion(text.label, "value", text.label, place, f"{FIELD}{number:04}", text.detail)

    def _may_contain(self, text: str, quote: str) -> bool:
        """Whether a text may be written between such quotes of the condition as it is, in the scalar of the file."""
        of_file = {"double": '"', "single": "'"}.get(self.cursor.scalar.style, quote)
        is_cut = self.cursor.scalar.style == "plain" and (": " in text or " #" in text)
        return text.isprintable() and not ({quote, of_file, "\\"} & {*text} or is_cut)

    def names(self, before: str, names_in_menu: NamesInMenu) -> Iterator[Candidate]:
        """The names of the menu that a text behind `before` may be, once what is open there is closed."""
        opened: list[str] = []
        for token in self.tokens:
            if token.text in _CLOSING:
                opened.append(_CLOSING[token.text])
            elif opened and token.text == opened[-1]:
                opened.pop()
        closed = f"{before}'{MARK}'{''.join(reversed(opened))}"
        sought = (name for name in cel_names(closed, self.condition.schema) if name.text == MARK)
        return chain.from_iterable(map(names_in_menu, sought))

    def members(self, dot: int) -> Iterator[Completion]:
        """The fields and member functions of the value before a dot, or the functions of a namespace."""
        namespace = self.condition.namespace_before(dot)
        if namespace is not None:
            known = namespace_functions(self.condition.schema.library)[namespace] if self._is_enabled(namespace) else ()
            yield from (self._call(function, None, FIELD, number) for number, function in enumerate(known))
            return
        of, enabled = self.condition.type_before(dot), enabled_members(self.extensions)
        yield from self.fields(of)
        has_two = "two-var-comprehensions" in self.extensions
        of_type = (function for function in (methods(of) if of else ()) if function.name in enabled)
        shown = (function for function in of_type if has_two or not function.is_two_variable)
        yield from (self._call(function, of, METHOD, number) for number, function in enumerate(shown))

    def fields(self, of: Type | None) -> Iterator[Completion]:
        """The fields of a type."""
        for number, (name, type_) in enumerate(self.condition.schema.fields.get(of.name, {}).items() if of else ()):
            yield Completion(name, "name", name, self.place, f"{FIELD}{number:04}", format_type(type_))

    def values(self, names: Iterator[Candidate]) -> Iterator[Completion]:
        """What may begin a value: members of an enum, names of the menu, variables, functions and namespaces."""
        quote, library, scope = (
            '"' if self.cursor.scalar.style == "single" else "'",
            self.condition.schema.library,
            self.condition.scope,
        )
        for number, text in enumerate(chain(self._enumeration("enumeration"), names)):
            if self._may_contain(text.label, quote):
                written, order = f"{quote}{text.label}{quote}", f"{FIELD}{number:04}"
                yield Completion(text.label, "value", written, self.place, order, text.detail)
        for number, (name, type_) in enumerate(scope.items()):
            detail = "dyn" if type_ is None else format_type(type_)
            yield Completion(name, "variable", name, self.place, f"{VARIABLE}{number:04}", detail)
        for number, function in enumerate(global_functions(library)):
            yield self._call(function, None, FUNCTION, number)
        for number, (name, functions) in enumerate(namespace_functions(library).items()):
            if name not in scope and self._is_enabled(name):
                detail = f"functions: {', '.join(function.name for function in functions)}"
                yield Completion(name, "variable", f"{name}.", self.place, f"{NAMESPACE}{number:04}", detail)

    def _enumeration(self, what: str) -> Iterator[Candidate]:
        """The values of the enum before a comparison operator or `in`."""
        tokens = self.tokens
        end = len(tokens)
        while end and (tokens[end - 1].text == "," or tokens[end - 1].kind == "string"):
            end -= 1
        if end > 2 and tokens[end - 1].text == "[" and tokens[end - 2].text == "in":
            end -= 1
        elif end != len(tokens) or end < 2 or tokens[end - 1].text not in ("==", "!="):
            return
        compared = self.condition.type_before(end - 1)
        yield from (Candidate(value, "value", what) for value in (compared.members if compared else ()))

    def _is_enabled(self, namespace: str) -> bool:
        """Whether the functions of a namespace may be called: its extension is enabled, or they are ours."""
        return NAMESPACE_LIBRARIES.get(namespace) in {None, *self.extensions}

    def _call(self, function: CelFunction, of: Type | None, rank: int, number: int) -> Completion:
        """The call of a function, with a tab stop for each argument if commas may be written there."""
        cursor, name, takes, gives = self.cursor, function.name, function.takes, result_type(function, of)
        is_called = cursor.after[self._rest() :].startswith("(")
        written = takes if cursor.scalar.style != "plain" or not cursor.is_in_brackets else takes[:1]
        stops = [f"${{{at}:{one}}}" if one in BOUND else f"${at}" for at, one in enumerate(written, 1)]
        text = name if is_called else f"{name}({', '.join(stops)})"
        label = f"{name}(i, v)" if function.is_two_variable else name
        detail = f"{name}({', '.join(takes)}): {'dyn' if gives is None else format_type(gives)}"
        data = ("function", f"{function.namespace}.{name}" if function.namespace else name)
        order = f"{rank}{number:04}"
        return Completion(label, "function", text, self.place, order, detail, data, is_snippet=not is_called)

    def _rest(self, further: str = "") -> int:
        """The number of characters of the word at the cursor that are after the cursor."""
        ends = (
            at for at, sign in enumerate(self.cursor.after) if not (sign.isalnum() or sign == "_" or sign in further)
        )
        return next(ends, len(self.cursor.after))


def policy_completions(cursor: Cursor, expected_type: ExpectedType) -> Iterator[Completion]:
    """The items at the cursor in a policy."""
    on = expected_type.root.text("on") or ""
    if cursor.is_key and cursor.container is expected_type.root:
        yield from key_completions(cursor, _keys(expected_type.root))
    elif not cursor.steps and cursor.scalar.is_first:
        yield from key_completions(cursor, _keys(PartialMapping()))
    elif len(cursor.steps) == 3 and cursor.steps[0][1] == PARAMETERS:
        if cursor.is_key and isinstance(cursor.container, PartialMapping):
            there = {entry.key.decoded for entry in cursor.container.entries}
            keys = (Candidate(key, "field", words) for key, words in PARAMETER_KEYS.items() if key not in there)
            yield from key_completions(cursor, keys)
        elif not cursor.is_key and cursor.steps[-1][1] == "type":
            types = (Candidate(name, "value", words) for name, words in TYPES.items())
            yield from value_completions(cursor, types, lead=cursor.lead)
    elif len(cursor.steps) == 1 and not cursor.is_key:
        key = str(cursor.steps[0][1])
        if key in KEYS and KEYS[key].cel_type and on in kinds_by_message():
            schema = lenient_schema(on, _parameters(expected_type.root), cursor.word)
            yield from condition_completions(cursor, schema)
        else:
            yield from value_completions(cursor, _values(cursor, key, on), lead=cursor.lead)


def _parameters(root: PartialMapping) -> dict[str, dict[str, str]]:
    declared = root.get("parameters")
    entries = declared.entries if isinstance(declared, PartialMapping) else ()
    named = ((entry.key.decoded, resolved(entry.value)) for entry in entries)
    return {name: {"type": node.text("type") or ""} for name, node in named if isinstance(node, PartialMapping)}


def _keys(root: PartialMapping) -> Iterator[Candidate]:
    """The missing keys of a policy, required ones first."""
    there = {entry.key.decoded for entry in root.entries}
    for key in (*REQUIRED, *(key for key in KEYS if key not in REQUIRED)):
        if key not in there:
            yield Candidate(key, "field", purpose(key).replace("`", ""))


def _values(cursor: Cursor, key: str, on: str) -> Iterator[Candidate]:
    if key == "on":
        for name, kind in kinds_by_message().items():
            yield Candidate(name, "value", "a kind of document" if name == kind else f"a part of a {kind}")
    elif key == "scope":
        yield from (Candidate(scope, "value") for scope in SCOPES)
    elif key == "severity":
        yield from (Candidate(word, "value") for word in SEVERITIES)
    elif key == "at" and on in kinds_by_message():
        yield from _fields(messages(kinds_by_message()[on])[on], cursor.before)


def _fields(model: type[Node], before: str) -> Iterator[Candidate]:
    """The fields that a finding may point at, given the beginning of the path."""
    *steps, _ = before.split(".")
    here: type[Node] | None = model
    for step in steps:
        here = field_type(here, step).model if here is not None and step in here.model_fields else None
    if here is not None:
        for name in here.model_fields:
            yield Candidate(".".join((*steps, name)), "name", field_type(here, name).singular)
