"""Names, fields and functions that the schema and CEL do not have, and the name that was meant."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from trialrun.values.cel.builtins import GLOBAL, LENGTHS, MEMBER, NAMESPACES
from trialrun.values.cel.extensions import enabled_members, enabled_namespaces
from trialrun.values.cel.suggest import MOST_LISTED, nearest
from trialrun.values.cel.syntax_tree import MACROS, Node, bound, is_has, is_macro
from trialrun.values.cel.type_schema import Schema
from trialrun.values.problem import Problem
from trialrun.values.similarity import Index


def undeclared_field(node: Node, field: str, type_name: str, schema: Schema) -> Problem:
    """A field that a type of the schema does not have."""
    named = _field_node(node, field)
    fields = _fields(schema, type_name)
    near = nearest(field, fields)
    advice = f'did you mean "{near}"?' if near else f"its fields are {_listed(fields)}"
    message = f'{type_name} has no field "{field}"; {advice}'
    return Problem("undeclared", named.name_start, named.name_end, message, near)


def _field_node(node: Node, field: str) -> Node:
    if is_has(node):
        return node.children[0]
    return node


def undeclared_name(node: Node, around: tuple[Node, ...], schema: Schema) -> Problem | None:
    """A name that neither the schema declares nor a macro around it binds; None where another problem says it."""
    root = node.children[0] if is_has(node) else node
    while root.kind == "select":
        root = root.children[0]
    scope = [name for each in around if is_macro(each) for name in bound(each)]
    if _is_explained(root.name, around):
        return None
    variables = _variables(schema)
    near = nearest(root.name, variables, *scope)
    if near is None and any(map(_lacks_variable, around)):
        return None
    advice = f'did you mean "{near}"?' if near else f"the names are {_listed(variables, *scope)}"
    return Problem("undeclared", root.name_start, root.name_end, f'there is no "{root.name}"; {advice}', near)


def _is_explained(name: str, around: tuple[Node, ...]) -> bool:
    """The name is that of functions, or the variable of a macro that is misspelt or lacks an argument."""
    calls = [each for each in around if each.kind == "call"]
    if name in NAMESPACES and calls:
        return True
    return any(_is_meant_as_macro(each) and _first_name(each) == name for each in calls)


def _first_name(call: Node) -> str | None:
    names = [each.name for each in call.arguments if each.kind == "name"]
    return names[0] if names else None


def _is_meant_as_macro(call: Node) -> bool:
    """A call with a variable of its own: a macro's name misspelt, or a function that CEL has not, as `sum(i, i.a)`."""
    macros = ["bind"] if _first_name(call) and call.receiver and call.children[0].name == "cel" else list(MACROS)
    if is_macro(call):
        return False
    if call.receiver and len(call.arguments) > 1 and call.arguments[0].kind == "name" and call.name not in MEMBER:
        return True
    return call.name in macros or nearest(call.name, MEMBER | set(macros)) in macros


def _lacks_variable(node: Node) -> bool:
    """`items.exists(i.a > 1)`: the variable that the condition reads is not introduced."""
    return node.kind == "call" and node.receiver and node.name in MACROS and len(node.arguments) == 1


def undeclared_function(node: Node, extensions: frozenset[str]) -> Problem:
    """A function that CEL does not have, or has in another form; none of a library that is off is proposed."""
    name, count = node.name, len(node.arguments)
    if name in ("not", "NOT", "Not") and not node.receiver and count == 1:
        return _told("syntax", node, f'"{name}" is not a function of CEL; write !', "!")
    if name in LENGTHS and name != "size" and (count == 0 if node.receiver else count == 1):
        return _told("syntax", node, f"CEL has no {name}(); write size()", "size")
    namespace = node.children[0].name if node.receiver and node.children[0].kind == "name" else ""
    if namespace in NAMESPACES:
        return _unknown(node, f"{namespace}.{name}", enabled_namespaces(extensions).get(namespace, ()))
    known = MEMBER if node.receiver else GLOBAL
    if name in known:
        return _told("type", node, f"{_called(node)} is not called with {_counted(count)}; {_form(name)}")
    if name in (MEMBER | GLOBAL):
        return _told("type", node, f"{_called(node)} is not how {name} is called; {_form(name)}")
    return _unknown(node, name, enabled_members(extensions) if node.receiver else GLOBAL)


def _unknown(node: Node, shown: str, known: Iterable[str]) -> Problem:
    near = nearest(node.name, known)
    advice = f'did you mean "{near}"?' if near else "check its spelling"
    return _told("undeclared", node, f"there is no function {shown}(); {advice}", near)


def _called(node: Node) -> str:
    return f"a.{node.name}()" if node.receiver else f"{node.name}()"


def _counted(count: int) -> str:
    return f"{count or 'no'} argument{'' if count == 1 else 's'}"


def _form(name: str) -> str:
    if name in MACROS:
        return f"write list.{name}(x, …) with what is said of each x"
    if name == "has":
        return "write has(a.b)"
    if name == "size":
        return "write a.size()"
    return f"write {name}(a)" if name in GLOBAL and name not in MEMBER else f"write a.{name}(…)"


def undeclared_message(node: Node) -> Problem:
    """A type that is made with `Type{…}` and does not exist."""
    return _told("undeclared", node, f'there is no type "{node.name}" to make here; compare the fields one by one')


def unselectable(node: Node, type_name: str, around: tuple[Node, ...], extensions: frozenset[str]) -> Problem:
    """A field that is asked of a value that has no fields: a text, a number, a list."""
    has_size = type_name in ("string", "bytes") or type_name.startswith(("list(", "map("))
    if has_size and node.name in LENGTHS and not (around and is_has(around[-1])):
        return _told("syntax", node, f"CEL has no .{node.name} without a call; write .size()", "size()")
    if node.name in enabled_members(extensions) and node.name not in MACROS:
        return _told("undeclared", node, f"{node.name} is a function; write {node.name}()", f"{node.name}()")
    advice = "ask it of one item, as in .exists(x, x.…)" if type_name.startswith("list(") else "remove it"
    return _told("undeclared", node, f'{type_name} has no field "{node.name}"; {advice}')


def _told(code: str, node: Node, message: str, replacement: str | None = None) -> Problem:
    return Problem(code, node.name_start, node.name_end, message, replacement)


@lru_cache(maxsize=64)
def _fields(schema: Schema, type_name: str) -> Index:
    return Index(schema.types.get(type_name, ()))


@lru_cache(maxsize=4)
def _variables(schema: Schema) -> Index:
    return Index(schema.variables)


def _listed(names: Index, *further: str) -> str:
    every = sorted({*names.ordered[: MOST_LISTED + 1], *further})
    return ", ".join(every[:MOST_LISTED]) + (", …" if len(every) > MOST_LISTED else "") or "none"
