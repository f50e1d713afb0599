"""What is effective at stores, as programs read it."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.outputs.origin import origin_object
from trialrun.runtime.channel_config.active_config import InForce
from trialrun.runtime.channel_config.equivalence import alike, differences
from trialrun.runtime.channel_config.field_path import Found, find

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.runtime.channel_config.effective import Clash, Effective
    from trialrun.runtime.channel_config.layers import Layer, Unapplied
    from trialrun.runtime.channel_config.level import ResolvedType
    from trialrun.runtime.channel_config.origin import Origin


def store_object(found: InForce) -> dict[str, Any]:
    """The object of a store: its types with every value and its origin, and what applies nothing."""
    return {
        "version": 1,
        "store": found.store.name,
        "types": {kind: _effective(effective) for kind, effective in found.types.items()},
        "unapplied": [_unapplied(one) for one in found.unapplied],
        "assumptions": list(found.assumptions),
    }


def field_object(found: InForce, field: str) -> dict[str, Any]:
    """The object of a field of a store: the types that set it."""
    types = {
        kind: {"pointer": there.pointer, "value": there.value, "origins": _origins(effective, there.pointer)}
        for kind, effective, there in set_in(found, field)
    }
    return {"version": 1, "store": found.store.name, "field": field, "types": types}


def matrix_object(found: Sequence[InForce]) -> dict[str, Any]:
    """The object of all stores: the groups that share everything, each with what differs from the first."""
    groups = alike(found)
    first = groups[0].first
    return {
        "version": 1,
        "stores": len(found),
        "types": {kind: effective.value for kind, effective in first.types.items()},
        "groups": [
            {"stores": [one.store.name for one in group.stores], "differs": _differing(first, group.first)}
            for group in groups
        ],
    }


def field_matrix_object(found: Sequence[InForce], field: str) -> dict[str, Any]:
    """The object of a field at all stores: the stores of each value."""
    groups = [
        {"types": {kind: there.value for kind, _, there in set_in(stores[0], field)}, "stores": names(stores)}
        for stores in by_value(found, field)
    ]
    return {"version": 1, "stores": len(found), "field": field, "groups": groups}


def names(stores: Sequence[InForce]) -> list[str]:
    """The names of stores."""
    return [one.store.name for one in stores]


def by_value(found: Sequence[InForce], field: str) -> list[list[InForce]]:
    """The stores by the value that a field has in each type, the most first."""
    groups: dict[Hashable, list[InForce]] = {}
    for one in found:
        key = tuple((kind, json.dumps(there.value, sort_keys=True)) for kind, _, there in set_in(one, field))
        groups.setdefault(key, []).append(one)
    return sorted(groups.values(), key=lambda stores: -len(stores))


def _effective(effective: Effective) -> dict[str, Any]:
    return {
        "value": effective.value,
        "origins": _origins(effective, ""),
        "layers": [_layer(one) for one in effective.layers],
        "clashes": [_clash(one) for one in effective.clashes],
    }


def _origins(effective: Effective, pointer: str) -> dict[str, Any]:
    """The origins of what is at or below a pointer; of the message or list around where they are told for it alone."""
    found = {one: origin for one, origin in effective.origins.items() if f"{one}/".startswith(f"{pointer}/")}
    if pointer and not found:
        found = {pointer: effective.origin(pointer)}
    return {one: value_origin(origin) for one, origin in found.items()}


def value_origin(origin: Origin) -> dict[str, Any]:
    """Where a value comes from, and what it overrode, the last first."""
    overrode = [{**origin_object(one), "value": one.value} for one in origin.overrode]
    return {**origin_object(origin), "overrode": overrode}


def _layer(layer: Layer) -> dict[str, Any]:
    rule = {} if layer.rule is None else {"rule": layer.rule}
    name = layer.config.node.name
    return {"level": layer.level, **rule, "config": name, "path": layer.brand.path, "line": layer.line}


def _clash(clash: Clash) -> dict[str, Any]:
    winner, loser = clash.winner, clash.loser
    return {
        "sort": clash.sort,
        "pointer": clash.pointer,
        "winner": {**origin_object(winner), "value": winner.value},
        "loser": {**origin_object(loser), "value": loser.value},
        "settled": None if clash.settled is None else origin_object(clash.settled),
    }


def _unapplied(one: Unapplied) -> dict[str, Any]:
    rule = {} if one.rule is None else {"rule": one.rule}
    where = {"path": one.brand.path, "line": one.line}
    return {"level": one.level, **rule, "config": one.name, "reason": one.reason, **where}


def _differing(first: InForce, other: InForce) -> list[dict[str, Any]]:
    found = [] if other is first else list(differences(first, other))
    return [
        {
            "type": one.type,
            "path": list(one.path),
            "pointer": one.there,
            **({} if one.there is None else {"value": value_at(other, one.type, one.there)}),
        }
        for one in found
    ]


def set_in(found: InForce, field: str) -> Iterator[tuple[str, Effective, Found]]:
    """The types that set a field, with what it is there."""
    for kind, effective in found.types.items():
        there = find(effective.value, field)
        if isinstance(there, Found):
            yield kind, effective, there


def value_at(found: InForce, kind: ResolvedType, pointer: str) -> Any:
    """What stands at a JSON pointer of a type."""
    value: Any = found.types[kind].value
    for step in path_of(value, pointer):
        value = value[step]
    return value


def path_of(value: Any, pointer: str) -> Path:
    """The path of a JSON pointer into a value."""
    path: list[str | int] = []
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        path.append(int(name) if isinstance(value, list) else name)
        value = value[path[-1]]
    return tuple(path)
