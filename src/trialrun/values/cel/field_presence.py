"""Messages as mappings that preserve which fields are set.

A message has a value for every field: if unset, the default. The keys of such a mapping do not show what is set, so it
has an additional key for each set field, its name followed by `SET`; and `has(a.b)` is rewritten to test that key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.syntax_tree import Node, is_has, is_macro, reads_any_name, walk
from trialrun.values.cel.type_schema import Schema
from trialrun.values.problem import Problem

PRESENCE_SUFFIX = "__set"
TEXTS_KEY = "texts__all"
"""The key of a mapping that has all texts of its message: `texts(message)` reads it."""
_OF_OPTIONALS = frozenset({"size", "hasValue", "value", "or", "orValue", "optMap", "optFlatMap"})


FieldSet = frozenset[tuple[str, str]]
"""Fields, each with the name of its message."""


@dataclass(frozen=True, slots=True)
class FieldReads:
    """What a text reads: the fields whose `values` it takes, and those whose presence is `asked` for.

    `variables` are those that it names; `whole_messages` says that it takes a message as a whole.
    """

    values: FieldSet = frozenset()
    presence: FieldSet = frozenset()
    variables: frozenset[str] = frozenset()
    whole_messages: bool = False

    def __or__(self, other: FieldReads) -> FieldReads:
        """The union of what two texts read."""
        return FieldReads(
            self.values | other.values,
            self.presence | other.presence,
            self.variables | other.variables,
            self.whole_messages or other.whole_messages,
        )

    def reads_any(self, fields: FieldSet) -> bool:
        """Whether one of some fields, at least one, is read."""
        return self.whole_messages or not (fields.isdisjoint(self.values) and fields.isdisjoint(self.presence))


Edit = tuple[int, int, str]
"""Characters of a text from start to end, and what replaces them."""


def presence_edits(text: str, tree: Node, schema: Schema) -> Iterator[Edit]:
    """The edits that rewrite `has()` for mappings."""
    has_nodes = _has_selections(tree)
    for node in walk(tree):
        if id(node) in has_nodes and _message_type(node, schema):
            place = node.name_end - text[node.name_end - 1 : node.name_end].count("`")
            yield place, place, PRESENCE_SUFFIX


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits that do not overlap."""
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def field_reads(tree: Node, schema: Schema) -> FieldReads:
    """The fields that a text reads, by message."""
    has_nodes = _has_selections(tree)
    owned = [(owner, node) for node in walk(tree) if (owner := _message_type(node, schema))]
    with_texts = frozenset((node.children[0].type, TEXTS_KEY) for node in walk(tree) if is_texts(node, schema))
    return FieldReads(
        with_texts.union((owner, node.name) for owner, node in owned if id(node) not in has_nodes),
        frozenset((owner, node.name) for owner, node in owned if id(node) in has_nodes),
        frozenset(name for name in schema.variables if reads_any_name(tree, {name})),
        any(_uses_whole_message(node, schema) for node in walk(tree)),
    )


def is_texts(node: Node, schema: Schema) -> bool:
    """Whether a part calls `texts`, a function of policies."""
    return bool(schema.library) and node.kind == "call" and not node.receiver and node.name == "texts"


def _has_selections(tree: Node) -> set[int]:
    """The ids of the selections inside of has(…)."""
    return {id(node.children[0]) for node in walk(tree) if is_has(node)}


def untranslatable_uses(tree: Node, schema: Schema) -> Iterator[Problem]:
    """Uses of messages that would give wrong results on mappings."""
    for node in walk(tree):
        message_children = [child for child in node.children if _holds_message(child.type, schema)]
        if message_children and node.kind in ("list", "map") and "dyn" in node.type:
            message = "messages of different types are mixed here; check each separately"
            yield Problem("type", node.start, node.end, message)
        elif message_children and node.kind == "call" and node.name == "dyn":
            message = "dyn() hides which message this is; read its fields without it"
            yield Problem("type", node.name_start, node.name_end, message)
        elif is_texts(node, schema) and node.children[0].type not in schema.types:
            message = f"texts() takes a message, not {node.children[0].type}; call it on self, root or a part of them"
            yield Problem("type", node.children[0].start, node.children[0].end, message)
        elif message_children and node.kind == "operator" and any(child.type == "null" for child in node.children):
            message = "a message is never null; check that it is set with has(…)"
            yield Problem("type", node.start, node.end, message)
        elif node.kind == "select" and node.optional and _message_type(node, schema):
            message = "an unset field reads as its default; write has(…) ? … : … for another value"
            yield Problem("type", node.name_start, node.name_end, message)


def _message_type(node: Node, schema: Schema) -> str | None:
    """The type of the message from which a part selects a field."""
    if node.kind != "select":
        return None
    name = node.children[0].type.removeprefix("optional_type(").removesuffix(")")
    return name if name in schema.types else None


def _uses_whole_message(node: Node, schema: Schema) -> bool:
    """Whether a message is used otherwise than for selecting fields."""
    if node.kind in ("select", "index", "conditional") or is_macro(node) or is_texts(node, schema):
        return False
    if node.kind == "call" and node.name in _OF_OPTIONALS:
        return False
    if node.kind == "operator" and any(child.kind == "list" and not child.children for child in node.children):
        return False  # compared with the empty list
    return any(_holds_message(child.type, schema) for child in node.children)


def _holds_message(type_text: str, schema: Schema) -> bool:
    words = type_text.replace("(", " ").replace(")", " ").replace(",", " ").split()
    return any(word in schema.types for word in words)
