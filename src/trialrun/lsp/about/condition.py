"""A part of a condition with its type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.about.markdown import code, plain
from trialrun.record import dataclass

if TYPE_CHECKING:
    from trialrun.values.cel import Check, Node, Schema

LONGEST = 200


@dataclass(frozen=True)
class Typed:
    """A part of a condition: its characters in the condition's text, and what is said of it."""

    start: int
    end: int
    paragraphs: tuple[str, ...]


def part_at(text: str, at: int, schema: Schema) -> Typed | None:
    """The innermost part of a condition around a character; None where the condition has mistakes.

    An unsound condition has no types: its findings say why.
    """
    from trialrun.values import cel

    check = cel.check(text, schema=schema)
    if check.tree is None or check.problems:
        return None
    around = [node for node in cel.walk(check.tree) if node.start <= at < node.end]
    if not around:
        return None
    node = min(around, key=lambda one: one.end - one.start)
    return Typed(node.start, node.end, tuple(_paragraphs(text, node, check, schema)))


def _paragraphs(text: str, node: Node, check: Check, schema: Schema) -> Iterator[str]:
    shown = text[node.start : node.end]
    yield f"{code(shown if len(shown) <= LONGEST else shown[:LONGEST] + '…')}: {code(node.type)}"
    fields = schema.types.get(node.type.removesuffix("?"))
    if fields:
        yield "Fields: " + ", ".join(f"{code(name)} {plain(type_)}" for name, type_ in fields.items())
    if check.constant is not None and check.tree is node:
        yield f"The condition is always {str(check.constant).lower()}."
