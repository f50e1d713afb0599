"""The result of validation: a model, its misfits, and the mapping from the model back to paths of the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path, SymbolicLocation
from trialrun.model.node import Node, TruncatedList, message_fields

if TYPE_CHECKING:
    from trialrun.model.misfit import Misfit


@lru_cache(1024)
def _shared_set(names: frozenset[str]) -> set[str]:
    return set(names)


@dataclass
class ValidatedModel:
    """A model made of a value, its misfits, and the mapping back to paths of the file.

    `file_keys` has the keys of the file for fields that it spells in another way, by the `id` of their message. With
    `correct_typos`, the content of a misspelt key is validated as the intended field; `meanings` are the fields of such
    keys, by path. `detached` are messages that no field of the model can hold, each with its path.
    """

    node: Node
    root: Path
    misfits: list[Misfit] = field(default_factory=list)
    file_keys: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)
    correct_typos: bool = False
    meanings: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    detached: list[tuple[Node, Path]] = field(default_factory=list)
    _paths: dict[int, Path] = field(default_factory=dict)

    def share_equal_parts(self) -> None:
        """Let equal texts, and equal sets of fields, be one object: thousands of stores and configs repeat them.

        Models are frozen, so none changes a set that others have. Of 4,000 configs and 20,000 stores it saves 39 MiB.
        """
        stack = [self.node]
        while stack:
            node = stack.pop()
            fields, values = node.__pydantic_fields_set__, node.__dict__
            if type(fields) is set:
                object.__setattr__(node, "__pydantic_fields_set__", _shared_set(frozenset(fields)))
            for name in fields:
                value = values.get(name)  # a misspelt key has none
                if type(value) is str:
                    values[name] = intern(value)
                elif isinstance(value, list):
                    value[:] = [intern(item) if type(item) is str else item for item in value]
                    stack += (item for item in value if isinstance(item, Node))
                elif isinstance(value, Node):
                    stack.append(value)

    def path(self, place: SymbolicLocation) -> Path:
        """The path in the file of a location in this model."""
        if place.node is None:
            return place.path
        if place.node is self.node:
            return self._follow(place.node, self.root, place.path)
        if not self._paths:
            self._paths = self._message_paths()
        return self._follow(place.node, self._paths[id(place.node)], place.path)

    def _message_paths(self) -> dict[int, Path]:
        """The path of every message of the model, by its `id`."""
        paths: dict[int, Path] = {}
        stack: list[tuple[Node, Path]] = [(self.node, self.root), *self.detached]
        while stack:
            node, path = stack.pop()
            paths[id(node)] = path
            values = node.__dict__
            for name, is_list, _ in message_fields(node.__class__):
                inner = values[name]
                if inner is None:
                    continue
                inner_path = (*path, *(self.file_keys.get((id(node), name), (name,)) if self.file_keys else (name,)))
                if not is_list:
                    stack.append((inner, inner_path))
                    continue
                indexes = inner.indexes if isinstance(inner, TruncatedList) else range(len(inner))
                stack += [(item, (*inner_path, index)) for index, item in zip(indexes, inner, strict=True)]
        return paths

    def _follow(self, node: Any, path: Path, steps: Path) -> Path:
        for step in steps:
            if isinstance(step, str):
                path = (*path, *self.file_keys.get((id(node), step), (step,)))
                node = getattr(node, step, None) if isinstance(node, Node) else None
                continue
            items = node if isinstance(node, list) and step < len(node) else None
            path = (*path, items.indexes[step] if isinstance(items, TruncatedList) else step)
            node = items[step] if items is not None else None
        return path
