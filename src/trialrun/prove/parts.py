"""The parts of a condition that are decided as wholes, after quantifiers over `map` have become plain ones."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.prove.cells import LinePart
from trialrun.prove.reads import Reader
from trialrun.values.cel import Node, Schema
from trialrun.values.cel import compile as compile_cel
from trialrun.values.cel.syntax_tree import bound_variables, inner_children, is_macro, outer_children, walk

MAX_MAPS = 20


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
