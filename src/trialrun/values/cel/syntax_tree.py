"""The syntax tree of a CEL text: what every part is, exactly where it is, and its type where it is known.

The engine decides what parses; it expands macros and keeps one place per part, so the tree that people
see is read here, over the same text, and takes its types from the engine by place. Conditions that differ only in
whitespace, comments, parentheses and spelling of literals have one canonical form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

LiteralValue = str | bytes | int | float | bool | None

# a macro's name: at how many arguments it is one, and which of them is the condition or the result
MACROS = {
    "all": (2, 3), "exists": (2, 3), "exists_one": (2,), "existsOne": (3,), "filter": (2,), "map": (2, 3),
    "transformList": (3, 4), "transformMap": (3, 4), "transformMapEntry": (3, 4), "optMap": (2,), "optFlatMap": (2,),
}  # fmt: skip
MAX_DEPTH = 200
TWO_VARIABLES = ("transformList", "transformMap", "transformMapEntry", "existsOne")


@dataclass(slots=True)
class Node:
    """A part of a CEL text, which nobody changes; it is not frozen, since making it would take twice as long.

    `kind` is literal (`name` is its type, `value` its value), name, select, index, call, operator, conditional,
    list, map or message. `children` are the operands in their order; of a call with a `receiver`, it is the first;
    of a map or message, keys and values by turns. The value of a name is "." where a dot
    is written before it. `start` and `end` include parentheses around the part.
    `name_start` and `name_end` are the place of its name or operator; `engine_offset` is the engine's place for it.
    """

    kind: str
    name: str
    start: int
    end: int
    engine_offset: int
    name_start: int
    name_end: int
    children: tuple[Node, ...] = ()
    value: LiteralValue = None
    type: str = "dyn"
    receiver: bool = False
    optional: bool = False

    @property
    def arguments(self) -> tuple[Node, ...]:
        """What a call is given in its parentheses."""
        return self.children[1:] if self.receiver else self.children


def is_macro(node: Node) -> bool:
    """This is a call that binds a variable for its last arguments: exists, map, cel.bind and the like."""
    if node.kind != "call" or not node.receiver:
        return False
    if node.name == "bind":
        return (node.children[0].kind, node.children[0].name, len(node.children)) == ("name", "cel", 4)
    return len(node.children) - 1 in MACROS.get(node.name, ())


def is_has(node: Node) -> bool:
    """This is the macro `has(a.b)`."""
    if node.kind != "call" or node.receiver or node.name != "has" or len(node.children) != 1:
        return False
    return node.children[0].kind == "select"


def namespace(node: Node) -> str:
    """The plain name before the dot of a call, which may be that of a namespace; empty if there is none."""
    is_member = node.kind == "call" and node.receiver and node.children[0].kind == "name"
    return node.children[0].name if is_member else ""


def bound_variables(node: Node) -> tuple[str, ...]:
    """The names that a macro binds."""
    arguments = node.arguments
    two = node.name in TWO_VARIABLES or (node.name in ("all", "exists") and len(arguments) == 3)
    return tuple(argument.name for argument in arguments[: 2 if two else 1] if argument.kind == "name")


def outer_children(node: Node) -> tuple[Node, ...]:
    """The children of a macro that do not see what it binds: the range; the value of cel.bind."""
    return node.children[2:3] if node.name == "bind" else node.children[:1]


def inner_children(node: Node) -> tuple[Node, ...]:
    """The children of a macro that see what it binds."""
    return node.children[3:] if node.name == "bind" else node.arguments[len(bound_variables(node)) :]


def walk(node: Node) -> Iterator[Node]:
    """A part and all parts of it, in the order of the text; names that a macro binds are not parts."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        if node.children:
            children = node.children
            if node.kind == "call" and node.receiver and is_macro(node):
                children = (*outer_children(node), *inner_children(node))
            stack += children[::-1]


def is_too_deep(tree: Node) -> bool:
    """Whether a text has more parts within each other than a person writes, so that its names are not looked for.

    The parts of a long chain of operators are within each other too: `a + b + c` is `(a + b) + c`.
    """
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in node.children]
        if not level:
            return False
    return True


def reads_any_name(node: Node, names: AbstractSet[str]) -> bool:
    """A part reads one of these names, and not a variable of the same name that it binds itself."""
    if node.kind == "name":
        return node.name in names
    if node.kind != "call" or not is_macro(node):
        for child in node.children:  # noqa: SIM110 - `any` of a generator takes twice as long, and this is asked often
            if reads_any_name(child, names):
                return True
        return False
    within = names - set(bound_variables(node))
    outside = (reads_any_name(child, names) for child in outer_children(node))
    return any(outside) or any(reads_any_name(child, within) for child in inner_children(node))


def canonical_form(node: Node, bound: tuple[str, ...] = ()) -> str:
    """The canonical form of a part: equal exactly for equivalent parts, whatever their macros call their variables.

    `bound` are the variables around it, the outermost first.
    """
    match node.kind:
        case "literal":
            return f"{node.name} {node.value!r}"
        case "name" if node.name in bound and not node.value:
            return f"${len(bound) - bound[::-1].index(node.name)}"
        case "name":
            return ("." if node.value else "") + node.name
        case "select":
            return f"{canonical_form(node.children[0], bound)}.{'?' * node.optional}{node.name!r}"
        case "operator" if node.name in ("&&", "||"):
            return f"({f' {node.name} '.join(canonical_form(operand, bound) for operand in operands(node))})"
        case "operator" if node.name in ("!!", "--"):
            return canonical_form(node.children[0], bound)
        case _:
            mark = "." * node.receiver + "?" * node.optional
            variables = bound_variables(node) if is_macro(node) else ()
            parts = [canonical_form(child, bound) for child in (outer_children(node) if variables else node.children)]
            if variables:
                parts += [canonical_form(child, (*bound, *variables)) for child in inner_children(node)]
            inside = ", ".join(["$"] * len(variables) + parts)
            return f"{node.kind} {mark}{'' if node.kind in ('list', 'map') else node.name}({inside})"


def operands(node: Node) -> Iterator[Node]:
    """The operands of a chain of `&&` or `||`, through parentheses, since both are associative."""
    for child in node.children:
        if child.kind == "operator" and child.name == node.name:
            yield from operands(child)
        else:
            yield child


Path = tuple[str, ...]
ANY_ITEM = "*"
"""Stands in a path for any item of a list."""
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class StateRead:
    """A value of the state that a condition reads, beside literals that it is compared with there, if any.

    `relation` is the operator or the function of the comparison, such as `==` or `endsWith`.
    """

    path: Path
    relation: str = ""
    literals: tuple[LiteralValue, ...] = ()


def condition_reads(tree: Node) -> Iterator[StateRead]:
    """Everything that a condition reads, in the order of its text; variables of macros stand for items of lists."""
    yield from _reads(tree, {})


def _reads(node: Node, scope: Mapping[str, Path]) -> Iterator[StateRead]:
    yield from _comparisons(node, scope)
    path = _path(node, scope)
    if path is not None and node.kind in ("name", "select", "index"):
        yield StateRead(path)
        return
    if not is_macro(node):
        for child in node.children:
            yield from _reads(child, scope)
        return
    for child in outer_children(node):
        yield from _reads(child, scope)
    within = {**scope, **_macro_scope(node, scope)}
    for child in inner_children(node):
        yield from _reads(child, within)


def _macro_scope(node: Node, scope: Mapping[str, Path]) -> Mapping[str, Path]:
    """What the variables of a macro stand for; one of two is the item, whose index or key says nothing."""
    names, list_path = bound_variables(node), _path(outer_children(node)[0], scope) if outer_children(node) else None
    if list_path is None:
        return dict.fromkeys(names, ())
    return {names[-1]: list_path if node.name == "bind" else (*list_path, ANY_ITEM)} if names else {}


def _comparisons(node: Node, scope: Mapping[str, Path]) -> Iterator[StateRead]:
    """The comparison that a part is: by an operator, with a list of literals, or by a function of the text."""
    if node.kind == "operator" and node.name in COMPARISONS and len(node.children) == 2:
        for read, operand in (node.children, node.children[::-1]):
            yield from _comparison(read, node.name, (operand,), scope)
    elif node.kind == "operator" and node.name == "in":
        read, container = node.children
        yield from _comparison(read, "in", container.children if container.kind == "list" else (), scope)
        path = _path(container, scope)
        if path and isinstance(read.value, str) and container.kind != "list":
            yield StateRead((*path, read.value))  # `'coupon' in session.metadata` reads a value of the map
    elif node.kind == "call" and node.receiver and not is_macro(node):
        yield from _comparison(node.children[0], node.name, node.arguments, scope)


def _comparison(
    read: Node, relation: str, operands: tuple[Node, ...], scope: Mapping[str, Path]
) -> Iterator[StateRead]:
    literals = tuple(literal for operand in operands for literal in _literals(operand))
    path = _path(read, scope)
    if path and literals:
        yield StateRead(path, relation, literals)


def _literals(node: Node) -> Iterator[LiteralValue]:
    """The value of the literal that a part is; that of `timestamp('…')` is its text."""
    if node.kind == "literal":
        yield node.value
    elif node.kind == "call" and not node.receiver and node.name in ("timestamp", "duration") and node.children:
        yield from _literals(node.children[0])
    elif node.kind == "operator" and node.name == "-" and len(node.children) == 1:
        yield from (-value for value in _literals(node.children[0]) if isinstance(value, int | float))


def _path(node: Node, scope: Mapping[str, Path]) -> Path | None:
    """What a part reads; None if it is computed of what it reads."""
    if node.kind == "name":
        path = scope.get(node.name, (node.name,))
        return path or None
    if is_has(node):
        return _path(node.children[0], scope)
    holder = _path(node.children[0], scope) if node.children else None
    if holder is None:
        return None
    if node.kind == "select":
        return (*holder, node.name)
    if node.kind == "index":
        key = node.children[1].value
        return (*holder, key if isinstance(key, str) else ANY_ITEM)
    passes = node.kind == "call" and node.receiver and (node.name == "filter" or len(node.children) == 1)
    return holder if passes else None
