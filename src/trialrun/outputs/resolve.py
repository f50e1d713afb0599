"""JSON output of `resolve`."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.outputs.origin import origin_object
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.equivalence import differences, group_stores
from trialrun.runtime.channel_config.field_path import FoundField, find_field

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.runtime.channel_config.effective import Conflict, EffectiveConfig, Origin
    from trialrun.runtime.channel_config.layers import Layer, ResolvedType, UnappliedConfig


def store_object(config: ActiveConfig) -> dict[str, Any]:
    """The object of a store: its types with every value and its origin, and what applies nothing."""
    return {
        "version": 1,
        "store": config.store.name,
        "types": {kind: _effective(effective) for kind, effective in config.types.items()},
        "unapplied": [_unapplied(unapplied) for unapplied in config.unapplied],
        "assumptions": list(config.assumptions),
    }


def field_object(config: ActiveConfig, field: str) -> dict[str, Any]:
    """The object of a field of a store: the types that set it."""
    types = {
        kind: {
            "pointer": field_value.pointer,
            "value": field_value.value,
            "origins": _origins(effective, field_value.pointer),
        }
        for kind, effective, field_value in types_setting(config, field)
    }
    return {"version": 1, "store": config.store.name, "field": field, "types": types}


def matrix_object(configs: Sequence[ActiveConfig]) -> dict[str, Any]:
    """The object of all stores: the groups that share everything, each with what differs from the first."""
    groups = group_stores(configs)
    first = groups[0].first
    return {
        "version": 1,
        "stores": len(configs),
        "types": {kind: effective.value for kind, effective in first.types.items()},
        "groups": [
            {"stores": [store.store.name for store in group.stores], "differs": _differences(first, group.first)}
            for group in groups
        ],
    }


def field_matrix_object(configs: Sequence[ActiveConfig], field: str) -> dict[str, Any]:
    """The object of a field at all stores: the stores of each value."""
    groups = [
        {
            "types": {kind: field_value.value for kind, _, field_value in types_setting(stores[0], field)},
            "stores": store_names(stores),
        }
        for stores in group_by_value(configs, field)
    ]
    return {"version": 1, "stores": len(configs), "field": field, "groups": groups}


def store_names(stores: Sequence[ActiveConfig]) -> list[str]:
    """The names of stores."""
    return [store.store.name for store in stores]


def group_by_value(configs: Sequence[ActiveConfig], field: str) -> list[list[ActiveConfig]]:
    """The stores by the value that a field has in each type, the most first."""
    groups: dict[Hashable, list[ActiveConfig]] = {}
    for store in configs:
        key = tuple(
            (kind, json.dumps(field_value.value, sort_keys=True))
            for kind, _, field_value in types_setting(store, field)
        )
        groups.setdefault(key, []).append(store)
    return sorted(groups.values(), key=lambda stores: -len(stores))


def _effective(effective: EffectiveConfig) -> dict[str, Any]:
    return {
        "value": effective.value,
        "origins": _origins(effective, ""),
        "layers": [_layer(layer) for layer in effective.layers],
        "clashes": [_clash(conflict) for conflict in effective.conflicts],
    }


def _origins(effective: EffectiveConfig, pointer: str) -> dict[str, Any]:
    """The origins of what is at or below a pointer; of the message or list around where they are reported for it
    alone.
    """
    origins = {
        pointer_below: origin
        for pointer_below, origin in effective.origins.items()
        if f"{pointer_below}/".startswith(f"{pointer}/")
    }
    if pointer and not origins:
        origins = {pointer: effective.origin(pointer)}
    return {pointer_below: value_origin(origin) for pointer_below, origin in origins.items()}


def value_origin(origin: Origin) -> dict[str, Any]:
    """Where a value comes from, and what it overrode, the last first."""
    overrode = [{**origin_object(overridden), "value": overridden.value} for overridden in origin.overrode]
    return {**origin_object(origin), "overrode": overrode}


def _layer(layer: Layer) -> dict[str, Any]:
    rule = {} if layer.rule is None else {"rule": layer.rule}
    name = layer.config.node.name
    return {"level": layer.level, **rule, "config": name, "path": layer.brand.path, "line": layer.line}


def _clash(conflict: Conflict) -> dict[str, Any]:
    winner, loser = conflict.winner, conflict.loser
    return {
        "sort": conflict.kind,
        "pointer": conflict.pointer,
        "winner": {**origin_object(winner), "value": winner.value},
        "loser": {**origin_object(loser), "value": loser.value},
        "settled": None if conflict.settled is None else origin_object(conflict.settled),
    }


def _unapplied(unapplied: UnappliedConfig) -> dict[str, Any]:
    rule = {} if unapplied.rule is None else {"rule": unapplied.rule}
    where = {"path": unapplied.brand.path, "line": unapplied.line}
    return {"level": unapplied.level, **rule, "config": unapplied.name, "reason": unapplied.reason, **where}


def _differences(first: ActiveConfig, other: ActiveConfig) -> list[dict[str, Any]]:
    all_differences = [] if other is first else list(differences(first, other))
    return [
        {
            "type": difference.type,
            "path": list(difference.path),
            "pointer": difference.second_pointer,
            **(
                {}
                if difference.second_pointer is None
                else {"value": value_at(other, difference.type, difference.second_pointer)}
            ),
        }
        for difference in all_differences
    ]


def types_setting(config: ActiveConfig, field: str) -> Iterator[tuple[str, EffectiveConfig, FoundField]]:
    """The types that set a field, with what it is there."""
    for kind, effective in config.types.items():
        field_value = find_field(effective.value, field)
        if isinstance(field_value, FoundField):
            yield kind, effective, field_value


def value_at(config: ActiveConfig, kind: ResolvedType, pointer: str) -> Any:
    """What is at a JSON pointer of a type."""
    value: Any = config.types[kind].value
    for step in pointer_path(value, pointer):
        value = value[step]
    return value


def pointer_path(value: Any, pointer: str) -> Path:
    """The path of a JSON pointer into a value."""
    path: list[str | int] = []
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        path.append(int(name) if isinstance(value, list) else name)
        value = value[path[-1]]
    return tuple(path)
