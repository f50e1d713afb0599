"""Unions: fields of a message of which at most one may stand, and the messages in which two do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node, message_fields


@dataclass(frozen=True, slots=True)
class UnionFields:
    """A message on the way to unions: its own, and the fields that hold messages with unions."""

    unions: tuple[frozenset[str], ...]
    children: tuple[tuple[str, bool], ...]


@cache
def unions(model: type[Node]) -> Mapping[str, tuple[str, ...]]:
    """The unions of a message, and the fields that are as good as one: the name of each and its members."""
    return {**model.unions, **model.alternatives}


@cache
def _union_fields(model: type[Node]) -> UnionFields:
    inner = ((name, is_list) for name, is_list, part in message_fields(model) if _has_unions(part))
    return UnionFields(tuple(frozenset(members) for members in unions(model).values()), tuple(inner))


@cache
def _has_unions(model: type[Node]) -> bool:
    return bool(unions(model)) or any(_has_unions(part) for _, _, part in message_fields(model))


def has_union_conflict(root: Node) -> bool:
    """Whether any message of a model has two members of one union; a walk over those that have unions at all."""
    stack = [root]
    while stack:
        node = stack.pop()
        union_fields = _union_fields(type(node))
        present = node.__pydantic_fields_set__
        for members in union_fields.unions:
            if len(members & present) > 1:
                return True
        for name, is_list in union_fields.children:
            if name in present:
                inner = node.__dict__[name]
                stack.extend(inner) if is_list else stack.append(inner)
    return False


def conflicting_members(model: type[Node], present: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The unions of which more than one member is: the name of each, and its members in the order given."""
    for union, names in unions(model).items():
        set_members = [name for name in present if name in names]
        if len(set_members) > 1:
            yield union, set_members
