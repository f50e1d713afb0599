"""Messages as mappings that preserve which fields are set, and reads of fields that may be absent without a test.

A message has a value for every field: if unset, the default. The keys of such a mapping do not show what is set, so it
has an additional key for each set field, its name followed by `SET`; and `has(a.b)` is rewritten to test that key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from trialrun.values import Problem
from trialrun.values.cel.syntax_tree import (
    Node,
    bound_variables,
    canonical_form,
    inner_children,
    is_has,
    is_macro,
    outer_children,
    reads_any_name,
    walk,
)
from trialrun.values.cel.type_schema import Schema

PRESENCE_SUFFIX = "__set"
TEXTS_KEY = "texts__all"
"""The key of a mapping that has all texts of its message: `texts(message)` reads it."""
_OF_OPTIONALS = frozenset({"size", "hasValue", "value", "or", "orValue", "optMap", "optFlatMap"})


FieldSet = frozenset[tuple[str, str]]
"""Fields, each with the name of its message."""


@dataclass(frozen=True, slots=True)
class FieldReads:
    """What a text reads: the fields whose `values` it takes, and those whose `presence` it asks for.

    `variables` are those that it names; `whole_messages` says that it takes a message as a whole.
    """

    values: FieldSet = frozenset()
    presence: FieldSet = frozenset()
    variables: frozenset[str] = frozenset()
    whole_messages: bool = False

    def __or__(self, other: FieldReads) -> FieldReads:
        """The union of what two texts read."""
        values, presence = self.values | other.values, self.presence | other.presence
        return FieldReads(
            values, presence, self.variables | other.variables, self.whole_messages or other.whole_messages
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


# a field known to be present: its owner, and its name or key
_PresentField = tuple[str, str]
_PresentFields = frozenset[_PresentField]
_NOTHING: _PresentFields = frozenset()


def optional_reads(tree: Node, nodes: Sequence[Node], text: str, schema: Schema) -> tuple[Problem, ...]:
    """The optional fields (`T?`) and map keys that are read without has() or `in`; each once.

    `nodes` are all parts of the condition.
    """
    if not any(_may_be_absent(node, schema) for node in nodes if node.kind in ("select", "index")):
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
