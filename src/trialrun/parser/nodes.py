"""Where every key and value of a document stands: built only when a place is asked for."""

from __future__ import annotations

from dataclasses import field

from trialrun.lazy_dataclass import dataclass
from trialrun.text import Span

Path = tuple[str | int, ...]
"""The way from the root of a document: the text of a mapping's key, or the index in a list."""


@dataclass(slots=True)
class Node:
    """One value or key in the file.

    `text` is the text of a scalar before it is read as a number or a word; `raw` says that it is the source itself.
    `first_key` is the first key of a mapping as written, a merge key too, and `repeated` are its keys that stand twice.
    `is_anchored` says that an alias may name it, `merges` that a mapping has a merge key.
    """

    start: int
    end: int
    style: str
    text: str | None = None
    raw: bool = False
    keys: dict[str, Child] | None = None
    items: list[Child] | None = None
    first_key: Node | None = None
    is_anchored: bool = False
    merges: bool = False
    repeated: set[str] | None = None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(slots=True)
class Child:
    """A value inside a collection, with its key in a mapping.

    `shared` says that it stands elsewhere, at an anchor; `merged` that its key does too.
    """

    node: Node
    key: Node | None = None
    shared: bool = False
    merged: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """The deepest node on a path: `child` is what holds it, and `complete` says whether the whole path exists."""

    child: Child
    complete: bool
    shared: bool


def find(root: Child, path: Path) -> Found:
    """Follow the path from the root as far as it exists."""
    child, shared = root, root.shared
    for step in path:
        following = _step(child.node, step)
        if following is None:
            return Found(child, False, shared)
        child = following
        shared = shared or child.shared
    return Found(child, True, shared)


def follow(root: Child, path: Path) -> list[Child]:
    """Everything on the way from the root along the path, as far as it exists; the last is where it leads."""
    way = [root]
    for step in path:
        following = _step(way[-1].node, step)
        if following is None:
            break
        way.append(following)
    return way


def stands_alone(root: Child, path: Path) -> bool:
    """Whether no alias and no merge key has to do with the value at a path, its key and what holds them."""
    child, holder = root, root
    for step in path:
        following = _step(child.node, step)
        if following is None or child.node.is_anchored or following.shared:
            return False
        holder, child = child, following
    return not (child.node.is_anchored or holder.node.merges)


def path_at(root: Child, start: int) -> Path | None:
    """The way to the scalar that starts at an offset; None where none does."""
    waiting: list[tuple[Child, Path]] = [(root, ())]
    while waiting:
        child, path = waiting.pop()
        node = child.node
        if node.keys is None and node.items is None and node.start == start:
            return path
        if not child.shared:
            waiting.extend((inner, (*path, key)) for key, inner in (node.keys or {}).items())
            waiting.extend((inner, (*path, index)) for index, inner in enumerate(node.items or ()))
    return None


def _step(node: Node, step: str | int) -> Child | None:
    if isinstance(step, str):
        return node.keys.get(step) if node.keys is not None else None
    if node.items is None or not 0 <= step < len(node.items):
        return None
    return node.items[step]


@dataclass(slots=True)
class Frame:
    """A collection that is being read."""

    node: Node
    key: Node | None = None
    key_text: str | None = None
    key_is_merge: bool = False
    merges: list[Node] = field(default_factory=list)
    end: int = 0
