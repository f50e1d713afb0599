"""Descriptions of parts of a CEL condition: types, functions and operators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trialrun.lsp.describe import code, plain
from trialrun.lsp.symbols.conditions import ConditionScope
from trialrun.values import Problem, cel
from trialrun.values.cel import CheckResult, Schema
from trialrun.values.cel.builtins import describe_function, namespace_functions
from trialrun.values.cel.syntax_tree import Node, bound_variables, is_macro, outer_children
from trialrun.values.cel.tokens import tokenize
from trialrun.values.cel.type_schema import SchemaError, format_type, parse_type

LONGEST = 60
OF_TIME = ("timestamp", "duration")


@dataclass(frozen=True)
class DescribedPart:
    """A part of a condition: its range in the text, and its description.

    `is_word` means that it is a name or string that the workspace may declare; `field` is the type and name of a field
    access; `given` is the function, `timestamp` or `duration`, and its argument.
    """

    start: int
    end: int
    paragraphs: tuple[str, ...]
    is_word: bool = False
    field: tuple[str, str] | None = None
    given: tuple[str, str] | None = None


def describe_part(text: str, at: int, schema: Schema, *, result: str = "bool") -> DescribedPart | None:
    """The innermost part of a condition around a character; in an invalid condition, what is known of the word there.

    `result` is the type that the whole condition must have.
    """
    check = cel.check_expression(text, schema=schema, result=result)
    if check.tree is None or (check.problems and check.type is None):
        return _word_at(text, at, schema)
    around = [node for node in cel.walk(check.tree) if node.start <= at < node.end]
    if not around:
        return None
    node = min(around, key=lambda one: one.end - one.start)
    bound = node.arguments[: len(bound_variables(node))] if is_macro(node) else ()
    for name in bound:
        if name.start <= at < name.end:
            return DescribedPart(name.start, name.end, tuple(_bound(text, node, name, schema)))
    calls = (call for call in cel.walk(check.tree) if call.kind == "call" and call.name in OF_TIME and call.children)
    given = ((call.name, call.children[0].value) for call in calls if call is node or node in call.children)
    return DescribedPart(
        node.start,
        node.end,
        tuple(_paragraphs(text, node, check, schema)),
        is_word=node.kind in ("name", "select", "literal"),
        field=(node.children[0].type, node.name) if node.kind == "select" else None,
        given=next(((name, value) for name, value in given if isinstance(value, str)), None),
    )


def type_paragraphs(shown: str, of: str, schema: Schema) -> Iterator[str]:
    """The text of a part, its type, and the fields of the type."""
    yield f"{code(_shortened(shown))}: {code(of)}"
    fields = schema.types.get(of.removesuffix("?"))
    if fields:
        yield "Fields: " + ", ".join(f"{code(name)} {plain(type_)}" for name, type_ in fields.items())


def function_docs(name: str, library: str = "") -> Iterator[str]:
    """The usage and description of a function or operator; empty if unknown. `library` is that of the schema."""
    known = describe_function(name, library)
    if known:
        yield f"{code(known[0])}: {known[1]}"


def _bound(text: str, macro: Node, name: Node, schema: Schema) -> Iterator[str]:
    """The description of a variable that a macro binds, with its type."""
    over, index = outer_children(macro)[0], macro.arguments.index(name)
    shown = code(_shortened(text[over.start : over.end]))
    if macro.name == "bind":
        yield from type_paragraphs(name.name, over.type, schema)
        yield f"The value of {shown}."
        return
    try:
        parameters, is_list = (
            (type_ := parse_type(over.type, known_types=schema.types)).parameters,
            type_.name == "list",
        )
    except SchemaError:
        parameters, is_list = (), False
    of = "dyn"
    if is_list and parameters:  # of two variables, the first is the index
        of = "int" if index == 0 and len(bound_variables(macro)) > 1 else format_type(parameters[0])
    elif parameters:
        of = format_type(parameters[index])
    yield from type_paragraphs(name.name, of, schema)
    yield f"Each element of {shown} in turn."


def _paragraphs(text: str, node: Node, check: CheckResult, schema: Schema) -> Iterator[str]:
    yield from type_paragraphs(text[node.start : node.end], node.type, schema)
    if node.kind in ("call", "operator", "conditional"):
        yield from function_docs(_function_name(node, schema), schema.library)
    if node.kind == "select":
        of = schema.fields.get(node.children[0].type.removesuffix("?"), {}).get(node.name)
        if of and of.members:
            yield "Values: " + ", ".join(map(code, of.members))
    if check.constant is not None and check.tree is node:
        yield f"The condition is always {str(check.constant).lower()}."


def _function_name(node: Node, schema: Schema) -> str:
    """The name of a call or operator, with its namespace."""
    if node.kind == "conditional":
        return "? :"
    first = node.children[0] if node.receiver else None
    functions = namespace_functions(schema.library).get(first.name, ()) if first and first.kind == "name" else ()
    if first is not None and any(function.name == node.name for function in functions):
        return f"{first.name}.{node.name}"
    return node.name.removesuffix("_")


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2].rstrip()} … {text[-LONGEST // 2 :].lstrip()}"


def _word_at(text: str, at: int, schema: Schema) -> DescribedPart | None:
    """The description of the name or operator at a character; None if unknown."""
    problems: list[Problem] = []
    tokens = tokenize(text, problems)
    index = next((place for place, one in enumerate(tokens) if one.start <= at < one.end), None)
    if index is None:
        return None
    token, docs = tokens[index], list[str]()
    if token.kind == "operator":
        docs += function_docs("? :" if token.text in ("?", ":") else token.text)
    elif token.kind == "name" and tokens[index + 1 : index + 2] and tokens[index + 1].text == "(":
        has_dot = index >= 2 and tokens[index - 1].text == "."
        spaced = f"{tokens[index - 2].text}.{token.text}" if has_dot else token.text
        docs += [*function_docs(spaced, schema.library)] or function_docs(token.text, schema.library)
    elif token.kind == "name":
        of = ConditionScope(tokens[: index + 1], schema).type_before(index + 1)
        if of is not None:
            start = index
            while start >= 2 and tokens[start - 1].text == "." and tokens[start - 2].kind == "name":
                start -= 2
            first, last = tokens[start].start, token.end
            words = tuple(type_paragraphs(text[first:last], format_type(of), schema))
            return DescribedPart(first, last, words, is_word=True)
        docs += function_docs(token.text)
    return DescribedPart(token.start, token.end, tuple(docs)) if docs else None
