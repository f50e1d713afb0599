"""Bindings and defaults of one level that set a field to different values, where both apply.

Stores of a brand have most of what applies in common, so overlays are computed once for the same configs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import Any, Generic, NamedTuple

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.config_sets import (
    AppliedConfig,
    ConfigSet,
    PlainBrand,
    PlainStore,
    Where,
    config_sets,
)
from trialrun.runtime.channel_config.overlay import ListMerge, MergedTree, overlay

BRAND_LEVELS = ("brand-default", "brand-binding")


class OverriddenSetting(NamedTuple):
    """A field that two configs set differently: what it was, and what took its place."""

    field: str
    was: Any
    value: Any


@dataclass(slots=True)
class LevelOverride(Generic[Where]):
    """Two bindings or defaults of one level that apply at some stores, and the fields in which they differ."""

    earlier: AppliedConfig[int, Where]
    later: AppliedConfig[int, Where]
    settings: Sequence[OverriddenSetting]
    stores: list[PlainStore[int, Where]]

    @property
    def key(self) -> tuple[int, int]:
        """What is the same wherever these two meet."""
        return id(self.earlier.location), id(self.later.location)


class ConfigValues(NamedTuple):
    """What configs set and of which type they are, by their numbers, and how lists are merged."""

    values: Callable[[int], dict[str, Any]]
    type: Callable[[int], str | None]
    lists: ListMerge


class LevelOverrides:
    """Finds the overrides of brands whose configs these are."""

    def __init__(self, configs: ConfigValues) -> None:
        self._configs = configs
        self._shared: dict[tuple[int, ...], MergedTree[int]] = {}
        self._found: dict[Hashable, dict[tuple[int, int], list[OverriddenSetting]]] = {}

    def of_brand(self, brand: PlainBrand[int, Where]) -> Collection[LevelOverride[Where]]:
        """The overrides among what a brand applies to its stores, and among what each store applies itself."""
        found: dict[tuple[int, int], LevelOverride[Where]] = {}
        for config_set in config_sets(brand):
            for override in self._at_stores(config_set):
                if found.setdefault(override.key, override) is not override:
                    found[override.key].stores += override.stores
            for store in config_set.stores:
                found.update((override.key, override) for override in self._at_store(store, config_set))
        return found.values()

    def _at_stores(self, config_set: ConfigSet[int, Where]) -> Iterator[LevelOverride[Where]]:
        uses = [use for use in config_set.uses if use.level in BRAND_LEVELS]
        yield from self._overrides(uses, uses, config_set.stores)

    def _at_store(
        self, store: PlainStore[int, Where], config_set: ConfigSet[int, Where]
    ) -> Iterator[LevelOverride[Where]]:
        if len(store.uses) > 1:
            below = [use for use in config_set.uses if use.level in BRAND_LEVELS]
            yield from self._overrides([*below, *store.uses], store.uses, [store])

    def _overrides(
        self,
        uses: Sequence[AppliedConfig[int, Where]],
        asked: Sequence[AppliedConfig[int, Where]],
        stores: list[PlainStore[int, Where]],
    ) -> Iterator[LevelOverride[Where]]:
        """The overrides of one level among those asked for, out of all that apply; each type resolves on its own."""
        count = Counter((self._configs.type(use.config), use.level) for use in asked)
        levels = {use.level for use in asked}
        for kind in dict.fromkeys(kind for (kind, _), several in count.items() if kind and several > 1):
            of_type = [use for use in uses if self._configs.type(use.config) == kind]
            for (earlier, later), settings in self._overridden(of_type).items():
                if of_type[later].level in levels:
                    yield LevelOverride(of_type[earlier], of_type[later], settings, list(stores))

    def _overridden(self, uses: Sequence[AppliedConfig[int, Where]]) -> dict[tuple[int, int], list[OverriddenSetting]]:
        """The settings by the indexes of the two: a value, and the one of its level that took its place."""
        from trialrun.runtime.channel_config.effective import same_level_conflicts  # imports the models
        from trialrun.runtime.channel_config.field_text import dotted_path

        key = tuple((use.level, use.config) for use in uses)
        if key not in self._found:
            found = self._found[key] = {}
            tree = self._merge(uses)
            for conflict in same_level_conflicts(tree, lambda index: uses[index].level) if tree else ():
                loser, winner = conflict.loser, conflict.winner
                field = dotted_path(tree.value, conflict.path) if tree else ""
                setting = OverriddenSetting(field, loser.value, winner.value)
                found.setdefault((loser.setter, winner.setter), []).append(setting)
        return self._found[key]

    def _merge(self, uses: Sequence[AppliedConfig[int, Where]]) -> MergedTree[int] | None:
        """What configs make together; what the stores of a brand share is computed once."""
        tree: MergedTree[int] | None = None
        key: tuple[int, ...] = ()
        for index, use in enumerate(uses):
            key = (*key, use.config)
            values = self._configs.values(use.config)
            tree = self._shared.get(key) or overlay(tree, index, values, lists=self._configs.lists)
            if use.level in BRAND_LEVELS:
                self._shared[key] = tree
        return tree
