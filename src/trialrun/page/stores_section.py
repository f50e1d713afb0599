"""The section of stores: what is effective at each, who set it, and what its agent says in each language."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path, SymbolicLocation
from trialrun.outputs.store_titles import store_titles
from trialrun.runtime.channel_config.effective import parse_pointer
from trialrun.runtime.channel_config.field_path import dotted_path, item_name
from trialrun.runtime.channel_config.overlay import MERGE_KEYS, MergedMessage, MergedTree, UnmergedValue
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.page.sources import PageSources
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.effective import Conflict, EffectiveConfig, Origin
    from trialrun.runtime.channel_config.layers import Layer, UnappliedConfig

MAX_SPOKEN = 60
"""Configurations whose instructions, tools and languages are on a page, those of the most stores first."""
Roots = tuple[int | None, ...]
Node = list[Any]


def stores_section(sources: PageSources) -> dict[str, Any] | None:
    """Every store, and each configuration that is effective at some of them; None without stores."""
    if not sources.stores:
        return None
    nodes = EffectiveNodes()
    groups = _groups(sources.active_configs, nodes)
    configs = sources.active_configs
    return {
        "brands": [_brand(brand) for brand in sources.brands.brands],
        "stores": list(_stores(sources, groups)),
        "groups": [_group(configs[members[0]], roots, members, nodes) for roots, members in groups.items()],
        "spoken": [_spoken(configs[members[0]]) for members in list(groups.values())[:MAX_SPOKEN]],
        "nodes": nodes.nodes,
        "setters": nodes.setters,
        "merged_lists": sorted(MERGE_KEYS),
    }


def _groups(configs: Sequence[ActiveConfig], nodes: EffectiveNodes) -> dict[Roots, list[int]]:
    """The stores at which the same is effective from the same places, the largest group first."""
    groups: dict[Roots, list[int]] = {}
    for index, config in enumerate(configs):
        roots = tuple(nodes.root(effective) for effective in config.types.values())
        groups.setdefault(roots, []).append(index)
    return dict(sorted(groups.items(), key=lambda entry: -len(entry[1])))


def _brand(brand: Any) -> dict[str, Any]:
    return {"name": brand.node.name, "title": brand.node.displayName, "path": brand.path}


def _stores(sources: PageSources, groups: Mapping[Roots, Sequence[int]]) -> Iterator[dict[str, Any]]:
    group_of = {store: group for group, members in enumerate(groups.values()) for store in members}
    titles = store_titles(sources.brands.stores)
    brands = {id(brand): index for index, brand in enumerate(sources.brands.brands)}
    for index, declared in enumerate(sources.stores):
        store = declared.store
        optional = {"title": store.displayName, "tags": store.tags, "zone": store.timeZone}
        yield {
            "id": titles[declared.name],
            "brand": brands[id(declared.brand)],
            "group": group_of[index],
            "line": declared.line,
            **{key: value for key, value in optional.items() if value},
        }


def _group(config: ActiveConfig, roots: Roots, members: Sequence[int], nodes: EffectiveNodes) -> dict[str, Any]:
    found = {
        "layers": [_layer(layer) for effective in config.types.values() for layer in effective.layers],
        "clashes": [
            _clash(conflict, effective.value, nodes)
            for effective in config.types.values()
            for conflict in effective.conflicts
        ],
        "unapplied": [_unapplied(unapplied) for unapplied in config.unapplied],
    }
    lists = {name: entries for name, entries in found.items() if entries}
    return {"stores": list(members), "roots": dict(zip(config.types, roots, strict=True)), **lists}


def _layer(layer: Layer) -> dict[str, Any]:
    rule = {} if layer.rule is None else {"rule": layer.rule}
    return {"level": layer.level, **rule, "config": last_id(layer.config.node.name or ""), "path": layer.config.path}


def _clash(conflict: Conflict, value: Mapping[str, Any], nodes: EffectiveNodes) -> dict[str, Any]:
    """What clashes, with the names of its items: the field, or the two upsells."""
    settled = {} if conflict.settled is None else {"settled": nodes.origin(conflict.settled)}
    winner, loser = nodes.origin(conflict.winner), nodes.origin(conflict.loser)
    if conflict.kind == "level":
        what: dict[str, Any] = {"field": dotted_path(value, parse_pointer(conflict.pointer))}
    else:
        upsells = value["operationsConfig"]["upsellStrategy"]["upsells"]
        places = (parse_pointer(pointer)[-2] for pointer in (conflict.winner_pointer, conflict.pointer))
        what = {"upsells": [item_name(upsells, int(place)) for place in places]}
    return {"kind": conflict.kind, **what, "winner": winner, "loser": loser, **settled}


def _unapplied(unapplied: UnappliedConfig) -> dict[str, Any]:
    rule = {} if unapplied.rule is None else {"rule": unapplied.rule}
    where = {"path": unapplied.brand.path, "line": unapplied.line}
    return {"level": unapplied.level, **rule, "config": unapplied.name, "reason": unapplied.reason, **where}


def _spoken(config: ActiveConfig) -> dict[str, Any]:
    """What the agent is told, what it can do, and what it says in each language."""
    from trialrun.outputs.languages import languages_object
    from trialrun.outputs.origin import origin_object
    from trialrun.runtime.channel_config.dialogue.instructions import instructions, tools
    from trialrun.runtime.channel_config.dialogue.languages import language_table

    (table,) = languages_object([((), language_table(config))])["groups"]
    return {
        "instructions": [{"text": each.text, "from": origin_object(each.origin)} for each in instructions(config)],
        "tools": [
            {"name": tool.name, "description": tool.description, "from": origin_object(tool.origin)}
            for tool in tools(config)
        ],
        **{key: value for key, value in table.items() if key != "stores"},
    }


class EffectiveNodes:
    """The nodes and setters of the configurations that were added, as one graph: what stores share is written once.

    A node is a list. `["m", {field: node}]` is a message that several configs have a part in, `["l", [node]]` such a
    list. `["v", setter, name, value, lines]` is what one config sets as it is in the field of that name: `lines` are
    those of its scalars and other leaves in order, each as the distance from the one before. What a node took the place
    of follows, the last first, as `[setter, value, line]`. `setters` says which config sets at which level.
    """

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
