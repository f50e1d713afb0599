"""Messages as mappings that still know which of their fields are set.

A message answers for every field: one that is unset has its default. A mapping that does so cannot say by its keys
what is set, so it has a further key for each field that is, the field's name and `SET`; and `has(a.b)` is made to ask
for that key.
"""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.syntax_tree import Node, is_has, is_macro, reads, walk
from trialrun.values.cel.type_schema import Schema
from trialrun.values.problem import Problem

SET = "__set"
_OF_OPTIONALS = frozenset({"size", "hasValue", "value", "or", "orValue", "optMap", "optFlatMap"})


Pairs = frozenset[tuple[str, str]]
"""Fields, each beside the name of its message."""


@dataclass(frozen=True, slots=True)
class Reads:
    """What a text reads: the fields whose `values` it takes, and those whose presence is `asked` for.

    `variables` are those that it names; `everything` says that it takes a message as a whole.
    """

    values: Pairs = frozenset()
    asked: Pairs = frozenset()
    variables: frozenset[str] = frozenset()
    everything: bool = False

    def __or__(self, other: Reads) -> Reads:
        """What either text reads."""
        return Reads(
            self.values | other.values,
            self.asked | other.asked,
            self.variables | other.variables,
            self.everything or other.everything,
        )

    def any_of(self, fields: Pairs) -> bool:
        """Whether one of some fields is read; there is at least one."""
        return self.everything or not (fields.isdisjoint(self.values) and fields.isdisjoint(self.asked))


def over_mappings(text: str, tree: Node, schema: Schema) -> str:
    """The text as it asks mappings for presence."""
    asked = _asked(tree)
    places = [
        node.name_end - text[node.name_end - 1 : node.name_end].count("`")
        for node in walk(tree)
        if id(node) in asked and _owner(node, schema)
    ]
    for place in sorted(places, reverse=True):
        text = text[:place] + SET + text[place:]
    return text


def reads_of(tree: Node, schema: Schema) -> Reads:
    """The fields that a text reads, of which message."""
    asked = _asked(tree)
    owned = [(owner, node) for node in walk(tree) if (owner := _owner(node, schema))]
    return Reads(
        frozenset((owner, node.name) for owner, node in owned if id(node) not in asked),
        frozenset((owner, node.name) for owner, node in owned if id(node) in asked),
        frozenset(name for name in schema.variables if reads(tree, {name})),
        any(_takes_whole(node, schema) for node in walk(tree)),
    )


def _asked(tree: Node) -> set[int]:
    """The selections inside has(…), by their identity."""
    return {id(node.children[0]) for node in walk(tree) if is_has(node)}


def untyped(tree: Node, schema: Schema) -> Iterator[Problem]:
    """What a text does with messages that their mappings would answer wrongly."""
    for node in walk(tree):
        held = [child for child in node.children if _holds_message(child.type, schema)]
        if held and node.kind in ("list", "map") and "dyn" in node.type:
            message = "messages of different types stand in one place; ask each for itself"
            yield Problem("type", node.start, node.end, message)
        elif held and node.kind == "call" and node.name == "dyn":
            message = "dyn() hides which message this is; read its fields without it"
            yield Problem("type", node.name_start, node.name_end, message)
        elif held and node.kind == "operator" and any(child.type == "null" for child in node.children):
            message = "a message is never null; ask whether it is set with has(…)"
            yield Problem("type", node.start, node.end, message)
        elif node.kind == "select" and node.optional and _owner(node, schema):
            message = "an unset field reads as its default; write has(…) ? … : … for another value"
            yield Problem("type", node.name_start, node.name_end, message)


def _owner(node: Node, schema: Schema) -> str | None:
    """The message type whose field a part selects."""
    if node.kind != "select":
        return None
    name = node.children[0].type.removeprefix("optional_type(").removesuffix(")")
    return name if name in schema.types else None


def _takes_whole(node: Node, schema: Schema) -> bool:
    """Whether a part does more with a message than to select from it, count it or go through it."""
    if node.kind in ("select", "index", "conditional") or is_macro(node):
        return False
    if node.kind == "call" and node.name in _OF_OPTIONALS:
        return False
    return any(_holds_message(child.type, schema) for child in node.children)


def _holds_message(type_text: str, schema: Schema) -> bool:
    words = type_text.replace("(", " ").replace(")", " ").replace(",", " ").split()
    return any(word in schema.types for word in words)
