"""Completion inside a condition: variables, fields and functions with their types, and the values of enumerations."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lsp.answer import Completion
from trialrun.lsp.features.completion.condition import Condition
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.functions import GLOBAL, Function, methods
from trialrun.values.cel import Schema
from trialrun.values.cel.tokens import Token, read_tokens
from trialrun.values.cel.type_texts import Type, type_text
from trialrun.values.problem import Problem

FIELD, METHOD, VARIABLE, FUNCTION = 1, 2, 3, 4
_COMPARED = ("==", "!=")


def in_condition(cursor: Cursor, schema: Schema) -> Iterator[Completion]:
    """What may stand at the cursor in a condition, by the types of the session."""
    text = _unescaped(cursor)
    problems: list[Problem] = []
    *tokens, _, last = read_tokens(text, problems)
    if last.kind == "cut":
        yield from _in_text(cursor, Condition(tokens, schema), tokens, text[problems[-1].end :])
        return
    prefix = tokens.pop().text if tokens and tokens[-1].kind == "name" and tokens[-1].end == len(text) else ""
    condition = Condition(tokens, schema)
    if tokens and tokens[-1].text == ".":
        yield from _members(cursor, condition, condition.type_before(len(tokens) - 1), prefix)
    elif not tokens or (tokens[-1].kind == "operator" and tokens[-1].text not in (")", "]")):
        yield from _values(cursor, condition, tokens, prefix)


def _unescaped(cursor: Cursor) -> str:
    """The condition before the cursor, without the escapes of quotes; its last word has none."""
    if cursor.scalar.style == "double":
        return cursor.before.replace('\\"', '"').replace("\\\\", "\\")
    return cursor.before.replace("''", "'") if cursor.scalar.style == "single" else cursor.before


def _in_text(cursor: Cursor, condition: Condition, tokens: list[Token], written: str) -> Iterator[Completion]:
    """The values of an enumeration that is compared with a text, of which so much is written behind its quote."""
    place = cursor.range(len(written), _rest(cursor, "-"))
    for number, value in enumerate(_enumeration(condition, tokens)):
        yield Completion(value, "value", value, place, f"{FIELD}{number:04}", "a value of the enumeration")


def _enumeration(condition: Condition, tokens: list[Token]) -> tuple[str, ...]:
    """The members of the enumeration that stands before a comparison."""
    if len(tokens) < 2 or tokens[-1].text not in _COMPARED:
        return ()
    compared = condition.type_before(len(tokens) - 1)
    return () if compared is None else compared.members


def _members(cursor: Cursor, condition: Condition, of: Type | None, prefix: str) -> Iterator[Completion]:
    if of is None:
        return
    for number, (name, type_) in enumerate(condition.fields(of).items()):
        yield _name(cursor, prefix, name, type_, f"{FIELD}{number:04}", "name")
    for number, (name, function) in enumerate(methods(of).items()):
        yield _call(cursor, prefix, name, function, of, f"{METHOD}{number:04}")


def _values(cursor: Cursor, condition: Condition, tokens: list[Token], prefix: str) -> Iterator[Completion]:
    quote = '"' if cursor.scalar.style == "single" else "'"
    place = cursor.range(len(prefix), _rest(cursor))
    for number, value in enumerate(_enumeration(condition, tokens)):
        yield Completion(value, "value", quote + value + quote, place, f"{FIELD}{number:04}", "enumeration")
    for number, (name, type_) in enumerate(condition.scope.items()):
        yield _name(cursor, prefix, name, type_, f"{VARIABLE}{number:04}", "variable")
    for number, (name, function) in enumerate(GLOBAL.items()):
        yield _call(cursor, prefix, name, function, None, f"{FUNCTION}{number:04}")


def _name(cursor: Cursor, prefix: str, name: str, of: Type | None, sort: str, kind: str) -> Completion:
    detail = "dyn" if of is None else type_text(of)
    place = cursor.range(len(prefix), _rest(cursor))
    return Completion(name, "variable" if kind == "variable" else "name", name, place, sort, detail)


def _call(cursor: Cursor, prefix: str, name: str, function: Function, of: Type | None, sort: str) -> Completion:
    gives = of if function.itself else function.gives
    detail = f"{name}({function.takes}): {'dyn' if gives is None else type_text(gives)}"
    after = _rest(cursor)
    is_called = cursor.after[after : after + 1] == "("
    text = name if is_called else f"{name}()" if not function.takes else f"{name}("
    return Completion(name, "function", text, cursor.range(len(prefix), after), sort, detail)


def _rest(cursor: Cursor, further: str = "") -> int:
    """How many characters of the word at the cursor stand behind it."""
    after = cursor.after
    return next(
        (at for at, sign in enumerate(after) if not (sign.isalnum() or sign == "_" or sign in further)), len(after)
    )
