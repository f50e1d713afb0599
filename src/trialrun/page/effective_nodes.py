"""Effective configurations of many stores as one graph: what stores share is written once.

A node is a list. `["m", {field: node}]` is a message that several configs have a part in, `["l", [node]]` such a list.
`["v", setter, name, value, lines]` is what one config sets as it is in the field of that name: `lines` are those of its
scalars and other leaves in order, each as the distance from the one before. What a node took the place of follows, the
last first, as `[setter, value, line]`. `setters` says which config sets at which level.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path, SymbolicLocation
from trialrun.runtime.channel_config.overlay import MERGE_KEYS, MergedMessage, MergedTree, UnmergedValue
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.effective import EffectiveConfig, Origin
    from trialrun.runtime.channel_config.layers import Layer

Node = list[Any]


class EffectiveNodes:
    """The nodes and setters of the configurations that were added; equal parts have one node."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.setters: list[dict[str, Any]] = []
        self._by_tree: dict[int, tuple[MergedTree[Layer], int]] = {}
        self._by_content: dict[Hashable, int] = {}
        self._setter_numbers: dict[Hashable, int] = {}

    def root(self, effective: EffectiveConfig) -> int | None:
        """The node of a configuration; None if no config applies."""
        return None if effective.tree is None else self._node(effective.tree)

    def origin(self, origin: Origin) -> list[Any]:
        """The setter, the value and the line of a value."""
        return [self._setter(origin.level, origin.rule, origin.config), origin.value, origin.line]

    def _node(self, tree: MergedTree[Layer]) -> int:
        known = self._by_tree.get(id(tree))
        if known is None:
            known = self._by_tree[id(tree)] = tree, self._make(tree)
        return known[1]

    def _make(self, tree: MergedTree[Layer]) -> int:
        over = [self._origin_of(part) for part in _overridden(tree)]
        key: Hashable
        if isinstance(tree, UnmergedValue):
            setter = self._setter(tree.setter.level, tree.setter.rule, tree.setter.config)
            key = ("v", setter, tree.path, repr(over))
            if key in self._by_content:
                return self._by_content[key]
            return self._add(key, ["v", setter, _field(tree.path), tree.value, _lines(tree)], over)
        if isinstance(tree, MergedMessage):
            fields = {name: self._node(field) for name, field in tree.fields.items()}
            return self._add(("m", *fields.items(), repr(over)), ["m", fields], over)
        items = [self._node(item) for item in tree.items]
        return self._add(("l", *items, repr(over)), ["l", items], over)

    def _add(self, key: Hashable, node: Node, over: list[Any]) -> int:
        if key not in self._by_content:
            self._by_content[key] = len(self.nodes)
            self.nodes.append([*node, *over])
        return self._by_content[key]

    def _origin_of(self, tree: MergedTree[Layer]) -> list[Any]:
        layer = tree.setter
        line = layer.config.line(*tree.path)
        return [self._setter(layer.level, layer.rule, layer.config), tree.value, line]

    def _setter(self, level: str, rule: str | None, config: Any) -> int:
        key = (level, rule, id(config))
        if key not in self._setter_numbers:
            named = {} if rule is None else {"rule": rule}
            self._setter_numbers[key] = len(self.setters)
            name = last_id(config.node.name or "")
            self.setters.append({"level": level, **named, "config": name, "path": config.path})
        return self._setter_numbers[key]


def _overridden(tree: MergedTree[Layer]) -> Iterator[MergedTree[Layer]]:
    current = tree.overridden
    while current is not None:
        yield current
        current = current.overridden


def _field(path: Path) -> str:
    """The field that a path ends with; empty for an item of a list, and for the root."""
    return path[-1] if path and isinstance(path[-1], str) else ""


def _lines(tree: UnmergedValue[Layer]) -> list[int]:
    """The lines of the leaves of a value: the first one, then the distance of each from the one before."""
    config = tree.setter.config
    lines = [config.locate(SymbolicLocation(config.node, path)).start.line for path in _leaves(tree.value, tree.path)]
    return [line - before for line, before in zip(lines, [0, *lines], strict=False)]


def _leaves(value: Any, path: Path) -> Iterator[Path]:
    """The paths of scalars, of empty messages, and of lists that are set as a whole."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, (*path, name))
    elif isinstance(value, list) and value and path and path[-1] in MERGE_KEYS:
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path
