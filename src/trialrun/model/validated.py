"""A model made of a value, and the way from the model back to the file."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path, Place
from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node, parts

if TYPE_CHECKING:
    from trialrun.model.misfit import Misfit


@dataclass
class Fitted:
    """A model made of a value, what did not fit, and the way from the model back to the file.

    `keys` has the keys of the file that lead to a field which it spells in another way, `kept` the indexes of the items
    that a list kept where some were set aside; both by the identity of the message they belong to. `as_meant` says that
    what stands below a misspelt key is read as the field that was meant; `meanings` are the fields of such keys, by
    their paths. `asides` are messages that no field of the model can hold, each with its path. `refused` are the paths
    at which the compiled validator refused something, and all above them: a message elsewhere may be taken whole.
    """

    node: Node
    root: Path
    misfits: list[Misfit] = field(default_factory=list)
    keys: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)
    kept: dict[tuple[int, str], list[int]] = field(default_factory=dict)
    as_meant: bool = False
    meanings: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    asides: list[tuple[Node, Path]] = field(default_factory=list)
    refused: set[Path] = field(default_factory=set)
    _paths: dict[int, Path] = field(default_factory=dict)

    def path(self, place: Place) -> Path:
        """The path, in the words of the file, of a place of this model."""
        if place.node is None:
            return place.steps
        if place.node is self.node:
            return self._follow(place.node, self.root, place.steps)
        if not self._paths:
            self._paths = self._walk()
        return self._follow(place.node, self._paths[id(place.node)], place.steps)

    def _walk(self) -> dict[int, Path]:
        """The path of every message of the model, by its identity."""
        found: dict[int, Path] = {}
        stack: list[tuple[Node, Path]] = [(self.node, self.root), *self.asides]
        while stack:
            node, path = stack.pop()
            found[id(node)] = path
            values = node.__dict__
            for name, listed, _ in parts(node.__class__):
                inner = values[name]
                if inner is None:
                    continue
                here = (*path, *(self.keys.get((id(node), name), (name,)) if self.keys else (name,)))
                if not listed:
                    stack.append((inner, here))
                    continue
                kept = self.kept.get((id(node), name)) if self.kept else None
                stack += [(item, (*here, kept[index] if kept else index)) for index, item in enumerate(inner)]
        return found

    def _follow(self, node: Any, path: Path, steps: Path) -> Path:
        owner: tuple[int, str] | None = None
        for step in steps:
            if isinstance(step, int):
                kept = self.kept.get(owner) if owner else None
                path, owner = (*path, kept[step] if kept else step), None
                node = node[step] if isinstance(node, list) and step < len(node) else None
                continue
            owner = (id(node), step)
            path = (*path, *self.keys.get(owner, (step,)))
            node = getattr(node, step, None) if isinstance(node, Node) else None
        return path
