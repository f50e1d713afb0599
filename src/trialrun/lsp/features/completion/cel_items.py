"""Completion inside a CEL condition: variables, fields, functions, and enum values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.results import Completion
from trialrun.lsp.symbols.condition_scope import ConditionScope, label, methods, signature, snippet
from trialrun.model.kinds import KINDS
from trialrun.values.cel import ALL_EXTENSIONS, Schema
from trialrun.values.cel.builtins import NAMESPACE_LIBRARIES, CelFunction, global_functions, namespace_functions
from trialrun.values.cel.extensions import enabled_members, namespace_library
from trialrun.values.cel.tokens import Token, tokenize
from trialrun.values.cel.type_schema import Type, format_type
from trialrun.values.problem import Problem

FIELD, METHOD, VARIABLE, FUNCTION, NAMESPACE = 1, 2, 3, 4, 5
_COMPARED = ("==", "!=")
_WORD = re.compile(r"[\w-]*")


def condition_completions(
    cursor: Cursor, schema: Schema, extensions: frozenset[str] = ALL_EXTENSIONS
) -> Iterator[Completion]:
    """The items at the cursor in a condition, from the types of the session.

    Functions are those of the standard library and of the enabled `extensions`.
    """
    text = _unescaped(cursor)
    problems: list[Problem] = []
    *tokens, _, last = tokenize(text, problems)
    if last.kind == "cut":
        yield from _in_text(cursor, ConditionScope(tokens, schema), tokens, text[problems[-1].end :])
        return
    prefix = tokens.pop().text if tokens and tokens[-1].kind == "name" and tokens[-1].end == len(text) else ""
    condition = ConditionScope(tokens, schema)
    before = tokens[-1].text if tokens else ""
    if before == ".":
        yield from _members(cursor, condition, len(tokens) - 1, prefix, extensions)
    elif before == "?" and len(tokens) > 1 and tokens[-2].text == ".":
        if "optional" not in extensions:
            return
        yield from _fields(cursor, condition, condition.type_before(len(tokens) - 2), prefix)
    elif not tokens or before == "in" or (tokens[-1].kind == "operator" and before not in (")", "]", "}")):
        yield from _values(cursor, condition, tokens, prefix, extensions)


def _unescaped(cursor: Cursor) -> str:
    """The condition before the cursor without escapes, which its last word cannot have."""
    if cursor.scalar.style == "double":
        return cursor.before.replace('\\"', '"').replace("\\\\", "\\")
    return cursor.before.replace("''", "'") if cursor.scalar.style == "single" else cursor.before


def _in_text(cursor: Cursor, condition: ConditionScope, tokens: list[Token], written: str) -> Iterator[Completion]:
    """The values of an enum that is compared with the string at the cursor; `written` is its beginning."""
    if not _WORD.fullmatch(written):
        return
    if condition.library and [token.text for token in tokens[-2:]] == ["documents", "("]:
        for number, kind in enumerate(KINDS):
            place = cursor.range(len(written), _rest(cursor))
            yield Completion(kind, "value", kind, place, f"{FIELD}{number:04}", "a kind of document")
        return
    place = cursor.range(len(written), _rest(cursor, "-"))
    for number, value in enumerate(_enumeration(condition, tokens)):
        yield Completion(value, "value", value, place, f"{FIELD}{number:04}", "a value of the enumeration")


def _enumeration(condition: ConditionScope, tokens: list[Token]) -> tuple[str, ...]:
    """The values of the enum before a comparison operator or `in`."""
    end = len(tokens)
    while end and (tokens[end - 1].text == "," or tokens[end - 1].kind == "string"):
        end -= 1
    if end > 2 and tokens[end - 1].text == "[" and tokens[end - 2].text == "in":
        end -= 1
    elif end != len(tokens) or end < 2 or tokens[end - 1].text not in _COMPARED:
        return ()
    compared = condition.type_before(end - 1)
    return () if compared is None else compared.members


def _members(
    cursor: Cursor, condition: ConditionScope, dot: int, prefix: str, extensions: frozenset[str]
) -> Iterator[Completion]:
    """The fields and member functions of the value before a dot, or the functions of a namespace."""
    namespace = condition.namespace_before(dot)
    if namespace is not None:
        functions = namespace_functions(condition.library)[namespace] if _is_enabled(namespace, extensions) else ()
        for number, function in enumerate(functions):
            yield _call(cursor, prefix, function, None, f"{FIELD}{number:04}")
        return
    of = condition.type_before(dot)
    yield from _fields(cursor, condition, of, prefix)
    for number, function in enumerate(_enabled(of, extensions) if of else ()):
        yield _call(cursor, prefix, function, of, f"{METHOD}{number:04}")


def _is_enabled(namespace: str, extensions: frozenset[str]) -> bool:
    """Whether the functions of a namespace may be called: its extension is enabled, or they are ours."""
    return namespace not in NAMESPACE_LIBRARIES or namespace_library(namespace) in extensions


def _enabled(of: Type, extensions: frozenset[str]) -> Iterator[CelFunction]:
    """The member functions of a type, without those of disabled libraries."""
    enabled = enabled_members(extensions)
    for function in methods(of):
        if function.name in enabled and (not function.is_two_variable or "two-var-comprehensions" in extensions):
            yield function


def _fields(cursor: Cursor, condition: ConditionScope, of: Type | None, prefix: str) -> Iterator[Completion]:
    for number, (name, type_) in enumerate(condition.fields(of).items() if of else ()):
        yield _name(cursor, prefix, name, type_, f"{FIELD}{number:04}", "name")


def _values(
    cursor: Cursor, condition: ConditionScope, tokens: list[Token], prefix: str, extensions: frozenset[str]
) -> Iterator[Completion]:
    quote = '"' if cursor.scalar.style == "single" else "'"
    place = cursor.range(len(prefix), _rest(cursor))
    for number, value in enumerate(_enumeration(condition, tokens)):
        yield Completion(value, "value", quote + value + quote, place, f"{FIELD}{number:04}", "enumeration")
    for number, (name, type_) in enumerate(condition.scope.items()):
        yield _name(cursor, prefix, name, type_, f"{VARIABLE}{number:04}", "variable")
    for number, function in enumerate(global_functions(condition.library)):
        yield _call(cursor, prefix, function, None, f"{FUNCTION}{number:04}")
    for number, (name, functions) in enumerate(namespace_functions(condition.library).items()):
        if name not in condition.scope and _is_enabled(name, extensions):
            detail = f"functions: {', '.join(function.name for function in functions)}"
            yield Completion(name, "variable", f"{name}.", place, f"{NAMESPACE}{number:04}", detail)


def _name(cursor: Cursor, prefix: str, name: str, of: Type | None, sort_text: str, kind: str) -> Completion:
    detail = "dyn" if of is None else format_type(of)
    place = cursor.range(len(prefix), _rest(cursor))
    return Completion(name, "variable" if kind == "variable" else "name", name, place, sort_text, detail)


def _call(cursor: Cursor, prefix: str, function: CelFunction, of: Type | None, sort_text: str) -> Completion:
    after = _rest(cursor)
    is_called = cursor.after[after : after + 1] == "("
    takes_commas = cursor.scalar.style != "plain" or not cursor.is_in_brackets
    text = function.name if is_called else snippet(function, with_all=takes_commas)
    detail = signature(function, of)
    place = cursor.range(len(prefix), after)
    data = ("function", f"{function.namespace}.{function.name}" if function.namespace else function.name)
    return Completion(label(function), "function", text, place, sort_text, detail, data, is_snippet=not is_called)


def _rest(cursor: Cursor, further: str = "") -> int:
    """The number of characters of the word at the cursor that are after the cursor."""
    after = cursor.after
    return next(
        (at for at, sign in enumerate(after) if not (sign.isalnum() or sign == "_" or sign in further)), len(after)
    )
