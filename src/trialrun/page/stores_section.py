"""The section of stores: what is effective at each, who set it, and what its agent says in each language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.outputs.store_titles import store_titles
from trialrun.page.effective_nodes import EffectiveNodes
from trialrun.runtime.channel_config.effective import parse_pointer
from trialrun.runtime.channel_config.field_path import dotted_path, item_name
from trialrun.runtime.channel_config.overlay import MERGE_KEYS
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.page.sources import PageSources
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.effective import Conflict
    from trialrun.runtime.channel_config.layers import Layer, UnappliedConfig

MAX_SPOKEN = 60
"""Configurations whose instructions, tools and languages are on a page, those of the most stores first."""


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


Roots = tuple[int | None, ...]


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
