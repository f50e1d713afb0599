"""Descriptions of parts of a CEL condition: types, functions and operators."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.describe.markdown import code, plain
from trialrun.lsp.symbols.condition_scope import ConditionScope
from trialrun.values import cel
from trialrun.values.cel import CheckResult, Schema, walk
from trialrun.values.cel.builtins import describe_function, namespace_functions
from trialrun.values.cel.syntax_tree import Node, bound_variables, is_macro, outer_children
from trialrun.values.cel.tokens import Token, tokenize
from trialrun.values.cel.type_schema import Type, TypeTextError, format_type, parse_type
from trialrun.values.cel.type_schema import format_type as text_of
from trialrun.values.problem import Problem

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
    named = _binding(node, at) if is_macro(node) else None
    if named is not None:
        return DescribedPart(named.start, named.end, tuple(_bound(text, node, named, schema)))
    is_word = node.kind in ("name", "select", "literal")
    field = (node.children[0].type, node.name) if node.kind == "select" else None
    return DescribedPart(
        node.start, node.end, tuple(_paragraphs(text, node, check, schema)), is_word, field, _given(node, check)
    )


def _given(node: Node, check: CheckResult) -> tuple[str, str] | None:
    """The function and argument of the timestamp or duration that a part is, or is an argument of."""
    calls = (node for node in walk(check.tree) if node.kind == "call" and node.name in OF_TIME) if check.tree else ()
    around = (call for call in calls if call is node or node in call.children)
    texts = ((node.name, node.children[0].value) for node in around if node.children)
    return next(((name, text) for name, text in texts if isinstance(text, str)), None)


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


def _binding(macro: Node, at: int) -> Node | None:
    """The variable of a macro at a character."""
    names = macro.arguments[: len(bound_variables(macro))]
    return next((name for name in names if name.start <= at < name.end), None)


def _bound(text: str, macro: Node, name: Node, schema: Schema) -> Iterator[str]:
    """The description of a variable that a macro binds, with its type."""
    over = outer_children(macro)[0]
    is_value = macro.name == "bind"
    of = (
        over.type
        if is_value
        else _of_elements(over.type, macro.arguments.index(name), len(bound_variables(macro)), schema)
    )
    yield from type_paragraphs(name.name, of, schema)
    shown = code(_shortened(text[over.start : over.end]))
    yield f"The value of {shown}." if is_value else f"Each element of {shown} in turn."


def _of_elements(type_text: str, index: int, names: int, schema: Schema) -> str:
    """The type of a macro variable: elements, keys, or both with their indexes or values."""
    over = _read(type_text, schema)
    if over is None or not over.parameters:
        return "dyn"
    if over.name == "list":
        return "int" if names > 1 and index == 0 else text_of(over.parameters[0])
    return text_of(over.parameters[index])


def _read(type_text: str, schema: Schema) -> Type | None:
    try:
        return parse_type(type_text, known_types=schema.types)
    except TypeTextError:
        return None


def _paragraphs(text: str, node: Node, check: CheckResult, schema: Schema) -> Iterator[str]:
    yield from type_paragraphs(text[node.start : node.end], node.type, schema)
    if node.kind in ("call", "operator", "conditional"):
        yield from function_docs(_name(node, schema), schema.library)
    members = _members(node, schema)
    if members:
        yield "Values: " + ", ".join(map(code, members))
    if check.constant is not None and check.tree is node:
        yield f"The condition is always {str(check.constant).lower()}."


def _name(node: Node, schema: Schema) -> str:
    """The name of a call or operator, with its namespace."""
    if node.kind == "conditional":
        return "? :"
    first = node.children[0] if node.receiver else None
    functions = namespace_functions(schema.library).get(first.name, ()) if first and first.kind == "name" else ()
    if first is not None and any(function.name == node.name for function in functions):
        return f"{first.name}.{node.name}"
    return node.name.removesuffix("_")


def _members(node: Node, schema: Schema) -> tuple[str, ...]:
    """The values of the enum that is the type of a field."""
    if node.kind != "select":
        return ()
    of = schema.fields.get(node.children[0].type.removesuffix("?"), {}).get(node.name)
    return of.members if of else ()


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2].rstrip()} … {text[-LONGEST // 2 :].lstrip()}"


def _word_at(text: str, at: int, schema: Schema) -> DescribedPart | None:
    """The description of the name or operator at a character; None if unknown."""
    problems: list[Problem] = []
    tokens = tokenize(text, problems)
    index = next((place for place, one in enumerate(tokens) if one.start <= at < one.end), None)
    if index is None:
        return None
    token = tokens[index]
    if token.kind == "operator":
        return _typed(token.start, token.end, *function_docs("? :" if token.text in ("?", ":") else token.text))
    if token.kind != "name":
        return None
    if tokens[index + 1 : index + 2] and tokens[index + 1].text == "(":
        return _typed(token.start, token.end, *_function_at(tokens, index, schema.library))
    return _name_at(text, tokens, index, schema)


def _function_at(tokens: list[Token], index: int, library: str) -> tuple[str, ...]:
    """The called function, with its namespace if it has one."""
    name = tokens[index].text
    spaced = f"{tokens[index - 2].text}.{name}" if index >= 2 and tokens[index - 1].text == "." else name
    return tuple(function_docs(spaced, library)) or tuple(function_docs(name, library))


def _name_at(text: str, tokens: list[Token], index: int, schema: Schema) -> DescribedPart | None:
    """A variable or field whose type follows from the tokens before it."""
    start = index
    while start >= 2 and tokens[start - 1].text == "." and tokens[start - 2].kind == "name":
        start -= 2
    of = ConditionScope(tokens[: index + 1], schema).type_before(index + 1)
    if of is None:
        return _typed(tokens[index].start, tokens[index].end, *function_docs(tokens[index].text))
    first, last = tokens[start].start, tokens[index].end
    return DescribedPart(first, last, tuple(type_paragraphs(text[first:last], format_type(of), schema)), is_word=True)


def _typed(start: int, end: int, *paragraphs: str) -> DescribedPart | None:
    return DescribedPart(start, end, paragraphs) if paragraphs else None
