"""The section of stores: what is effective at each, who set it, and what its agent says in each language."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from trialrun.diagnostic import Path, SymbolicLocation
from trialrun.outputs.languages import language_table
from trialrun.outputs.origin import store_titles
from trialrun.page.sources import PageSources
from trialrun.runtime.channel_config.active_config import ActiveConfig, Conflict, Origin, origin_object, parse_pointer
from trialrun.runtime.channel_config.dialogue.instructions import instructions, tools
from trialrun.runtime.channel_config.field_path import dotted_path, item_name
from trialrun.runtime.channel_config.layers import Layer
from trialrun.runtime.channel_config.overlay import MERGE_KEYS, MergedMessage, MergedTree, UnmergedValue
from trialrun.values.resource_name import last_id
from trialrun.workspace.catalog import forget_places

MAX_SPOKEN = 60
"""Configurations whose instructions, tools and languages are on a page, those of the most stores first."""
Roots = tuple[int | None, ...]
Node = list[Any]


def stores_section(sources: PageSources) -> dict[str, Any] | None:
    """Every store, told one after the other, and each configuration that is effective at some; None without stores."""
    if not sources.stores:
        return None
    lines = [store.line for store in sources.stores]
    forget_places()  # those of a brand take more memory than all configs
    nodes = EffectiveNodes()
    configs = sources.active_configs
    by_roots: dict[Roots, list[int]] = {}  # the stores at which the same is effective from the same places
    for index, config in enumerate(configs):
        trees = [effective.tree for effective in config.types.values()]
        roots = tuple(None if tree is None else nodes.node(tree) for tree in trees)
        by_roots.setdefault(roots, []).append(index)
    groups = sorted(by_roots.items(), key=lambda entry: -len(entry[1]))
    return {
        "brands": [
            {"name": brand.node.name, "title": brand.node.displayName, "path": brand.path}
            for brand in sources.brands.brands
        ],
        "stores": _stores(sources, lines, [members for _, members in groups]),
        "groups": [_group(configs[members[0]], roots, members, nodes) for roots, members in groups],
        "spoken": [_spoken(configs[members[0]]) for _, members in groups[:MAX_SPOKEN]],
        "nodes": nodes.nodes,
        "setters": nodes.setters,
        "merged_lists": sorted(MERGE_KEYS),
    }


def _stores(sources: PageSources, lines: Sequence[int], groups: Sequence[Sequence[int]]) -> Iterator[dict[str, Any]]:
    group_of = {store: group for group, members in enumerate(groups) for store in members}
    titles = store_titles(sources.brands.stores)
    brands = {id(brand): index for index, brand in enumerate(sources.brands.brands)}
    for index, declared in enumerate(sources.stores):
        store = declared.store
        optional = {"title": store.displayName, "tags": store.tags, "zone": store.timeZone}
        yield {
            "id": titles[declared.name],
            "brand": brands[id(declared.brand)],
            "group": group_of[index],
            "line": lines[index],
            **{key: value for key, value in optional.items() if value},
        }


def _group(config: ActiveConfig, roots: Roots, members: Sequence[int], nodes: EffectiveNodes) -> dict[str, Any]:
    effective = list(config.types.values())
    found = {
        "layers": [nodes.applied(layer) for each in effective for layer in each.layers],
        "clashes": [_clash(conflict, each.value, nodes) for each in effective for conflict in each.conflicts],
        "unapplied": [
            {
                **_level(one.level, one.rule),
                "config": one.name,
                "reason": one.reason,
                "path": one.brand.path,
                "line": one.line,
            }
            for one in config.unapplied
        ],
    }
    lists = {name: entries for name, entries in found.items() if entries}
    return {"stores": list(members), "roots": dict(zip(config.types, roots, strict=True)), **lists}


def _level(level: str, rule: str | None) -> dict[str, str]:
    return {"level": level} if rule is None else {"level": level, "rule": rule}


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


def _spoken(config: ActiveConfig) -> dict[str, Any]:
    """What the agent is told, what it can do, and what it says in each language."""
    table = language_table(config)
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
        self._by_tree: dict[int, int] = {}  # by identity: whoever has the configurations keeps their parts alive
        self._by_content: dict[Hashable, int] = {}
        self._applied: dict[Hashable, dict[str, Any]] = {}
        self._setter_numbers: dict[int, int] = {}

    def applied(self, layer: Layer | Origin) -> dict[str, Any]:
        """The level at which a config applies, and its file; one object for all stores where it is the same."""
        key = (layer.level, layer.rule, id(layer.config))
        if key not in self._applied:
            name, path = last_id(layer.config.node.name or ""), layer.config.path
            self._applied[key] = {**_level(layer.level, layer.rule), "config": name, "path": path}
        return self._applied[key]

    def origin(self, origin: Origin) -> list[Any]:
        """The setter, the value and the line of a value."""
        return [self._setter(origin), origin.value, origin.line]

    def node(self, tree: MergedTree[Layer]) -> int:
        """The number of the node of a configuration, or of a part of one."""
        if id(tree) not in self._by_tree:
            self._by_tree[id(tree)] = self._make(tree)
        return self._by_tree[id(tree)]

    def _make(self, tree: MergedTree[Layer]) -> int:
        over: list[Any] = []
        below = tree.overridden
        while below is not None:
            setter, line = self._setter(below.setter), below.setter.config.line(*below.path)
            over.append([setter, below.value, line])
            below = below.overridden
        if isinstance(tree, UnmergedValue):
            setter = self._setter(tree.setter)
            key = (setter, tree.path, repr(over) if over else "")
            if key in self._by_content:
                return self._by_content[key]
            name = tree.path[-1] if tree.path and isinstance(tree.path[-1], str) else ""
            return self._add(key, ["v", setter, name, tree.value, _lines(tree)], over)
        if isinstance(tree, MergedMessage):
            fields = {name: self.node(field) for name, field in tree.fields.items()}
            return self._add(("m", *fields, *fields.values(), repr(over)), ["m", fields], over)
        items = [self.node(item) for item in tree.items]
        return self._add(("l", *items, repr(over)), ["l", items], over)

    def _add(self, key: Hashable, node: Node, over: list[Any]) -> int:
        if key not in self._by_content:
            self._by_content[key] = len(self.nodes)
            self.nodes.append([*node, *over])
        return self._by_content[key]

    def _setter(self, setter: Layer | Origin) -> int:
        applied = self.applied(setter)
        if id(applied) not in self._setter_numbers:
            self._setter_numbers[id(applied)] = len(self.setters)
            self.setters.append(applied)
        return self._setter_numbers[id(applied)]


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
