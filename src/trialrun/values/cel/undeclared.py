"""Names, fields and functions that the schema and CEL do not have, and the name that was meant."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from trialrun.values.cel.builtins import (
    LENGTH_SYNONYMS,
    MEMBER_FUNCTIONS,
    describe_function,
    global_functions,
    namespace_functions,
)
from trialrun.values.cel.extensions import ALL_EXTENSIONS, enabled_members, enabled_namespaces
from trialrun.values.cel.suggest import MAX_LISTED, suggest_name
from trialrun.values.cel.syntax_tree import MACROS, Node, bound_variables, is_has, is_macro
from trialrun.values.cel.type_schema import Schema
from trialrun.values.problem import Problem
from trialrun.values.similarity import NameIndex


def undeclared_field(node: Node, field: str, type_name: str, schema: Schema) -> Problem:
    """A field that a type of the schema does not have."""
    field_node = _field_node(node, field)
    fields = _field_index(schema, type_name)
    near = suggest_name(field, fields)
    advice = f'did you mean "{near}"?' if near else f"its fields are {_format_names(fields)}"
    message = f'{type_name} has no field "{field}"; {advice}'
    return Problem("undeclared", field_node.name_start, field_node.name_end, message, near)


def _field_node(node: Node, field: str) -> Node:
    if is_has(node):
        return node.children[0]
    return node


def undeclared_name(node: Node, around: tuple[Node, ...], schema: Schema) -> Problem | None:
    """A name that neither the schema declares nor a macro around it binds; None if another problem says it."""
    root = node.children[0] if is_has(node) else node
    while root.kind == "select":
        root = root.children[0]
    scope = [name for node in around if is_macro(node) for name in bound_variables(node)]
    if _is_reported_elsewhere(root.name, around, schema):
        return None
    variables = _variable_index(schema)
    near = suggest_name(root.name, variables, *scope)
    if near is None and any(map(_lacks_variable, around)):
        return None
    advice = f'did you mean "{near}"?' if near else f"the names are {_format_names(variables, *scope)}"
    return Problem("undeclared", root.name_start, root.name_end, f'there is no "{root.name}"; {advice}', near)


def _is_reported_elsewhere(name: str, around: tuple[Node, ...], schema: Schema) -> bool:
    """The name is that of functions, or the variable of a macro that is misspelt or lacks an argument."""
    calls = [node for node in around if node.kind == "call"]
    if name in namespace_functions(schema.library) and calls:
        return True
    return any(_looks_like_macro(call) and _first_name(call) == name for call in calls)


def _first_name(call: Node) -> str | None:
    names = [argument.name for argument in call.arguments if argument.kind == "name"]
    return names[0] if names else None


def _looks_like_macro(call: Node) -> bool:
    """A call with a variable of its own: a macro's name misspelt, or a function that CEL has not, as `sum(i, i.a)`."""
    macros = ["bind"] if _first_name(call) and call.receiver and call.children[0].name == "cel" else list(MACROS)
    if is_macro(call):
        return False
    if (
        call.receiver
        and len(call.arguments) > 1
        and call.arguments[0].kind == "name"
        and call.name not in MEMBER_FUNCTIONS
    ):
        return True
    return call.name in macros or suggest_name(call.name, MEMBER_FUNCTIONS | set(macros)) in macros


def _lacks_variable(node: Node) -> bool:
    """`items.exists(i.a > 1)`: the variable that the condition reads is not introduced."""
    return node.kind == "call" and node.receiver and node.name in MACROS and len(node.arguments) == 1


def undeclared_function(node: Node, schema: Schema, extensions: frozenset[str]) -> Problem:
    """A function that CEL does not have, or has in another form; none of a library that is off is proposed."""
    name, count = node.name, len(node.arguments)
    if name in ("not", "NOT", "Not") and not node.receiver and count == 1:
        return _problem_at("syntax", node, f'"{name}" is not a function of CEL; write !', "!")
    if name in LENGTH_SYNONYMS and name != "size" and (count == 0 if node.receiver else count == 1):
        return _problem_at("syntax", node, f"CEL has no {name}(); write size()", "size")
    namespace = node.children[0].name if node.receiver and node.children[0].kind == "name" else ""
    if namespace in namespace_functions(schema.library):
        return _undeclared_in_namespace(node, namespace, schema, extensions)
    globals_ = frozenset(function.name for function in global_functions(schema.library))
    known_functions = MEMBER_FUNCTIONS if node.receiver else globals_
    if name in known_functions:
        message = f"{_call_form(node)} is not called with {_count_arguments(count)}; {_usage_hint(name, schema)}"
        return _problem_at("type", node, message)
    if name in (MEMBER_FUNCTIONS | globals_):
        return _problem_at("type", node, f"{_call_form(node)} is not how {name} is called; {_usage_hint(name, schema)}")
    return _unknown_function(node, name, enabled_members(extensions) if node.receiver else globals_)


def _undeclared_in_namespace(node: Node, namespace: str, schema: Schema, extensions: frozenset[str]) -> Problem:
    """A function that a namespace does not have, or has with other arguments."""
    of_library = frozenset(function.name for function in namespace_functions(schema.library)[namespace])
    name, usage = f"{namespace}.{node.name}", describe_function(f"{namespace}.{node.name}", schema.library)
    if node.name in of_library and usage is not None and namespace not in enabled_namespaces(ALL_EXTENSIONS):
        message = f"{name}() is not called with {_count_arguments(len(node.arguments))}; write {usage[0]}"
        return _problem_at("type", node, message)
    enabled = enabled_namespaces(extensions).get(namespace, ())
    return _unknown_function(node, name, enabled if namespace in enabled_namespaces(ALL_EXTENSIONS) else of_library)


def _unknown_function(node: Node, call_text: str, known_names: Iterable[str]) -> Problem:
    near = suggest_name(node.name, known_names)
    advice = f'did you mean "{near}"?' if near else "check the spelling"
    return _problem_at("undeclared", node, f"there is no function {call_text}(); {advice}", near)


def _call_form(node: Node) -> str:
    return f"a.{node.name}()" if node.receiver else f"{node.name}()"


def _count_arguments(count: int) -> str:
    return f"{count or 'no'} argument{'' if count == 1 else 's'}"


def _usage_hint(name: str, schema: Schema) -> str:
    if name in MACROS:
        return f"write list.{name}(x, …) with a condition on x"
    if name == "has":
        return "write has(a.b)"
    if name == "size":
        return "write a.size()"
    usage = describe_function(name, schema.library) if describe_function(name) is None else None
    if usage is not None:
        return f"write {usage[0]}"
    is_global = any(function.name == name for function in global_functions(""))
    return f"write {name}(a)" if is_global and name not in MEMBER_FUNCTIONS else f"write a.{name}(…)"


def unknown_message_type(node: Node) -> Problem:
    """A type that is made with `Type{…}` and does not exist."""
    return _problem_at(
        "undeclared", node, f'there is no type "{node.name}" to construct here; compare the fields one by one'
    )


def not_a_message(node: Node, type_name: str, around: tuple[Node, ...], extensions: frozenset[str]) -> Problem:
    """A field that is asked of a value that has no fields: a text, a number, a list."""
    has_size = type_name in ("string", "bytes") or type_name.startswith(("list(", "map("))
    if has_size and node.name in LENGTH_SYNONYMS and not (around and is_has(around[-1])):
        return _problem_at("syntax", node, f"CEL has no .{node.name} without a call; write .size()", "size()")
    if node.name in enabled_members(extensions) and node.name not in MACROS:
        return _problem_at("undeclared", node, f"{node.name} is a function; write {node.name}()", f"{node.name}()")
    advice = "read it from one item, as in .exists(x, x.…)" if type_name.startswith("list(") else "remove it"
    return _problem_at("undeclared", node, f'{type_name} has no field "{node.name}"; {advice}')


def _problem_at(code: str, node: Node, message: str, replacement: str | None = None) -> Problem:
    return Problem(code, node.name_start, node.name_end, message, replacement)


@lru_cache(maxsize=64)
def _field_index(schema: Schema, type_name: str) -> NameIndex:
    return NameIndex(schema.types.get(type_name, ()))


@lru_cache(maxsize=4)
def _variable_index(schema: Schema) -> NameIndex:
    return NameIndex(schema.variables)


def _format_names(names: NameIndex, *further: str) -> str:
    every = sorted({*names.sorted_names[: MAX_LISTED + 1], *further})
    return ", ".join(every[:MAX_LISTED]) + (", …" if len(every) > MAX_LISTED else "") or "none"
