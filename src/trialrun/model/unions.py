"""Unions: fields of a message of which at most one may stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from trialrun.model.node import Node

UNSET_IF_EMPTY = frozenset({"upsold items", "sync option"})
"""The unions of which an empty list or text is no member: readers of ProtoJSON take it for unset."""


@cache
def unions(model: type[Node]) -> Mapping[str, tuple[str, ...]]:
    """The unions of a message, and the fields that are as good as one: the name of each and its members."""
    return {**model.unions, **model.alternatives}


def conflicting_members(model: type[Node], present: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The unions of which more than one member is: the name of each, and its members in the order given."""
    for union, names in unions(model).items():
        set_members = [name for name in present if name in names]
        if len(set_members) > 1:
            yield union, set_members
