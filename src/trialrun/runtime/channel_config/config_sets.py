"""Sets of configs that apply together at stores, what has an effect there, and what overrides what (plain values).

Stores with the same set are one group, and what the stores of a brand have in common is computed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from trialrun.runtime.channel_config.layers import BRAND_LEVELS, LEVELS, Bindings, Level, Selector
from trialrun.runtime.channel_config.overlay import (
    ListMerge,
    MergedTree,
    overlay_all,
    same_level_conflicts,
    set_values,
    setters,
)


class AppliedConfig(NamedTuple):
    """A default or a binding of a config, by its number; `location` is whatever the caller knows its place by."""

    level: Level
    config: int
    location: Any


class PlainStore(NamedTuple):
    """A store, with its own defaults and bindings in order of precedence."""

    name: str
    tags: Collection[str]
    uses: Sequence[AppliedConfig]


@dataclass(frozen=True, slots=True)
class ConfigSet:
    """What applies at some stores, in order of precedence; where the stores say so themselves, by the first of them."""

    uses: Sequence[AppliedConfig]
    stores: list[PlainStore]


def config_sets(defaults: Iterable[Any], bindings: Iterable[Any], stores: Iterable[Any]) -> list[ConfigSet]:
    """The sets of a brand, in the order of the first store of each, from plain tuples, such as facts are made of.

    A use is what `AppliedConfig` has; a binding is its use, and the tags and names of its stores; a store is its name,
    its tags and its own uses.
    """
    of_brand = [AppliedConfig(*use) for use in defaults]
    bound, selectors = [], []
    for use, tags, names in bindings:
        bound.append(AppliedConfig(*use))
        selectors.append(Selector(tags, names))
    matcher = Bindings(selectors)
    sets: dict[Hashable, ConfigSet] = {}
    for name, tags, uses in stores:
        store = PlainStore(name, tags, [AppliedConfig(*use) for use in uses])
        indexes = tuple(matcher.indexes_for(name, tags))
        key = (indexes, tuple((use.level, use.config) for use in store.uses))
        if key not in sets:
            sets[key] = ConfigSet((*of_brand, *(bound[index] for index in indexes), *store.uses), [])
        sets[key].stores.append(store)
    return list(sets.values())


class LayerKey(NamedTuple):
    """A config at its level; `rank` is its position among those of its type."""

    level: int
    rank: int
    config: int


OverriddenSetting = tuple[str, Any, Any]
"""A field that two configs set differently: what it was, and what took its place."""


@dataclass(slots=True)
class LevelOverride:
    """Two bindings or defaults of one level that apply at some stores, and the fields in which they differ."""

    earlier: AppliedConfig
    later: AppliedConfig
    settings: Sequence[OverriddenSetting]
    stores: list[PlainStore]


class ConfigTrees:
    """What configs make together, one over another; `values` and `type` are those of a config by its number."""

    def __init__(
        self, values: Callable[[int], Mapping[str, Any]], type: Callable[[int], str | None], lists: ListMerge
    ) -> None:
        self.values, self.type, self.lists = values, type, lists
        self._shared: dict[Hashable, MergedTree[LayerKey]] = {}
        self._overwriting: dict[tuple[int, str | None], dict[int, dict[int, None]]] = {}
        self._overridden: dict[Hashable, dict[tuple[int, int], list[OverriddenSetting]]] = {}

    def keys(self, uses: Iterable[AppliedConfig], kind: str | None) -> tuple[LayerKey, ...]:
        """What sets the parts of the configs of a type."""
        of_type = (use for use in uses if self.type(use.config) == kind)
        return tuple(LayerKey(LEVELS.index(use.level), rank, use.config) for rank, use in enumerate(of_type))

    def merge(self, keys: Sequence[LayerKey]) -> MergedTree[LayerKey] | None:
        """What configs of a type make together; what the stores of a brand share is merged once."""
        return overlay_all(
            ((key, LEVELS[key.level] in BRAND_LEVELS) for key in keys),
            lambda key: self.values(key.config),
            self._shared,
            lists=self.lists,
        )

    def effective(self, config_set: ConfigSet, asked: set[int]) -> set[int]:
        """Those of some configs that something effective at the stores of a set is from."""
        kinds = {self.type(use.config) for use in config_set.uses if use.config in asked}
        trees = (self.merge(self.keys(config_set.uses, kind)) for kind in kinds)
        return {key.config for tree in trees if tree for key in setters(tree)}

    def overwriting(self, number: int, config_set: ConfigSet) -> list[int]:
        """The configs that overwrite what one sets at the stores of a set."""
        kind = self.type(number)
        if (id(config_set), kind) not in self._overwriting:
            found = self._overwriting[id(config_set), kind] = {}
            tree = self.merge(self.keys(config_set.uses, kind))
            for _, here in set_values(tree) if tree else ():
                beneath = here.overridden
                while beneath is not None:
                    found.setdefault(beneath.setter.config, {})[here.setter.config] = None
                    beneath = beneath.overridden
        return list(self._overwriting[id(config_set), kind].get(number, ()))

    def level_overrides(self, sets: Iterable[ConfigSet]) -> Collection[LevelOverride]:
        """The overrides among what a brand applies to its stores, and among what each store applies itself."""
        found: dict[tuple[int, int], LevelOverride] = {}
        for config_set in sets:
            of_brand = [use for use in config_set.uses if use.level in BRAND_LEVELS]
            for override in self._overrides(of_brand, of_brand, config_set.stores):
                key = id(override.earlier.location), id(override.later.location)
                if found.setdefault(key, override) is not override:
                    found[key].stores += override.stores
            for store in config_set.stores:
                for override in self._overrides([*of_brand, *store.uses], store.uses, [store]):
                    found[id(override.earlier.location), id(override.later.location)] = override
        return found.values()

    def _overrides(
        self, uses: Sequence[AppliedConfig], asked: Sequence[AppliedConfig], stores: Sequence[PlainStore]
    ) -> Iterator[LevelOverride]:
        """The overrides of one level among those asked for, out of all that apply; each type resolves on its own."""
        if len(asked) < 2:
            return
        count = Counter((self.type(use.config), use.level) for use in asked)
        levels = {use.level for use in asked}
        for kind in dict.fromkeys(kind for (kind, _), several in count.items() if kind and several > 1):
            of_type = [use for use in uses if self.type(use.config) == kind]
            for (earlier, later), settings in self._overridden_settings(self.keys(uses, kind)).items():
                if of_type[later].level in levels:
                    yield LevelOverride(of_type[earlier], of_type[later], settings, list(stores))

    def _overridden_settings(self, keys: tuple[LayerKey, ...]) -> dict[tuple[int, int], list[OverriddenSetting]]:
        """The settings by the ranks of the two: a value, and the one of its level that took its place."""
        from trialrun.runtime.channel_config.field_path import dotted_path  # imports the models

        if keys not in self._overridden:
            found = self._overridden[keys] = {}
            tree = self.merge(keys)
            for path, winner, loser, _ in same_level_conflicts(tree, lambda key: key.level) if tree else ():
                field = dotted_path(tree.value, path) if tree else ""
                setting = field, loser.value, winner.value
                found.setdefault((loser.setter.rank, winner.setter.rank), []).append(setting)
        return self._overridden[keys]
