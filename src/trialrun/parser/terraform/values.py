"""The values of expressions with the nodes that have their places, and the parts of them that references name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from trialrun.parser.nodes import Node, NodeRef
from trialrun.terraform import Unknown

Segment = tuple[int, Node]
"""Where a part of a composed text starts, and the characters of the file that it comes from."""


@dataclass(slots=True)
class ComposedNode(Node):
    """A text that was put together: `segments` are its parts, in their order."""

    segments: list[Segment] = field(default_factory=list)


@dataclass(slots=True)
class Evaluated:
    """A value with the node that has its places; `default_of` is the variable whose default it is."""

    value: Any
    node: Node
    is_aliased: bool = False
    default_of: str = ""

    @property
    def is_known(self) -> bool:
        return not isinstance(self.value, Unknown)

    def ref(self, key: Node | None = None) -> NodeRef:
        """The value below a key."""
        return NodeRef(self.node, key, self.is_aliased)


@dataclass(frozen=True, slots=True)
class Scope:
    """What `each` is in an instance of a resource, or an iterator in a dynamic block; without a value only Terraform
    knows it. `iterators` are those of the dynamic blocks around an expression.
    """

    key: Evaluated | None = None
    value: Evaluated | None = None
    iterators: Mapping[str, Scope] = field(default_factory=dict)


NO_EACH: Final = Scope()


def as_text(value: str | int | float) -> str:
    """The text that Terraform converts a value to."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_of(items: list[Evaluated]) -> str:
    """The variable whose default one of the values is; empty if none is."""
    return next((item.default_of for item in items if item.default_of), "")


def as_set(found: Evaluated) -> Evaluated:
    """A list without its repeated texts."""
    parts = [*zip(found.value, found.node.items or (), strict=True)]
    pairs = {repr(value): (value, ref) for value, ref in reversed(parts)}
    kept = [*reversed(pairs.values())]
    node = Node(found.node.start, found.node.end, "hcl", items=[ref for _, ref in kept])
    return Evaluated([value for value, _ in kept], node, found.is_aliased, found.default_of)


def step_into(found: Evaluated | None, step: str | int) -> Evaluated | None:
    """A part of a value by its key or its index; None where there is none."""
    if found is None:
        return None
    value, node = found.value, found.node
    ref: NodeRef | None = None
    if isinstance(value, dict) and str(step) in value and node.keys is not None:
        ref, value = node.keys.get(str(step)), value[str(step)]
    elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value) and node.items is not None:
        ref, value = node.items[step], value[step]
    return Evaluated(value, ref.node, True, found.default_of) if ref is not None else None


def instances(found: Evaluated, most: int) -> list[Scope] | None:
    """What `each` is in every instance of a `for_each`; None where only Terraform knows."""
    value, node = found.value, found.node
    if isinstance(value, dict) and node.keys is not None:
        pairs = [
            Scope(
                Evaluated(key, node.keys[key].key or node, True, found.default_of),
                Evaluated(item, node.keys[key].node, True, found.default_of),
            )
            for key, item in value.items()
        ]
    elif isinstance(value, list) and node.items is not None and all(isinstance(item, str) for item in value):
        keys = [Evaluated(item, ref.node, True, found.default_of) for item, ref in zip(value, node.items, strict=True)]
        pairs = [Scope(key, key) for key in keys]
    else:
        return None
    return pairs[:most]
