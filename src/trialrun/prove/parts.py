"""The parts of a condition that are decided as wholes, and what each of them asks of an order line.

Quantifiers over `map` have become plain ones before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trialrun.prove.reads import COMPARISONS, Reader, Unsupported, literal_integer
from trialrun.values.cel import Node, Schema
from trialrun.values.cel import compile as compile_cel
from trialrun.values.cel.syntax_tree import bound_variables, inner_children, is_macro, outer_children, walk

MAX_MAPS = 20
_MODIFIER_PARTS = ("modifierGroups", "modifiers")
_DUAL = {"exists": "all", "all": "exists"}


@dataclass(frozen=True, slots=True)
class LinePart:
    """A largest part that reads order lines alone: its text, and the fields that it reads of each variable.

    `is_exact` is one that also reads the state or several lines: items are told apart by what it reads. Where
    quantities or modifiers are used otherwise than by intervals and sets, lines of one kind may differ in it.
    """

    text: str
    node: Node
    fields: Mapping[str, frozenset[str]]
    is_exact: bool
    source: str

    def reads(self, field: str) -> bool:
        """Whether a field of some variable is read."""
        return any(field in fields for fields in self.fields.values())


def line_parts(node: Node, text: str, reader: Reader, lines: frozenset[str] = frozenset()) -> Iterator[LinePart]:
    """The parts of a condition that read fields of lines, as `Translator.truth` comes to them."""
    if is_logic(node):
        for child in node.children:
            yield from line_parts(child, text, reader, lines)
        return
    reads = reader.reads(node, lines)
    if reads.fields:
        fields = {name: frozenset(field for each, field in reads.fields if each == name) for name, _ in reads.fields}
        is_exact = not reads.is_ground or len(fields) > 1
        yield LinePart(text[node.start : node.end], node, fields, is_exact, text)
    if reads.is_ground:
        return
    if is_macro(node) and outer_children(node) and reader.is_lines(outer_children(node)[0], lines):
        yield from line_parts(outer_children(node)[0], text, reader, lines)
        for child in inner_children(node):
            yield from line_parts(child, text, reader, lines | set(bound_variables(node)))
        return
    for child, _ in reader.children(node, frozenset()):
        yield from line_parts(child, text, reader, lines)


def without_maps(text: str, schema: Schema) -> str:
    """A condition with quantifiers over the lines themselves instead of over one field that `map` takes of them.

    `lines.map(i, i.f).exists(q, …)` becomes `lines.exists(i, …)`, and `x in lines.map(i, i.f)` too. What it is true of
    stays the same, since a field of a line never fails.
    """
    for _ in range(MAX_MAPS):
        tree = compile_cel(text, schema=schema).tree
        found = next(filter(None, (_mapped(node, text) for node in walk(tree))), None)
        if found is None:
            break
        start, end, replacement = found
        text = text[:start] + replacement + text[end:]
    return text


def _mapped(node: Node, text: str) -> tuple[int, int, str] | None:
    """The place and the new text of a quantifier over a map."""
    is_member = node.kind == "operator" and node.name == "in" and node.children[0].kind == "literal"
    is_quantifier = is_macro(node) and node.name in ("exists", "all", "exists_one") and len(node.arguments) == 2
    mapped = node.children[1] if is_member else outer_children(node)[0] if is_quantifier else None
    if mapped is None or not is_macro(mapped) or mapped.name != "map" or len(mapped.arguments) != 2:
        return None
    variable, field = (mapped.arguments[0].name, mapped.arguments[1])
    if field.kind != "select" or (field.children[0].kind, field.children[0].name) != ("name", variable):
        return None
    lines = text[mapped.children[0].start : mapped.children[0].end]
    value = f"{variable}.{field.name}"
    if is_member:
        literal = text[node.children[0].start : node.children[0].end]
        return node.start, node.end, f"({lines}.exists({variable}, {value} == {literal}))"
    element, body = node.arguments[0].name, node.arguments[1]
    names = [part for part in walk(body) if part.kind == "name"]
    bound = {name for part in walk(body) if is_macro(part) for name in bound_variables(part)}
    if variable in {part.name for part in names} - {element} or bound & {variable, element}:
        return None
    new, place = "", body.start
    for part in sorted((part for part in names if part.name == element), key=lambda part: part.start):
        new, place = new + text[place : part.start] + value, part.end
    return node.start, node.end, f"{lines}.{node.name}({variable}, {new}{text[place : body.end]})"


def is_logic(node: Node) -> bool:
    """Whether a part is an operator of logic, which is translated part by part."""
    return (node.kind == "operator" and node.name in ("&&", "||", "!", "!!")) or node.kind == "conditional"


def is_quantity(node: Node) -> bool:
    return node.kind == "select" and node.name == "quantity" and node.children[0].kind in ("name", "index")


def quantity_uses(node: Node) -> Iterator[Node]:
    """The comparisons within a part that quantities are in. Raises Unsupported where one is in something else."""
    if not any(map(is_quantity, walk(node))):
        return
    if node.kind == "operator" and node.name in (*COMPARISONS, "in"):
        yield node
    elif (node.kind == "operator" and node.name in ("&&", "||", "!", "!!")) or node.kind == "conditional":
        for child in node.children:
            yield from quantity_uses(child)
    else:
        raise Unsupported("a quantity that is not compared")


def is_monotone(node: Node, is_value: Any) -> bool:
    """Whether a comparison has a value once, under what only grows or only falls with it."""
    if node.kind != "operator" or node.name not in COMPARISONS or sum(map(is_value, walk(node))) != 1:
        return False
    return all(_grows_or_falls(child, is_value) for child in node.children)


def _grows_or_falls(node: Node, is_value: Any) -> bool:
    if is_value(node) or not any(map(is_value, walk(node))):
        return True
    if node.kind == "call" and not node.receiver and node.name in ("double", "int") and len(node.children) == 1:
        return _grows_or_falls(node.children[0], is_value)
    if node.kind != "operator" or node.name not in ("+", "-", "*", "/"):
        return False
    if node.name == "/" and any(map(is_value, walk(node.children[-1]))):
        return False
    return all(_grows_or_falls(child, is_value) for child in node.children)


def reads_sets_of_modifiers(node: Node, members: frozenset[str] = frozenset()) -> bool:
    """Whether a part asks only which modifiers a line has, and neither how many nor in which order.

    `members` are the variables of groups and modifiers around it.
    """
    if node.kind == "select":
        if node.name in _MODIFIER_PARTS or (node.name == "quantity" and node.children[0].name in members):
            return False
        return node.children[0].kind == "name" or reads_sets_of_modifiers(node.children[0], members)
    if node.kind == "name":
        return node.name not in members
    if is_macro(node):
        return node.name in ("exists", "all") and _is_set_macro(node, members)
    if node.kind == "operator" and node.name in COMPARISONS:
        sizes = [child for child in node.children if child.kind == "call" and child.name == "size"]
        zero = any(literal_integer(child) == 0 for child in node.children)
        if len(sizes) == 1 and zero and _is_modifier_list(sizes[0].children[0], members):
            return True
    return all(reads_sets_of_modifiers(child, members) for child in node.children)


def asks_pairs(node: Node) -> bool:
    """Whether a part asks only for groups with one of their modifiers, so that groups need not be told apart.

    `all` within `exists`, two modifiers of one group, and the like ask for more.
    """
    macros = [each for each in walk(node) if is_macro(each)]
    for macro in macros:
        outer = macro.children[0]
        if outer.kind == "select" and outer.name == "modifierGroups":
            inner = [each for each in walk(macro.arguments[-1]) if is_macro(each)]
            if inner and (len(inner) > 1 or not _comes_to(macro.arguments[-1], inner[0], macro.name)):
                return False
        elif outer.kind != "select" or outer.name != "modifiers":
            return False
    return len(macros) < 2 or not any((each.kind, each.name) == ("call", "size") for each in walk(node))


def _comes_to(node: Node, inner: Node, name: str) -> bool:
    """Whether a quantifier stands under logic alone, where it is the one of a name: `!` makes `all` of `exists`."""
    if node is inner or inner not in walk(node):
        return node is not inner or node.name == name
    if node.kind != "operator" or node.name not in ("&&", "||", "!", "!!"):
        return False
    name = _DUAL.get(name, "") if node.name == "!" else name
    return all(_comes_to(child, inner, name) for child in node.children)


def _is_set_macro(node: Node, members: frozenset[str]) -> bool:
    if len(node.arguments) != 2 or not _is_modifier_list(node.children[0], members):
        return False
    return reads_sets_of_modifiers(node.arguments[1], members | {node.arguments[0].name})


def _is_modifier_list(node: Node, members: frozenset[str]) -> bool:
    """Whether a part is a list of modifiers or groups, or a filter of one."""
    if is_macro(node):
        return node.name == "filter" and _is_set_macro(node, members)
    return node.kind == "select" and node.name in _MODIFIER_PARTS and node.children[0].kind == "name"
