"""Unions: fields of a message of which at most one may stand, and the messages in which two do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node, parts

ALTERNATIVES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "FeatureView": {"index": ("indexConfig", "vectorSearchConfig")},
}
"""By message: fields that are no union of the specification, but of which only one makes sense."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A message on the way to unions: its own, and the fields that hold messages with unions."""

    unions: tuple[frozenset[str], ...]
    down: tuple[tuple[str, bool], ...]


@cache
def unions(model: type[Node]) -> Mapping[str, tuple[str, ...]]:
    """The unions of a message, and the fields that are as good as one: the name of each and its members."""
    return {**model.unions, **ALTERNATIVES.get(model.__name__, {})}


@cache
def _stop(model: type[Node]) -> Stop:
    inner = ((name, listed) for name, listed, part in parts(model) if _has_unions(part))
    return Stop(tuple(frozenset(members) for members in unions(model).values()), tuple(inner))


@cache
def _has_unions(model: type[Node]) -> bool:
    return bool(unions(model)) or any(_has_unions(part) for _, _, part in parts(model))


def clash(root: Node) -> bool:
    """Whether any message of a model has two members of one union; a walk over those that have unions at all."""
    stack = [root]
    while stack:
        node = stack.pop()
        stop = _stop(type(node))
        standing = node.__pydantic_fields_set__
        for members in stop.unions:
            if len(members & standing) > 1:
                return True
        for name, listed in stop.down:
            if name in standing:
                inner = node.__dict__[name]
                stack.extend(inner) if listed else stack.append(inner)
    return False


def members(model: type[Node], standing: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The unions of which more than one member stands: the name of each, and its members in the order given."""
    for union, names in unions(model).items():
        found = [name for name in standing if name in names]
        if len(found) > 1:
            yield union, found
