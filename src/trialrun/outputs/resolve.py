"""What `resolve` prints as JSON: the effective configuration of stores."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import Assumptions, RuleError
from trialrun.runtime.channel_config.active_config import ActiveConfig, ConfigOrigin, origin_object
from trialrun.runtime.channel_config.equivalence import differences, group_stores
from trialrun.runtime.channel_config.field_path import FoundField, find_field

if TYPE_CHECKING:
    from trialrun.runtime.channel_config import active_config
    from trialrun.runtime.channel_config.active_config import EffectiveConfig
    from trialrun.runtime.channel_config.layers import Layer, UnappliedConfig


Pointer = Annotated[str, Field(description="JSON Pointer into the value")]


class OverriddenValue(ConfigOrigin):
    """A value and where it comes from."""

    value: Any


class ValueOrigin(ConfigOrigin):
    """Where a value comes from, and what it overrode."""

    overrode: Annotated[list[OverriddenValue], Field(description="most recently overridden first")]


class Clash(TypedDict):
    """Two values of the same level for the same field."""

    sort: Annotated[Literal["level", "priority"], Field(description="what both have in common")]
    pointer: Pointer
    winner: OverriddenValue
    loser: OverriddenValue
    settled: Annotated[ConfigOrigin | None, Field(description="a later level that overrides both, if any")]


class EffectiveType(TypedDict):
    """The effective configuration of one type."""

    value: dict[str, Any]
    origins: Annotated[dict[Pointer, ValueOrigin], Field(description="by JSON Pointer into the value")]
    layers: Annotated[list[ConfigOrigin], Field(description="the configs, in the order of application")]
    clashes: list[Clash]


class Unapplied(ConfigOrigin):
    """A default or a binding without effect."""

    reason: str


class ResolvedStore(TypedDict):
    """`trialrun resolve STORE --output-format json`."""

    version: Literal[1]
    store: str
    types: dict[str, EffectiveType]
    unapplied: list[Unapplied]
    assumptions: Assumptions
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


class EffectiveField(TypedDict):
    """The effective value of a field in one type."""

    pointer: Pointer
    value: Any
    origins: dict[Pointer, ValueOrigin]


class ResolvedField(TypedDict):
    """`resolve STORE --field PATH`."""

    version: Literal[1]
    store: str
    field: str
    types: Annotated[dict[str, EffectiveField], Field(description="the types that set it")]
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


class Difference(TypedDict):
    """A place where a group of stores differs from the first group."""

    type: str
    path: list[str | int]
    pointer: Annotated[str | None, Field(description="null where the group has no value")]
    value: NotRequired[Any]


class StoreGroup(TypedDict):
    """Stores with the same effective configuration."""

    stores: list[str]
    differs: Annotated[list[Difference], Field(description="empty for the first group")]


class StoreMatrix(TypedDict):
    """`resolve --all-stores`."""

    version: Literal[1]
    stores: Annotated[int, Field(ge=0, description="number of stores")]
    types: Annotated[dict[str, Any], Field(description="the effective configuration of the first group")]
    groups: list[StoreGroup]
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


class FieldGroup(TypedDict):
    """Stores with the same value of a field."""

    types: dict[str, Any]
    stores: list[str]


class FieldMatrix(TypedDict):
    """`resolve --all-stores --field PATH`."""

    version: Literal[1]
    stores: Annotated[int, Field(ge=0, description="number of stores")]
    field: str
    groups: list[FieldGroup]
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


ResolveOutput = ResolvedStore | ResolvedField | StoreMatrix | FieldMatrix


def store_object(config: ActiveConfig) -> dict[str, Any]:
    """The object of a store: its types with every value and its origin, and what applies nothing."""
    return {
        "version": 1,
        "store": config.store.name,
        "types": {
            kind: {
                "value": effective.value,
                "origins": _origins(effective, ""),
                "layers": [_layer(layer) for layer in effective.layers],
                "clashes": [
                    {
                        "sort": conflict.kind,
                        "pointer": conflict.pointer,
                        "winner": _overridden(conflict.winner),
                        "loser": _overridden(conflict.loser),
                        "settled": conflict.settled and origin_object(conflict.settled),
                    }
                    for conflict in effective.conflicts
                ],
            }
            for kind, effective in config.types.items()
        },
        "unapplied": [_unapplied(unapplied) for unapplied in config.unapplied],
        "assumptions": list(config.assumptions),
    }


def field_object(config: ActiveConfig, field: str) -> dict[str, Any]:
    """The object of a field of a store: the types that set it."""
    types = {
        kind: {"pointer": found.pointer, "value": found.value, "origins": _origins(effective, found.pointer)}
        for kind, effective, found in types_setting(config, field)
    }
    return {"version": 1, "store": config.store.name, "field": field, "types": types}


def matrix_object(configs: Sequence[ActiveConfig]) -> dict[str, Any]:
    """The object of all stores: the groups that share everything, each with what differs from the first."""
    groups = group_stores(configs)
    first = groups[0][0]
    return {
        "version": 1,
        "stores": len(configs),
        "types": {kind: effective.value for kind, effective in first.types.items()},
        "groups": [
            {"stores": store_names(stores), "differs": list(_differences(first, stores[0]))} for stores in groups
        ],
    }


def field_matrix_object(configs: Sequence[ActiveConfig], field: str) -> dict[str, Any]:
    """The object of a field at all stores: the stores of each value."""
    groups = [
        {
            "types": {kind: found.value for kind, _, found in types_setting(stores[0], field)},
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
        values = ((kind, json.dumps(found.value, sort_keys=True)) for kind, _, found in types_setting(store, field))
        groups.setdefault(tuple(values), []).append(store)
    return sorted(groups.values(), key=lambda stores: -len(stores))


def _origins(effective: EffectiveConfig, pointer: str) -> dict[str, Any]:
    """The origins of what is at or below a pointer, with what each overrode, the last first.

    Where they are reported for the message or list around it alone, that of it.
    """
    origins = {below: origin for below, origin in effective.origins.items() if f"{below}/".startswith(f"{pointer}/")}
    if pointer and not origins:
        origins = {pointer: effective.origin(pointer)}
    return {
        below: {**origin_object(origin), "overrode": [_overridden(other) for other in origin.overrode]}
        for below, origin in origins.items()
    }


def _overridden(origin: active_config.Origin) -> dict[str, Any]:
    return {**origin_object(origin), "value": origin.value}


def _layer(layer: Layer) -> dict[str, Any]:
    rule = {} if layer.rule is None else {"rule": layer.rule}
    name = layer.config.node.name
    return {"level": layer.level, **rule, "config": name, "path": layer.brand.path, "line": layer.line}


def _unapplied(unapplied: UnappliedConfig) -> dict[str, Any]:
    rule = {} if unapplied.rule is None else {"rule": unapplied.rule}
    where = {"path": unapplied.brand.path, "line": unapplied.line}
    return {"level": unapplied.level, **rule, "config": unapplied.name, "reason": unapplied.reason, **where}


def _differences(first: ActiveConfig, other: ActiveConfig) -> Iterator[dict[str, Any]]:
    for difference in () if other is first else differences(first, other):
        pointer = difference.second_pointer
        value = {} if pointer is None else {"value": difference.after}
        yield {"type": difference.type, "path": list(difference.path), "pointer": pointer, **value}


def types_setting(config: ActiveConfig, field: str) -> Iterator[tuple[str, EffectiveConfig, FoundField]]:
    """The types that set a field, with what it is there."""
    for kind, effective in config.types.items():
        found = find_field(effective.value, field)
        if isinstance(found, FoundField):
            yield kind, effective, found
