"""Finds reads of fields that may be absent, without a test for presence."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.values.cel.canonical import canonical_form
from trialrun.values.cel.syntax_tree import (
    Node,
    bound_variables,
    inner_children,
    is_has,
    is_macro,
    outer_children,
    walk,
)
from trialrun.values.cel.type_schema import Schema
from trialrun.values.problem import Problem

# a field known to be present: its owner, and its name or key
_PresentField = tuple[str, str]
_PresentFields = frozenset[_PresentField]
_NOTHING: _PresentFields = frozenset()


def optional_reads(tree: Node, text: str, schema: Schema) -> tuple[Problem, ...]:
    """The optional fields (`T?`) and map keys that are read without has() or `in`; each once."""
    if not any(_may_be_absent(node, schema) for node in walk(tree)):
        return ()
    problems: dict[_PresentField, Problem] = {}
    for node in _unguarded_reads(tree, _NOTHING, schema):
        problems.setdefault(_present_field(node), _problem(node, text))
    return tuple(sorted(problems.values(), key=lambda each: each.start))


def _problem(node: Node, text: str) -> Problem:
    holder, start, end = node.children[0], node.name_start, node.name_end
    guard = f"has({text[node.start : node.end]})"
    if node.kind == "index":
        key = node.children[1]
        start, end = key.start, key.end
        guard = f"{text[start:end]} in {text[holder.start : holder.end]}"
    message = f"{text[start:end]} may be absent; check first with {' '.join(guard.split())}"
    return Problem("optional", start, end, message)


def _present_field(node: Node) -> _PresentField:
    return canonical_form(node.children[0]), node.name if node.kind == "select" else _key(node.children[1])


def _key(node: Node) -> str:
    """A key as a field name: `m['a']` is `m.a`."""
    return node.value if node.kind == "literal" and isinstance(node.value, str) else f" {canonical_form(node)}"


def _unguarded_reads(node: Node, present: _PresentFields, schema: Schema) -> Iterator[Node]:
    """The reads of optional fields where they are not known to be present."""
    if _may_be_absent(node, schema) and _present_field(node) not in present:
        yield node
    if is_has(node):
        yield from _unguarded_reads(node.children[0].children[0], present, schema)
    elif is_macro(node):
        yield from _macro_reads(node, present, schema)
    elif node.kind == "conditional":
        condition, yes, no = node.children
        yield from _unguarded_reads(condition, present, schema)
        yield from _unguarded_reads(yes, present | _present_when(condition, when=True), schema)
        yield from _unguarded_reads(no, present | _present_when(condition, when=False), schema)
    else:
        # `&&` and `||` ignore the error of one operand if the other decides, in any order
        if node.kind == "operator" and node.name in ("&&", "||"):
            present = present.union(*(_present_when(child, when=node.name == "&&") for child in node.children))
        for child in node.children:
            yield from _unguarded_reads(child, present, schema)


def _macro_reads(node: Node, present: _PresentFields, schema: Schema) -> Iterator[Node]:
    for child in outer_children(node):
        yield from _unguarded_reads(child, present, schema)
    if outer_children(node)[0].type.startswith("map(") and bound_variables(node):
        present |= {(canonical_form(outer_children(node)[0]), f" {bound_variables(node)[0]}")}
    for child in inner_children(node):
        yield from _unguarded_reads(child, present, schema)
        # in map(x, condition, result), the condition guards the result
        present |= _present_when(child, when=True)


def _may_be_absent(node: Node, schema: Schema) -> bool:
    if node.kind not in ("select", "index") or node.optional:
        return False
    holder = node.children[0]
    if holder.type.startswith("map("):
        return holder.kind != "map"
    field = schema.fields.get(holder.type, {}).get(node.name) if node.kind == "select" else None
    return field is not None and field.optional


def _present_when(node: Node, *, when: bool) -> _PresentFields:
    """The fields known to be present if a condition is true, or is false."""
    if is_has(node):
        return frozenset({_present_field(node.children[0])}) if when else _NOTHING
    if node.kind != "operator":
        return _NOTHING
    match node.name:
        case "!":
            return _present_when(node.children[0], when=not when)
        case "in" if when:
            key, holder = node.children
            return frozenset({(canonical_form(holder), _key(key))})
        case "&&" | "||":
            presences = [_present_when(child, when=when) for child in node.children]
            decided = when == (node.name == "&&")
            return _NOTHING.union(*presences) if decided else presences[0].intersection(*presences)
        case _:
            return _NOTHING
