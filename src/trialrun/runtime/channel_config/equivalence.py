"""Groups of stores with equal effective configurations, and the differences between two stores."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path, json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.field_path import item_names
from trialrun.runtime.channel_config.layers import TYPES, ResolvedType
from trialrun.runtime.channel_config.overlay import MERGE_KEYS, index_items, match_items

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.active_config import ActiveConfig


@dataclass(frozen=True, eq=False)
class StoreGroup:
    """Stores at which the same is effective, whichever files it comes from, in the order they were given."""

    stores: Sequence[ActiveConfig]

    @property
    def first(self) -> ActiveConfig:
        """The store that stands for the group."""
        return self.stores[0]


@dataclass(frozen=True)
class Difference:
    """What is not the same at two stores: a field, or an upsell or greeting that only one of them has.

    `path` leads to it with upsells by displayName, else priority, and greetings by language. `first_pointer` and
    `second_pointer` are its JSON pointers at the two stores, None if a store does not have it.
    """

    type: ResolvedType
    path: tuple[str, ...]
    first_pointer: str | None
    second_pointer: str | None


def group_stores(configs: Iterable[ActiveConfig]) -> list[StoreGroup]:
    """The groups of stores that share an effective configuration of both types, the largest first."""
    keys: _KeyCache = {}
    groups: dict[Hashable, list[ActiveConfig]] = {}
    for config in configs:
        key = tuple(_equality_key(config.types[type].value, "", keys) for type in TYPES)
        groups.setdefault(key, []).append(config)
    return [StoreGroup(stores) for stores in sorted(groups.values(), key=lambda stores: -len(stores))]


def differences(first: ActiveConfig, second: ActiveConfig) -> Iterator[Difference]:
    """What differs between two stores, type by type, in the order of the configuration of the first."""
    for type in TYPES:
        first_value, second_value = first.types[type].value, second.types[type].value
        for path, first_path, second_path in _value_differences(_PathValue(first_value), _PathValue(second_value), ()):
            yield Difference(type, path, _optional_pointer(first_path), _optional_pointer(second_path))


def _optional_pointer(path: Path | None) -> str | None:
    return None if path is None else json_pointer(path)


@dataclass(frozen=True)
class _PathValue:
    """A value at one of two stores, and the path to it there."""

    value: Any
    path: Path = ()

    def child(self, step: str | int) -> _PathValue:
        """What a step leads to."""
        return _PathValue(self.value[step], (*self.path, step))


_KeyCache = dict[int, tuple[Any, Hashable]]
"""The keys of messages and lists by identity, each with what it is the key of, which is so kept alive."""
_PathDifference = tuple[tuple[str, ...], Path | None, Path | None]


def _value_differences(first: _PathValue, second: _PathValue, path: tuple[str, ...]) -> Iterator[_PathDifference]:
    if first.value == second.value:
        return
    if isinstance(first.value, dict):
        yield from _message_differences(first, second, path)
    elif isinstance(first.value, list) and path[-1] in MERGE_KEYS:
        yield from _item_differences(first, second, path)
    else:
        yield path, first.path, second.path


def _message_differences(first: _PathValue, second: _PathValue, path: tuple[str, ...]) -> Iterator[_PathDifference]:
    for name in dict.fromkeys((*first.value, *second.value)):
        first_child = first.child(name) if name in first.value else None
        second_child = second.child(name) if name in second.value else None
        yield from _pair_differences(first_child, second_child, (*path, name))


def _item_differences(first: _PathValue, second: _PathValue, path: tuple[str, ...]) -> Iterator[_PathDifference]:
    """Item by item, as an overlay would match them; the list itself where only the order is another."""
    matching = MERGE_KEYS[path[-1]]
    matches = match_items(matching, index_items(matching, second.value), first.value)
    differences: list[_PathDifference] = []
    for position, match in enumerate(matches):
        first_item = first.child(position)
        differences += _pair_differences(
            first_item, None if match is None else second.child(match), (*path, _item_name(first_item.value))
        )
    for position in sorted(set(range(len(second.value))) - set(matches)):
        differences += _pair_differences(None, second.child(position), (*path, _item_name(second.value[position])))
    yield from differences or [(path, first.path, second.path)]


def _pair_differences(
    first: _PathValue | None, second: _PathValue | None, path: tuple[str, ...]
) -> Iterator[_PathDifference]:
    if first and second:
        yield from _value_differences(first, second, path)
    else:
        yield path, first.path if first else None, second.path if second else None


def _item_name(item: Mapping[str, Any]) -> str:
    """What an upsell or a greeting is called."""
    return next(item_names(item), "no language")


def _equality_key(value: Any, name: str, keys: _KeyCache) -> Hashable:
    """The same for equal values, anyone who owns them; `name` is that of the field."""
    if not isinstance(value, (dict, list)):
        return value  # type: ignore[no-any-return]
    if id(value) not in keys:
        keys[id(value)] = value, _make_key(value, name, keys)
    return keys[id(value)][1]


def _make_key(value: Any, name: str, keys: _KeyCache) -> Hashable:
    if isinstance(value, dict):
        return frozenset((name, _equality_key(inner, name, keys)) for name, inner in value.items())
    if name in MERGE_KEYS:
        return tuple(_equality_key(item, "", keys) for item in value)
    return json.dumps(value, sort_keys=True)
