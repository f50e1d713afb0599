"""Groups of stores with equal effective configurations, the differences between two, and what else tells them apart."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path, json_pointer
from trialrun.runtime.channel_config.field_path import item_names
from trialrun.runtime.channel_config.layers import TYPES, ResolvedType
from trialrun.runtime.channel_config.menu import BrandMenu, brand_menu
from trialrun.runtime.channel_config.overlay import MERGE_KEYS, Plain, index_items, match_items
from trialrun.values.cel.parse import parse
from trialrun.values.cel.syntax_tree import condition_reads

if TYPE_CHECKING:
    from trialrun.model.companion import Brand
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.declaration import BrandCatalog, DeclaredResource, DeclaredStore


@dataclass(frozen=True)
class Difference:
    """What is not the same at two stores: a field, or an upsell or greeting that only one of them has.

    `path` leads to it with upsells by displayName, else priority, and greetings by language. `first_pointer` and
    `second_pointer` are its JSON pointers at the two stores, `before` and `after` its plain values; all of them None if
    a store does not have it.
    """

    type: ResolvedType
    path: tuple[str, ...]
    first_pointer: str | None
    second_pointer: str | None
    before: Any
    after: Any


def group_stores(configs: Iterable[ActiveConfig]) -> list[list[ActiveConfig]]:
    """The groups of stores that share an effective configuration of both types, the largest first.

    The stores of a group are in the order they were given, whichever files their configuration comes from.
    """
    keys: dict[int, tuple[Any, Hashable]] = {}  # by identity, each with what it is the key of, which is so kept alive
    groups: dict[Hashable, list[ActiveConfig]] = {}
    for config in configs:
        key = tuple(_equality_key(config.types[type].value, "", keys) for type in TYPES)
        groups.setdefault(key, []).append(config)
    return sorted(groups.values(), key=lambda stores: -len(stores))


def differences(first: ActiveConfig, second: ActiveConfig) -> Iterator[Difference]:
    """What differs between two stores, type by type, in the order of the configuration of the first."""
    for type in TYPES:
        yield from differences_of_type(type, first.types[type].value, second.types[type].value)


def differences_of_type(type: ResolvedType, first: Plain, second: Plain) -> Iterator[Difference]:
    """What differs between two effective configurations of a type, in the order of the first."""
    for place, before, after in _value_differences(first, second, Place()):
        first_pointer, second_pointer = (
            None if value is None else json_pointer(path)
            for value, path in ((before, place.before), (after, place.after))
        )
        yield Difference(type, place.keys, first_pointer, second_pointer, before, after)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in two values: the steps that lead there in each, and its path with upsells and greetings by name.

    Two models are compared by what they mean (`changes/compare`), two stores by plain values: what differs is not told
    alike, but where it is.
    """

    before: Path = ()
    after: Path = ()
    keys: tuple[str, ...] = ()

    def step(self, key: str, before: str | int | None, after: str | int | None) -> Place:
        """The place of a field or an item in this one; None on a side that does not have the item."""
        return Place(
            self.before if before is None else (*self.before, before),
            self.after if after is None else (*self.after, after),
            (*self.keys, key),
        )


def _value_differences(first: Any, second: Any, place: Place) -> Iterator[tuple[Place, Any, Any]]:
    """Where two plain values differ, and how; None stands for a side that has nothing there."""
    if first == second:
        return
    if isinstance(first, dict) and isinstance(second, dict):
        for name in dict.fromkeys((*first, *second)):
            yield from _value_differences(first.get(name), second.get(name), place.step(name, name, name))
    elif isinstance(first, list) and isinstance(second, list) and place.keys[-1] in MERGE_KEYS:
        # the list itself where only the order is another
        yield from list(_item_differences(first, second, place)) or [(place, first, second)]
    else:
        yield place, first, second


def _item_differences(first: list[Any], second: list[Any], place: Place) -> Iterator[tuple[Place, Any, Any]]:
    matching = MERGE_KEYS[place.keys[-1]]
    matches = match_items(matching, index_items(matching, second), first)
    extra = sorted(set(range(len(second))) - set(matches))
    for before, after in (*enumerate(matches), *((None, position) for position in extra)):
        items = None if before is None else first[before], None if after is None else second[after]
        if items[0] == items[1]:
            continue
        name = next(item_names(items[0] or items[1]), "no language")
        yield from _value_differences(*items, place.step(name, before, after))


def _equality_key(value: Any, name: str, keys: dict[int, tuple[Any, Hashable]]) -> Hashable:
    """The same for equal values, anyone who owns them; `name` is that of the field."""
    if not isinstance(value, (dict, list)):
        return value  # type: ignore[no-any-return]
    if id(value) not in keys:
        if isinstance(value, dict):
            key: Hashable = frozenset((name, _equality_key(inner, name, keys)) for name, inner in value.items())
        elif name in MERGE_KEYS:
            key = tuple(_equality_key(item, "", keys) for item in value)
        else:
            key = json.dumps(value, sort_keys=True)
        keys[id(value)] = value, key
    return keys[id(value)][1]


def reads_store(config: ActiveConfig) -> bool:
    """Whether a condition depends on which store it is; assumed of one that cannot be read."""
    store_path = ("session", "store")  # the value of the state by which a condition can tell stores apart
    strategy = config.upsell_strategy
    for upsell in (strategy.upsells if strategy else None) or ():
        text = upsell.celUpsell.conditionExpression if upsell.celUpsell else None
        tree = parse(text).tree if text else None
        reads = condition_reads(tree) if tree else ()
        if text and (tree is None or any(read.path == store_path[: len(read.path)] for read in reads)):
            return True
    return False


def stores_alike(
    configs: Iterable[ActiveConfig], catalog: BrandCatalog, errors_of: Callable[[ActiveConfig], Hashable]
) -> Iterator[list[ActiveConfig]]:
    """Stores that sessions cannot tell apart, those whose configuration the most have first.

    They have one effective configuration, brand and menu, and the same errors in what it comes from. Each store is
    alone if a condition asks for the store.
    """
    for equal in group_stores(configs):
        if reads_store(equal[0]):
            yield from ([config] for config in equal)
            continue
        alike: dict[Hashable, list[ActiveConfig]] = {}
        for config in equal:
            key = id(config.store.brand), sold_at(config.store, catalog), errors_of(config)
            alike.setdefault(key, []).append(config)
        yield from alike.values()


def menu_of(brand: DeclaredResource[Brand], catalog: BrandCatalog) -> BrandMenu:
    """The menu of a brand for all its stores, made once."""
    menus: dict[int, BrandMenu] = catalog.cache.setdefault("menus of brands", {})
    if id(brand) not in menus:
        menus[id(brand)] = brand_menu(brand, catalog)
    return menus[id(brand)]


def sold_at(store: DeclaredStore, catalog: BrandCatalog) -> Hashable:
    """What tells the menu of a store from that of another of its brand: the lists that name it, and its time zone."""
    menu = menu_of(store.brand, catalog)
    return store.store.timeZone if menu.depends_on_time else None, menu.store_lists(store.name)
