"""The nodes of a document: the offsets of every key and value, built only when a span is asked for; and its limits.

What a file costs beyond the limits is refused as `resource-limit`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from trialrun.text import Span

MAX_DEPTH: Final = 100
"""Collections inside collections, per document."""

MAX_NODES: Final = 1_000_000
"""Keys with values and items of lists per document, every alias and merge key written out."""

MAX_DOCUMENTS: Final = 10_000
"""Documents of one file."""

MAX_BROKEN: Final = 50
"""Broken documents of one file that are read again."""


Path = tuple[str | int, ...]
"""The path from the root of a document: the text of a mapping's key, or the index in a list."""


@dataclass(slots=True)
class Node:
    """One value or key in the file.

    `text` is the text of a scalar before it is parsed as a number or a word; `is_raw` says that it is the source
    itself. `first_key` is the first key of a mapping as written, a merge key too, and `repeated_keys` are the keys that
    occur twice. `is_anchored` says that an alias may name it, `has_merge_key` that a mapping has one.
    """

    start: int
    end: int
    style: str
    text: str | None = None
    is_raw: bool = False
    keys: dict[str, NodeRef] | None = None
    items: list[NodeRef] | None = None
    first_key: Node | None = None
    is_anchored: bool = False
    has_merge_key: bool = False
    repeated_keys: set[str] | None = None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(slots=True)
class NodeRef:
    """A value inside a collection, with its key in a mapping.

    `is_aliased` says that it is elsewhere, at an anchor; `is_merged` that its key is too.
    """

    node: Node
    key: Node | None = None
    is_aliased: bool = False
    is_merged: bool = False


def nodes_on_path(root: NodeRef, path: Path) -> list[NodeRef]:
    """The nodes from the root along the path, as far as it exists."""
    nodes = [root]
    for step in path:
        following = _child(nodes[-1].node, step)
        if following is None:
            break
        nodes.append(following)
    return nodes


def is_alias_free(root: NodeRef, path: Path) -> bool:
    """Whether no alias and no merge key has to do with the value at a path, its key and what holds them."""
    child, holder = root, root
    for step in path:
        following = _child(child.node, step)
        if following is None or child.node.is_anchored or following.is_aliased:
            return False
        holder, child = child, following
    return not (child.node.is_anchored or holder.node.has_merge_key)


def path_at(root: NodeRef, start: int) -> Path | None:
    """The path of the scalar that starts at an offset; None if none does."""
    waiting: list[tuple[NodeRef, Path]] = [(root, ())]
    while waiting:
        child, path = waiting.pop()
        node = child.node
        if node.keys is None and node.items is None and node.start == start:
            return path
        if not child.is_aliased:
            waiting.extend((inner, (*path, key)) for key, inner in (node.keys or {}).items())
            waiting.extend((inner, (*path, index)) for index, inner in enumerate(node.items or ()))
    return None


def _child(node: Node, step: str | int) -> NodeRef | None:
    if isinstance(step, str):
        return node.keys.get(step) if node.keys is not None else None
    if node.items is None or not 0 <= step < len(node.items):
        return None
    return node.items[step]


@dataclass(slots=True)
class OpenNode:
    """A collection that is being parsed; `merges` are its merge keys with the spans of their values as written."""

    node: Node
    key: Node | None = None
    key_text: str | None = None
    key_is_merge: bool = False
    merge_sources: list[Node] = field(default_factory=list)
    merges: list[tuple[Node, Span]] = field(default_factory=list)
    end: int = 0
