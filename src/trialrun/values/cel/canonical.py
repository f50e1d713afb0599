"""Canonical form of conditions that differ only in whitespace, comments, parentheses and spelling of literals."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.values.cel.syntax_tree import Node


def canonical_form(node: Node) -> str:
    """The canonical form of a part: equal exactly for equivalent parts."""
    match node.kind:
        case "literal":
            return f"{node.name} {node.value!r}"
        case "name":
            return ("." if node.value else "") + node.name
        case "select":
            return f"{canonical_form(node.children[0])}.{'?' * node.optional}{node.name!r}"
        case "operator" if node.name in ("&&", "||"):
            return f"({f' {node.name} '.join(map(canonical_form, operands(node)))})"
        case "operator" if node.name in ("!!", "--"):
            return canonical_form(node.children[0])
        case _:
            mark = "." * node.receiver + "?" * node.optional
            inside = ", ".join(map(canonical_form, node.children))
            return f"{node.kind} {mark}{'' if node.kind in ('list', 'map') else node.name}({inside})"


def operands(node: Node) -> Iterator[Node]:
    """The operands of a chain of `&&` or `||`, through parentheses, since both are associative."""
    for child in node.children:
        if child.kind == "operator" and child.name == node.name:
            yield from operands(child)
        else:
            yield child
